package bsoncodec

import (
	"fmt"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// idEncoder is the encoder of T, which is oid.ID or a type of RegisterFor.
type idEncoder[T ~[12]byte] struct{}

func (idEncoder[T]) EncodeValue(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if id, ok := as[T](val); ok { // the common case, in less time
		return vw.WriteObjectID(bson.ObjectID(id))
	}
	if !val.IsValid() || !document.Is12Bytes(val.Type()) {
		return bson.ValueEncoderError{Name: "bsoncodec.EncodeValue", Types: []reflect.Type{reflect.TypeFor[oid.ID]()}, Received: val}
	}
	return writeID(vw, val)
}

// idDecoder is the decoder of the same types. All of them are arrays of 12 bytes.
type idDecoder struct{}

func (idDecoder) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.IsValid() || !document.Is12Bytes(val.Type()) {
		return notDecoded(val)
	}
	return decodeID(dc, vr, val)
}

// notDecoded returns the error for a value into which no ID is decoded.
func notDecoded(val reflect.Value) error {
	return bson.ValueDecoderError{Name: "bsoncodec.DecodeValue", Types: []reflect.Type{reflect.TypeFor[oid.ID]()}, Received: val}
}

// decodeID reads an ID into val, an array of 12 bytes.
func decodeID(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() {
		return notDecoded(val)
	}
	id, err := readID(dc, vr)
	if err != nil {
		return err
	}
	copy(val.Bytes(), id[:])
	return nil
}

// as returns val as a T, if it is one and reflection may read it.
func as[T any](val reflect.Value) (t T, ok bool) {
	if !val.IsValid() || !val.CanInterface() {
		return t, false
	}
	return reflect.TypeAssert[T](val)
}

// writeID writes val, an array of 12 bytes.
func writeID(vw bson.ValueWriter, val reflect.Value) error {
	return vw.WriteObjectID(bson.ObjectID(document.ID(val)))
}

// pointerCodec is the codec of pointers to IDs. It passes other values on to the codec
// that the registry has for pointers.
type pointerCodec struct {
	encoder bson.ValueEncoder
	decoder bson.ValueDecoder
}

// newPointerCodec returns the codec of pointers to IDs for reg.
func newPointerCodec(reg *bson.Registry) *pointerCodec {
	// Every registry of the driver has a codec for pointers.
	encoder, _ := reg.LookupEncoder(document.AnyPointer)
	decoder, _ := reg.LookupDecoder(document.AnyPointer)
	return &pointerCodec{encoder, decoder}
}

func (c *pointerCodec) EncodeValue(ec bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if id, ok := as[*oid.ID](val); ok && id != nil { // the common case, in less time
		return vw.WriteObjectID(bson.ObjectID(*id))
	}
	if !pointsToID(val) || val.IsNil() {
		return c.encoder.EncodeValue(ec, vw, val)
	}
	return writeID(vw, val.Elem())
}

func (c *pointerCodec) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !pointsToID(val) {
		return c.decoder.DecodeValue(dc, vr, val)
	}
	return c.decode(dc, vr, val)
}

// decode decodes into val, a pointer to an ID.
func (c *pointerCodec) decode(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if vr.Type() != bson.TypeObjectID || !val.CanSet() {
		return c.decoder.DecodeValue(dc, vr, val)
	}
	if val.IsNil() {
		val.Set(reflect.New(val.Type().Elem()))
	}
	return decodeID(dc, vr, val.Elem())
}

func pointsToID(val reflect.Value) bool {
	return val.Kind() == reflect.Pointer && document.Is12Bytes(val.Type().Elem())
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
	return c.decode(dc, vr, val)
}

// decodeArray decodes the bytes of an array into the slice val.
func (c *sliceCodec) decodeArray(dc bson.DecodeContext, array []byte, val reflect.Value) error {
	n, ok := document.Count(array)
	if !ok {
		// The array is broken, or has elements that are not ObjectIds. The driver
		// decodes its elements one by one.
		var ids []element
		if err := (bson.RawValue{Type: bson.TypeArray, Value: array}).UnmarshalWithRegistry(dc.Registry, &ids); err != nil {
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
	if val.IsNil() || val.Cap() < n {
		val.Set(reflect.MakeSlice(val.Type(), n, n))
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

// readID reads an ID: an ObjectId, or another value that oid.ID.UnmarshalBSONValue
// accepts.
func readID(dc bson.DecodeContext, vr bson.ValueReader) (oid.ID, error) {
	typ := vr.Type()
	switch {
	case typ == bson.TypeObjectID:
		id, err := vr.ReadObjectID()
		return oid.ID(id), err
	case typ == bson.TypeBinary && marked[binaryAccepted](dc):
		return readBinary(vr)
	case !readable(dc, typ):
		return oid.ID{}, refuse(typ)
	}
	raw, err := readRaw(dc, vr)
	if err != nil {
		return oid.ID{}, err
	}
	var id oid.ID
	err = id.UnmarshalBSONValue(byte(raw.Type), raw.Value)
	return id, err
}

// readable reports whether oid.ID.UnmarshalBSONValue accepts values of the type, and the
// registry lets it.
func readable(dc bson.DecodeContext, typ bson.Type) bool {
	switch typ {
	case bson.TypeObjectID, bson.TypeNull, bson.TypeUndefined:
		return true
	case bson.TypeString:
		return !marked[stringsRefused](dc)
	}
	return false
}

// refuse returns the error for a value that has a type from which no ID is read. Such a
// value isn't read at all: it may be large, or say that it is.
func refuse(typ bson.Type) error {
	err := &oid.SyntaxError{
		Call:    fmt.Sprintf("bsoncodec.DecodeValue(type 0x%02x, %v)", byte(typ), typ),
		Problem: "want an ObjectId of 12 bytes, a string of 24 hex digits, or null",
	}
	switch typ {
	case bson.TypeBinary:
		return fmt.Errorf("%w; with bsoncodec.AcceptBinary a registry reads a Binary of 12 bytes too", err)
	case bson.TypeString:
		err.Problem = "want an ObjectId of 12 bytes or null"
		return fmt.Errorf("%w: bsoncodec.RefuseStrings is set, because no filter for the ID finds a string", err)
	}
	return err
}

// binaryAccepted marks the registries of AcceptBinary, and stringsRefused those of
// RefuseStrings.
type (
	binaryAccepted struct{ bson.ValueDecoder }
	stringsRefused struct{ bson.ValueDecoder }
)

// mark marks reg: it makes a T the decoder of its own type. Nobody else can name the
// type, and so nothing is decoded to it.
func mark[T bson.ValueDecoder](reg *bson.Registry) {
	var t T
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), t)
}

// marked reports whether mark has marked the registry.
func marked[T bson.ValueDecoder](dc bson.DecodeContext) bool {
	decoder, _ := dc.LookupDecoder(reflect.TypeFor[T]())
	_, ok := decoder.(T)
	return ok
}

// needRegistry panics with the call if reg is nil. No function that changes a registry
// has another way to say so.
func needRegistry(call string, reg *bson.Registry) {
	if reg == nil {
		panic("bsoncodec." + call + "(nil): want a registry, such as that of NewRegistry")
	}
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
