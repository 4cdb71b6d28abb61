package sqltype

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"

	"github.com/oidkit/oidkit/oid"
)

// NullFor is a [Null] of typed IDs, such as an optional foreign key to a T. NULL and
// the zero ID differ. It has every method of Null. The zero value is NULL.
type NullFor[T any] struct {
	ID    oid.For[T]
	Valid bool // false: NULL, whatever ID holds
}

// ZeroNullFor is a [ZeroNull] of typed IDs, such as an optional foreign key to a T
// without a pointer. It converts from and to oid.For[T], and has every method of
// ZeroNull.
type ZeroNullFor[T any] [12]byte

var (
	_ driver.Valuer            = NullFor[UUID]{}
	_ json.Marshaler           = NullFor[UUID]{}
	_ json.Unmarshaler         = (*NullFor[UUID])(nil)
	_ encoding.TextMarshaler   = NullFor[UUID]{}
	_ encoding.TextUnmarshaler = (*NullFor[UUID])(nil)

	_ driver.Valuer            = ZeroNullFor[UUID]{}
	_ json.Marshaler           = ZeroNullFor[UUID]{}
	_ json.Unmarshaler         = (*ZeroNullFor[UUID])(nil)
	_ encoding.TextMarshaler   = ZeroNullFor[UUID]{}
	_ encoding.TextUnmarshaler = (*ZeroNullFor[UUID])(nil)
	_ fmt.Stringer             = ZeroNullFor[UUID]{}
)

func (n NullFor[T]) untyped() Null { return Null{oid.ID(n.ID), n.Valid} }

// set copies got to n if err is nil, and returns err.
func (n *NullFor[T]) set(got *Null, err error) error {
	if err == nil {
		*n = NullFor[T]{oid.For[T](got.ID), got.Valid}
	}
	return err
}

// Value is [Null.Value].
func (n NullFor[T]) Value() (driver.Value, error) { return n.untyped().Value() }

// Scan is [Null.Scan].
func (n *NullFor[T]) Scan(src any) error {
	var got Null
	return n.set(&got, got.Scan(src))
}

// BytesValue is [Null.BytesValue].
func (n NullFor[T]) BytesValue() ([]byte, error) { return n.untyped().BytesValue() }

// ScanBytes is [Null.ScanBytes].
func (n *NullFor[T]) ScanBytes(src []byte) error {
	var got Null
	return n.set(&got, got.ScanBytes(src))
}

// IsZero is [Null.IsZero].
func (n NullFor[T]) IsZero() bool { return !n.Valid }

// MarshalText is [Null.MarshalText].
func (n NullFor[T]) MarshalText() ([]byte, error) { return n.untyped().MarshalText() }

// UnmarshalText is [Null.UnmarshalText].
func (n *NullFor[T]) UnmarshalText(text []byte) error {
	var got Null
	return n.set(&got, got.UnmarshalText(text))
}

// MarshalJSON is [Null.MarshalJSON].
func (n NullFor[T]) MarshalJSON() ([]byte, error) { return n.untyped().MarshalJSON() }

// UnmarshalJSON is [Null.UnmarshalJSON].
func (n *NullFor[T]) UnmarshalJSON(data []byte) error {
	var got Null
	return n.set(&got, got.UnmarshalJSON(data))
}

// MarshalBSONValue is [Null.MarshalBSONValue].
func (n NullFor[T]) MarshalBSONValue() (typ byte, data []byte, err error) {
	return n.untyped().MarshalBSONValue()
}

// UnmarshalBSONValue is [Null.UnmarshalBSONValue].
func (n *NullFor[T]) UnmarshalBSONValue(typ byte, data []byte) error {
	var got Null
	return n.set(&got, got.UnmarshalBSONValue(typ, data))
}

// ProxyBSON is [Null.ProxyBSON].
func (n NullFor[T]) ProxyBSON() (any, error) { return n.untyped().ProxyBSON() }

// Value is [ZeroNull.Value].
func (z ZeroNullFor[T]) Value() (driver.Value, error) { return ZeroNull(z).Value() }

// Scan is [ZeroNull.Scan].
func (z *ZeroNullFor[T]) Scan(src any) error { return (*ZeroNull)(z).Scan(src) }

// BytesValue is [ZeroNull.BytesValue].
func (z ZeroNullFor[T]) BytesValue() ([]byte, error) { return ZeroNull(z).BytesValue() }

// ScanBytes is [ZeroNull.ScanBytes].
func (z *ZeroNullFor[T]) ScanBytes(src []byte) error { return (*ZeroNull)(z).ScanBytes(src) }

// String is [ZeroNull.String].
func (z ZeroNullFor[T]) String() string { return ZeroNull(z).String() }

// IsZero is [ZeroNull.IsZero].
func (z ZeroNullFor[T]) IsZero() bool { return ZeroNull(z).IsZero() }

// MarshalText is [ZeroNull.MarshalText].
func (z ZeroNullFor[T]) MarshalText() ([]byte, error) { return ZeroNull(z).MarshalText() }

// UnmarshalText is [ZeroNull.UnmarshalText].
func (z *ZeroNullFor[T]) UnmarshalText(text []byte) error { return (*ZeroNull)(z).UnmarshalText(text) }

// MarshalJSON is [ZeroNull.MarshalJSON].
func (z ZeroNullFor[T]) MarshalJSON() ([]byte, error) { return ZeroNull(z).MarshalJSON() }

// UnmarshalJSON is [ZeroNull.UnmarshalJSON].
func (z *ZeroNullFor[T]) UnmarshalJSON(data []byte) error { return (*ZeroNull)(z).UnmarshalJSON(data) }

// MarshalBSONValue is [ZeroNull.MarshalBSONValue].
func (z ZeroNullFor[T]) MarshalBSONValue() (typ byte, data []byte, err error) {
	return ZeroNull(z).MarshalBSONValue()
}

// UnmarshalBSONValue is [ZeroNull.UnmarshalBSONValue].
func (z *ZeroNullFor[T]) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*ZeroNull)(z).UnmarshalBSONValue(typ, data)
}

// ProxyBSON is [ZeroNull.ProxyBSON].
func (z ZeroNullFor[T]) ProxyBSON() (any, error) { return ZeroNull(z).ProxyBSON() }
