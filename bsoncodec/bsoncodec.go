// Package bsoncodec makes MongoDB's Go driver v2 encode and decode [oid.ID] as
// fast as it can, and has what else a program needs around ids in MongoDB: filters,
// ids of insert results, ids before an insert.
//
//	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(bsoncodec.NewRegistry()))
//
// An [oid.ID] is stored as an ObjectId without this package too, by its methods.
// With it, ids cost less time and memory than bson.ObjectID does, and documents may
// embed an id: see [Register]. Functions that take no registry, as bson.Marshal,
// know ids by their methods only, which the driver looks up by name on every value:
// that takes several times as long (go run ./internal/bench mongo). For driver v1
// there is package mongov1.
//
// # Where it differs from bson.ObjectID
//
// The same bytes and the same verdicts, with these exceptions:
//
//	what                    bson.ObjectID         oid.ID                 test
//	a string of 12 bytes    is read as an id      is an error            TestBadInputChangesNothing
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded id, no tag     stored as "objectid"  stored as "id"         TestStructsThatEmbedAnIDAreDocuments
//	undefined into *ID (2)  nil                   a zero id              TestUndefinedIntoAPointerIsNil
//	struct that embeds      a document            the id alone, or       TestStructsThatEmbedAnIDLose…
//	an id (2)                                     an error at the top
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//	(2) where no registry of this package is used, as in bson.Marshal
//
// The tests are in this package and in internal/itest/bsoncodec, which goes through
// every shape of document, every kind of value and every option.
package bsoncodec

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// NewRegistry returns the driver's default registry with the codecs of this
// package. Make one, and keep it: a registry remembers the types that it has met.
func NewRegistry() *bson.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	return reg
}

// Register adds to reg codecs for oid.ID, *oid.ID and []oid.ID. It also makes reg
// store as documents the structs that embed an id,
//
//	type Order struct {
//		oid.ID `bson:"_id"`
//		Total  int
//	}
//
// which have the methods of the id by that, and so would be stored as that id
// alone. A struct that holds nothing but an untagged embedded id stays one:
// [oid.For] is such a type.
//
// Register before the first use of reg. What reg has met before, it treats as it
// did: oid.ID still is an ObjectId then, only slower, but structs that embed an id
// lose their other fields.
func Register(reg *bson.Registry) {
	// LookupEncoder and LookupDecoder don't fail here: a registry of the driver
	// has something for every array.
	encoder, _ := reg.LookupEncoder(reflect.TypeFor[plainID]())
	decoder, _ := reg.LookupDecoder(reflect.TypeFor[plainID]())
	reg.RegisterInterfaceEncoder(reflect.TypeFor[bson.ValueMarshaler](),
		&embeddedEncoder{next: encoder, shapes: document.Shapes{Methods: document.BSONValue}})
	reg.RegisterInterfaceDecoder(reflect.TypeFor[bson.ValueUnmarshaler](),
		&embeddedDecoder{next: decoder, shapes: document.Shapes{Methods: document.BSONValue}})
	RegisterTyped[oid.ID](reg)
}

// RegisterTyped adds to reg codecs for T, *T and []T, which then are stored as
// ObjectIds. It is for the type UserID bson.ObjectID, or type UserID oid.ID, of
// programs that have one: such a type has no methods, and is stored as Binary
// otherwise. Two things are beyond a codec: omitempty doesn't omit the zero T, and
// T doesn't work as the key of a map. [oid.For] has neither problem.
func RegisterTyped[T ~[12]byte](reg *bson.Registry) {
	encoder, _ := reg.LookupEncoder(document.AnyPointer)
	decoder, _ := reg.LookupDecoder(document.AnyPointer)
	reg.RegisterTypeEncoder(reflect.TypeFor[*T](), encoder)
	reg.RegisterTypeDecoder(reflect.TypeFor[*T](), decoder)
	reg.RegisterTypeEncoder(reflect.TypeFor[T](), idCodec[T]{})
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), idCodec[T]{})
	reg.RegisterTypeEncoder(reflect.TypeFor[[]T](), sliceCodec[T]{})
	reg.RegisterTypeDecoder(reflect.TypeFor[[]T](), sliceCodec[T]{})
}

// MapAny makes an ObjectId decode to oid.ID where the target says no type: in an
// any, a bson.D, a bson.M. Without it, that is a bson.ObjectID.
//
// The driver's results don't follow suit everywhere. An InsertedID is an oid.ID
// only if the document had one, and an UpsertedID never is. [FromAny] takes both.
func MapAny(reg *bson.Registry) {
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register] and [RegisterTyped] also read a
// generic Binary of 12 bytes. That is what a type UserID bson.ObjectID without
// methods, and in driver v1 also other types, have been stored as. They are still
// written as ObjectIds, which a filter tells from Binary: see to it that all
// documents are rewritten.
func AcceptBinary(reg *bson.Registry) {
	reg.RegisterTypeDecoder(reflect.TypeFor[binaryAccepted](), binaryAccepted{})
}
