package bsoncodec

import (
	"errors"
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
	path, kind := e.shapes.Codec(val)
	switch {
	case isStruct(path, kind, val) && implements[bson.Marshaler](val):
		kind = reflect.TypeFor[marshaler]()
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
	path, kind := d.shapes.Codec(val)
	switch {
	case isStruct(path, kind, val) && implements[bson.Unmarshaler](val):
		kind = reflect.TypeFor[*marshaler]()
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

// isStruct reports whether val, of which path and kind are known, is a struct of more
// than an id: an oid.For need not be looked at any further.
func isStruct(path []int, kind reflect.Type, val reflect.Value) bool {
	return (path != nil || kind == document.AnyStruct) && val.NumField() > 1
}

// implements reports whether val, or a pointer to it, is an I. The drivers look
// for a document's own methods only after those that it has from its id.
func implements[I any](val reflect.Value) bool {
	t, i := val.Type(), reflect.TypeFor[I]()
	return t.Implements(i) || val.CanAddr() && reflect.PointerTo(t).Implements(i)
}

// marshaler stands for all documents with methods of their own, which a registry
// has one encoder for, and one decoder.
type marshaler struct{}

func (marshaler) MarshalBSON() ([]byte, error) { return nil, errors.ErrUnsupported }
func (*marshaler) UnmarshalBSON([]byte) error  { return errors.ErrUnsupported }
