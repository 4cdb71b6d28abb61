package bsoncodec

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// embeddedEncoder takes the place of the driver's encoder for types with the
// method MarshalBSONValue. It passes on to next all but the types that have it
// from an oid.ID which they embed, and pointers to those.
type embeddedEncoder struct {
	next   bson.ValueEncoder
	shapes document.Shapes
}

func (e *embeddedEncoder) EncodeValue(ec bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	kind, path := shapeOf(&e.shapes, val)
	switch {
	case path != nil:
		return idCodec[oid.ID]{}.EncodeValue(ec, vw, val.FieldByIndex(path))
	case kind == nil:
		return e.next.EncodeValue(ec, vw, val)
	}
	encoder, err := ec.LookupEncoder(kind)
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, val)
}

// embeddedDecoder is the same for the method UnmarshalBSONValue.
type embeddedDecoder struct {
	next   bson.ValueDecoder
	shapes document.Shapes
}

func (d *embeddedDecoder) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	kind, path := shapeOf(&d.shapes, val)
	switch {
	case path != nil:
		return idCodec[oid.ID]{}.DecodeValue(dc, vr, val.FieldByIndex(path))
	case kind == nil:
		return d.next.DecodeValue(dc, vr, val)
	}
	decoder, err := dc.LookupDecoder(kind)
	if err != nil {
		return err
	}
	return decoder.DecodeValue(dc, vr, val)
}

// shapeOf says what to do with val: the path to the id that it is; or else the
// type whose codec, which is that of a kind, suits it; or neither if it isn't ours.
func shapeOf(shapes *document.Shapes, val reflect.Value) (kind reflect.Type, path []int) {
	if !val.IsValid() {
		return nil, nil
	}
	if t := val.Type(); t.Kind() == reflect.Pointer {
		if shapes.Of(t.Elem()).Kind != document.Other {
			return anyPointer, nil
		}
		return nil, nil
	}
	switch shape := shapes.Of(val.Type()); shape.Kind {
	case document.ID:
		return nil, shape.Path
	case document.Document:
		return anyStruct, nil
	}
	return nil, nil
}
