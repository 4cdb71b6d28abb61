package bsoncodec

import (
	"fmt"
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// FromAny returns v as an ID. Use it for an InsertedID or UpsertedID of the driver, and
// for a value of a bson.M. These values are of type any, and hold a bson.ObjectID or an
// oid.ID. FromAny also accepts an oid.For[T], the types for which [RegisterFor] was
// called, the ObjectID of MongoDB's other Go driver, non-nil pointers to all of these
// types, and a bson.RawValue that holds an ObjectId. FromAny returns false for other
// values, such as a string of hex digits or a document that embeds an ID.
func FromAny(v any) (oid.ID, bool) {
	switch v := v.(type) {
	case oid.ID:
		return v, true
	case bson.ObjectID:
		return oid.ID(v), true
	case bson.RawValue:
		id, ok := v.ObjectIDOK()
		return oid.ID(id), ok
	}
	val := reflect.ValueOf(v)
	if val.Kind() == reflect.Pointer {
		val = val.Elem()
	}
	if !val.IsValid() || !document.Is12Bytes(val.Type()) || !writesObjectID(val.Type()) && !document.IsObjectID(val.Type()) {
		return oid.ID{}, false
	}
	return document.ID(val), true
}

// MustFromAny is like [FromAny] but panics if v is not an ID. In an expression, write
// MustFromAny(v) instead of v.(bson.ObjectID).
func MustFromAny(v any) oid.ID {
	id, ok := FromAny(v)
	if !ok {
		panic(fmt.Sprintf("bsoncodec.MustFromAny(%T): not an ID", v))
	}
	return id
}

// Same reports whether v holds the ID id, in one of the forms that [FromAny] accepts. It
// reports false if v is nil. Use it to compare the InsertedID or the UpsertedID of a
// result: an expression such as res.UpsertedID == id is false if the driver's type isn't
// that of id.
func Same(v any, id oid.ID) bool {
	got, ok := FromAny(v)
	return ok && got == id
}
