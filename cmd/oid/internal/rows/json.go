package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotJSON is the error for a line that is not a document.
var ErrNotJSON = errors.New("not a line of JSON, such as those of mongoexport and jq -c")

// IsJSON reports whether a text is lines of JSON, or an array with a document per line.
func IsJSON(text *bufio.Reader) bool {
	start, _ := text.Peek(2) // an error comes again
	return bytes.HasPrefix(start, []byte("{")) || slices.Contains([]string{"[{", "[ ", "[\r", "[\n"}, string(start))
}

// Pick makes the value of a field the only field of the row, a line of JSON. If there is no
// such field, it is empty.
func (r *Row) Pick(name string) error {
	start, end, err := Find(r.Text, name)
	r.fields, r.json = append(r.fields[:0], field{start, end}), true
	return err
}

// Find returns where the value of a field is in a line of JSON, as mongoexport writes
// documents. A dot in name leads into a document: user._id. If there is no such field, start
// and end are 0.
func Find(line []byte, name string) (start, end int, err error) {
	body := bytes.Trim(line, " \t\r\n[],") // of a line of an array too
	if len(body) == 0 {
		return 0, 0, nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if brace, _ := d.Token(); brace != json.Delim('{') {
		return 0, 0, ErrNotJSON
	}
	for d.More() {
		key, _ := d.Token() // an error comes again
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return 0, 0, ErrNotJSON
		}
		at := bytes.IndexByte(line, '{') + int(d.InputOffset()) - len(value)
		if inner, ok := strings.CutPrefix(name, fmt.Sprint(key)+"."); key == name {
			start, end = at, at+len(value)
		} else if ok && end == 0 && value[0] == '{' {
			if from, to, _ := Find(value, inner); to > 0 { // it has been read without an error
				start, end = at+from, at+to
			}
		}
	}
	if _, err := d.Token(); err != nil || d.InputOffset() < int64(len(body)) {
		return 0, 0, ErrNotJSON
	}
	return start, end, nil
}
