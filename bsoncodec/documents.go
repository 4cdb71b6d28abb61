package bsoncodec

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
)

// The driver looks for a codec first by the exact type of a value, then by the
// interfaces that the type implements, and last by its kind. It caches the codec. So it
// finds oid.ID and the types of RegisterFor by their type. An oid.For is a different
// type for each T: the driver finds it by its methods, and a list of them by its kind.

// methodEncoder replaces the driver's encoder for types with the method
// MarshalBSONValue. It encodes each oid.For. It encodes structs that embed an ID next to
// other fields as documents. It passes other values on to next.
type methodEncoder struct {
	next   bson.ValueEncoder
	shapes document.Shapes
}

func (e *methodEncoder) EncodeValue(ec bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if id := reflect.Indirect(val); id.IsValid() && document.IsID(id.Type()) {
		return writeID(vw, id)
	}
	kind := standIn[bson.Marshaler](&e.shapes, val)
	if kind == nil {
		return e.next.EncodeValue(ec, vw, val)
	}
	encoder, err := ec.LookupEncoder(kind)
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, val)
}

// methodDecoder is the same for the method UnmarshalBSONValue.
type methodDecoder struct {
	next     bson.ValueDecoder
	pointers *pointerCodec
	shapes   document.Shapes
}

func (d *methodDecoder) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	switch {
	case !val.IsValid():
		return d.next.DecodeValue(dc, vr, val)
	case val.Kind() == reflect.Array && document.IsID(val.Type()):
		return decodeID(dc, vr, val)
	case val.Kind() == reflect.Pointer && document.IsID(val.Type().Elem()):
		return d.pointers.DecodeValue(dc, vr, val)
	}
	kind := standIn[bson.Unmarshaler](&d.shapes, val)
	if kind == nil {
		switch typ := vr.Type(); {
		case d.shapes.Of(val.Type()) != document.Wrapper || readable(dc, typ):
			return d.next.DecodeValue(dc, vr, val)
		case typ == bson.TypeBinary && marked[binaryAccepted](dc) && val.CanAddr():
			return readWrapped(vr, val.Addr().Interface())
		default:
			return refuse(typ)
		}
	}
	decoder, err := dc.LookupDecoder(kind)
	if err != nil {
		return err
	}
	return decoder.DecodeValue(dc, vr, val)
}

// standIn returns the type whose codec encodes or decodes val. It returns nil if the
// driver's own codec for types with methods is right. I is the interface of documents
// that encode or decode themselves. The driver looks for I only after the methods that
// a document has from its ID.
func standIn[I any](shapes *document.Shapes, val reflect.Value) reflect.Type {
	if !val.IsValid() {
		return nil
	}
	t := val.Type()
	if t.Kind() == reflect.Pointer {
		if document.IsID(t.Elem()) || shapes.Of(t.Elem()) != document.Other {
			return document.AnyPointer
		}
		return nil
	}
	shape := shapes.Of(t)
	if shape == document.Other {
		return nil
	}
	if i := reflect.TypeFor[I](); t.Implements(i) || val.CanAddr() && reflect.PointerTo(t).Implements(i) {
		return reflect.TypeFor[marshaler]()
	}
	if shape == document.Document {
		return document.AnyStruct
	}
	return nil
}

// These types only have methods. A registry has one encoder and one decoder for all
// types with the same methods.
type (
	// marshaler stands for documents that encode and decode themselves.
	marshaler struct {
		bson.Marshaler
		bson.Unmarshaler
	}

	// valueMarshaler stands for values that do so.
	valueMarshaler struct {
		bson.ValueMarshaler
		bson.ValueUnmarshaler
	}
)

// The methods by which the driver encodes and decodes an ID that has no codec.
var methods = []document.Method{
	func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("MarshalBSONValue") },
	func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("UnmarshalBSONValue") },
}
