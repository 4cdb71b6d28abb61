package input

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/rows"
	"github.com/oidkit/oidkit/oid"
)

// A Reader reads the IDs of a command's arguments.
type Reader struct {
	Args   []string        // IDs or files; -: standard input
	Typed  bool            // a user types standard input
	Flush  func() error    // shows the output; its error ends the reader
	Report func(err error) // prints an error or a note after the output; the reader goes on
	Count  int64           // of the IDs

	// These say where the IDs of a text are.
	Form      *ids.Form // nil: any that is certain
	Scan      bool      // anywhere in a line; otherwise a line is an ID
	Column    string    // of a table: a name, or a number from 1; or a field of lines of JSON. "": neither
	Separator byte      // of the columns; 0: no table

	useID   func(oid.ID) // nil: the command needs lines
	scanner ids.Scanner  // of texts in which IDs may be anywhere
	bad     int64        // texts that are not IDs
	closed  bool         // a file can't be opened
}

// The longest lines. A line that holds one ID is short. Others are held in memory.
const (
	longestID  = 64 << 10
	longestRow = 64 << 20
)

// mostReported is how many texts that are not IDs are reported. The others are counted.
const mostReported = 10

// ErrReported is the error for an input that has been reported.
var ErrReported = errors.New("reported")

// EachID calls use for each ID, and reports what was wrong with the input. A text in which
// IDs may be anywhere needs constant memory, however long its lines are.
func (r *Reader) EachID(use func(oid.ID)) error {
	r.useID = use
	return r.Each(func(l *Line) {
		for _, m := range l.IDs {
			use(m.ID)
		}
	})
}

// Each calls use for each line or row, with or without IDs, and for each ID of the
// arguments. Then it reports what was wrong with the input.
func (r *Reader) Each(use func(*Line)) error {
	if len(r.Args) == 0 {
		r.Args = []string{"-"}
	}
	for _, arg := range r.Args {
		if err := r.read(arg, use); err != nil {
			return err
		}
	}
	if r.scanner.Crowded {
		r.Report(errors.New("note: there are lines with several IDs, and each ID counts; --column NAME reads one column of a table, or one field of lines of JSON"))
	}
	if r.scanner.Passed > 0 && r.Count > 0 {
		r.Report(fmt.Errorf("note: IDs with a letter next to them are skipped: %s", format.Thousands(r.scanner.Passed)))
	}
	all, want := format.Thousands(r.bad+r.Count), "24 hex digits"
	if r.Form != nil && r.Form != ids.Hex {
		want = "the form " + r.Form.Name
	}
	switch {
	case r.bad > mostReported:
		return fmt.Errorf("%s of %s are not IDs; the first %d are shown", format.Thousands(r.bad), all, mostReported)
	case r.bad > 1:
		return fmt.Errorf("%d of %s are not IDs", r.bad, all)
	case r.bad == 1 || r.closed:
		return ErrReported
	case r.Count > 0:
		return nil
	case r.Column != "":
		return fmt.Errorf("no IDs in the column %s", format.Quote(r.Column))
	case r.scanner.Passed > 0:
		return fmt.Errorf("no IDs in the input: want %s, with no letter or digit next to them (skipped: %s)", want, format.Thousands(r.scanner.Passed))
	case r.Scan:
		return fmt.Errorf("no IDs in the input: want %s, with no letter or digit next to them", want)
	}
	return errors.New("no IDs: give them as arguments, in files, or one per line on standard input")
}

// read calls use for the ID that is an argument, or for each line of the file.
func (r *Reader) read(arg string, use func(*Line)) error {
	if r.Scan || r.Column != "" || arg == "-" {
		return r.open(arg, use)
	}
	id, problem := ids.Find(arg, r.Form)
	if problem == nil {
		r.Count++
		use(&Line{IDs: []Match{{ID: id}}})
		return nil
	}
	_, err := os.Stat(arg)
	switch {
	case err == nil:
		return r.open(arg, use)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, `./\`):
		problem = fmt.Errorf("%w, and there is no such file", problem)
	}
	r.refuse(problem)
	return nil
}

// refuse reports a text that is not an ID.
func (r *Reader) refuse(problem error) {
	if r.bad++; r.bad <= mostReported {
		r.Report(problem)
	}
}

// open calls use for each line of the file that arg names, or of standard input for -.
func (r *Reader) open(arg string, use func(*Line)) error {
	name, file := arg, os.Stdin
	if arg == "-" {
		name = "standard input"
		if r.Typed {
			r.Report(errors.New("reading IDs from the terminal; Ctrl-D on an empty line ends the input"))
		}
	} else {
		var err error
		if file, err = os.Open(arg); err != nil {
			r.closed = true
			r.Report(err)
			return nil
		}
		defer file.Close()
	}
	text, err := rows.Text(prompted{file, r.Flush})
	if err == nil {
		err = r.eachLine(text, arg, use)
	}
	if named := (*fs.PathError)(nil); err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// A prompted reader shows the output before it waits for more input, which may be the answer.
// If the output can't be written, the input ends.
type prompted struct {
	io.Reader
	flush func() error
}

func (p prompted) Read(b []byte) (int, error) {
	if err := p.flush(); err != nil {
		return 0, err
	}
	return p.Reader.Read(b)
}

// eachID calls useID for each ID of a text in which they may be anywhere.
func (r *Reader) eachID(in io.Reader) error {
	r.scanner.Form, r.scanner.Found = r.Form, func(id oid.ID, _ int) {
		r.Count++
		r.useID(id)
	}
	_, err := io.Copy(&r.scanner, in)
	r.scanner.End(0)
	return err
}

// eachLine calls use for each line of the argument's text, and reports what is not an ID. A
// line is valid until the next one.
func (r *Reader) eachLine(in io.Reader, arg string, use func(*Line)) error {
	if r.Scan && r.useID != nil {
		return r.eachID(in)
	}
	l := &Line{column: -1}
	r.scanner.Form, r.scanner.Found = r.Form, func(id oid.ID, end int) {
		l.IDs = append(l.IDs, Match{id, span{end - r.Form.Size, end}})
	}
	most, separator, isJSON := longestRow, r.Separator, false
	switch {
	case r.Column != "":
		text := bufio.NewReader(in)
		if isJSON, in = rows.IsJSON(text), text; isJSON {
			separator = 0
		}
	case !r.Scan:
		most = longestID
	}
	for row, err := range rows.Rows(in, separator, most) {
		l.Row, l.IDs, l.Header, l.Problem = row, l.IDs[:0], false, nil
		switch {
		case err == rows.ErrLong && most == longestID:
			l.Problem, err = fmt.Errorf("the line is longer than %s bytes: want one ID per line (--scan finds IDs in any text)", format.Thousands(longestID)), nil
		case err == rows.ErrLong:
			err = fmt.Errorf("line %d is longer than %s bytes", row.Line, format.Thousands(longestRow))
		case err != nil:
		case r.Scan:
			r.scanner.Write(row.Text)
			r.scanner.End(len(row.Text))
		case isJSON:
			l.column = 0
			if err := row.Pick(r.Column); err != nil {
				l.Problem = fmt.Errorf("%s is %w", format.Quote(strings.TrimSpace(string(row.Text))), err)
			} else {
				l.Problem = r.find(l, row.Value(0))
			}
		case r.Column != "":
			err = r.findInColumn(l)
		default:
			l.Problem = r.find(l, row.Value(0))
		}
		if err != nil {
			return err
		}
		r.Count += int64(len(l.IDs))
		if use(l); l.Problem != nil {
			place := fmt.Sprintf("%s:%d", arg, l.Line)
			if arg == "-" {
				place = fmt.Sprintf("line %d", l.Line)
			}
			r.refuse(fmt.Errorf("%s: %w", place, l.Problem))
		}
	}
	return nil
}
