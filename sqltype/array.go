package sqltype

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// Array is a PostgreSQL array for database/sql. The elements of the array are written in
// the form of T, so choose T by the type of the column:
//
//	bytea, objectid           Array[oid.ID], Array[oid.For[User]]
//	text, varchar, char(24)   Array[Hex]
//	uuid                      Array[UUID]
//
// Use an Array for a list in a condition, and for a column that is an array. Array works
// with lib/pq, and with pgx's stdlib.
//
//	db.Query("select … where id = any($1)", sqltype.Array[oid.ID](ids))
//	row.Scan((*sqltype.Array[oid.ID])(&ids))
//
// If T is wrong for a binary or text column, id = any($1) matches no row, and its NOT matches
// all rows except those whose id is NULL. If T is wrong for a uuid column, PostgreSQL returns
// an error. Cast the array to the form of T, not of the column, as in any($1::bytea[]) for an
// oid.ID: PostgreSQL then refuses a wrong T. In a program that has registered IDs with package
// pgxoid, an Array[oid.ID] also fits a text column, and an Array[Hex] also fits a bytea
// column. This holds only in the modes of pgx that ask the server for the types of the
// parameters, such as the default mode.
//
// A nil Array is NULL. Scanning a NULL element is an error, unless T reads NULL, as
// [ZeroNull] does. Scanning an array of two or more dimensions is an error.
type Array[T interface {
	~[12]byte
	driver.Valuer
}] []T

var _ driver.Valuer = Array[oid.ID]{}

// Value returns the array in PostgreSQL's text format, such as {"\\x…","\\x…"}, or nil if
// the array is nil. Value calls the method Value of each element. If this method returns an
// error, or a value that is not a []byte, a string or nil, the Value of the array returns
// an error too.
func (a Array[T]) Value() (driver.Value, error) {
	if a == nil {
		return nil, nil
	}
	text := make([]byte, 0, len(`{}`)+len(a)*len(`"018d46ff-58a0-70c1-acb4-f93d4185cb1d",`))
	text = append(text, '{')
	for i, element := range a {
		if i > 0 {
			text = append(text, ',')
		}
		value, err := element.Value()
		if err != nil {
			return nil, fmt.Errorf("sqltype.Array.Value(): element %d: %w", i, err)
		}
		switch value := value.(type) {
		case nil:
			text = append(text, "NULL"...)
		case []byte:
			text = append(text, `"\\x`...)
			text = append(hex.AppendEncode(text, value), '"')
		case string:
			text = appendQuoted(text, value)
		default:
			return nil, fmt.Errorf("sqltype.Array.Value(): element %d: its method Value returned %T, want []byte or string", i, value)
		}
	}
	return string(append(text, '}')), nil
}

// appendQuoted appends s as an element of an array in PostgreSQL's text format.
func appendQuoted(text []byte, s string) []byte {
	text = append(text, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			text = append(text, '\\')
		}
		text = append(text, s[i])
	}
	return append(text, '"')
}

// Scan reads an array in PostgreSQL's text format, or in the binary format that pgx can
// pass to Scan. The method Scan of T reads the elements. NULL gives a nil Array.
func (a *Array[T]) Scan(src any) error {
	if _, ok := any(new(T)).(sql.Scanner); !ok {
		return fmt.Errorf("sqltype.Array.Scan(%T): *%T has no method Scan: use an element type that has one, such as oid.ID", src, *new(T))
	}
	var ids Array[T]
	var problem string
	switch src := src.(type) {
	case nil:
	case []byte:
		problem = ids.parse(src)
	case string:
		problem = ids.parse([]byte(src))
	default:
		problem = "want []byte or string"
	}
	if problem != "" {
		return &oid.SyntaxError{Call: fmt.Sprintf("sqltype.Array.Scan(%T)", src), Problem: problem}
	}
	*a = ids
	return nil
}

const notArray = "want an array of one dimension"

// parse appends the elements of src, or returns what is wrong with it.
func (a *Array[T]) parse(src []byte) (problem string) {
	if len(src) > 0 && src[0] == '{' {
		return a.parseText(string(src))
	}
	return a.parseBinary(src)
}

// parseText reads {…,…}. An ID contains no comma, quote or brace, so an element
// that contains one is not an ID.
func (a *Array[T]) parseText(src string) (problem string) {
	inner, ok := strings.CutSuffix(src[1:], "}")
	if !ok {
		return notArray
	}
	*a = Array[T]{}
	if inner == "" {
		return ""
	}
	for element := range strings.SplitSeq(inner, ",") {
		var value any = element
		if n := len(element); n >= 2 && element[0] == '"' && element[n-1] == '"' {
			element = element[1 : n-1]
			if strings.HasPrefix(element, `\\`) {
				element = element[1:] // only the backslash of \x is escaped in an ID
			}
			value = element
		} else if element == "NULL" {
			value = nil
		}
		if problem := a.add(value); problem != "" {
			return problem
		}
	}
	return ""
}

// add appends the ID that an element holds: text is a string, binary is a []byte, and
// NULL is nil. It returns what is wrong with the element.
func (a *Array[T]) add(element any) (problem string) {
	n := len(*a)
	*a = append(*a, T{})
	err := any(&(*a)[n]).(sql.Scanner).Scan(element)
	switch {
	case err == nil:
		return ""
	case element == nil:
		return fmt.Sprintf("element %d is NULL", n)
	}
	if bad := (*oid.SyntaxError)(nil); errors.As(err, &bad) {
		return fmt.Sprintf("element %d: %s", n, bad.Problem)
	}
	return fmt.Sprintf("element %d: %v", n, err)
}

// The types of elements that are text in the binary format too.
const (
	textTypeOID    = 25
	bpcharTypeOID  = 1042
	varcharTypeOID = 1043
)

// parseBinary reads PostgreSQL's binary format. All its numbers have four bytes
// and are big endian. First come the number of dimensions, whether there are NULLs,
// and the type of the elements. Then come the length and the first index of each
// dimension. Then come the length, -1 for NULL, and the bytes of each element.
func (a *Array[T]) parseBinary(src []byte) (problem string) {
	const header, dimension = 12, 8
	if len(src) < header {
		return notArray
	}
	dimensions, typeOID, rest := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[8:]), src[header:]
	*a = Array[T]{}
	if dimensions == 0 && len(rest) == 0 {
		return ""
	}
	if dimensions != 1 || len(rest) < dimension {
		return notArray
	}
	n := binary.BigEndian.Uint32(rest)
	rest = rest[dimension:]
	if uint64(n) > uint64(len(rest))/4 {
		return notArray
	}
	*a = make(Array[T], 0, n)
	for range n {
		if len(rest) < 4 {
			return notArray
		}
		size := int32(binary.BigEndian.Uint32(rest))
		rest = rest[4:]
		var element any
		switch {
		case size == -1: // NULL
		case size < 0 || int(size) > len(rest):
			return notArray
		case typeOID == textTypeOID || typeOID == bpcharTypeOID || typeOID == varcharTypeOID:
			element = string(rest[:size]) // 12 characters are not the bytes of an ID
		default:
			element = rest[:size]
		}
		if problem := a.add(element); problem != "" {
			return problem
		}
		rest = rest[max(size, 0):]
	}
	if len(rest) > 0 {
		return notArray
	}
	return ""
}
