// Package mongov1 makes MongoDB's Go driver v1 store [oid.ID] as an ObjectId. That
// driver can't know an id by its methods: without this package, it gives an error
// that says to import it. One line, in any file of the program, is enough:
//
//	import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"
//
// The import registers the codecs of this package in bson.DefaultRegistry. Clients
// and package functions such as bson.Marshal use that where no other registry is
// set. (No other package of oidkit does anything by being imported.) If the program
// has a registry of its own, pass that to [Register] too.
//
// # Where it differs from primitive.ObjectID
//
// Bytes and errors are the same, with these exceptions:
//
//	what                    primitive.ObjectID    oid.ID                 test
//	a string of 12 bytes    is read as an id      is an error            TestBadInputChangesNothing
//	the map key ""          is an error           is the zero id         TestSameValues
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded id, no tag     stored as "objectid"  stored as "id"; if it  TestStructsThatEmbedAnIDAreDocuments
//	                                              is the only field, as  TestStructsThatAreIDs
//	                                              the id itself
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//
// The tests are in this package and in internal/itest/bsoncodec, which goes through
// every shape of document, every kind of value and every option.
//
// # A module of its own
//
// Driver v1 is at the end of its life, and shouldn't come along with anything else.
// For driver v2 there is package bsoncodec. The files that differ from its files only
// in the driver's names are generated from them.
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
	Register(bson.DefaultRegistry) //lint:ignore SA1019 what every client uses unless told otherwise
}

// NewRegistry returns the driver's default registry with the codecs of this
// package. Make one and keep it: a registry caches the codec of each type.
func NewRegistry() *bsoncodec.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	return reg
}

// Register adds to reg codecs for oid.ID and for [oid.For] of any type, for
// pointers to them and for lists of them. It also makes reg store as documents the
// structs that embed an id, which otherwise would be stored as that id only. A
// struct that holds nothing but an untagged embedded id is stored as the id.
//
// A client uses reg if it is told so, with options.Client().SetRegistry(reg).
// Package functions such as bson.Marshal use bson.DefaultRegistry, which importing
// this package registers.
//
// Call Register before the first use of reg: a registry caches the codec of each
// type that it has seen. Types seen earlier keep the old behavior: they are stored
// rightly, but can't be decoded.
func Register(reg *bsoncodec.Registry) {
	// LookupEncoder and LookupDecoder don't fail here: a registry of the driver
	// has something for every array and every struct.
	encoder, _ := reg.LookupEncoder(reflect.TypeFor[plainID]())
	array, _ := reg.LookupDecoder(document.AnyArray)
	structure, _ := reg.LookupDecoder(document.AnyStruct)
	reg.RegisterInterfaceEncoder(reflect.TypeFor[bsoncodec.Proxy](),
		&methodEncoder{next: encoder, shapes: document.Shapes{Methods: []document.Method{document.ProxyBSON}}})
	reg.RegisterKindDecoder(reflect.Array, &arrayDecoder{array})
	reg.RegisterKindDecoder(reflect.Struct,
		&structDecoder{next: structure, shapes: document.Shapes{Methods: []document.Method{document.UnmarshalBSONValue}}})
	lists := newSliceCodec(reg, document.IsID)
	reg.RegisterKindEncoder(reflect.Slice, lists)
	reg.RegisterKindDecoder(reflect.Slice, lists)
	RegisterFor[oid.ID](reg)
}

// RegisterFor adds to reg codecs for T, *T and []T, which then are stored as
// ObjectIds. It is for the type UserID primitive.ObjectID, or type UserID oid.ID, of
// programs that have one: such a type has no methods, and is stored as Binary
// otherwise. A codec can't do two things: omitempty doesn't omit the zero T, and
// T doesn't work as the key of a map. [oid.For] has neither problem, and [Register]
// registers it.
func RegisterFor[T ~[12]byte](reg *bsoncodec.Registry) {
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
// any, a bson.D, a bson.M. Without it, that is a primitive.ObjectID.
//
// The driver's results don't all follow suit. [FromAny] takes both.
func MapAny(reg *bsoncodec.Registry) {
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register], [RegisterFor] and [RegisterHex] also
// read a generic Binary of 12 bytes. Driver v1 stores an array type without a codec
// as that. Ids are still written as ObjectIds, and a filter doesn't find the one by
// the other: rewrite all documents.
func AcceptBinary(reg *bsoncodec.Registry) {
	reg.RegisterTypeDecoder(reflect.TypeFor[binaryAccepted](), binaryAccepted{})
}
