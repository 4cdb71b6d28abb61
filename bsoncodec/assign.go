package bsoncodec

import (
	"bytes"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// Assign sets the _id of doc to a new ID if the _id is zero or missing. Assign returns
// the _id that doc then has. The program therefore knows the ID before the insert. If the
// program repeats the insert after a network error, MongoDB can't store the document
// twice.
//
// The argument doc is a bson.M, a pointer to a bson.D, or a pointer to a struct with a
// field tagged bson:"_id". The _id may be an oid.ID, an [oid.For], a bson.ObjectID, a
// type for which [RegisterFor] was called, a pointer to one of these types, or an any.
// Other types of oidkit, such as jsonx.Extended, are also accepted.
//
// Assign returns an error if doc has an _id of another type, or no field for the _id. An
// example is "type UserID bson.ObjectID" without RegisterFor: the driver would store a
// Binary, which no filter for the returned ID finds. Assign doesn't know which registry
// stores doc, so it accepts a type after RegisterFor was called with any registry.
func Assign(doc any) (oid.ID, error) { return driver.Assign(doc) }

var driver = &document.Driver{Package: "bsoncodec.", D: reflect.TypeFor[bson.D](), Writes: writesObjectID}

// writes knows for types whether they are written as ObjectIds.
var writes sync.Map // reflect.Type to bool

// writesObjectID reports whether arrays of type t, which have 12 bytes, are written as
// ObjectIds. RegisterFor decides that for a type, or else the driver.
func writesObjectID(t reflect.Type) bool {
	if written, ok := writes.Load(t); ok {
		return written.(bool)
	}
	sample := reflect.New(t).Elem()
	sample.Index(0).SetUint(1) // zero may be written as null
	typ, data, err := bson.MarshalValue(sample.Interface())
	written, _ := writes.LoadOrStore(t, err == nil && typ == bson.TypeObjectID && bytes.Equal(data, sample.Bytes()))
	return written.(bool)
}
