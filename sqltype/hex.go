package sqltype

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"

	"github.com/oidkit/oidkit/oid"
)

// Hex is an ID in a text column: text, varchar(24) or char(24) with 24 lower-case hex
// digits. A Hex can be converted from and to an oid.ID. In JSON, BSON and XML, a Hex has
// the same form as an oid.ID.
//
// Use Hex for existing text columns. For a new column, choose a binary type, which takes
// half the space. Never use Hex for a binary column, because some drivers then store the
// 24 ASCII characters without an error. Scanning NULL into a Hex is an error. For a
// column with NULL, use *Hex or sql.Null[Hex].
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

// Scan reads an ID in the forms that [oid.ID.Scan] accepts.
func (h *Hex) Scan(src any) error {
	if src == nil {
		return null("Hex", "Scan")
	}
	return as("Hex", (*oid.ID)(h).Scan(src))
}

// BytesValue returns the 12 bytes of h. BytesValue implements pgtype.BytesValuer of pgx v5.
// The error is always nil.
func (h Hex) BytesValue() ([]byte, error) { return h[:], nil }

// ScanBytes reads an ID in the forms that [oid.ID.ScanBytes] accepts.
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

// UnmarshalText reads an ID in the forms that [oid.ID.UnmarshalText] accepts.
func (h *Hex) UnmarshalText(text []byte) error { return as("Hex", (*oid.ID)(h).UnmarshalText(text)) }

// MarshalJSON returns the 24 hex digits of h as a JSON string.
func (h Hex) MarshalJSON() ([]byte, error) { return oid.ID(h).MarshalJSON() }

// UnmarshalJSON reads an ID in the forms that [oid.ID.UnmarshalJSON] accepts.
func (h *Hex) UnmarshalJSON(data []byte) error { return as("Hex", (*oid.ID)(h).UnmarshalJSON(data)) }

// MarshalBSONValue returns h as a BSON ObjectId.
func (h Hex) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(h).MarshalBSONValue()
}

// UnmarshalBSONValue reads an ID in the forms that [oid.ID.UnmarshalBSONValue] accepts.
func (h *Hex) UnmarshalBSONValue(typ byte, data []byte) error {
	return as("Hex", (*oid.ID)(h).UnmarshalBSONValue(typ, data))
}

// ProxyBSON returns the result of [oid.ID.ProxyBSON] for the same ID.
func (h Hex) ProxyBSON() (any, error) { return oid.ID(h).ProxyBSON() }
