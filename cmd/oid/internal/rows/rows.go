// Package rows reads texts by lines, tables by rows, and a field of lines of JSON.
package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
)

// A Row is a row of a table, or a line of a text.
type Row struct {
	Line int64  // the number of its first line
	Text []byte // with the line end

	separator byte
	fields    []field
	json      bool // the field is a value of JSON
}

// A field is a part of the text of a row. Quotes are part of it.
type field struct{ start, end int }

// ErrLong is the error for a row that is too long.
var ErrLong = errors.New("the line is too long")

// Rows yields the rows of a table in r. A field in double quotes may contain separators
// and line ends, as in CSV. With a tab as the separator, quotes mean nothing. With the
// separator 0, each line is one field.
//
// A row is valid until the next one. In place of a row of more than most bytes, Rows yields
// ErrLong, and goes on with the next line. Any other error is the last.
func Rows(r io.Reader, separator byte, most int) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		in := bufio.NewReaderSize(r, bufferSize)
		row := &Row{separator: separator}
		lines, begun, open := int64(0), false, false // the row has a part, or a field without its end
		for {
			part, err := in.ReadSlice('\n')
			if !begun {
				row.Line, row.Text = lines+1, part
			} else if len(row.Text) <= most {
				row.Text = append(row.Text, part...)
			}
			last, complete := err == io.EOF, true
			if err != bufio.ErrBufferFull {
				lines++
			}
			switch {
			case err == bufio.ErrBufferFull:
				complete = false
			case err != nil && !last:
			case last && len(row.Text) == 0:
				return
			case len(row.Text) > most:
				err = ErrLong
			case open && !last && bytes.IndexByte(part, '"') < 0:
				complete = false
			default:
				open, err = !row.split(), nil
				if complete = !open || last; open && last {
					err = errors.New("a quoted field has no closing quote")
				}
			}
			if !complete {
				if !begun {
					row.Text, begun = bytes.Clone(part), true
				}
				continue
			}
			if !yield(row, err) || last || err != nil && err != ErrLong {
				return
			}
			begun, open = false, false
		}
	}
}

// split finds the fields of the row. It reports false if the last one is not complete.
func (r *Row) split() bool {
	r.fields = r.fields[:0]
	end := len(bytes.TrimSuffix(bytes.TrimSuffix(r.Text, []byte("\n")), []byte("\r")))
	if r.separator == 0 {
		r.fields = append(r.fields, field{0, end})
		return true
	}
	for start := 0; ; {
		after := start // the part of the field in which a separator ends it
		if r.quotes() && start < end && r.Text[start] == '"' {
			if after = closing(r.Text[:end], start+1); after < 0 {
				return false
			}
		}
		i := bytes.IndexByte(r.Text[after:end], r.separator)
		if i < 0 {
			r.fields = append(r.fields, field{start, end})
			return true
		}
		r.fields = append(r.fields, field{start, after + i})
		start = after + i + 1
	}
}

// closing returns the offset after the quote that ends the field, or -1. Two quotes stand
// for one.
func closing(text []byte, i int) int {
	for ; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if i++; i == len(text) || text[i] != '"' {
			return i
		}
	}
	return -1
}

// quotes reports whether fields may be in quotes.
func (r *Row) quotes() bool { return r.separator != '\t' && r.separator != 0 }

// Fields returns how many fields the row has.
func (r *Row) Fields() int { return len(r.fields) }

// Value returns the value of field i, without quotes and the spaces around it.
func (r *Row) Value(i int) string {
	value := bytes.TrimSpace(r.Text[r.fields[i].start:r.fields[i].end])
	if r.json {
		text := string(value)
		json.Unmarshal(value, &text) // what is no string stays as it is
		return text
	}
	if !r.quotes() || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return string(value)
	}
	return strings.ReplaceAll(string(value[1:len(value)-1]), `""`, `"`)
}

// Values returns the values of all fields.
func (r *Row) Values() (values []string) {
	for i := range r.fields {
		values = append(values, r.Value(i))
	}
	return values
}

// Replace appends the row to dst, with value in field i. It quotes the value if it needs
// quotes, or if the field had them. All other bytes stay.
func (r *Row) Replace(dst []byte, i int, value string) []byte {
	f := r.fields[i]
	dst = append(dst, r.Text[:f.start]...)
	had := f.start < f.end && r.Text[f.start] == '"'
	if r.json && !strings.ContainsAny(value, `"'`) {
		value = `"` + value + `"`
	} else if r.quotes() && (had || strings.ContainsAny(value, `"`+string(rune(r.separator)))) {
		value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return append(append(dst, value...), r.Text[f.end:]...)
}
