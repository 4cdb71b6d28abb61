package bsoncodec

import (
	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// Assign puts a new ID into the _id of doc if that is zero or missing, and returns
// the _id that doc then has. The program therefore knows the ID before the insert, and an
// insert that is repeated after a network error can't store the document twice.
//
// doc is a pointer to a struct with a field tagged bson:"_id", a bson.M, or a
// pointer to a bson.D. The field may be an oid.ID, an [oid.For], a bson.ObjectID, a
// type of [RegisterFor], a pointer to one of those, or an any. It is an error if
// doc has an _id of another type, or no field for it.
func Assign(doc any) (oid.ID, error) {
	return document.Assign("bsoncodec.Assign", doc)
}
