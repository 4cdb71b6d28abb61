package bsoncodec

import (
	"errors"
	"fmt"
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// idEncoder is the encoder of T, which is oid.ID or a type of RegisterFor.
type idEncoder[T ~[12]byte] struct{}

func (idEncoder[T]) EncodeValue(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if id, ok := asType[T](val); ok { // the common case, in less time
		return vw.WriteObjectID(bson.ObjectID(id))
	}
	if !val.IsValid() || !document.Is12Bytes(val.Type()) {
		return bson.ValueEncoderError{Name: "bsoncodec.EncodeValue", Types: []reflect.Type{reflect.TypeFor[oid.ID]()}, Received: val}
	}
	return writeID(vw, val)
}

// decodeID is the decoder of the same types. It reads an ID into val, an array of 12 bytes.
func decodeID(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() || !holdsID(val.Type()) {
		return bson.ValueDecoderError{Name: "bsoncodec.DecodeValue", Types: []reflect.Type{reflect.TypeFor[oid.ID]()}, Received: val}
	}
	id, err := readID(dc, vr)
	if err != nil {
		return err
	}
	copy(val.Bytes(), id[:])
	return nil
}

// asType returns val as a T, if it is one and reflection may read it.
func asType[T any](val reflect.Value) (t T, ok bool) {
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
	if id, ok := asType[*oid.ID](val); ok && id != nil { // the common case, in less time
		return vw.WriteObjectID(bson.ObjectID(*id))
	}
	if !pointsToID(val) || val.IsNil() {
		return c.encoder.EncodeValue(ec, vw, val)
	}
	return writeID(vw, val.Elem())
}

func (c *pointerCodec) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !pointsToID(val) || !val.CanSet() || vr.Type() != bson.TypeObjectID {
		return c.decoder.DecodeValue(dc, vr, val)
	}
	if val.IsNil() {
		val.Set(reflect.New(val.Type().Elem()))
	}
	return decodeID(dc, vr, val.Elem())
}

// holdsID is document.Is12Bytes. It takes less time for IDs of oidkit.
func holdsID(t reflect.Type) bool { return document.IsID(t) || document.Is12Bytes(t) }

func pointsToID(val reflect.Value) bool {
	return val.Kind() == reflect.Pointer && holdsID(val.Type().Elem())
}

// readID reads an ID from any value that the registry allows.
func readID(dc bson.DecodeContext, vr bson.ValueReader) (oid.ID, error) {
	typ := vr.Type()
	switch {
	case typ == bson.TypeObjectID:
		id, err := vr.ReadObjectID()
		return oid.ID(id), err
	case typ == bson.TypeBinary && (marked[binaryAccepted](dc) || isInMemory(dc, vr)):
		return readBinary(vr, marked[binaryAccepted](dc))
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
		Problem: wantID,
	}
	switch typ {
	case bson.TypeBinary:
		return fmt.Errorf("%w%w", err, errUnread)
	case bson.TypeString:
		err.Problem = "want an ObjectId of 12 bytes or null"
		return fmt.Errorf("%w: bsoncodec.RefuseStrings refuses a string, which no filter for an ID finds: store the ID as an ObjectId", err)
	}
	return err
}

const wantID = "want an ObjectId of 12 bytes, a string of 24 hex digits, or null"

// errUnread is part of the error for a Binary that wasn't read.
var errUnread = errors.New("; to read a Binary of 12 bytes, call bsoncodec.AcceptBinary (a UUID is not an ID)")

// readBinary reads an ID that was stored as Binary, if accept says so. Its errors name
// what the Binary is.
func readBinary(vr bson.ValueReader, accept bool) (id oid.ID, err error) {
	data, subtype, err := vr.ReadBinary()
	if err != nil {
		return oid.ID{}, err
	}
	what, remedy := fmt.Sprintf("a Binary of %d bytes", len(data)), ""
	switch {
	case len(data) == len(id) && subtype == bson.TypeBinaryGeneric && accept:
		return oid.ID(data), nil
	case len(data) == len(id) && subtype == bson.TypeBinaryGeneric:
		remedy = "; to read a Binary of 12 bytes, call bsoncodec.AcceptBinary"
	case len(data) == 16 && (subtype == bson.TypeBinaryUUID || subtype == bson.TypeBinaryUUIDOld):
		what = "a UUID of 16 bytes"
	}
	return oid.ID{}, fmt.Errorf("%w%s", &oid.SyntaxError{
		Call:    fmt.Sprintf("bsoncodec.DecodeValue(type 0x05, subtype 0x%02x)", subtype),
		Problem: what + ", " + wantID,
	}, remedy)
}

// readWrapped reads an ID that was stored as Binary into a struct that is stored as the ID
// that it embeds. The struct has the method UnmarshalBSONValue from its ID.
func readWrapped(vr bson.ValueReader, wrapper any) error {
	id, err := readBinary(vr, true)
	if err != nil {
		return err
	}
	return wrapper.(interface {
		UnmarshalBSONValue(typ byte, data []byte) error
	}).UnmarshalBSONValue(byte(bson.TypeObjectID), id[:])
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
