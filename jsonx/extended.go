// Package jsonx reads and writes IDs as MongoDB Extended JSON, the form that MongoDB's
// tools use:
//
//	{"$oid": "65b3f7edd9bfca00daa6e3b1"}
//
// Without this package, an [oid.ID] is a plain string in JSON. [Extended] is a type for
// single fields. With encoding/json/v2, options made from [Marshalers] and [Unmarshalers]
// write and read each [oid.ID] and [oid.For] in a value as Extended JSON. The types of the
// program then don't have to change.
//
// # Guarantees
//
//   - An ID is written as {"$oid":"…"} with 24 lower-case hex digits, as MongoDB's drivers
//     write it.
//   - An ID is read from {"$oid": "…"}, or from a string of 24 hex digits in upper or
//     lower case. Null leaves an Extended unchanged. With Unmarshalers, null sets an
//     oid.ID or oid.For to the zero ID. Any other input is an error, and leaves the ID
//     unchanged.
//   - In MongoDB, in binary columns of SQL and as text, an Extended has the same form as an
//     oid.ID.
//
// # Not guaranteed
//
//   - Only IDs are written as Extended JSON. A time is not written as {"$date": …}. For a
//     whole document, use bson.MarshalExtJSON of MongoDB's driver.
//   - The keys of maps are not written as Extended JSON. An ID that is a key is written
//     as 24 hex digits. The empty key is read as the zero ID.
//   - The functions [Marshalers] and [Unmarshalers] of this package need
//     encoding/json/v2, which is part of Go 1.27. They can't be used with encoding/json.
//     Go 1.25 and 1.26 have encoding/json/v2 only with GOEXPERIMENT=jsonv2.
package jsonx

import (
	"database/sql/driver"

	"github.com/oidkit/oidkit/oid"
)

// Extended is an ID that is written as Extended JSON, {"$oid": "…"}. An Extended can be
// converted from and to an oid.ID. In MongoDB, in binary columns of SQL and as text, an
// Extended has the same form as an oid.ID. With MongoDB's driver v1, an Extended needs
// package mongov1, as an oid.ID does.
type Extended oid.ID

// MarshalJSON returns id as {"$oid":"…"}. The error is always nil.
func (id Extended) MarshalJSON() ([]byte, error) {
	return appendExtended(nil, oid.ID(id)), nil
}

// appendExtended appends {"$oid":"…"} to b.
func appendExtended(b []byte, id oid.ID) []byte {
	b = append(b, `{"$oid":"`...)
	b, _ = id.AppendText(b)
	return append(b, `"}`...)
}

// UnmarshalJSON reads {"$oid": "…"}, or a string of 24 hex digits, as MongoDB's Go driver
// does. An object with any other member is an error. Null leaves id unchanged. The empty
// string is an error, although [oid.ID.UnmarshalJSON] reads it as the zero ID.
func (id *Extended) UnmarshalJSON(data []byte) error {
	if string(data) == `""` {
		return &oid.SyntaxError{Call: `jsonx.Extended.UnmarshalJSON("")`, Problem: `want {"$oid": "24 hex digits"}`}
	}
	return (*oid.ID)(id).UnmarshalJSON(data)
}

// String returns the 24 hex digits of id.
func (id Extended) String() string { return oid.ID(id).String() }

// IsZero reports whether id is the zero value, which means "no ID".
func (id Extended) IsZero() bool { return oid.ID(id).IsZero() }

// MarshalText returns the 24 hex digits of id. Package encoding/json calls MarshalText for an
// Extended that is the key of a map.
func (id Extended) MarshalText() ([]byte, error) { return oid.ID(id).MarshalText() }

// UnmarshalText reads an ID in the forms that [oid.ID.UnmarshalText] accepts.
func (id *Extended) UnmarshalText(text []byte) error { return (*oid.ID)(id).UnmarshalText(text) }

// MarshalBSONValue returns id as a BSON ObjectId.
func (id Extended) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(id).MarshalBSONValue()
}

// UnmarshalBSONValue reads an ID in the forms that [oid.ID.UnmarshalBSONValue] accepts.
func (id *Extended) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*oid.ID)(id).UnmarshalBSONValue(typ, data)
}

// ProxyBSON returns the value that MongoDB's driver v1 stores. See [oid.ID.ProxyBSON].
func (id Extended) ProxyBSON() (any, error) { return oid.ID(id).ProxyBSON() }

// Value returns the 12 bytes of id.
func (id Extended) Value() (driver.Value, error) { return oid.ID(id).Value() }

// Scan reads an ID in the forms that [oid.ID.Scan] accepts.
func (id *Extended) Scan(src any) error { return (*oid.ID)(id).Scan(src) }
