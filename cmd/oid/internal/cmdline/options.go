package cmdline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

// A words is an option that knows values it can have.
type words struct {
	*cli.StringFlag
	words []string
}

// Words returns the option, for which a shell completes these values. With Word, it can have
// no other ones.
func Words(option *cli.StringFlag, values ...string) cli.Flag { return &words{option, values} }

// Word returns the value of an option of Words, which is one of its values. The error calls
// it what, such as a form.
func (e *Env) Word(name, what string) string {
	value, known := e.String(name), wordsOf(e.Command, name)
	if e.IsSet(name) && !slices.Contains(known, value) {
		e.Refuse(fmt.Errorf("--%s %s is not a %s: want %s", name, format.Quote(value), what, strings.Join(known, ", ")))
	}
	return value
}

// wordsOf returns the values that an option of a command is known to have.
func wordsOf(cmd *cli.Command, name string) []string {
	for _, c := range cmd.Lineage() {
		for _, option := range c.Flags {
			if w, ok := option.(*words); ok && w.Name == name {
				return w.words
			}
		}
	}
	return nil
}

// complete prints what can follow: the values of the option before the cursor, or the
// commands and options that the parser knows. Without either, the shell completes files.
func complete(ctx context.Context, cmd *cli.Command) {
	before := os.Args[len(os.Args)-2] // the last argument is the parser's own option
	option := strings.TrimLeft(before, "-")
	if values := wordsOf(cmd, option); option != before && values != nil {
		fmt.Fprintln(cmd.Root().Writer, strings.Join(values, "\n"))
		return
	}
	cli.DefaultCompleteWithFlags(ctx, cmd)
}

// IDsHelp is the help on the input of the commands that read IDs.
const IDsHelp = `Arguments are IDs and files with one ID per line. With --scan or --column,
arguments are files. Without arguments, or with -, the command reads standard
input. An ID can also be ObjectId("…"), \x…, {"$oid":"…"} or, without --scan,
an xid or a UUID that was made from an ID. Without --scan, text that is
neither one ID nor NULL makes the exit status 1.

` + columnHelp

// TextHelp is the help on the input of the commands that read any text.
const TextHelp = `Arguments are files. Without arguments, or with -, the command reads standard
input. An ID in a text is 24 hex digits with no letter or digit next to them,
but \x, 0x or an escape such as %3D may stand before them.

` + columnHelp

const columnHelp = `--column reads one column of a table, such as CSV. NAME is a name in the
first line, or a number from 1. With a number, the first line is a header if
it has text but no ID there. In lines of JSON, NAME is a field, such as
user._id.`

// ReadingFlags are the options of the commands that read IDs or text.
func ReadingFlags() []cli.Flag {
	return []cli.Flag{
		Words(&cli.StringFlag{Name: "input", Usage: "read `FORM`: " + strings.Join(ids.Names(true), ", ")}, ids.Names(true)...),
		&cli.StringFlag{Name: "column", Usage: "read only the column `NAME`"},
		Words(&cli.StringFlag{Name: "separator", Usage: "`CHARACTER` between columns, or tab", Value: ","}, "tab"),
	}
}

// ScanFlag is the option to find IDs in any text.
func ScanFlag() cli.Flag {
	return &cli.BoolFlag{Name: "scan", Usage: "find the IDs anywhere in the text"}
}

// Reader returns the reader for the arguments and options of the command. If scan is true, IDs
// may be anywhere in a text without columns.
func (e *Env) Reader(scan bool) *input.Reader {
	r := &input.Reader{Args: e.Args().Slice(), Typed: screen.IsTerminal(os.Stdin), Flush: e.Out.Flush, Report: e.report}
	r.Form = ids.Named(e.Word("input", "form to read"))
	if !e.IsSet("column") {
		if e.IsSet("separator") {
			e.Refuse(errors.New("--separator needs --column: say which column holds the IDs"))
		}
		if r.Scan = scan || e.Bool("scan"); r.Scan && r.Form == nil {
			r.Form = ids.Hex
		}
		return r
	}
	e.NotBoth("column", "scan")
	r.Column = e.String("column")
	if n, err := strconv.Atoi(r.Column); r.Column == "" || err == nil && n < 1 {
		e.Refuse(fmt.Errorf("--column %s is not a column: want a name, or a number from 1", format.Quote(r.Column)))
	}
	separator := e.String("separator")
	if separator == "tab" || separator == `\t` {
		separator = "\t"
	}
	if len(separator) != 1 || strings.ContainsAny(separator, "\"\r\n\x00") || separator[0] >= 0x80 {
		e.Refuse(fmt.Errorf("--separator %s is not a separator: want tab, or one ASCII character that is not a quote, such as ;", format.Quote(separator)))
		return r
	}
	r.Separator = separator[0]
	return r
}

// ToFlag chooses the form in which a command writes IDs.
func ToFlag() cli.Flag {
	return Words(&cli.StringFlag{Name: "to", Usage: "write `FORM`, see oid convert -h", Value: "hex"}, ids.Names(false)...)
}

// OutputForm returns the form that --to names.
func (e *Env) OutputForm() *ids.Form {
	e.NotBoth("to", "json")
	return ids.Named(e.Word("to", "form"))
}

// Writer returns the function that writes an ID on a line, in the form of --to. With --json
// it writes what asJSON returns.
func (e *Env) Writer(asJSON func(oid.ID) any) func(oid.ID) {
	f := e.OutputForm()
	if e.JSON {
		return func(id oid.ID) { e.PrintJSON(asJSON(id)) }
	}
	var line []byte
	return func(id oid.ID) {
		line = append(f.Append(line[:0], id), '\n')
		e.Out.Write(line)
	}
}

// IDJSON is the JSON of an ID.
type IDJSON struct {
	ID   oid.ID    `json:"id"`
	Time time.Time `json:"time"`
}

// PlainJSON returns the JSON of an ID.
func PlainJSON(id oid.ID) IDJSON { return IDJSON{id, id.Timestamp()} }

// TimeHelp is the part on times in the help of a command.
const TimeHelp = `Times: 2026, 2026-Q1, 2026-03, 2026-W09, 2026-03-01, "2026-03-01 15:04",
2026-03-01T15:04:05Z, today, yesterday, now, @1772323200 for seconds since
1970, and 36h, 7d or 2w for 36 hours, 7 days or 2 weeks ago. A time without
an offset is in the zone of --zone.`

// Time returns the time that s names. In errors, what names the argument.
func (e *Env) Time(what, s string, now time.Time) times.Span {
	span, err := times.Parse(s, now)
	if err != nil {
		e.Refuse(fmt.Errorf("%s %w", what, err))
	}
	return span
}

// between returns the span from the start of one time until that of another. Either may be
// "": then its end of the span is the zero time. A + in to counts from the start.
func (e *Env) between(fromName, from, toName, to string) (span times.Span) {
	now := e.Now
	if from != "" {
		span.From = e.Time(fromName, from, now).From
	}
	if to == "" {
		return span
	}
	if from != "" && strings.HasPrefix(to, "+") {
		now = span.From
	}
	span.To = e.Time(toName, to, now).From
	if !span.From.Before(span.To) {
		e.Refuse(fmt.Errorf("%s %s is not before %s %s", fromName, format.Time(span.From), toName, format.Time(span.To)))
	}
	return span
}

// Span returns the span that one or two arguments name.
func (e *Env) Span() times.Span {
	if e.NArg() == 1 {
		span := e.Time("SPAN", e.Args().First(), e.Now)
		if span.From.Equal(span.To) { // such as +1h
			e.Refuse(fmt.Errorf("SPAN %s is one moment: want FROM and TO", format.Quote(e.Args().First())))
		}
		return span
	}
	return e.between("FROM", e.Args().Get(0), "TO", e.Args().Get(1))
}

// TimeFlag is an option that is a time.
func TimeFlag(name, usage, none string) cli.Flag {
	return Words(&cli.StringFlag{Name: name, Usage: usage, DefaultText: none}, "now", "today", "yesterday")
}

// WindowFlags are the options that select IDs made between two moments.
func WindowFlags() []cli.Flag {
	return []cli.Flag{
		TimeFlag("from", "leave out IDs created before `TIME`", ""),
		TimeFlag("to", "leave out IDs created at `TIME` or later", ""),
	}
}

// Window returns the function that reports whether --from and --to select an ID.
func (e *Env) Window() (keep func(oid.ID) bool) {
	span := e.between("--from", e.String("from"), "--to", e.String("to"))
	lo, hi := oid.MinAt(span.From), oid.Until(span.To)
	endless := !e.IsSet("to") // no bound is above the greatest ID
	return func(id oid.ID) bool { return lo.Compare(id) <= 0 && (endless || id.Compare(hi) < 0) }
}
