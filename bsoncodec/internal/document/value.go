package document

import (
	"reflect"

	"github.com/oidkit/oidkit/oid"
)

// Is12Bytes reports whether t is an array of 12 bytes.
func Is12Bytes(t reflect.Type) bool {
	return t == idType || t.Kind() == reflect.Array && t.Len() == len(oid.ID{}) && t.Elem() == reflect.TypeFor[byte]()
}

// ID returns an array of 12 bytes as an ID.
func ID(array reflect.Value) oid.ID {
	if array.CanAddr() {
		return oid.ID(array.Bytes())
	}
	return copied(array)
}

// copied returns an array of 12 bytes that has no address, such as an oid.For in a bson.D.
// It takes three times as long as an assertion to oid.ID. Set and Convert of package
// reflect, and the methods of oid.For, take no less.
func copied(array reflect.Value) (id oid.ID) {
	reflect.Copy(reflect.ValueOf(&id).Elem(), array)
	return id
}

// IDs returns the elements of a slice of arrays of 12 bytes. It copies nothing: to write
// to the result is to write to the slice.
func IDs(slice reflect.Value) []oid.ID {
	if ids, ok := reflect.TypeAssert[[]oid.ID](slice); ok {
		return ids
	}
	if slice.CanAddr() {
		// This takes a fifth of the time of SliceAt.
		ids, _ := reflect.TypeAssert[*[]oid.ID](reflect.NewAt(reflect.TypeFor[[]oid.ID](), slice.Addr().UnsafePointer()))
		return *ids
	}
	ids, _ := reflect.TypeAssert[[]oid.ID](reflect.SliceAt(idType, slice.UnsafePointer(), slice.Len()))
	return ids
}
