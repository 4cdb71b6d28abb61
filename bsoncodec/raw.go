package bsoncodec

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// writeRaw writes an encoded value.
func writeRaw(ec bson.EncodeContext, vw bson.ValueWriter, raw bson.RawValue) error {
	encoder, err := ec.LookupEncoder(reflect.TypeOf(raw))
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, reflect.ValueOf(raw))
}

// readRaw reads a value without decoding it.
func readRaw(dc bson.DecodeContext, vr bson.ValueReader) (raw bson.RawValue, err error) {
	decoder, err := dc.LookupDecoder(reflect.TypeOf(raw))
	if err != nil {
		return raw, err
	}
	err = decoder.DecodeValue(dc, vr, reflect.ValueOf(&raw).Elem())
	return raw, err
}

// failure is a value that can't be encoded.
type failure struct{ err error }

func (f failure) MarshalBSONValue() (byte, []byte, error) { return 0, nil, f.err }
