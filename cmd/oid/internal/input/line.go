// Package input reads the IDs of arguments, texts and tables.
package input

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/rows"
	"github.com/oidkit/oidkit/oid"
)

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
	ID oid.ID
	span
}

// A span is a part of a text.
type span struct{ start, end int }

// find adds the only ID of value to the line.
func (r *Reader) find(l *Line, value string) error {
	switch value {
	case "", "NULL", "null", `\N`: // as databases write NULL
		return nil
	}
	id, err := ids.Find(value, r.Form)
	if err == nil {
		l.IDs = append(l.IDs, Match{ID: id})
	}
	return err
}

// findInColumn finds the ID in the column. The first row may be a header. An error means
// no such column, or two.
func (r *Reader) findInColumn(l *Line) error {
	if l.column < 0 {
		n, err := strconv.Atoi(r.Column)
		if l.Header = err != nil; l.Header {
			names := l.Values()
			n = slices.Index(names, r.Column) + 1
			if again := slices.Index(names[n:], r.Column); n > 0 && again >= 0 {
				return fmt.Errorf("the columns %d and %d are both called %s: write --column %d or --column %d", n, n+again+1, format.Quote(r.Column), n, n+again+1)
			}
		}
		if n < 1 || n > l.Fields() {
			return r.noColumn(l.Row)
		}
		l.column = n - 1
	}
	switch {
	case l.Header, l.Fields() == 1 && l.Value(0) == "": // or an empty line
	case l.column >= l.Fields():
		l.Problem = fmt.Errorf("the row has no column %d", l.column+1)
	default:
		if l.Problem = r.find(l, l.Value(l.column)); l.Problem != nil && l.Line == 1 {
			l.Header, l.Problem = true, nil
		}
	}
	return nil
}

// noColumn is the error for a table whose first row has no such column.
func (r *Reader) noColumn(row *rows.Row) error {
	return fmt.Errorf("there is no column %s: with the separator %s, the columns of the first line are %s",
		format.Quote(r.Column), format.Quote(string(rune(r.Separator))), format.Quote(strings.Join(row.Values(), ", ")))
}

// Rewritten appends the line to dst, with each ID in the form f. In a column it replaces
// the value, with quotes if it needs them, and elsewhere the digits of the ID. Around digits,
// a form with quotes replaces the quotes, and what is ObjectId("…") or {"$oid":"…"}. All other
// bytes stay. An ID that can't be replaced is the Problem of the line.
func (l *Line) Rewritten(dst []byte, f *ids.Form) []byte {
	if l.column >= 0 && len(l.IDs) > 0 {
		return l.Replace(dst, l.column, f.Text(l.IDs[0].ID))
	}
	done := 0
	for _, m := range l.IDs {
		at := m.span
		if f.Quote != 0 {
			at = wrapper(l.Text, at)
			if bytes.Count(l.Text[:at.start], []byte{f.Quote})%2 == 1 {
				l.Problem = fmt.Errorf("%s is not changed, because it is within quotes, and the form %s adds quotes", m.ID, f.Name)
				continue
			}
		}
		dst = append(append(dst, l.Text[done:at.start]...), f.Text(m.ID)...)
		done = at.end
	}
	return append(dst, l.Text[done:]...)
}

// wrapped matches an ID, of which there is only a zero byte, with what belongs to it.
var wrapped = regexp.MustCompile(strings.Join([]string{
	`\{\s*"\$oid"\s*:\s*"\x00"\s*\}`,
	`\b(new\s+)?ObjectI[dD]\(\s*("\x00"|'\x00')\s*\)`,
	`\boid\.MustParse\("\x00"\)`,
	`\b[xXE]'(\\\\x)?\x00'`, `'\\x\x00'`, `"\x00"`, `'\x00'`, `(\\|\b0)x\x00`,
}, "|"))

// wrapper returns the span of an ID with what belongs to it, such as ObjectId("…").
func wrapper(text []byte, at span) span {
	const near = 32
	from := max(at.start-near, 0)
	i := at.start - from
	for _, m := range wrapped.FindAllIndex(slices.Concat(text[from:at.start], []byte{0}, text[at.end:min(at.end+near, len(text))]), -1) {
		if m[0] <= i && i < m[1] {
			return span{from + m[0], at.end + m[1] - i - 1}
		}
	}
	return at
}
