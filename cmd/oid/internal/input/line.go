// Package input reads the IDs of arguments, texts and tables.
package input

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/rows"
	"github.com/oidkit/oidkit/oid"
)

// Options say where the IDs of a text are.
type Options struct {
	Form      *ids.Form // nil: any that is certain
	Scan      bool      // anywhere in a line; otherwise a line is an ID
	Column    string    // of a table: a name, or a number from 1; "": no table
	Separator byte      // of the columns; 0: no table
}

// A Line is a line of a text or a row of a table, with its IDs.
type Line struct {
	*rows.Row
	IDs     []Match
	Header  bool  // it holds the names of the columns
	Problem error // why what should be an ID is none

	column int // of the ID, or -1
}

// A Match is an ID in a line.
type Match struct {
	ID         oid.ID
	start, end int // in the text, if IDs may be anywhere
}

// The longest lines. A line that holds one ID is short. Others are held in memory.
const (
	longestID  = 64 << 10
	longestRow = 64 << 20
)

// lines yields the lines of in. A line is valid until the next one. An error is the last.
func (o Options) lines(in io.Reader) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		l := &Line{column: -1}
		s := ids.Scanner{Form: o.Form, Found: func(id oid.ID, end int) error {
			l.IDs = append(l.IDs, Match{id, end - o.Form.Size, end})
			return nil
		}}
		most := longestRow
		if !o.Scan && o.Column == "" {
			most = longestID
		}
		for row, err := range rows.Rows(in, o.Separator, most) {
			l.Row, l.IDs, l.Header, l.Problem = row, l.IDs[:0], false, nil
			switch {
			case err == rows.ErrLong && most == longestID:
				l.Problem = fmt.Errorf("longer than %s bytes: want one ID per line (--scan finds IDs in any text)", format.Thousands(longestID))
				err = nil
			case err == rows.ErrLong:
				err = fmt.Errorf("line %d is longer than %s bytes", row.Line, format.Thousands(longestRow))
			case err != nil:
			case o.Scan:
				s.Write(row.Text) // Found never fails
				s.End(len(row.Text))
			case o.Column != "":
				err = o.findInColumn(l)
			default:
				l.Problem = o.find(l, row.Value(0))
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// find adds the only ID of value to the line.
func (o Options) find(l *Line, value string) error {
	switch value {
	case "", "NULL", `\N`: // as databases write NULL
		return nil
	}
	id, err := ids.Find(value, o.Form)
	if err == nil {
		l.IDs = append(l.IDs, Match{ID: id})
	}
	return err
}

// findInColumn finds the ID in the column. The first row may be a header. It returns an
// error for a table without the column.
func (o Options) findInColumn(l *Line) error {
	if l.column < 0 {
		n, err := strconv.Atoi(o.Column)
		if l.Header = err != nil; l.Header {
			n = l.Index(o.Column) + 1
		}
		if n < 1 || n > l.Fields() {
			return o.noColumn(l.Row)
		}
		l.column = n - 1
	}
	switch {
	case l.Header, l.Fields() == 1 && l.Value(0) == "": // or an empty line
	case l.column >= l.Fields():
		l.Problem = fmt.Errorf("the row has no column %d", l.column+1)
	default:
		if l.Problem = o.find(l, l.Value(l.column)); l.Problem != nil && l.Line == 1 {
			l.Header, l.Problem = true, nil
		}
	}
	return nil
}

// noColumn is the error for a table whose first row has no such column.
func (o Options) noColumn(row *rows.Row) error {
	return fmt.Errorf("there is no column %s: between %s (--separator), the first line has %s",
		format.Quote(o.Column), format.Quote(string(rune(o.Separator))), format.Quote(strings.Join(row.Values(), ", ")))
}

// Rewritten appends the line to dst, with each ID in the form f. It quotes the ID in a
// column if it needs quotes. All other bytes stay.
func (l *Line) Rewritten(dst []byte, f *ids.Form) []byte {
	if l.column >= 0 && len(l.IDs) > 0 {
		return l.Replace(dst, l.column, f.Text(l.IDs[0].ID))
	}
	done := 0
	for _, m := range l.IDs {
		dst = f.Append(append(dst, l.Text[done:m.start]...), m.ID)
		done = m.end
	}
	return append(dst, l.Text[done:]...)
}
