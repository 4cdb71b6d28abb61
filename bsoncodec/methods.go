package bsoncodec

import (
	"errors"
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// The driver looks for a codec by the exact type of a value. Then it goes by the
// interfaces that the type implements, and last by its kind. It caches what it finds.
// So oid.ID and the types of RegisterFor are found by their type. An oid.For, a type
// of its own for each T, is found by its methods, and a list of them by its kind.

// methodEncoder takes the place of the driver's encoder for types with the method
// MarshalBSONValue. It encodes each oid.For, and as documents the structs that have
// the method from an id which they embed. It passes on all else to next.
type methodEncoder struct {
	next   bson.ValueEncoder
	shapes document.Shapes
}

func (e *methodEncoder) EncodeValue(ec bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if !val.IsValid() {
		return e.next.EncodeValue(ec, vw, val)
	}
	if document.IsID(val.Type()) {
		return idCodec{}.EncodeValue(ec, vw, val)
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
	next   bson.ValueDecoder
	shapes document.Shapes
}

func (d *methodDecoder) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.IsValid() {
		return d.next.DecodeValue(dc, vr, val)
	}
	if document.IsID(val.Type()) {
		return idCodec{}.DecodeValue(dc, vr, val)
	}
	kind := standIn[bson.Unmarshaler](&d.shapes, val)
	if kind == nil {
		return d.next.DecodeValue(dc, vr, val)
	}
	decoder, err := dc.LookupDecoder(kind)
	if err != nil {
		return err
	}
	return decoder.DecodeValue(dc, vr, val)
}

// standIn returns the type by whose codec val is encoded or decoded, or nil if the
// driver's own codec for types with methods is right. I is the interface of
// documents with a method of their own: the driver asks for it only after the
// methods that a document has from its id.
func standIn[I any](shapes *document.Shapes, val reflect.Value) reflect.Type {
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
		return reflect.TypeFor[*marshaler]()
	}
	if shape == document.Document {
		return document.AnyStruct
	}
	return nil
}

// marshaler stands for all documents with methods of their own, which a registry
// has one encoder for, and one decoder.
type marshaler struct{}

func (*marshaler) MarshalBSON() ([]byte, error) { return nil, errors.ErrUnsupported }
func (*marshaler) UnmarshalBSON([]byte) error   { return errors.ErrUnsupported }

// plainID is an oid.ID that the driver knows only by its methods.
type plainID oid.ID

func (id plainID) MarshalBSONValue() (byte, []byte, error) {
	return oid.ID(id).MarshalBSONValue()
}

func (id *plainID) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*oid.ID)(id).UnmarshalBSONValue(typ, data)
}

// failure is a value that can't be encoded.
type failure struct{ err error }

func (f failure) MarshalBSONValue() (byte, []byte, error) { return 0, nil, f.err }
