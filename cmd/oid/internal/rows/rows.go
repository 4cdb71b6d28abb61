package rows

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
)

// A Row is a row of a table, or a line of a text.
type Row struct {
	Line int64  // the number of its first line
	Text []byte // with the line end

	separator byte
	fields    []field
}

// A field is a part of the text of a row. Quotes are part of it.
type field struct{ start, end int }

// Rows yields the rows of a table in r. A field that begins with a double quote ends at the
// next single one, and may contain separators and line ends, as in CSV. With a tab as the
// separator, quotes mean nothing. With the separator 0, each line is one field.
//
// A row is valid until the next one. Errors are those of Lines.
func Rows(r io.Reader, separator byte, most int) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		row := &Row{separator: separator}
		var open []byte // the lines of a row that is not complete
		n := int64(0)
		for line, err := range Lines(r, most) {
			n++
			if open == nil {
				row.Line, row.Text = n, line
			} else {
				open = append(open, line...)
				row.Text = open
			}
			switch {
			case err != nil:
			case len(open) > most:
				err = ErrLong
			case open != nil && bytes.IndexByte(line, '"') < 0:
				continue
			case !row.split():
				if open == nil {
					open = bytes.Clone(line)
				}
				continue
			}
			open = nil
			if !yield(row, err) {
				return
			}
		}
		if open != nil {
			yield(row, errors.New("a quoted field has no end"))
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
	for {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		if i == len(text) || text[i] != '"' {
			return i
		}
		i++
	}
}

// quotes reports whether fields may be in quotes.
func (r *Row) quotes() bool { return r.separator != '\t' && r.separator != 0 }

// Fields returns how many fields the row has.
func (r *Row) Fields() int { return len(r.fields) }

// Value returns the value of field i, without quotes and the spaces around it.
func (r *Row) Value(i int) string {
	value := bytes.TrimSpace(r.Text[r.fields[i].start:r.fields[i].end])
	if !r.quotes() || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return string(value)
	}
	return strings.ReplaceAll(string(value[1:len(value)-1]), `""`, `"`)
}

// Index returns the index of the field with that value, or -1.
func (r *Row) Index(value string) int { return slices.Index(r.Values(), value) }

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
	if r.quotes() && (had || strings.ContainsAny(value, `"`+string(rune(r.separator)))) {
		value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return append(append(dst, value...), r.Text[f.end:]...)
}
