// Package bsoncodec lets MongoDB's Go driver v2 encode and decode [oid.ID] in the time
// of its own bson.ObjectID, and lists of IDs in a fraction of it. It also has functions
// for filters, for the IDs of insert results, and for IDs that are needed before an
// insert.
//
//	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(bsoncodec.NewRegistry()))
//
// Without this package, the driver also stores an [oid.ID] as an ObjectId, because it
// calls the ID's methods. It looks them up by name for every value, which takes several
// times as long. With this package, documents may also embed an ID, as [Register]
// explains. Functions without a registry, such as bson.Marshal, bson.MarshalValue and
// bson.MarshalExtJSON, still use the methods. Use [Marshal] and [Unmarshal] instead, or
// [MarshalWith] and [UnmarshalWith] with a registry of your own. The command
// go run ./internal/bench mongo prints the times.
//
// Package mongov1 is for driver v1.
//
// # Differences from bson.ObjectID
//
// An ID is written as the same bytes. The same input is accepted and refused, though the
// texts of the errors differ. The exceptions are:
//
//	what                    bson.ObjectID         oid.ID                 test
//	a string of 12 bytes    is read as an ID      is an error            TestBadInputChangesNothing
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded ID, no tag     stored as "objectid"  stored as "id"; if it  TestStructsThatEmbedAnIDAreDocuments
//	                                              is the only field, as  TestStructsThatAreIDs
//	                                              the ID itself
//	undefined into *ID (2)  nil                   a zero ID              TestUndefinedIntoAPointerIsNil
//	struct that embeds      a document            the ID only, or        TestStructsThatEmbedAnIDLose…
//	an ID (2)                                     an error at the top
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//	(2) where no registry of this package is used, as in bson.Marshal
//
// The tests are in this package and in internal/itest/bsoncodec, which tests every
// shape of document, every kind of value and every option.
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

// Register adds to reg codecs for oid.ID, for [oid.For] of any type, for pointers to
// them and for lists of them. It also makes reg store structs that embed an ID as
// documents:
//
//	type Order struct {
//		oid.ID `bson:"_id"`
//		Total  int
//	}
//
// Such a struct has the methods of its ID. Without Register, only that ID would be
// stored. A struct whose only field is an embedded ID without a tag is stored as the
// ID.
//
// Call Register before the first use of reg: a registry caches the codec of each
// type that it has seen. Types seen earlier keep the old behavior: an ID is still
// an ObjectId, only slower, but structs that embed an ID lose their other fields.
func Register(reg *bson.Registry) {
	needRegistry("Register", reg)
	// LookupEncoder and LookupDecoder don't fail here: every registry of the driver
	// has codecs for arrays.
	encoder, _ := reg.LookupEncoder(reflect.TypeFor[valueMarshaler]())
	decoder, _ := reg.LookupDecoder(reflect.TypeFor[valueMarshaler]())
	reg.RegisterInterfaceEncoder(reflect.TypeFor[bson.ValueMarshaler](),
		&methodEncoder{next: encoder, shapes: document.Shapes{Methods: methods}})
	reg.RegisterInterfaceDecoder(reflect.TypeFor[bson.ValueUnmarshaler](),
		&methodDecoder{next: decoder, pointers: newPointerCodec(reg), shapes: document.Shapes{Methods: methods}})
	lists := newSliceCodec(reg, document.IsID)
	reg.RegisterKindEncoder(reflect.Slice, lists)
	reg.RegisterKindDecoder(reflect.Slice, lists)
	RegisterFor[oid.ID](reg)
}

// RegisterFor adds to reg codecs for T, *T and []T, so that they are stored as
// ObjectIds. It is for programs with a type such as UserID whose underlying type is
// bson.ObjectID or oid.ID. Such a type has no methods, and would be stored as Binary. A
// codec can't do two things: omitempty doesn't omit the zero T, and T doesn't work as
// the key of a map. [oid.For] has neither problem, and [Register] registers it.
func RegisterFor[T ~[12]byte](reg *bson.Registry) {
	needRegistry("RegisterFor", reg)
	pointers := newPointerCodec(reg)
	reg.RegisterTypeEncoder(reflect.TypeFor[*T](), pointers)
	reg.RegisterTypeDecoder(reflect.TypeFor[*T](), pointers)
	reg.RegisterTypeEncoder(reflect.TypeFor[T](), idCodec{})
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), idCodec{})
	lists := newSliceCodec(reg, document.Is12Bytes)
	reg.RegisterTypeEncoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[element](), idCodec{})
}

// MapAny makes an ObjectId decode to oid.ID where the target has no type: in an any, a
// bson.D or a bson.M. Without it, an ObjectId there decodes to bson.ObjectID.
//
// It doesn't change all results of the driver. An InsertedID is an oid.ID only if the
// document had one. Of the UpsertedIDs, only those of Client.BulkWrite are oid.IDs.
// [FromAny] accepts both types.
func MapAny(reg *bson.Registry) {
	needRegistry("MapAny", reg)
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register], [RegisterFor] and [RegisterHex] also
// read a generic Binary of 12 bytes. A type UserID bson.ObjectID without a codec is
// stored in that form. Driver v1 stored other array types in it, too. IDs are still
// written as ObjectIds. A filter with an ObjectId doesn't match a Binary, so rewrite all
// documents.
func AcceptBinary(reg *bson.Registry) {
	needRegistry("AcceptBinary", reg)
	mark[binaryAccepted](reg)
}

// RefuseStrings makes the types of [Register], [RegisterFor] and [RegisterHex] refuse
// strings. Otherwise, they read a string of 24 hex digits as an ID, and the driver's own
// type does too. A filter with that ID doesn't match the string, so documents from a time
// when IDs were strings are read, but not found again. With RefuseStrings, they are
// an error when they are first read. A Binary is an error anyway, without [AcceptBinary].
//
// Only reg refuses strings. Functions that use another registry, such as [Unmarshal],
// read them.
func RefuseStrings(reg *bson.Registry) {
	needRegistry("RefuseStrings", reg)
	mark[stringsRefused](reg)
}
