package bsoncodec

import (
	"errors"
	"reflect"
	"strconv"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/oid"
)

// decodeList decodes an array into the slice val: in one piece from memory, or ID by ID
// from a stream.
func decodeList(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !isInMemory(dc, vr) {
		return decodeStream(dc, vr, val)
	}
	buf := arrays.Get().(*[]byte)
	defer keep(&arrays, buf)
	if err := readArray(dc, vr, buf); err != nil {
		return errBrokenList
	}
	return decodeArray(dc, *buf, val)
}

// decodeElements decodes the elements of an array in memory one by one.
func decodeElements(dc bson.DecodeContext, array []byte, ids *[]element) error {
	return decodeInMemory(dc.Registry, bson.RawValue{Type: bson.TypeArray, Value: array}, ids)
}

// lists holds buffers for IDs that were read one by one.
var lists = sync.Pool{New: func() any { return new([]oid.ID) }}

func decodeStream(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	buf := lists.Get().(*[]oid.ID)
	defer keep(&lists, buf)
	ids := (*buf)[:0]
	array, err := vr.ReadArray()
	if err != nil {
		return err
	}
	for {
		value, err := array.ReadValue()
		if errors.Is(err, bson.ErrEOA) {
			copy(sized(val, len(ids)), ids)
			return nil
		}
		if err != nil {
			return err
		}
		id, err := readID(dc, value)
		if err != nil {
			return errElement(len(ids), err)
		}
		ids = append(ids, id)
		*buf = ids
	}
}

// errElement returns an error of the driver for the element at an index of an array. Only
// codecs of the driver make such errors, so one of them decodes a map with this key.
func errElement(index int, err error) error {
	reg := bson.NewRegistry()
	reg.RegisterTypeDecoder(reflect.TypeFor[failure](), bson.ValueDecoderFunc(
		func(bson.DecodeContext, bson.ValueReader, reflect.Value) error { return err }))
	data, _ := bson.Marshal(bson.D{{Key: strconv.Itoa(index)}})
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, new(map[string]failure))
}
