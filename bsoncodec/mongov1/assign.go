package mongov1

import (
	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// FromAny returns the id that v is: an InsertedID or UpsertedID of the driver, a
// value of a bson.M. Those are sometimes a primitive.ObjectID and sometimes, if
// the document had one or with [MapAny], an oid.ID. It also takes oid.For[T],
// bson.RawValue, and pointers that are not nil. It reports false for all else: a
// string of hex digits is not an id, and neither is a document that embeds one.
func FromAny(v any) (oid.ID, bool) {
	switch v := v.(type) {
	case oid.ID:
		return v, true
	case primitive.ObjectID:
		return oid.ID(v), true
	case *primitive.ObjectID:
		if v == nil {
			return oid.ID{}, false
		}
		return oid.ID(*v), true
	case bson.RawValue:
		id, ok := v.ObjectIDOK()
		return oid.ID(id), ok
	case bsoncodec.Proxy:
		if !document.HoldsID(v, document.ProxyBSON) {
			return oid.ID{}, false
		}
		inner, err := v.ProxyBSON()
		id, ok := inner.(primitive.ObjectID)
		return oid.ID(id), ok && err == nil
	}
	return oid.ID{}, false
}

// Assign puts a new id into the _id of doc if that is zero or missing, and returns
// the _id that doc has then. So the program knows the id before the insert, and a
// repeated insert, after an error on the network, can't store the document twice.
//
// doc is a pointer to a struct with a field tagged bson:"_id", a bson.M, or a
// pointer to a bson.D. The field may be an oid.ID, an [oid.For], a
// primitive.ObjectID, a type of [RegisterTyped], a pointer to one of those, or an
// any. It is an error if doc has an _id of another type, or no field for it.
func Assign(doc any) (oid.ID, error) {
	return document.Assign("mongov1.Assign", doc)
}
