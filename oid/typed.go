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
// conversions UserID(oid.New()) and oid.ID(userID) take no time. T only makes the types
// differ: a For[T] holds no value of type T.
//
// Declare UserID as an alias, with "=". A defined type, such as "type UserID oid.ID", has
// none of the methods of ID. Without RegisterFor of package bsoncodec or mongov1, MongoDB's
// driver stores a value of this type as Binary. Package encoding/json writes the value as an
// array of numbers.
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

// Timestamp returns the creation time of id: see [ID.Timestamp].
func (id For[T]) Timestamp() time.Time { return ID(id).Timestamp() }

// Hex returns id as 24 lower-case hex digits.
func (id For[T]) Hex() string { return ID(id).Hex() }

// String returns the 24 lower-case hex digits of id.
func (id For[T]) String() string { return ID(id).String() }

// IsZero reports whether id is the zero value: see [ID.IsZero].
func (id For[T]) IsZero() bool { return ID(id).IsZero() }

// Compare compares the bytes of id and other: see [ID.Compare].
func (id For[T]) Compare(other For[T]) int { return ID(id).Compare(ID(other)) }

// Next returns the least ID that is greater than id: see [ID.Next].
func (id For[T]) Next() For[T] { return For[T](ID(id).Next()) }

// Prev returns the greatest ID that is less than id: see [ID.Prev].
func (id For[T]) Prev() For[T] { return For[T](ID(id).Prev()) }

// AppendText appends the 24 hex digits of id to b. The error is always nil.
func (id For[T]) AppendText(b []byte) ([]byte, error) { return ID(id).AppendText(b) }

// MarshalText returns the 24 hex digits of id. The error is always nil.
func (id For[T]) MarshalText() ([]byte, error) { return ID(id).MarshalText() }

// MarshalBinary returns the 12 bytes of id. The error is always nil.
func (id For[T]) MarshalBinary() ([]byte, error) { return ID(id).MarshalBinary() }

// MarshalJSON returns the 24 hex digits of id as a JSON string.
func (id For[T]) MarshalJSON() ([]byte, error) { return ID(id).MarshalJSON() }

// Value returns the 12 bytes of id: see [ID.Value].
func (id For[T]) Value() (driver.Value, error) { return ID(id).Value() }

// MarshalBSONValue returns id as a BSON ObjectId: see [ID.MarshalBSONValue].
func (id For[T]) MarshalBSONValue() (typ byte, data []byte, err error) {
	return ID(id).MarshalBSONValue()
}

// BytesValue returns the 12 bytes of id, for pgx: see [ID.BytesValue].
func (id For[T]) BytesValue() ([]byte, error) { return ID(id).BytesValue() }

// ProxyBSON returns the value that MongoDB's driver v1 stores: see [ID.ProxyBSON].
func (id For[T]) ProxyBSON() (any, error) { return ID(id).ProxyBSON() }

// UnmarshalText reads an ID in the forms that [ID.UnmarshalText] accepts.
func (id *For[T]) UnmarshalText(text []byte) error { return (*ID)(id).UnmarshalText(text) }

// UnmarshalBinary sets id to the 12 bytes of data. Any other length of data is an error.
func (id *For[T]) UnmarshalBinary(data []byte) error { return (*ID)(id).UnmarshalBinary(data) }

// UnmarshalJSON reads an ID in the forms that [ID.UnmarshalJSON] accepts.
func (id *For[T]) UnmarshalJSON(data []byte) error { return (*ID)(id).UnmarshalJSON(data) }

// Scan reads an ID in the forms that [ID.Scan] accepts.
func (id *For[T]) Scan(src any) error { return (*ID)(id).Scan(src) }

// UnmarshalBSONValue reads an ID in the forms that [ID.UnmarshalBSONValue] accepts.
func (id *For[T]) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*ID)(id).UnmarshalBSONValue(typ, data)
}

// ScanBytes reads an ID in the forms that [ID.ScanBytes] accepts.
func (id *For[T]) ScanBytes(src []byte) error { return (*ID)(id).ScanBytes(src) }

// UnmarshalParam reads 24 hex digits: see [ID.UnmarshalParam].
func (id *For[T]) UnmarshalParam(param string) error { return (*ID)(id).UnmarshalParam(param) }
