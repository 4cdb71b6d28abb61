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

// readArray reads the bytes of an array into buf. From a stream, the driver allocates the
// length that the array claims, before it looks for the bytes.
func readArray(dc bson.DecodeContext, vr bson.ValueReader, buf *[]byte) error {
	decoder, err := dc.LookupDecoder(reflect.TypeFor[bson.Raw]())
	if err != nil {
		return err
	}
	*buf = (*buf)[:0]
	return decoder.DecodeValue(dc, vr, reflect.ValueOf((*bson.Raw)(buf)).Elem())
}

// failure is a value that can't be encoded.
type failure struct{ err error }

func (f failure) MarshalBSONValue() (byte, []byte, error) { return 0, nil, f.err }
