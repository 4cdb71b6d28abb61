package mongov1

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// idCodec is the codec of T.
type idCodec[T ~[12]byte] struct{}

func (idCodec[T]) EncodeValue(_ bsoncodec.EncodeContext, vw bsonrw.ValueWriter, val reflect.Value) error {
	if val.IsValid() {
		if id, ok := reflect.TypeAssert[T](val); ok {
			return vw.WriteObjectID(primitive.ObjectID(id))
		}
	}
	return bsoncodec.ValueEncoderError{Name: "mongov1.EncodeValue", Types: []reflect.Type{reflect.TypeFor[T]()}, Received: val}
}

func (idCodec[T]) DecodeValue(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	if val.CanSet() {
		if p, ok := reflect.TypeAssert[*T](val.Addr()); ok {
			id, err := readID(dc, vr)
			if err == nil {
				*p = T(id)
			}
			return err
		}
	}
	return bsoncodec.ValueDecoderError{Name: "mongov1.DecodeValue", Types: []reflect.Type{reflect.TypeFor[T]()}, Received: val}
}

// sliceCodec is the codec of []T.
type sliceCodec[T ~[12]byte] struct{}

func (sliceCodec[T]) EncodeValue(ec bsoncodec.EncodeContext, vw bsonrw.ValueWriter, val reflect.Value) error {
	if !val.IsValid() || val.Type() != reflect.TypeFor[[]T]() {
		return bsoncodec.ValueEncoderError{Name: "mongov1.EncodeValue", Types: []reflect.Type{reflect.TypeFor[[]T]()}, Received: val}
	}
	if val.IsNil() {
		// What that is, null or an empty array, is set in many places that
		// only the registry's own encoder sees.
		encoder, err := ec.LookupEncoder(document.AnySlice)
		if err != nil {
			return err
		}
		return encoder.EncodeValue(ec, vw, val)
	}
	// In one piece: element by element, the driver's writer takes three times as
	// long.
	ids, _ := reflect.TypeAssert[[]T](val)
	encoder, err := ec.LookupEncoder(reflect.TypeFor[bson.RawValue]())
	if err != nil {
		return err
	}
	buf := arrays.Get().(*[]byte)
	*buf = document.AppendArray((*buf)[:0], ids)
	err = encoder.EncodeValue(ec, vw, reflect.ValueOf(bson.RawValue{Type: bson.TypeArray, Value: *buf}))
	if cap(*buf) <= maxKept {
		arrays.Put(buf)
	}
	return err
}

// arrays holds buffers for arrays on their way to a writer, which copies them. Those
// of more than maxKept bytes are left to the collector.
var arrays = sync.Pool{New: func() any { return new([]byte) }}

const maxKept = 64 << 10

func (sliceCodec[T]) DecodeValue(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	if !val.CanSet() || val.Type() != reflect.TypeFor[[]T]() {
		return bsoncodec.ValueDecoderError{Name: "mongov1.DecodeValue", Types: []reflect.Type{reflect.TypeFor[[]T]()}, Received: val}
	}
	if vr.Type() != bson.TypeArray {
		decoder, err := dc.LookupDecoder(document.AnySlice)
		if err != nil {
			return err
		}
		return decoder.DecodeValue(dc, vr, val)
	}
	decoder, err := dc.LookupDecoder(reflect.TypeFor[bson.RawValue]())
	if err != nil {
		return err
	}
	var raw bson.RawValue
	if err := decoder.DecodeValue(dc, vr, reflect.ValueOf(&raw).Elem()); err != nil {
		return err
	}
	p, _ := reflect.TypeAssert[*[]T](val.Addr())
	if ids, ok := document.ParseArray((*p)[:0], raw.Value); ok {
		if ids == nil {
			ids = []T{}
		}
		*p = ids
		return nil
	}
	// Not ObjectIds only, or broken: the driver goes through it one by one, as it
	// does for a slice type that isn't registered.
	var ids definedSlice[T]
	if err := raw.UnmarshalWithRegistry(dc.Registry, &ids); err != nil {
		return err
	}
	*p = append((*p)[:0], ids...)
	return nil
}

// definedSlice is a []T that has no codec.
type definedSlice[T ~[12]byte] []T

// readID reads an id. Whatever isn't an ObjectId goes to the one decoder that
// knows of it, in package oid.
func readID(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader) (oid.ID, error) {
	switch vr.Type() {
	case bson.TypeObjectID:
		id, err := vr.ReadObjectID()
		return oid.ID(id), err
	case bson.TypeBinary:
		if acceptsBinary(dc) {
			return readBinary(vr)
		}
	}
	decoder, err := dc.LookupDecoder(reflect.TypeFor[plainID]())
	if err != nil {
		return oid.ID{}, err
	}
	var id plainID
	err = decoder.DecodeValue(dc, vr, reflect.ValueOf(&id).Elem())
	return oid.ID(id), err
}

// plainID is an oid.ID that the driver knows by its methods only.
type plainID oid.ID

func (id plainID) ProxyBSON() (any, error) { return oid.ID(id).ProxyBSON() }

func (id *plainID) UnmarshalBSONValue(typ bsontype.Type, data []byte) error {
	return (*oid.ID)(id).UnmarshalBSONValue(byte(typ), data)
}

// binaryAccepted marks the registries of AcceptBinary, by being the decoder of its
// own type.
type binaryAccepted struct{}

func (binaryAccepted) DecodeValue(bsoncodec.DecodeContext, bsonrw.ValueReader, reflect.Value) error {
	return errors.New("mongov1: a mark can't be decoded")
}

func acceptsBinary(dc bsoncodec.DecodeContext) bool {
	decoder, err := dc.LookupDecoder(reflect.TypeFor[binaryAccepted]())
	_, ok := decoder.(binaryAccepted)
	return err == nil && ok
}

// readBinary reads an id that was stored as Binary.
func readBinary(vr bsonrw.ValueReader) (id oid.ID, err error) {
	data, subtype, err := vr.ReadBinary()
	if err != nil {
		return oid.ID{}, err
	}
	if len(data) != len(id) || subtype != bson.TypeBinaryGeneric {
		return oid.ID{}, fmt.Errorf("%w: Binary of %d bytes, subtype 0x%02x; want 12 bytes, subtype 0x00", oid.ErrSyntax, len(data), subtype)
	}
	return oid.ID(data), nil
}
