package bsoncodec

import (
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
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

// decodeArray decodes the bytes of an array into the slice val.
func decodeArray(dc bson.DecodeContext, array []byte, val reflect.Value) error {
	n, ok := document.Count(array)
	if !ok {
		// The array is broken, or has elements that are not ObjectIds. The driver
		// decodes its elements one by one.
		var ids []element
		if err := decodeElements(dc, array, &ids); err != nil {
			return err
		}
		copy(sized(val, len(ids)), document.IDs(reflect.ValueOf(ids)))
		return nil
	}
	document.CopyArray(sized(val, n), array)
	return nil
}

// element is an ID in a list that has no codec of its own.
type element [12]byte

// sized makes the slice val n elements long, and returns its elements. It keeps val's
// memory if that is large enough.
func sized(val reflect.Value, n int) []oid.ID {
	switch {
	case val.Cap() < n:
		val.SetZero() // or Grow would copy the old elements
		val.Grow(n)
	case val.IsNil():
		val.Set(reflect.MakeSlice(val.Type(), 0, 0))
	}
	val.SetLen(n)
	return document.IDs(val)
}

// arrays holds buffers for encoded arrays. Writers and decoders copy the bytes, so a
// buffer can be used again.
var arrays = sync.Pool{New: func() any { return new([]byte) }}

// keep puts a buffer back into its pool, unless it is large.
func keep[T any](pool *sync.Pool, buf *[]T) {
	if cap(*buf) <= maxKept {
		pool.Put(buf)
	}
}

const maxKept = 64 << 10
