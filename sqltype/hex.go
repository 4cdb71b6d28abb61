package sqltype

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"

	"github.com/oidkit/oidkit/oid"
)

// Hex is an ID in a text column: text, varchar(24) or char(24) with 24 lower-case
// hex digits. It converts from and to oid.ID. In JSON, BSON and text it has the same
// form as an oid.ID.
//
// Use Hex for existing columns. For a new column choose a binary type, which takes half
// the space. Never use Hex for a binary column: some drivers store the 24 ASCII bytes in
// it without an error. Scanning NULL into a Hex is an error: scan NULL into *Hex or
// sql.Null[Hex].
type Hex oid.ID

var (
	_ driver.Valuer            = Hex{}
	_ json.Marshaler           = Hex{}
	_ json.Unmarshaler         = (*Hex)(nil)
	_ encoding.TextMarshaler   = Hex{}
	_ encoding.TextUnmarshaler = (*Hex)(nil)
	_ fmt.Stringer             = Hex{}
)

// Value returns the 24 hex digits of h as a string. The error is always nil.
func (h Hex) Value() (driver.Value, error) { return h.String(), nil }

// Scan reads what [oid.ID.Scan] reads.
func (h *Hex) Scan(src any) error {
	if src == nil {
		return null("Hex", "Scan")
	}
	return as("Hex", (*oid.ID)(h).Scan(src))
}

// BytesValue returns the 12 bytes of h. pgx calls BytesValue if the column is binary. The
// error is always nil.
func (h Hex) BytesValue() ([]byte, error) { return h[:], nil }

// ScanBytes reads what [oid.ID.ScanBytes] reads.
func (h *Hex) ScanBytes(src []byte) error {
	if src == nil {
		return null("Hex", "ScanBytes")
	}
	return as("Hex", (*oid.ID)(h).ScanBytes(src))
}

// String returns the 24 hex digits of h.
func (h Hex) String() string { return oid.ID(h).Hex() }

// IsZero reports whether h is the zero value.
func (h Hex) IsZero() bool { return h == Hex{} }

// MarshalText returns the 24 hex digits of h.
func (h Hex) MarshalText() ([]byte, error) { return oid.ID(h).MarshalText() }

// UnmarshalText reads what [oid.ID.UnmarshalText] reads.
func (h *Hex) UnmarshalText(text []byte) error { return as("Hex", (*oid.ID)(h).UnmarshalText(text)) }

// MarshalJSON returns the 24 hex digits of h as a JSON string.
func (h Hex) MarshalJSON() ([]byte, error) { return oid.ID(h).MarshalJSON() }

// UnmarshalJSON reads what [oid.ID.UnmarshalJSON] reads.
func (h *Hex) UnmarshalJSON(data []byte) error { return as("Hex", (*oid.ID)(h).UnmarshalJSON(data)) }

// MarshalBSONValue returns h as a BSON ObjectId.
func (h Hex) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(h).MarshalBSONValue()
}

// UnmarshalBSONValue reads what [oid.ID.UnmarshalBSONValue] reads.
func (h *Hex) UnmarshalBSONValue(typ byte, data []byte) error {
	return as("Hex", (*oid.ID)(h).UnmarshalBSONValue(typ, data))
}

// ProxyBSON returns the same as [oid.ID.ProxyBSON].
func (h Hex) ProxyBSON() (any, error) { return oid.ID(h).ProxyBSON() }
