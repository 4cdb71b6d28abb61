package sqltype

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"

	"github.com/oidkit/oidkit/oid"
)

// Null is an ID in a nullable binary column, where NULL and the zero ID differ. It
// is like sql.Null[oid.ID], and also encodes NULL: as null in JSON and BSON, and as
// the empty text. The zero value is NULL.
type Null struct {
	ID    oid.ID
	Valid bool // false: NULL, whatever ID holds
}

var (
	_ driver.Valuer            = Null{}
	_ json.Marshaler           = Null{}
	_ json.Unmarshaler         = (*Null)(nil)
	_ encoding.TextMarshaler   = Null{}
	_ encoding.TextUnmarshaler = (*Null)(nil)
)

// Value returns the 12 bytes of the ID as a new []byte, or nil for NULL. The error
// is always nil.
func (n Null) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.ID.Value()
}

// Scan reads NULL and everything that [oid.ID.Scan] reads.
func (n *Null) Scan(src any) error {
	if src == nil {
		*n = Null{}
		return nil
	}
	return n.set(func(id *oid.ID) error { return id.Scan(src) })
}

// set sets n to the ID that decode returns. If decode fails, it leaves n unchanged.
func (n *Null) set(decode func(*oid.ID) error) error {
	var id oid.ID
	if err := decode(&id); err != nil {
		return as("Null", err)
	}
	*n = Null{ID: id, Valid: true}
	return nil
}

// BytesValue returns the 12 bytes of the ID, or nil for NULL. It implements
// pgtype.BytesValuer of pgx v5. The error is always nil.
func (n Null) BytesValue() ([]byte, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.ID.BytesValue()
}

// ScanBytes reads nil, which is NULL, and everything that [oid.ID.ScanBytes] reads.
// It implements pgtype.BytesScanner of pgx v5.
func (n *Null) ScanBytes(src []byte) error {
	if src == nil {
		*n = Null{}
		return nil
	}
	return n.set(func(id *oid.ID) error { return id.ScanBytes(src) })
}

// IsZero reports whether n is NULL, for omitzero in JSON and omitempty in BSON.
func (n Null) IsZero() bool { return !n.Valid }

// MarshalText returns the 24 hex digits of the ID, or nothing for NULL.
func (n Null) MarshalText() ([]byte, error) {
	if !n.Valid {
		return []byte{}, nil
	}
	return n.ID.MarshalText()
}

// UnmarshalText reads 24 hex digits, and an empty text as NULL.
func (n *Null) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*n = Null{}
		return nil
	}
	return n.set(func(id *oid.ID) error { return id.UnmarshalText(text) })
}

// MarshalJSON returns the 24 hex digits of the ID as a JSON string, or null.
func (n Null) MarshalJSON() ([]byte, error) {
	if !n.Valid {
		return []byte("null"), nil
	}
	return n.ID.MarshalJSON()
}

// UnmarshalJSON reads what [oid.ID.UnmarshalJSON] reads, and null as NULL.
func (n *Null) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Null{}
		return nil
	}
	return n.set(func(id *oid.ID) error { return id.UnmarshalJSON(data) })
}

// The BSON types that are read as NULL.
const (
	bsonUndefined = 0x06
	bsonNull      = 0x0a
)

// MarshalBSONValue returns the ID as a BSON ObjectId, or null.
func (n Null) MarshalBSONValue() (typ byte, data []byte, err error) {
	if !n.Valid {
		return bsonNull, nil, nil
	}
	return n.ID.MarshalBSONValue()
}

// UnmarshalBSONValue reads what [oid.ID.UnmarshalBSONValue] reads, and null and
// undefined as NULL.
func (n *Null) UnmarshalBSONValue(typ byte, data []byte) error {
	var got Null
	err := got.set(func(id *oid.ID) error { return id.UnmarshalBSONValue(typ, data) })
	if err != nil {
		return err
	}
	if typ == bsonNull || typ == bsonUndefined {
		got = Null{}
	}
	*n = got
	return nil
}

// ProxyBSON returns the same as [oid.ID.ProxyBSON], or nil for NULL.
func (n Null) ProxyBSON() (any, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.ID.ProxyBSON()
}
