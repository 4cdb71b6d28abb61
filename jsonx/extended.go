// Package jsonx reads and writes IDs as MongoDB Extended JSON, the form that MongoDB's
// tools use:
//
//	{"$oid": "65b3f7edd9bfca00daa6e3b1"}
//
// Without this package, an [oid.ID] is a plain string in JSON. [Extended] is a type
// for single fields. With encoding/json/v2, Marshalers and Unmarshalers use the form
// for all IDs in a value. Its types don't change.
package jsonx

import (
	"database/sql/driver"

	"github.com/oidkit/oidkit/oid"
)

// Extended is an ID that is written as Extended JSON, {"$oid": "…"}. It converts
// from and to oid.ID. In MongoDB, SQL and text it is stored in the same form as an
// oid.ID. (MongoDB's driver v1 needs mongov1.RegisterFor[jsonx.Extended] to read it.)
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

// UnmarshalJSON reads {"$oid": "…"}. Another member in the object is an error. Like the
// driver, it also reads a bare string of 24 hex digits. Null leaves id unchanged. The
// empty string is an error, unlike for [oid.ID].
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

// MarshalText returns the 24 hex digits of id. The keys of maps are written in this form.
func (id Extended) MarshalText() ([]byte, error) { return oid.ID(id).MarshalText() }

// UnmarshalText reads what [oid.ID.UnmarshalText] reads.
func (id *Extended) UnmarshalText(text []byte) error { return (*oid.ID)(id).UnmarshalText(text) }

// MarshalBSONValue returns id as a BSON ObjectId.
func (id Extended) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(id).MarshalBSONValue()
}

// UnmarshalBSONValue reads what [oid.ID.UnmarshalBSONValue] reads.
func (id *Extended) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*oid.ID)(id).UnmarshalBSONValue(typ, data)
}

// ProxyBSON returns the value that MongoDB's driver v1 stores. See [oid.ID.ProxyBSON].
func (id Extended) ProxyBSON() (any, error) { return oid.ID(id).ProxyBSON() }

// Value returns the 12 bytes of id.
func (id Extended) Value() (driver.Value, error) { return oid.ID(id).Value() }

// Scan reads what [oid.ID.Scan] reads.
func (id *Extended) Scan(src any) error { return (*oid.ID)(id).Scan(src) }
