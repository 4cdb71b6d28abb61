// Package mongov1 makes MongoDB's Go driver v1 store [oid.ID] as an ObjectId. In driver
// v1, a type's methods can't do that. Without this package, the driver returns an error
// that says to import it. One line, in any file of the program, is enough:
//
//	import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"
//
// The import registers the codecs of this package in bson.DefaultRegistry. Clients and
// package functions such as bson.Marshal use that registry if no other one is set. (No
// other package of oidkit has side effects when it is imported.) If the program has its
// own registry, pass that to [Register] too.
//
// # Differences from primitive.ObjectID
//
// An ID is written as the same bytes. The same input is accepted and refused, though the
// texts of the errors differ. The exceptions are:
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
// The tests are in this package and in internal/itest/bsoncodec, which tests every
// shape of document, every kind of value and every option.
//
// # A separate module
//
// Driver v1 is at the end of its life. This package is a separate module, so that no
// other package of oidkit depends on driver v1. Package bsoncodec is for driver v2. Some
// files of this package are generated from files of bsoncodec: they differ only in the
// driver's names.
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

// NewRegistry returns the driver's default registry with the codecs of this
// package. Make one and keep it: a registry caches the codec of each type.
func NewRegistry() *bsoncodec.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	return reg
}

// Register adds to reg codecs for oid.ID, for [oid.For] of any type, for pointers to
// them and for lists of them. It also makes reg store structs that embed an ID as
// documents. Otherwise, only that ID would be stored. A struct whose only field is an
// embedded ID without a tag is stored as the ID.
//
// To make a client use reg, pass it to options.Client().SetRegistry. Package functions such
// as bson.Marshal use bson.DefaultRegistry. Importing this package calls Register for
// that registry.
//
// Call Register before the first use of reg: a registry caches the codec of each type
// that it has seen. Types seen earlier keep the old behavior: they are stored
// correctly, but can't be decoded.
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
	lists := newSliceCodec(reg, document.IsID)
	reg.RegisterKindEncoder(reflect.Slice, lists)
	reg.RegisterKindDecoder(reflect.Slice, lists)
	RegisterFor[oid.ID](reg)
}

// RegisterFor adds to reg codecs for T, *T and []T, so that they are stored as
// ObjectIds. It is for programs with a type such as UserID whose underlying type is
// primitive.ObjectID or oid.ID. Such a type has no methods, and would be stored as
// Binary. A codec can't do two things: omitempty doesn't omit the zero T, and T doesn't
// work as the key of a map. [oid.For] has neither problem, and [Register] registers it.
func RegisterFor[T ~[12]byte](reg *bsoncodec.Registry) {
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
// bson.D or a bson.M. Without it, an ObjectId there decodes to primitive.ObjectID.
//
// It doesn't change all results of the driver. [FromAny] accepts both types.
func MapAny(reg *bsoncodec.Registry) {
	needRegistry("MapAny", reg)
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register], [RegisterFor] and [RegisterHex] also
// read a generic Binary of 12 bytes. Driver v1 stores an array type without a codec in
// that form. IDs are still written as ObjectIds. A filter with an ObjectId doesn't match
// a Binary, so rewrite all documents.
func AcceptBinary(reg *bsoncodec.Registry) {
	needRegistry("AcceptBinary", reg)
	mark[binaryAccepted](reg)
}

// RefuseStrings makes the types of [Register], [RegisterFor] and [RegisterHex] refuse
// strings. Otherwise, they read a string of 24 hex digits as an ID, and the driver's own
// type does too. A filter with that ID doesn't match the string, so documents from a time
// when IDs were strings are read, but not found again. With RefuseStrings, they are
// an error when they are first read. A Binary is an error anyway, without [AcceptBinary].
//
// Only reg refuses strings. Pass bson.DefaultRegistry for the clients and functions that
// have no other registry.
func RefuseStrings(reg *bsoncodec.Registry) {
	needRegistry("RefuseStrings", reg)
	mark[stringsRefused](reg)
}
