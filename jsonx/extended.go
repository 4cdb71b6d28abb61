// Package jsonx has the JSON form of ids that MongoDB's tools read and write, in
// place of the plain string that an [oid.ID] is otherwise: its Extended JSON,
//
//	{"$oid": "65b3f7edd9bfca00daa6e3b1"}
//
// [Extended] is an id for single fields. With encoding/json/v2, Marshalers and
// Unmarshalers give whole structs with fields of oid.ID that form, unchanged.
package jsonx

import (
	"database/sql/driver"

	"github.com/oidkit/oidkit/oid"
)

// Extended is an ID that is written as Extended JSON, {"$oid": "…"}. It converts
// from and to oid.ID, and everywhere else, in MongoDB, SQL and text, it is stored
// as one. (MongoDB's driver v1 needs mongov1.RegisterFor[jsonx.Extended] to read
// it.)
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

// UnmarshalJSON reads {"$oid": "…"} and nothing else beside that in the object. As
// the driver does, it takes a bare string of 24 hex digits too. Null leaves id as
// it is. The empty string is an error, other than for [oid.ID].
func (id *Extended) UnmarshalJSON(data []byte) error {
	if string(data) == `""` {
		return &oid.SyntaxError{Call: `jsonx.Extended.UnmarshalJSON("")`, Problem: `want {"$oid": "24 hex digits"}`}
	}
	return (*oid.ID)(id).UnmarshalJSON(data)
}

// String returns the 24 hex digits of id.
func (id Extended) String() string { return oid.ID(id).String() }

// IsZero reports whether id is the zero value, which means "no id".
func (id Extended) IsZero() bool { return oid.ID(id).IsZero() }

// MarshalText returns the 24 hex digits of id, as the key of a map is written.
func (id Extended) MarshalText() ([]byte, error) { return oid.ID(id).MarshalText() }

// UnmarshalText reads what oid.ID reads.
func (id *Extended) UnmarshalText(text []byte) error { return (*oid.ID)(id).UnmarshalText(text) }

// MarshalBSONValue returns id as a BSON ObjectId.
func (id Extended) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(id).MarshalBSONValue()
}

// UnmarshalBSONValue reads what oid.ID reads.
func (id *Extended) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*oid.ID)(id).UnmarshalBSONValue(typ, data)
}

// ProxyBSON returns what MongoDB's driver v1 is to store. See [oid.ID.ProxyBSON].
func (id Extended) ProxyBSON() (any, error) { return oid.ID(id).ProxyBSON() }

// Value returns the 12 bytes of id.
func (id Extended) Value() (driver.Value, error) { return oid.ID(id).Value() }

// Scan reads what oid.ID reads.
func (id *Extended) Scan(src any) error { return (*oid.ID)(id).Scan(src) }
