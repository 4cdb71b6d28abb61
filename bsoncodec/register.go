// Package bsoncodec has fast codecs and filters for [oid.ID] in MongoDB's Go driver v2. With
// these codecs, the driver encodes and decodes an ID in about the same time as a
// bson.ObjectID. The driver encodes a list of 1,000 IDs about 10 times as fast as a list of
// bson.ObjectIDs, and decodes it in about half of the time. [Unmarshal] and [UnmarshalWith]
// decode the list from bytes in memory, such as the bytes that a cursor holds. This takes
// about a tenth of the time that the driver takes for a list of bson.ObjectIDs. The package
// also has functions that make filters, that read the ID in the result of an insert, and that
// set the ID before an insert.
//
//	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(bsoncodec.NewRegistry()))
//
// Without this package, the driver stores an [oid.ID] as an ObjectId too, because the driver
// calls the methods of the ID. The driver looks for these methods by reflection for every
// value, which takes several times as long as a codec. With this package, documents may also
// embed an ID, as [Register] explains. Functions of the driver that take no registry, such as
// bson.Marshal, bson.MarshalValue and bson.MarshalExtJSON, always call the methods of an ID.
// Instead of bson.Marshal and bson.Unmarshal, call [Marshal] and [Unmarshal], or [MarshalWith]
// and [UnmarshalWith] with the registry of your program. In a clone of the repository, the
// command go run ./internal/bench mongo prints the times.
//
// For driver v1, use package mongov1.
//
// # Differences from bson.ObjectID
//
// An oid.ID is written as the same bytes as a bson.ObjectID. Unless [AcceptBinary] or
// [RefuseStrings] was called, both types accept and refuse the same input. These are the
// exceptions, apart from the texts of errors:
//
//	what                    bson.ObjectID         oid.ID                 test
//	a string of 12 bytes    is read as an ID      is an error            TestBadInputChangesNothing
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded ID, no tag     stored as "objectid"  stored as "id"; if it  TestStructsThatEmbedAnIDAreDocuments
//	                                              is the only field, as  TestStructsThatAreIDs
//	                                              the ID itself
//	undefined into *ID (2)  nil                   a zero ID              TestUndefinedIntoAPointerWithout…
//	struct that embeds      a document            the ID only; as the    TestStructsThatEmbedAnIDLose…
//	an ID (2)                                     document, an error
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//	(2) where no registry of this package is used, as in bson.Marshal
//
// The tests are in this package and in internal/itest/bsoncodec. They cover over 70
// forms of documents, every BSON type and most options.
package bsoncodec

//go:generate go run ./internal/port

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// NewRegistry makes a registry with the driver's default codecs, calls [Register] and [MapAny]
// with this registry, and returns it. Call NewRegistry once and keep the result, because a
// registry caches the codec of each type. For a registry without MapAny, call Register with
// the result of bson.NewRegistry().
func NewRegistry() *bson.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	MapAny(reg)
	return reg
}

// Register adds codecs to reg: for oid.ID, for [oid.For] of any type, for the other ID types
// of oidkit such as jsonx.Extended, for pointers to these types and for lists of them. If a
// struct embeds an ID, Register makes reg store the whole struct as a document:
//
//	type Order struct {
//		oid.ID `bson:"_id"`
//		Total  int
//	}
//
// A struct that embeds an ID has the methods of the ID, so without Register at most the ID
// would be stored. Even with Register, a struct whose only exported field is an embedded ID
// without a tag is stored as an ObjectId.
//
// Call Register before the first use of reg, because a registry caches the codec of each
// type that it has seen. If reg has already seen a type, Register can miss it. An ID is
// then still stored as an ObjectId, but storing it takes longer. Encoding a struct that
// embeds an ID then loses fields or returns an error.
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
	// A bson.D is a slice too, but not of IDs. It keeps its encoder, so that filters take no
	// more time.
	if encoder, err := reg.LookupEncoder(reflect.TypeFor[bson.D]()); err == nil {
		reg.RegisterTypeEncoder(reflect.TypeFor[bson.D](), encoder)
	}
	lists := newSliceCodec(reg, document.IsID)
	reg.RegisterKindEncoder(reflect.Slice, lists)
	reg.RegisterKindDecoder(reflect.Slice, lists)
	RegisterFor[oid.ID](reg)
}

// RegisterFor adds codecs to reg: for T, *T and []T, so that values of these types are stored
// as ObjectIds. Use RegisterFor for a type that your program defines, such as "type UserID
// bson.ObjectID" or "type UserID oid.ID". A type like UserID has no methods, and is stored as
// Binary without RegisterFor. Call RegisterFor before the first use of reg. Otherwise, structs
// that reg has already seen can still write or read a T as Binary. Even with RegisterFor,
// omitempty doesn't omit a zero UserID, and a UserID can't be the key of a map. An [oid.For]
// has neither of these two problems, and doesn't need RegisterFor. But after a call of
// RegisterFor[oid.For[User]], an oid.For[User] in a bson.D is encoded as fast as an oid.ID.
func RegisterFor[T ~[12]byte](reg *bson.Registry) {
	needRegistry("RegisterFor", reg)
	writes.Store(reflect.TypeFor[T](), true)
	pointers := newPointerCodec(reg)
	reg.RegisterTypeEncoder(reflect.TypeFor[*T](), pointers)
	reg.RegisterTypeDecoder(reflect.TypeFor[*T](), pointers)
	reg.RegisterTypeEncoder(reflect.TypeFor[T](), idEncoder[T]{})
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), bson.ValueDecoderFunc(decodeID))
	lists := newSliceCodec(reg, document.Is12Bytes)
	reg.RegisterTypeEncoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[element](), bson.ValueDecoderFunc(decodeID))
}

// MapAny makes reg decode an ObjectId to an oid.ID where the target is of type any, such
// as a value of a bson.D or a bson.M. Without MapAny, reg decodes such an ObjectId to a
// bson.ObjectID.
//
// MapAny doesn't change all results of the driver. If the driver makes the _id of an
// inserted document, the InsertedID is still a bson.ObjectID. The UpsertedIDs are still
// bson.ObjectIDs too, except in the results of Client.BulkWrite. [FromAny] accepts both
// types.
func MapAny(reg *bson.Registry) {
	needRegistry("MapAny", reg)
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register], [RegisterFor] and [RegisterHex] also read a BSON
// Binary of 12 bytes with the generic subtype. Without a codec, driver v2 stores a value of a
// type such as "type UserID bson.ObjectID" in this form. So does driver v1. With AcceptBinary,
// IDs are still written as ObjectIds. A filter with an ObjectId doesn't match a Binary, so
// read each document with such a Binary once, and write the document back. If the Binary is
// the _id, which MongoDB can't change, copy the documents to a new collection.
//
// A Binary begins with its length. When the driver reads a Binary from a stream, it first
// allocates as many bytes as the length says, even if the length is wrong. With AcceptBinary,
// the driver also does this where it reads an ID. [UnmarshalWith] doesn't do this for a
// struct, a map or a bson.D.
func AcceptBinary(reg *bson.Registry) {
	needRegistry("AcceptBinary", reg)
	mark[binaryAccepted](reg)
}

// RefuseStrings makes the types of [Register], [RegisterFor] and [RegisterHex] refuse
// strings. Without RefuseStrings, these types read a string of 24 hex digits as an ID, as
// a bson.ObjectID does. A filter with this ID doesn't match the string. A program can
// therefore read a document whose _id is a string, but can't find it by this ID.
// RefuseStrings makes such a read an error. Reading a Binary as an ID is an error unless
// [AcceptBinary] was called.
//
// Only reg refuses strings. Functions that don't use reg, such as [Unmarshal], still read
// strings.
func RefuseStrings(reg *bson.Registry) {
	needRegistry("RefuseStrings", reg)
	mark[stringsRefused](reg)
}

// needRegistry panics with the call if reg is nil. No function that changes a registry
// has another way to say so.
func needRegistry(call string, reg *bson.Registry) {
	if reg == nil {
		panic("bsoncodec." + call + "(nil): want a registry, such as the result of NewRegistry")
	}
}
