package bsoncodec

import (
	"errors"
	"fmt"
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/oid"
)

// RegisterHex adds to reg a codec for T, one of your own string types. A T holds the 24 hex
// digits of an ID, and is stored as an ObjectId:
//
//	type OrderID string
//
// A package can declare and use an OrderID without importing package oid or bson. A T is
// stored as an ObjectId in documents, filters, lists and maps, and behind pointers. A T
// that is the key of a map is stored as its text, unchecked.
//
// Encoding an empty T is an error, unless omitempty omits the field. An empty T is not
// encoded as null, because a filter with null would match the documents that lack the
// field. Encoding text that is not 24 hex digits is an error too. An ObjectId decodes to
// lower-case digits, and null decodes to "".
//
// T must not be string itself. After RegisterHex[string], encoding or decoding any string with
// reg is an error.
//
// Functions that don't use reg store a T as a string. For example, bson.Marshal doesn't
// use a registry that [NewRegistry] made. The InsertedID in a result of the driver is
// never a T: pass the InsertedID to [FromAny].
//
// Call RegisterHex before the first use of reg. To make a new ID, write
// OrderID(oid.New().Hex()), because [Assign] doesn't support T.
func RegisterHex[T ~string](reg *bson.Registry) {
	needRegistry("RegisterHex", reg)
	codec := hexCodec{of: reflect.TypeFor[T]()}
	if codec.of == reflect.TypeFor[string]() {
		codec.refusal = errors.New("bsoncodec.RegisterHex[string]: not every string is an ID: define a string type for IDs, and register that type")
	}
	reg.RegisterTypeEncoder(codec.of, codec)
	reg.RegisterTypeDecoder(codec.of, codec)
}

// hexCodec is the codec of a string type that holds the hex digits of an ID.
type hexCodec struct {
	of      reflect.Type
	refusal error // nil if values of the type can be IDs
}

func (c hexCodec) EncodeValue(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if !val.IsValid() || val.Type() != c.of {
		return bson.ValueEncoderError{Name: "bsoncodec.EncodeValue", Types: []reflect.Type{c.of}, Received: val}
	}
	if c.refusal != nil {
		return c.refusal
	}
	id, err := oid.Parse(val.String())
	if err != nil {
		return fmt.Errorf("bsoncodec.RegisterHex: can't store a %v as an ObjectId: %w: set an ID, or omit an empty field with omitempty", c.of, err)
	}
	return vw.WriteObjectID(bson.ObjectID(id))
}

func (c hexCodec) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() || val.Type() != c.of {
		return bson.ValueDecoderError{Name: "bsoncodec.DecodeValue", Types: []reflect.Type{c.of}, Received: val}
	}
	if c.refusal != nil {
		return c.refusal
	}
	typ := vr.Type()
	id, err := readID(dc, vr)
	if err != nil {
		return err
	}
	text := id.Hex()
	if typ == bson.TypeNull || typ == bson.TypeUndefined {
		text = ""
	}
	val.SetString(text)
	return nil
}
