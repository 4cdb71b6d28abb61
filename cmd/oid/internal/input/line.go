// Package input reads the IDs of arguments, texts and tables.
package input

import (
	"bytes"
	"encoding/json"
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

	column int  // of the ID, or -1
	field  span // of the value, in a line of JSON
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

// findInColumn finds the ID in the column. The first row may be a header. It returns an
// error for a table without the column.
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

// findInField finds the ID in the field of a line of JSON.
func (r *Reader) findInField(l *Line) error {
	var err error
	if l.field.start, l.field.end, err = rows.Find(l.Text, r.Column); err != nil {
		return fmt.Errorf("%s is %w", format.Quote(strings.TrimSpace(string(l.Text))), err)
	}
	value := string(l.Text[l.field.start:l.field.end])
	if strings.HasPrefix(value, `"`) {
		json.Unmarshal([]byte(value), &value) // otherwise, find quotes it as it is
	}
	return r.find(l, value)
}

// noColumn is the error for a table whose first row has no such column.
func (r *Reader) noColumn(row *rows.Row) error {
	return fmt.Errorf("there is no column %s: between %s (--separator), the first line has %s",
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
		at, text := m.span, f.Text(m.ID)
		switch {
		case l.field.end > 0:
			at = l.field
			if f.Quote == 0 {
				text = `"` + text + `"`
			}
		case f.Quote != 0:
			at = wrapper(l.Text, at)
			if bytes.Count(l.Text[:at.start], []byte{f.Quote})%2 == 1 {
				l.Problem = fmt.Errorf("%s stays, because it is within quotes, and the form %s has quotes", m.ID, f.Name)
				continue
			}
		}
		dst = append(append(dst, l.Text[done:at.start]...), text...)
		done = at.end
	}
	return append(dst, l.Text[done:]...)
}

// wrappers match what may be before the digits of an ID, and what is then after them.
var wrappers = []struct{ before, after *regexp.Regexp }{
	{regexp.MustCompile(`\{\s*"\$oid"\s*:\s*"$`), regexp.MustCompile(`^"\s*\}`)},
	{regexp.MustCompile(`\b(new\s+)?ObjectI[dD]\(\s*"$`), regexp.MustCompile(`^"\s*\)`)},
	{regexp.MustCompile(`\b(new\s+)?ObjectI[dD]\(\s*'$`), regexp.MustCompile(`^'\s*\)`)},
	{regexp.MustCompile(`\boid\.MustParse\("$`), regexp.MustCompile(`^"\)`)},
	{regexp.MustCompile(`\b[xXE]'(\\\\x)?$|'\\x$`), regexp.MustCompile(`^'`)},
	{regexp.MustCompile(`"$`), regexp.MustCompile(`^"`)},
	{regexp.MustCompile(`'$`), regexp.MustCompile(`^'`)},
	{regexp.MustCompile(`(\\|\b0)x$`), regexp.MustCompile(``)},
}

// wrapper returns the span of an ID with what belongs to it, such as ObjectId("…").
func wrapper(text []byte, at span) span {
	from := max(at.start-32, 0)
	for _, w := range wrappers {
		before, after := w.before.FindIndex(text[from:at.start]), w.after.FindIndex(text[at.end:])
		if before != nil && after != nil {
			return span{from + before[0], at.end + after[1]}
		}
	}
	return at
}
