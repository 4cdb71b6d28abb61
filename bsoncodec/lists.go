package bsoncodec

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
)

// sliceCodec is the codec of lists of IDs. It passes other values on to the codec that
// the registry has for slices.
type sliceCodec struct {
	isID    func(reflect.Type) bool // reports whether elements of a type are IDs
	encoder bson.ValueEncoder
	decoder bson.ValueDecoder
}

// newSliceCodec returns the codec for lists of the elements for which isID reports
// true.
func newSliceCodec(reg *bson.Registry, isID func(reflect.Type) bool) *sliceCodec {
	// Every registry of the driver has a codec for slices.
	encoder, _ := reg.LookupEncoder(document.AnySlice)
	decoder, _ := reg.LookupDecoder(document.AnySlice)
	return &sliceCodec{isID, encoder, decoder}
}

func (c *sliceCodec) EncodeValue(ec bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	// Many places decide whether a nil slice is null or an empty array, and only
	// the driver's own encoder sees them all.
	if val.Kind() != reflect.Slice || !c.isID(val.Type().Elem()) || val.IsNil() {
		return c.encoder.EncodeValue(ec, vw, val)
	}
	// Write the array in one piece. Element by element, the driver's writer takes
	// several times as long.
	buf := arrays.Get().(*[]byte)
	*buf = document.AppendArray((*buf)[:0], document.IDs(val))
	err := writeRaw(ec, vw, bson.RawValue{Type: bson.TypeArray, Value: *buf})
	keep(&arrays, buf)
	return err
}

func (c *sliceCodec) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() || val.Kind() != reflect.Slice || !c.isID(val.Type().Elem()) || vr.Type() != bson.TypeArray {
		return c.decoder.DecodeValue(dc, vr, val)
	}
	return decodeList(dc, vr, val)
}
