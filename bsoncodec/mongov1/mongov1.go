// Package mongov1 makes MongoDB's Go driver v1 store [oid.ID] as an ObjectId. That
// driver can't know an id by its methods: without this package, it gives an error
// that says to import it. One line, in any file of the program, is enough:
//
//	import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"
//
// The import registers the codecs of this package in bson.DefaultRegistry, which
// clients and package functions use where no other registry is set. (No other
// package of oidkit does anything by being imported.) A program with a registry of
// its own passes that to [Register] too.
//
// # Where it differs from primitive.ObjectID
//
// The same bytes and the same verdicts, with these exceptions:
//
//	what                    primitive.ObjectID    oid.ID                 test
//	a string of 12 bytes    is read as an id      is an error            TestBadInputChangesNothing
//	the map key ""          is an error           is the zero id         TestSameValues
//	map keys, printed (1)   ObjectID("…"), which  the hex digits         TestSameBytes
//	                        can't be read back
//	embedded id, no tag     stored as "objectid"  stored as "id"         TestStructsThatEmbedAnIDAreDocuments
//
//	(1) with StringifyMapKeysWithFmt or the mgo registry
//
// The tests are in this package and in internal/itest/bsoncodec, which goes through
// every shape of document, every kind of value and every option.
//
// # A module of its own
//
// Driver v1 is at the end of its life, and shouldn't come along with anything else.
// For driver v2 there is package bsoncodec.
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
// package. Make one, and keep it: a registry remembers the types that it has met.
func NewRegistry() *bsoncodec.Registry {
	reg := bson.NewRegistry()
	Register(reg)
	return reg
}

// Register adds to reg codecs for oid.ID, *oid.ID and []oid.ID, and for structs
// that hold nothing but an untagged embedded id, as [oid.For] does. It also makes
// reg store as documents the other structs that embed an id, which otherwise would
// be stored as that id alone.
//
// A client uses reg if it is told so, with options.Client().SetRegistry(reg).
// Package functions, as bson.Marshal, don't: they use bson.DefaultRegistry.
//
// Register before the first use of reg. What reg has met before, it treats as it
// did: structs with ids are stored rightly, but can't be decoded.
func Register(reg *bsoncodec.Registry) {
	// LookupEncoder and LookupDecoder don't fail here: a registry of the driver
	// has something for every array and every struct.
	encoder, _ := reg.LookupEncoder(reflect.TypeFor[plainID]())
	decoder, _ := reg.LookupDecoder(document.AnyStruct)
	reg.RegisterInterfaceEncoder(reflect.TypeFor[bsoncodec.Proxy](),
		&embeddedEncoder{next: encoder, shapes: document.Shapes{Methods: []document.Method{document.ProxyBSON}}})
	if _, again := decoder.(*embeddedDecoder); !again {
		reg.RegisterKindDecoder(reflect.Struct,
			&embeddedDecoder{next: decoder, shapes: document.Shapes{Methods: []document.Method{document.UnmarshalBSONValue}}})
	}
	RegisterTyped[oid.ID](reg)
}

// RegisterTyped adds to reg codecs for T, *T and []T, which then are stored as
// ObjectIds. It is for the type UserID primitive.ObjectID, or type UserID oid.ID,
// of programs that have one: such a type has no methods, and is stored as Binary
// otherwise. Two things are beyond a codec: omitempty doesn't omit the zero T, and
// T doesn't work as the key of a map. [oid.For] has neither problem.
func RegisterTyped[T ~[12]byte](reg *bsoncodec.Registry) {
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
// any, a bson.D, a bson.M. Without it, that is a primitive.ObjectID.
//
// The driver's results don't follow suit everywhere. [FromAny] takes both.
func MapAny(reg *bsoncodec.Registry) {
	reg.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
}

// AcceptBinary makes the types of [Register] and [RegisterTyped] also read a
// generic Binary of 12 bytes. That is what this driver stores array types as that
// it has no codec for. They are still written as ObjectIds, which a filter tells
// from Binary: see to it that all documents are rewritten.
func AcceptBinary(reg *bsoncodec.Registry) {
	reg.RegisterTypeDecoder(reflect.TypeFor[binaryAccepted](), binaryAccepted{})
}
