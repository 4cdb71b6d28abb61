package sqltype

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/oidkit/oidkit/oid"
)

// Array is a PostgreSQL bytea[], or an array of the domain objectid, for
// database/sql. It works with lib/pq, and with pgx's stdlib if package pgxoid isn't
// registered.
//
//	db.Query("select … where id = any($1)", sqltype.Array(ids))
//	row.Scan((*sqltype.Array)(&ids))
//
// A nil Array is NULL. A NULL element is an error, and so is an array of two or more
// dimensions.
type Array []oid.ID

var _ driver.Valuer = Array{}

// Value returns a in PostgreSQL's text format, {"\\x…","\\x…"}, or nil if a is nil.
// The error is always nil.
func (a Array) Value() (driver.Value, error) {
	if a == nil {
		return nil, nil
	}
	text := make([]byte, 0, len(`{}`)+len(a)*len(`"\\x65b3f7a40c1b2d3e4f506172",`))
	text = append(text, '{')
	for i, id := range a {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, `"\\x`...)
		text, _ = id.AppendText(text)
		text = append(text, '"')
	}
	return string(append(text, '}')), nil
}

// Scan reads an array in PostgreSQL's text format, which database/sql receives, or
// in its binary format, which pgx passes on. The elements are in a form that
// [oid.ID.ScanBytes] reads, but not raw bytes in the text format. NULL gives a nil
// Array.
func (a *Array) Scan(src any) error {
	var ids Array
	var problem string
	switch src := src.(type) {
	case nil:
	case []byte:
		ids, problem = parseArray(src)
	case string:
		ids, problem = parseArray([]byte(src))
	default:
		problem = "want []byte or string"
	}
	if problem != "" {
		return &oid.SyntaxError{Call: fmt.Sprintf("sqltype.Array.Scan(%T)", src), Problem: problem}
	}
	*a = ids
	return nil
}

const notArray = "not an array of one dimension"

// parseArray returns the IDs of src, or what is wrong with it.
func parseArray(src []byte) (ids Array, problem string) {
	if len(src) > 0 && src[0] == '{' {
		return parseTextArray(src)
	}
	return parseBinaryArray(src)
}

// parseTextArray reads {…,…}. An ID contains no comma, quote or brace, so an element
// that contains one is not an ID.
func parseTextArray(src []byte) (ids Array, problem string) {
	inner, ok := bytes.CutSuffix(src[1:], []byte("}"))
	if !ok {
		return nil, notArray
	}
	ids = Array{}
	if len(inner) == 0 {
		return ids, ""
	}
	for element := range bytes.SplitSeq(inner, []byte(",")) {
		if n := len(element); n >= 2 && element[0] == '"' && element[n-1] == '"' {
			// Only the backslash of \x is escaped in an ID.
			element = bytes.Replace(element[1:n-1], []byte(`\\`), []byte(`\`), 1)
		}
		if len(element) < 2*len(oid.ID{}) {
			// ScanBytes would read 12 characters as the bytes of an ID.
			return nil, fmt.Sprintf("element %d: length %d, want 24 hex digits", len(ids), len(element))
		}
		if problem := ids.add(element); problem != "" {
			return nil, problem
		}
	}
	return ids, ""
}

// add appends the ID that element holds, or returns what is wrong with it.
func (a *Array) add(element []byte) (problem string) {
	var id oid.ID
	if err := id.ScanBytes(element); err != nil {
		var bad *oid.SyntaxError
		errors.As(err, &bad)
		return fmt.Sprintf("element %d: %s", len(*a), bad.Problem)
	}
	*a = append(*a, id)
	return ""
}

// parseBinaryArray reads PostgreSQL's binary format. All its numbers have four bytes
// and are big endian. First come the number of dimensions, whether there are NULLs,
// and the type of the elements. Then come the length and the first index of each
// dimension. Then come the length, -1 for NULL, and the bytes of each element.
func parseBinaryArray(src []byte) (ids Array, problem string) {
	const header, dimension = 12, 8
	if len(src) < header {
		return nil, notArray
	}
	dimensions, rest := binary.BigEndian.Uint32(src), src[header:]
	if dimensions == 0 && len(rest) == 0 {
		return Array{}, ""
	}
	if dimensions != 1 || len(rest) < dimension {
		return nil, notArray
	}
	n := binary.BigEndian.Uint32(rest)
	rest = rest[dimension:]
	if uint64(n) > uint64(len(rest))/4 {
		return nil, notArray
	}
	ids = make(Array, 0, n)
	for range n {
		if len(rest) < 4 {
			return nil, notArray
		}
		size := int32(binary.BigEndian.Uint32(rest))
		rest = rest[4:]
		switch {
		case size == -1:
			return nil, fmt.Sprintf("element %d is NULL", len(ids))
		case size < 0 || int(size) > len(rest):
			return nil, notArray
		}
		if problem := ids.add(rest[:size]); problem != "" {
			return nil, problem
		}
		rest = rest[size:]
	}
	if len(rest) > 0 {
		return nil, notArray
	}
	return ids, ""
}
