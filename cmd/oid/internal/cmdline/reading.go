package cmdline

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/urfave/cli/v3"
)

// IDsHelp is the help on the input of the commands that read IDs.
const IDsHelp = `Arguments are IDs and files with one ID per line. Without arguments, or with
-, the command reads standard input. An ID can also be ObjectId("…"), \x…,
{"$oid":"…"}, an xid, or a UUID that was made from an ID. Lines that are not
IDs are reported, and the exit status is then 1.

` + columnHelp

// TextHelp is the help on the input of the commands that read any text.
const TextHelp = `Arguments are files. Without arguments, or with -, the command reads standard
input. An ID in a text is 24 hex digits with no letter or digit next to them.

` + columnHelp

const columnHelp = `--column reads one column of a table, such as CSV. NAME is a column name from
the first line, or a number. With a number, the first line counts as a header
if it has no ID. In lines of JSON, NAME is a field, such as user._id.`

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
		e.Refuse(fmt.Errorf("--separator %s is not a separator: want tab, or one character of ASCII such as ; and no quote", format.Quote(separator)))
		return r
	}
	r.Separator = separator[0]
	return r
}
