package oid

import (
	"database/sql/driver"
	"encoding"
	"fmt"
	"time"
)

// For is the type of an ID that belongs to a T, such as a User. With For, the compiler
// doesn't accept the ID of a Team where the ID of a User is wanted:
//
//	type User struct {
//		ID   UserID
//		Name string
//	}
//	type UserID = oid.For[User]
//
// For[T] has every method of ID, and is stored and encoded in the same form as an ID. The
// conversions UserID(oid.New()) and oid.ID(userID) take no time. No value of type T is
// ever made.
//
// Declare UserID as an alias, with "=". A defined type, such as "type UserID oid.ID", has
// no methods. MongoDB's driver stores its values as Binary, and encoding/json writes them
// as arrays of numbers.
type For[T any] [12]byte

var (
	_ encoding.TextAppender      = For[ID]{}
	_ encoding.TextMarshaler     = For[ID]{}
	_ encoding.TextUnmarshaler   = (*For[ID])(nil)
	_ encoding.BinaryMarshaler   = For[ID]{}
	_ encoding.BinaryUnmarshaler = (*For[ID])(nil)
	_ fmt.Stringer               = For[ID]{}
	_ driver.Valuer              = For[ID]{}
)

// The methods are those of ID.

// Timestamp is [ID.Timestamp].
func (id For[T]) Timestamp() time.Time { return ID(id).Timestamp() }

// Hex is [ID.Hex].
func (id For[T]) Hex() string { return ID(id).Hex() }

// String is [ID.String].
func (id For[T]) String() string { return ID(id).String() }

// IsZero is [ID.IsZero].
func (id For[T]) IsZero() bool { return ID(id).IsZero() }

// Compare is [ID.Compare].
func (id For[T]) Compare(other For[T]) int { return ID(id).Compare(ID(other)) }

// Next is [ID.Next].
func (id For[T]) Next() For[T] { return For[T](ID(id).Next()) }

// Prev is [ID.Prev].
func (id For[T]) Prev() For[T] { return For[T](ID(id).Prev()) }

// AppendText is [ID.AppendText].
func (id For[T]) AppendText(b []byte) ([]byte, error) { return ID(id).AppendText(b) }

// MarshalText is [ID.MarshalText].
func (id For[T]) MarshalText() ([]byte, error) { return ID(id).MarshalText() }

// MarshalBinary is [ID.MarshalBinary].
func (id For[T]) MarshalBinary() ([]byte, error) { return ID(id).MarshalBinary() }

// MarshalJSON is [ID.MarshalJSON].
func (id For[T]) MarshalJSON() ([]byte, error) { return ID(id).MarshalJSON() }

// Value is [ID.Value].
func (id For[T]) Value() (driver.Value, error) { return ID(id).Value() }

// MarshalBSONValue is [ID.MarshalBSONValue].
func (id For[T]) MarshalBSONValue() (typ byte, data []byte, err error) {
	return ID(id).MarshalBSONValue()
}

// BytesValue is [ID.BytesValue].
func (id For[T]) BytesValue() ([]byte, error) { return ID(id).BytesValue() }

// ProxyBSON is [ID.ProxyBSON].
func (id For[T]) ProxyBSON() (any, error) { return ID(id).ProxyBSON() }

// UnmarshalText is [ID.UnmarshalText].
func (id *For[T]) UnmarshalText(text []byte) error { return (*ID)(id).UnmarshalText(text) }

// UnmarshalBinary is [ID.UnmarshalBinary].
func (id *For[T]) UnmarshalBinary(data []byte) error { return (*ID)(id).UnmarshalBinary(data) }

// UnmarshalJSON is [ID.UnmarshalJSON].
func (id *For[T]) UnmarshalJSON(data []byte) error { return (*ID)(id).UnmarshalJSON(data) }

// Scan is [ID.Scan].
func (id *For[T]) Scan(src any) error { return (*ID)(id).Scan(src) }

// UnmarshalBSONValue is [ID.UnmarshalBSONValue].
func (id *For[T]) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*ID)(id).UnmarshalBSONValue(typ, data)
}

// ScanBytes is [ID.ScanBytes].
func (id *For[T]) ScanBytes(src []byte) error { return (*ID)(id).ScanBytes(src) }

// UnmarshalParam is [ID.UnmarshalParam].
func (id *For[T]) UnmarshalParam(param string) error { return (*ID)(id).UnmarshalParam(param) }
