// Package mongov1 makes MongoDB's Go driver v1 store an [oid.ID] as an ObjectId. The
// methods of an ID can't do this alone, because they would need types of driver v1.
// Without this package, encoding an ID returns an error that says to import the package.
// Add this line to any file of the program:
//
//	import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"
//
// The import adds the codecs of this package to bson.DefaultRegistry. Clients and functions
// such as bson.Marshal use bson.DefaultRegistry if no other registry is set. Importing any
// other package of oidkit changes no BSON registry. If the program has its own registry, pass
// it to [Register].
//
// # Differences from primitive.ObjectID
//
// An oid.ID is written as the same bytes as a primitive.ObjectID. Unless [AcceptBinary] or
// [RefuseStrings] was called, both types accept and refuse the same input. These are the
// exceptions, apart from the texts of errors:
//
//	what                    primitive.ObjectID    oid.ID                 test
//	a string of 12 bytes    is read as an ID      is an error            TestBadInputChangesNothing
//	the map key ""          is an error           is the zero ID         TestSameValues
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded ID, no tag     stored as "objectid"  stored as "id"; if it  TestStructsThatEmbedAnIDAreDocuments
//	                                              is the only field, as  TestStructsThatAreIDs
//	                                              the ID itself
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//
// The tests are in this package and in internal/itest/bsoncodec. They cover over 70
// forms of documents, every BSON type and most options.
//
// # A separate module
//
// MongoDB has deprecated driver v1. This package is a separate module, so that programs
// without it don't depend on driver v1. Package bsoncodec is for driver v2. Most files
// of this package are generated from files of bsoncodec, and differ only in the names of
// the driver. The package is deleted in the first minor version of oidkit after MongoDB
// ends the support of driver v1. Programs can keep its last version, as driver v1 then
// stays unchanged.
package mongov1

import (
	"reflect"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
	"github.com/oidkit/oidkit/oid"
)

func init() {
	oid.SetProxyBSON(func(id [12]byte) any { return primitive.ObjectID(id) })
	Register(bson.DefaultRegistry) //lint:ignore SA1019 every client uses it by default
}

// NewRegistry makes a registry with the driver's default codecs, calls [Register] and [MapAny]
// with this registry, and returns it. Call NewRegistry once and keep the result, because a
// registry caches the codec of each type. For a registry without MapAny, call Register with
// the result of bson.NewRegistry().
func NewRegistry() *bsoncodec.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	MapAny(reg)
	return reg
}

// Register adds codecs to reg: for oid.ID, for [oid.For] of any type, for the other ID types
// of oidkit such as jsonx.Extended, for pointers to these types and for lists of them. If a
// struct embeds an ID, Register makes reg store the whole struct as a document. Without
// Register, at most the embedded ID is stored. Even with Register, a struct whose only
// exported field is an embedded ID without a tag is stored as an ObjectId.
//
// To make a client use reg, pass it to options.Client().SetRegistry. Functions such as
// bson.Marshal use bson.DefaultRegistry. When this package is imported, it calls
// Register(bson.DefaultRegistry).
//
// Call Register before the first use of reg, because a registry caches the codec of each
// type that it has seen. If reg has already seen a type, Register can miss it. IDs are then
// stored, but decoding them returns an error. Encoding a struct that embeds an ID then loses
// fields or returns an error.
func Register(reg *bsoncodec.Registry) {
	needRegistry("Register", reg)
	// LookupEncoder and LookupDecoder don't fail here: every registry of the driver
	// has codecs for arrays and structs.
	encoder, _ := reg.LookupEncoder(reflect.TypeFor[proxy]())
	array, _ := reg.LookupDecoder(document.AnyArray)
	structure, _ := reg.LookupDecoder(document.AnyStruct)
	reg.RegisterInterfaceEncoder(reflect.TypeFor[bsoncodec.Proxy](),
		&methodEncoder{next: encoder, shapes: document.Shapes{Methods: encodes}})
	reg.RegisterKindDecoder(reflect.Array, &arrayDecoder{array})
	reg.RegisterKindDecoder(reflect.Struct,
		&structDecoder{next: structure, shapes: document.Shapes{Methods: decodes}})
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
// primitive.ObjectID" or "type UserID oid.ID". A type like UserID has no methods, and is
// stored as Binary without RegisterFor. Call RegisterFor before the first use of reg.
// Otherwise, structs that reg has already seen can still write or read a T as Binary. Even
// with RegisterFor, omitempty doesn't omit a zero UserID, and a UserID can't be the key of a
// map. An [oid.For] has neither of these two problems, and doesn't need RegisterFor.
func RegisterFor[T ~[12]byte](reg *bsoncodec.Registry) {
	needRegistry("RegisterFor", reg)
	writes.Store(reflect.TypeFor[T](), true)
	pointers := newPointerCodec(reg)
	reg.RegisterTypeEncoder(reflect.TypeFor[*T](), pointers)
	reg.RegisterTypeDecoder(reflect.TypeFor[*T](), pointers)
	reg.RegisterTypeEncoder(reflect.TypeFor[T](), idEncoder[T]{})
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), bsoncodec.ValueDecoderFunc(decodeID))
	lists := newSliceCodec(reg, document.Is12Bytes)
	reg.RegisterTypeEncoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[[]T](), lists)
	reg.RegisterTypeDecoder(reflect.TypeFor[element](), bsoncodec.ValueDecoderFunc(decodeID))
}

// MapAny makes reg decode an ObjectId to an oid.ID where the target is of type any, such
// as a value of a bson.D or a bson.M. Without MapAny, reg decodes such an ObjectId to a
// primitive.ObjectID.
//
// MapAny doesn't change all results of the driver: some still hold a primitive.ObjectID.
// [FromAny] accepts both types.
func MapAny(reg *bsoncodec.Registry) {
	needRegistry("MapAny", reg)
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register], [RegisterFor] and [RegisterHex] also read a BSON
// Binary of 12 bytes with the generic subtype. Without a codec, driver v1 stores a value of a
// type such as "type UserID [12]byte" as such a Binary. With AcceptBinary, IDs are still
// written as ObjectIds. A filter with an ObjectId doesn't match a Binary, so read each
// document with such a Binary once, and write the document back. If the Binary is the _id,
// which MongoDB can't change, copy the documents to a new collection.
func AcceptBinary(reg *bsoncodec.Registry) {
	needRegistry("AcceptBinary", reg)
	mark[binaryAccepted](reg)
}

// RefuseStrings makes the types of [Register], [RegisterFor] and [RegisterHex] refuse
// strings. Without RefuseStrings, these types read a string of 24 hex digits as an ID, as
// a primitive.ObjectID does. A filter with this ID doesn't match the string. A program
// can therefore read a document whose _id is a string, but can't find it by this ID.
// RefuseStrings makes such a read an error. Reading a Binary as an ID is an error unless
// [AcceptBinary] was called.
//
// Only reg refuses strings. Clients and functions such as bson.Marshal use
// bson.DefaultRegistry if no other registry is set. To make them refuse strings, pass
// bson.DefaultRegistry to RefuseStrings.
func RefuseStrings(reg *bsoncodec.Registry) {
	needRegistry("RefuseStrings", reg)
	mark[stringsRefused](reg)
}

// needRegistry panics with the call if reg is nil. No function that changes a registry
// has another way to say so.
func needRegistry(call string, reg *bsoncodec.Registry) {
	if reg == nil {
		panic("mongov1." + call + "(nil): want a registry, such as the result of NewRegistry")
	}
}
