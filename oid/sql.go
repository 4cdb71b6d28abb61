package oid

import (
	"database/sql/driver"
	"fmt"
	"strings"
)

var _ driver.Valuer = ID{}

// printable are the characters of base64. Byte 8 of a UUID is none of them.
const printable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="

// maxTypeName bounds how much of a type's name an error shows.
const maxTypeName = 64

// Value returns the 12 bytes of id as a new []byte. The zero ID is 12 zero bytes,
// not NULL. The error is always nil.
//
// Use an ID with binary columns: bytea, binary(12), blob. For text columns use
// sqltype.Hex.
func (id ID) Value() (driver.Value, error) { return id[:], nil }

// Scan reads an ID from the 12 bytes of a binary column or from the 24 hex digits of a
// text column. Scan also accepts 24 hex digits after \x, which is PostgreSQL's text form of
// bytea. Text may be a string or a []byte. The 12 bytes must be a []byte: a string of 12
// bytes is an error. Every []byte of length 12 is read as an ID, even if it is text.
//
// NULL is an error. For a nullable column, use *ID, sql.Null[ID] or sqltype.ZeroNull.
func (id *ID) Scan(src any) error {
	switch src := src.(type) {
	case []byte:
		return id.scan("oid.ID.Scan([]byte)", src)
	case string:
		if len(src) == size {
			return &SyntaxError{Call: "oid.ID.Scan(string)", Problem: "length 12, want 24 hex digits", hint: "; raw bytes must be a []byte, not a string"}
		}
		return id.scan("oid.ID.Scan(string)", []byte(src))
	case nil:
		return errNull("oid.ID.Scan(nil)")
	default:
		name := fmt.Sprintf("%T", src)
		return &SyntaxError{
			Call:    "oid.ID.Scan(" + name[:min(len(name), maxTypeName)] + ")",
			Problem: "want 12 bytes or 24 hex digits",
			hint:    " as []byte or string",
		}
	}
}

// errNull returns the error of a call that met NULL.
func errNull(call string) error {
	return &SyntaxError{Call: call, Problem: "NULL is not an ID", hint: ": use *oid.ID, sql.Null[oid.ID] or sqltype.ZeroNull for a nullable column"}
}

// scan reads a column's bytes. Its errors don't show them, because a column can
// hold what must not be logged.
func (id *ID) scan(call string, src []byte) error {
	digits := src
	switch {
	case len(src) == size:
		*id = ID(src)
		return nil
	case len(src) == textSize:
	case len(src) == textSize+2 && src[0] == '\\' && src[1] == 'x':
		digits = src[2:]
	default:
		bad := &SyntaxError{Call: call, Problem: foreignForm(string(src[:min(len(src), maxForeign+1)]))}
		if len(src) == 16 && strings.Trim(string(src), printable) != "" {
			bad.Problem = "16 bytes, the size of a UUID, want 12 bytes or 24 hex digits"
		}
		if strings.Contains(bad.Problem, "a UUID") {
			bad.hint = "; for a column of UUIDs use sqltype.UUID"
		}
		if bad.Problem == "" {
			bad.Problem = fmt.Sprintf("length %d, want 12 bytes, 24 hex digits, or \\x and 24 hex digits", len(src))
		}
		return bad
	}
	parsed, ok := decodeHex(digits)
	if !ok {
		return &SyntaxError{Call: call, Problem: fmt.Sprintf("length %d, but an invalid hex digit at index %d", len(src), badDigit(digits)+len(src)-textSize)}
	}
	*id = parsed
	return nil
}
