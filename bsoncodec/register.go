// Package bsoncodec makes MongoDB's Go driver v2 encode and decode [oid.ID] faster
// than its own bson.ObjectID. It also has what else a program needs around ids in
// MongoDB: filters, the ids of insert results, and ids before an insert.
//
//	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(bsoncodec.NewRegistry()))
//
// An [oid.ID] is stored as an ObjectId without this package too, by its methods.
// With it, ids cost less time and memory than bson.ObjectID does, and documents may
// embed an id: see [Register]. Functions without a registry, such as bson.Marshal,
// fall back to the methods. The driver looks those up by name for every value, which
// takes several times as long: use [Marshal] and [Unmarshal] instead. To see by how
// much, run go run ./internal/bench mongo.
//
// For driver v1 there is package mongov1.
//
// # Where it differs from bson.ObjectID
//
// Bytes and errors are the same, with these exceptions:
//
//	what                    bson.ObjectID         oid.ID                 test
//	a string of 12 bytes    is read as an id      is an error            TestBadInputChangesNothing
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded id, no tag     stored as "objectid"  stored as "id"; if it  TestStructsThatEmbedAnIDAreDocuments
//	                                              is the only field, as  TestStructsThatAreIDs
//	                                              the id itself
//	undefined into *ID (2)  nil                   a zero id              TestUndefinedIntoAPointerIsNil
//	struct that embeds      a document            the id only, or        TestStructsThatEmbedAnIDLose…
//	an id (2)                                     an error at the top
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//	(2) where no registry of this package is used, as in bson.Marshal
//
// The tests are in this package and in internal/itest/bsoncodec, which goes through
// every shape of document, every kind of value and every option.
package bsoncodec

//go:generate go run ./internal/port

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// NewRegistry returns the driver's default registry with the codecs of this
// package. Make one and keep it: a registry caches the codec of each type.
func NewRegistry() *bson.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	return reg
}

// Register adds to reg codecs for oid.ID and for [oid.For] of any type, for
// pointers to them and for lists of them. It also makes reg store as documents the
// structs that embed an id:
//
//	type Order struct {
//		oid.ID `bson:"_id"`
//		Total  int
//	}
//
// Such a struct has the methods of its id, and without this it would be stored as
// that id only. A struct that holds nothing but an untagged embedded id is stored
// as the id.
//
// Call Register before the first use of reg: a registry caches the codec of each
// type that it has seen. Types seen earlier keep the old behavior: an id is still
// an ObjectId, only slower, but structs that embed an id lose their other fields.
func Register(reg *bson.Registry) {
	// LookupEncoder and LookupDecoder don't fail here: a registry of the driver
	// has something for every array.
	encoder, _ := reg.LookupEncoder(reflect.TypeFor[plainID]())
	decoder, _ := reg.LookupDecoder(reflect.TypeFor[plainID]())
	methods := []document.Method{document.MarshalBSONValue, document.UnmarshalBSONValue}
	reg.RegisterInterfaceEncoder(reflect.TypeFor[bson.ValueMarshaler](),
		&methodEncoder{next: encoder, shapes: document.Shapes{Methods: methods}})
	reg.RegisterInterfaceDecoder(reflect.TypeFor[bson.ValueUnmarshaler](),
		&methodDecoder{next: decoder, shapes: document.Shapes{Methods: methods}})
	lists := newSliceCodec(reg, document.IsID)
	reg.RegisterKindEncoder(reflect.Slice, lists)
	reg.RegisterKindDecoder(reflect.Slice, lists)
	RegisterFor[oid.ID](reg)
}

// RegisterFor adds to reg codecs for T, *T and []T, which then are stored as
// ObjectIds. It is for the type UserID bson.ObjectID, or type UserID oid.ID, of
// programs that have one: such a type has no methods, and is stored as Binary
// otherwise. A codec can't do two things: omitempty doesn't omit the zero T, and
// T doesn't work as the key of a map. [oid.For] has neither problem, and [Register]
// registers it.
func RegisterFor[T ~[12]byte](reg *bson.Registry) {
	encoder, _ := reg.LookupEncoder(document.AnyPointer)
	decoder, _ := reg.LookupDecoder(document.AnyPointer)
	reg.RegisterTypeEncoder(reflect.TypeFor[*T](), encoder)
	reg.RegisterTypeDecoder(reflect.TypeFor[*T](), decoder)
	reg.RegisterTypeEncoder(reflect.TypeFor[T](), idCodec{})
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), idCodec{})
	lists := newSliceCodec(reg, is12Bytes)
	reg.RegisterTypeEncoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[element](), idCodec{})
}

// MapAny makes an ObjectId decode to oid.ID where the target has no type: in an
// any, a bson.D, a bson.M. Without it, that is a bson.ObjectID.
//
// The driver's results don't all follow suit. An InsertedID is an oid.ID only if the
// document had one, and an UpsertedID never is. [FromAny] takes both.
func MapAny(reg *bson.Registry) {
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register], [RegisterFor] and [RegisterHex] also
// read a generic Binary of 12 bytes. That is how a type UserID bson.ObjectID without
// methods has been stored, and in driver v1 also other types. Ids are still written
// as ObjectIds, and a filter doesn't find the one by the other: rewrite all
// documents.
func AcceptBinary(reg *bson.Registry) {
	reg.RegisterTypeDecoder(reflect.TypeFor[binaryAccepted](), binaryAccepted{})
}
