package document

import (
	"reflect"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// Is12Bytes reports whether t is an array of 12 bytes.
func Is12Bytes(t reflect.Type) bool {
	return t == idType || t.Kind() == reflect.Array && t.Len() == len(oid.ID{}) && t.Elem() == reflect.TypeFor[byte]()
}

// IsObjectID reports whether t is the ObjectID of a Go driver, v1 or v2.
func IsObjectID(t reflect.Type) bool {
	return t.Name() == "ObjectID" && strings.HasPrefix(t.PkgPath(), "go.mongodb.org/mongo-driver/")
}

// ID returns an array of 12 bytes as an ID.
func ID(array reflect.Value) (id oid.ID) {
	if array.CanAddr() {
		return oid.ID(array.Bytes())
	}
	// An oid.For in a bson.D has no address. Other ways to copy it take more time, or allocate.
	reflect.Copy(reflect.ValueOf(id[:]), array)
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
