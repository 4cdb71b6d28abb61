package bsoncodec

import (
	"fmt"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// idCodec is the codec of oid.ID, of each oid.For, and of the types of RegisterFor.
// All of them are arrays of 12 bytes.
type idCodec struct{}

func (idCodec) EncodeValue(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if !val.IsValid() || !is12Bytes(val.Type()) {
		return bson.ValueEncoderError{Name: "bsoncodec.EncodeValue", Types: []reflect.Type{reflect.TypeFor[oid.ID]()}, Received: val}
	}
	var id bson.ObjectID
	if val.CanAddr() {
		copy(id[:], val.Bytes())
	} else {
		reflect.Copy(reflect.ValueOf(&id).Elem(), val)
	}
	return vw.WriteObjectID(id)
}

func (idCodec) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() || !is12Bytes(val.Type()) {
		return bson.ValueDecoderError{Name: "bsoncodec.DecodeValue", Types: []reflect.Type{reflect.TypeFor[oid.ID]()}, Received: val}
	}
	id, err := readID(dc, vr)
	if err != nil {
		return err
	}
	copy(val.Bytes(), id[:])
	return nil
}

// is12Bytes reports whether t is an array of 12 bytes.
func is12Bytes(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.Len() == len(oid.ID{}) && t.Elem() == reflect.TypeFor[byte]()
}

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
	// three times as long.
	buf := arrays.Get().(*[]byte)
	*buf = document.AppendArray((*buf)[:0], document.IDs(val))
	err := writeRaw(ec, vw, bson.RawValue{Type: bson.TypeArray, Value: *buf})
	if cap(*buf) <= maxKept {
		arrays.Put(buf)
	}
	return err
}

// arrays holds buffers for encoded arrays. The writer copies the bytes, so a buffer can
// be used again. Buffers of more than maxKept bytes are not kept.
var arrays = sync.Pool{New: func() any { return new([]byte) }}

const maxKept = 64 << 10

func (c *sliceCodec) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() || val.Kind() != reflect.Slice || !c.isID(val.Type().Elem()) || vr.Type() != bson.TypeArray {
		return c.decoder.DecodeValue(dc, vr, val)
	}
	raw, err := readRaw(dc, vr)
	if err != nil {
		return err
	}
	n, ok := document.Count(raw.Value)
	if !ok {
		// The array is broken, or has elements that are not ObjectIds. The driver
		// decodes its elements one by one.
		var ids []element
		if err := raw.UnmarshalWithRegistry(dc.Registry, &ids); err != nil {
			return err
		}
		setLen(val, len(ids))
		for i := range ids {
			copy(val.Index(i).Bytes(), ids[i][:])
		}
		return nil
	}
	setLen(val, n)
	document.CopyArray(document.IDs(val), raw.Value)
	return nil
}

// element is an ID in a list that has no codec of its own.
type element [12]byte

// setLen makes the slice val n elements long. It keeps val's memory if that is large
// enough.
func setLen(val reflect.Value, n int) {
	if val.IsNil() || val.Cap() < n {
		val.Set(reflect.MakeSlice(val.Type(), n, n))
	}
	val.SetLen(n)
}

// readID reads an ID. If the value isn't an ObjectId, the decoder of package oid reads
// it.
func readID(dc bson.DecodeContext, vr bson.ValueReader) (oid.ID, error) {
	switch vr.Type() {
	case bson.TypeObjectID:
		id, err := vr.ReadObjectID()
		return oid.ID(id), err
	case bson.TypeBinary:
		if acceptsBinary(dc) {
			return readBinary(vr)
		}
	}
	raw, err := readRaw(dc, vr)
	if err != nil {
		return oid.ID{}, err
	}
	var id oid.ID
	err = id.UnmarshalBSONValue(byte(raw.Type), raw.Value)
	return id, err
}

// binaryAccepted marks the registries of AcceptBinary: they have it as the decoder of
// its own type. Nobody else can name the type, and so nothing is decoded to it.
type binaryAccepted struct{ bson.ValueDecoder }

func acceptsBinary(dc bson.DecodeContext) bool {
	decoder, _ := dc.LookupDecoder(reflect.TypeFor[binaryAccepted]())
	_, ok := decoder.(binaryAccepted)
	return ok
}

// readBinary reads an ID that was stored as Binary.
func readBinary(vr bson.ValueReader) (id oid.ID, err error) {
	data, subtype, err := vr.ReadBinary()
	if err != nil {
		return oid.ID{}, err
	}
	if len(data) != len(id) || subtype != bson.TypeBinaryGeneric {
		return oid.ID{}, fmt.Errorf("bsoncodec.DecodeValue(Binary of %d bytes, subtype 0x%02x): want 12 bytes of subtype 0x00: %w",
			len(data), subtype, oid.ErrSyntax)
	}
	return oid.ID(data), nil
}
