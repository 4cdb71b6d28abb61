package bsoncodec

import (
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
// Assign returns an error if doc has an _id of another type, or no field for the _id.
func Assign(doc any) (oid.ID, error) {
	return document.Assign("bsoncodec.Assign", doc)
}
