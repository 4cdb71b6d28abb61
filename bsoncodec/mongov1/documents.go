package mongov1

import (
	"reflect"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
)

// The driver looks for a codec first by the exact type of a value, then by the
// interfaces that the type implements, and last by its kind. It caches the codec. So it
// finds oid.ID and the types of RegisterFor by their type. An oid.For is a different
// type for each T: the driver finds its encoder by its method, and its decoder by its
// kind. It finds a list of them by its kind.

// methodEncoder replaces the driver's encoder for types with the method ProxyBSON. It
// encodes each oid.For. It encodes structs that embed an ID next to other fields as
// documents. It passes other values on to next.
type methodEncoder struct {
	next   bsoncodec.ValueEncoder
	shapes document.Shapes
}

func (e *methodEncoder) EncodeValue(ec bsoncodec.EncodeContext, vw bsonrw.ValueWriter, val reflect.Value) error {
	if !val.IsValid() {
		return e.next.EncodeValue(ec, vw, val)
	}
	if id := reflect.Indirect(val); id.IsValid() && document.IsID(id.Type()) {
		return writeID(vw, id)
	}
	kind := standIn(&e.shapes, val.Type())
	if kind == nil {
		return e.next.EncodeValue(ec, vw, val)
	}
	encoder, err := ec.LookupEncoder(kind)
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, val)
}

// standIn returns the type whose codec encodes values of type t. It returns nil if the
// driver's own codec for types with the method is right.
func standIn(shapes *document.Shapes, t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		if document.IsID(t.Elem()) || shapes.Of(t.Elem()) != document.Other {
			return document.AnyPointer
		}
		return nil
	}
	if shapes.Of(t) == document.Document {
		return document.AnyStruct
	}
	return nil
}

// arrayDecoder replaces the driver's decoder for arrays. Driver v1 has no method with
// which an oid.For could decode itself.
type arrayDecoder struct{ next bsoncodec.ValueDecoder }

func (d *arrayDecoder) DecodeValue(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	if val.IsValid() && document.IsID(val.Type()) {
		return decodeID(dc, vr, val)
	}
	return d.next.DecodeValue(dc, vr, val)
}

// structDecoder replaces the driver's decoder for structs. It decodes structs that are
// stored as the ID that they embed.
type structDecoder struct {
	next   bsoncodec.ValueDecoder
	shapes document.Shapes
}

func (d *structDecoder) DecodeValue(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	if !val.CanAddr() || d.shapes.Of(val.Type()) != document.Wrapper {
		return d.next.DecodeValue(dc, vr, val)
	}
	switch typ := vr.Type(); {
	case typ == bson.TypeBinary && marked[binaryAccepted](dc):
		return readWrapped(vr, val.Addr().Interface())
	case !readable(dc, typ):
		return refuse(typ)
	}
	raw, err := readRaw(dc, vr)
	if err != nil {
		return err
	}
	id := val.Addr().Interface().(interface { // a method that the struct has from its ID
		UnmarshalBSONValue(typ byte, data []byte) error
	})
	return id.UnmarshalBSONValue(byte(raw.Type), raw.Value)
}

// The driver encodes an ID by the first method. structDecoder decodes an ID by the second.
var (
	encodes = []document.Method{func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("ProxyBSON") }}
	decodes = []document.Method{func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("UnmarshalBSONValue") }}
)

// proxy only has the method. A registry has one encoder for all types with the method.
type proxy struct{ bsoncodec.Proxy }
