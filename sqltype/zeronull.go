package sqltype

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"

	"github.com/oidkit/oidkit/oid"
)

// ZeroNull is an ID in a nullable binary column. The zero ID is stored as NULL, and NULL
// is read as the zero ID. Use ZeroNull instead of a pointer for an optional foreign key.
// A ZeroNull can be converted from and to an oid.ID. In JSON, BSON and XML, a ZeroNull
// has the same form as an oid.ID.
//
// As the argument of a condition, a zero ZeroNull is NULL, so "id > ?" and "parent = ?"
// then match no row. Pass an oid.ID to "id > ?", and find rows without a parent with
// "parent IS NULL".
type ZeroNull oid.ID

var (
	_ driver.Valuer            = ZeroNull{}
	_ json.Marshaler           = ZeroNull{}
	_ json.Unmarshaler         = (*ZeroNull)(nil)
	_ encoding.TextMarshaler   = ZeroNull{}
	_ encoding.TextUnmarshaler = (*ZeroNull)(nil)
	_ fmt.Stringer             = ZeroNull{}
)

// Value returns the 12 bytes of z as a new []byte. If z is zero, Value returns nil, which
// the database stores as NULL. The error is always nil.
func (z ZeroNull) Value() (driver.Value, error) {
	if z.IsZero() {
		return nil, nil
	}
	return z[:], nil
}

// Scan reads NULL as the zero ID. It also reads an ID in the forms that [oid.ID.Scan]
// accepts.
func (z *ZeroNull) Scan(src any) error {
	if src == nil {
		*z = ZeroNull{}
		return nil
	}
	return as("ZeroNull", (*oid.ID)(z).Scan(src))
}

// BytesValue returns the 12 bytes of z, or nil if z is zero. BytesValue implements
// pgtype.BytesValuer of pgx v5. The error is always nil.
func (z ZeroNull) BytesValue() ([]byte, error) {
	if z.IsZero() {
		return nil, nil
	}
	return z[:], nil
}

// ScanBytes reads nil, which stands for NULL, as the zero ID. It also reads an ID in the
// forms that [oid.ID.ScanBytes] accepts. ScanBytes implements pgtype.BytesScanner of pgx
// v5.
func (z *ZeroNull) ScanBytes(src []byte) error {
	if src == nil {
		*z = ZeroNull{}
		return nil
	}
	return as("ZeroNull", (*oid.ID)(z).ScanBytes(src))
}

// String returns the 24 hex digits of z.
func (z ZeroNull) String() string { return oid.ID(z).Hex() }

// IsZero reports whether z is the zero value, which is stored as NULL.
func (z ZeroNull) IsZero() bool { return z == ZeroNull{} }

// MarshalText returns the 24 hex digits of z.
func (z ZeroNull) MarshalText() ([]byte, error) { return oid.ID(z).MarshalText() }

// UnmarshalText reads an ID in the forms that [oid.ID.UnmarshalText] accepts.
func (z *ZeroNull) UnmarshalText(text []byte) error {
	return as("ZeroNull", (*oid.ID)(z).UnmarshalText(text))
}

// MarshalJSON returns the 24 hex digits of z as a JSON string.
func (z ZeroNull) MarshalJSON() ([]byte, error) { return oid.ID(z).MarshalJSON() }

// UnmarshalJSON reads an ID in the forms that [oid.ID.UnmarshalJSON] accepts.
func (z *ZeroNull) UnmarshalJSON(data []byte) error {
	return as("ZeroNull", (*oid.ID)(z).UnmarshalJSON(data))
}

// MarshalBSONValue returns z as a BSON ObjectId.
func (z ZeroNull) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(z).MarshalBSONValue()
}

// UnmarshalBSONValue reads an ID in the forms that [oid.ID.UnmarshalBSONValue] accepts.
func (z *ZeroNull) UnmarshalBSONValue(typ byte, data []byte) error {
	return as("ZeroNull", (*oid.ID)(z).UnmarshalBSONValue(typ, data))
}

// ProxyBSON returns the result of [oid.ID.ProxyBSON] for the same ID.
func (z ZeroNull) ProxyBSON() (any, error) { return oid.ID(z).ProxyBSON() }

// ZeroNullFor is a [ZeroNull] for typed IDs. Use ZeroNullFor[T] instead of a pointer for
// an optional foreign key to a T. A ZeroNullFor[T] can be converted from and to an
// oid.For[T], and has every method of ZeroNull.
type ZeroNullFor[T any] [12]byte

var (
	_ driver.Valuer            = ZeroNullFor[UUID]{}
	_ json.Marshaler           = ZeroNullFor[UUID]{}
	_ json.Unmarshaler         = (*ZeroNullFor[UUID])(nil)
	_ encoding.TextMarshaler   = ZeroNullFor[UUID]{}
	_ encoding.TextUnmarshaler = (*ZeroNullFor[UUID])(nil)
	_ fmt.Stringer             = ZeroNullFor[UUID]{}
)

// Value returns the 12 bytes of z, or nil if z is zero: see [ZeroNull.Value].
func (z ZeroNullFor[T]) Value() (driver.Value, error) { return ZeroNull(z).Value() }

// Scan reads an ID or NULL: see [ZeroNull.Scan].
func (z *ZeroNullFor[T]) Scan(src any) error { return (*ZeroNull)(z).Scan(src) }

// BytesValue returns the 12 bytes of z, or nil if z is zero: see [ZeroNull.BytesValue].
func (z ZeroNullFor[T]) BytesValue() ([]byte, error) { return ZeroNull(z).BytesValue() }

// ScanBytes reads an ID or NULL: see [ZeroNull.ScanBytes].
func (z *ZeroNullFor[T]) ScanBytes(src []byte) error { return (*ZeroNull)(z).ScanBytes(src) }

// String returns the 24 hex digits of z.
func (z ZeroNullFor[T]) String() string { return ZeroNull(z).String() }

// IsZero reports whether z is the zero value, which is stored as NULL.
func (z ZeroNullFor[T]) IsZero() bool { return ZeroNull(z).IsZero() }

// MarshalText returns the 24 hex digits of z.
func (z ZeroNullFor[T]) MarshalText() ([]byte, error) { return ZeroNull(z).MarshalText() }

// UnmarshalText reads an ID in the forms that [ZeroNull.UnmarshalText] accepts.
func (z *ZeroNullFor[T]) UnmarshalText(text []byte) error { return (*ZeroNull)(z).UnmarshalText(text) }

// MarshalJSON returns the 24 hex digits of z as a JSON string.
func (z ZeroNullFor[T]) MarshalJSON() ([]byte, error) { return ZeroNull(z).MarshalJSON() }

// UnmarshalJSON reads an ID in the forms that [ZeroNull.UnmarshalJSON] accepts.
func (z *ZeroNullFor[T]) UnmarshalJSON(data []byte) error { return (*ZeroNull)(z).UnmarshalJSON(data) }

// MarshalBSONValue returns z as a BSON ObjectId: see [ZeroNull.MarshalBSONValue].
func (z ZeroNullFor[T]) MarshalBSONValue() (typ byte, data []byte, err error) {
	return ZeroNull(z).MarshalBSONValue()
}

// UnmarshalBSONValue reads an ID in the forms that [ZeroNull.UnmarshalBSONValue] accepts.
func (z *ZeroNullFor[T]) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*ZeroNull)(z).UnmarshalBSONValue(typ, data)
}

// ProxyBSON returns the value that MongoDB's driver v1 stores: see [ZeroNull.ProxyBSON].
func (z ZeroNullFor[T]) ProxyBSON() (any, error) { return ZeroNull(z).ProxyBSON() }
