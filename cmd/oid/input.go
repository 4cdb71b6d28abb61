package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

// inputHelp is the help on the input of the commands that read IDs.
const inputHelp = `IDs come as arguments, from files, or from standard input (also: -), one per line.
ObjectId("…"), \x…, {"$oid":"…"}, xids and the UUID form are IDs too. A line that
isn't an ID is reported, the others are used, and the status is 1 at the end.`

// inputFlag chooses the form to read.
func inputFlag() cli.Flag {
	return &cli.StringFlag{Name: "input", Usage: "read IDs in `FORM`: " + strings.Join(formNames(true), ", ")}
}

// inputFlags are the options of the commands that read IDs.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "scan", Usage: "find the IDs anywhere in the text"},
		inputFlag(),
	}
}

// inputForm returns the form that --input names, or nil.
func inputForm(cmd *cli.Command) (*form, error) {
	if !cmd.IsSet("input") {
		return nil, nil
	}
	f := formNamed(cmd.String("input"))
	if f == nil || !f.readable() {
		return nil, fmt.Errorf("--input %s is not a form to read: want %s", quote(cmd.String("input")), strings.Join(formNames(true), ", "))
	}
	return f, nil
}

// errReported ends the command with status 1 without another message.
var errReported = errors.New("reported")

// A reader passes the IDs of the arguments to a command.
type reader struct {
	e        *env
	form     *form // nil: any
	scan     bool
	use      func(oid.ID) error
	progress *progress
	ids, bad int64
}

// eachID calls use for each ID of the arguments.
func (e *env) eachID(cmd *cli.Command, use func(oid.ID) error) error {
	f, err := inputForm(cmd)
	if err != nil {
		return err
	}
	r := &reader{e: e, form: f, scan: cmd.Bool("scan"), use: use}
	args := cmd.Args().Slice()
	if len(args) == 0 {
		args = []string{"-"}
	}
	r.progress = newProgress(e.errs, !isTerminal(e.stdout), 0)
	defer r.progress.clear()
	for _, arg := range args {
		if err := r.argument(arg); err != nil {
			return err
		}
	}
	switch {
	case r.bad > 1:
		return fmt.Errorf("%s of %s are not IDs", number(float64(r.bad)), number(float64(r.bad+r.ids)))
	case r.bad == 1:
		return errReported
	case r.ids == 0 && r.scan:
		return errors.New(noIDs)
	case r.ids == 0:
		return errors.New("no IDs: give them as arguments, in files, or one per line on standard input")
	}
	return nil
}

// noIDs is the error for a text without IDs.
const noIDs = "no IDs in the input: want 24 hex digits, with no letter or digit next to them"

// A badIDError is the error of a command for an ID that it can't use. The command
// continues with the next ID.
type badIDError string

func (e badIDError) Error() string { return string(e) }

// found uses an ID.
func (r *reader) found(id oid.ID) error {
	err := r.use(id)
	if bad := badIDError(""); errors.As(err, &bad) {
		return r.refuse(bad)
	}
	r.ids++
	if r.ids%4096 == 0 {
		r.progress.at(r.ids)
	}
	return err
}

// refuse reports a text that is not an ID.
func (r *reader) refuse(err error) error {
	r.bad++
	if err := r.e.out.Flush(); err != nil { // show earlier output first
		return err
	}
	r.progress.clear()
	r.e.report(err)
	return nil
}

// argument uses the IDs of an argument: an ID, a file, or - for standard input.
func (r *reader) argument(arg string) error {
	if arg != "-" && !r.scan && (r.form == nil || !r.form.raw()) {
		id, problem := findID(arg, r.form)
		if problem == nil {
			return r.found(id)
		}
		if _, err := os.Stat(arg); err != nil {
			if errors.Is(err, os.ErrNotExist) && strings.ContainsAny(arg, `./\`) {
				return r.refuse(fmt.Errorf("%w, and there is no such file", problem))
			}
			return r.refuse(problem)
		}
	}
	text, err := r.e.open(arg, r.form)
	if err != nil {
		return r.refuse(err)
	}
	defer text.Close()
	if r.scan || r.form != nil && r.form.raw() {
		f := r.form
		if f == nil {
			f = formNamed("hex")
		}
		if err := scan(text, f, r.found, func() {}); err != nil {
			return text.named(err)
		}
		return nil
	}
	return r.lines(text)
}

// longestLine bounds the length of a line that holds one ID.
const longestLine = 64 << 10

// lines uses the IDs of a text that has one ID per line.
func (r *reader) lines(text *input) error {
	lines := bufio.NewReaderSize(text, longestLine)
	for n := int64(1); ; n++ {
		line, err := lines.ReadSlice('\n')
		var problem error
		if tooLong := err == bufio.ErrBufferFull; tooLong {
			for err == bufio.ErrBufferFull {
				_, err = lines.ReadSlice('\n')
			}
			problem = fmt.Errorf("longer than %s bytes: want one ID per line (--scan finds IDs in any text)", thousands(longestLine))
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			var id oid.ID
			if id, problem = findID(string(line), r.form); problem == nil {
				if err := r.found(id); err != nil {
					return err
				}
			}
		}
		if problem != nil {
			if err := r.refuse(fmt.Errorf("%s: %w", text.line(n), problem)); err != nil {
				return err
			}
		}
		if isTerminal(text.source) { // a user who types wants to see each answer
			if err := r.e.out.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return text.named(err)
		}
	}
}

// An input is a text that is read.
type input struct {
	io.Reader
	name   string
	source *os.File
}

// Close closes a file, and leaves standard input open.
func (in *input) Close() error {
	if in.source == os.Stdin {
		return nil
	}
	return in.source.Close()
}

// named returns an error that names the input. Errors of files already do.
func (in *input) named(err error) error {
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		return err
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// line returns a name for line n of the input, for errors.
func (in *input) line(n int64) string {
	if in.source == os.Stdin {
		return fmt.Sprintf("line %d", n)
	}
	return fmt.Sprintf("%s:%d", in.name, n)
}

// open opens the file that arg names, or standard input for -. Text, unlike raw bytes,
// may start with a byte order mark of UTF-8 or UTF-16.
func (e *env) open(arg string, f *form) (*input, error) {
	in := &input{name: "standard input", source: os.Stdin}
	if arg == "-" {
		if isTerminal(os.Stdin) {
			fmt.Fprintln(e.errs, "reading IDs from the terminal; Ctrl-D on an empty line ends them")
		}
	} else {
		file, err := os.Open(arg)
		if err != nil {
			return nil, err
		}
		in.name, in.source = arg, file
	}
	in.Reader = in.source
	if f == nil || !f.raw() {
		in.Reader = &markedText{source: in.source}
	}
	return in, nil
}

// A markedText reads text without its byte order mark. If the mark is that of UTF-16, it
// converts the text to UTF-8. Windows PowerShell writes such files.
type markedText struct {
	source io.Reader
	text   io.Reader // nil before the first read
}

func (m *markedText) Read(p []byte) (int, error) {
	if m.text == nil {
		start := make([]byte, 3)
		n := 0
		for n < len(start) { // not io.ReadFull: a typed line may be shorter
			more, err := m.source.Read(start[n:])
			n += more
			if err != nil && err != io.EOF {
				return 0, err
			}
			if err == io.EOF || !couldBeMark(start[:n]) {
				break
			}
		}
		start = start[:n]
		switch {
		case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
			m.text = io.MultiReader(bytes.NewReader(start[3:]), m.source)
		case bytes.HasPrefix(start, []byte("\xff\xfe")):
			m.text = &utf16Text{source: bufio.NewReader(io.MultiReader(bytes.NewReader(start[2:]), m.source)), big: false}
		case bytes.HasPrefix(start, []byte("\xfe\xff")):
			m.text = &utf16Text{source: bufio.NewReader(io.MultiReader(bytes.NewReader(start[2:]), m.source)), big: true}
		default:
			m.text = io.MultiReader(bytes.NewReader(start), m.source)
		}
	}
	return m.text.Read(p)
}

// couldBeMark reports whether start is the start of a byte order mark.
func couldBeMark(start []byte) bool {
	return slices.ContainsFunc([]string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}, func(mark string) bool {
		return strings.HasPrefix(mark, string(start))
	})
}

// A utf16Text reads UTF-16 as UTF-8.
type utf16Text struct {
	source *bufio.Reader
	big    bool   // the high byte comes first
	rest   []byte // of what doesn't fit into the last read
	unit   rune   // the first half of a pair, or 0
}

func (u *utf16Text) Read(p []byte) (int, error) {
	var pair [2]byte
	for len(u.rest) == 0 || u.source.Buffered() >= 2 && len(u.rest) < len(p) {
		if _, err := io.ReadFull(u.source, pair[:]); err != nil {
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			return 0, err
		}
		if u.big {
			pair[0], pair[1] = pair[1], pair[0]
		}
		r := rune(pair[0]) | rune(pair[1])<<8
		switch {
		case u.unit != 0:
			r, u.unit = utf16.DecodeRune(u.unit, r), 0
		case utf16.IsSurrogate(r):
			u.unit = r
			continue
		}
		u.rest = utf8.AppendRune(u.rest, r)
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
