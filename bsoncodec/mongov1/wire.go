package mongov1

import (
	"reflect"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
)

// writeRaw writes an encoded value. It uses no codec of the registry, because not every
// registry has the driver's own ones for bson.RawValue.
func writeRaw(ec bsoncodec.EncodeContext, vw bsonrw.ValueWriter, raw bson.RawValue) error {
	return bson.PrimitiveCodecs{}.RawValueEncodeValue(ec, vw, reflect.ValueOf(raw)) //lint:ignore SA1019 the registry may lack it
}

// readRaw reads a value without decoding it.
func readRaw(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader) (raw bson.RawValue, err error) {
	err = bson.PrimitiveCodecs{}.RawValueDecodeValue(dc, vr, reflect.ValueOf(&raw).Elem()) //lint:ignore SA1019 the registry may lack it
	return raw, err
}

// isInMemory reports whether vr reads from memory, as every reader of driver v1 does.
func isInMemory(bsoncodec.DecodeContext, bsonrw.ValueReader) bool { return true }

// decodeElements decodes the elements of an array one by one.
func decodeElements(dc bsoncodec.DecodeContext, array []byte, ids *[]element) error {
	return bson.RawValue{Type: bson.TypeArray, Value: array}.UnmarshalWithRegistry(dc.Registry, ids)
}

// decodeList decodes an array into the slice val. Driver v1 holds the data in memory, so
// that a wrong length in it is an error.
func decodeList(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	reader, ok := vr.(bsonrw.BytesReader) //lint:ignore SA1019 driver v1 has nothing else
	if !ok {
		raw, err := readRaw(dc, vr)
		if err != nil {
			return err
		}
		return decodeArray(dc, raw.Value, val)
	}
	buf := arrays.Get().(*[]byte)
	defer keep(&arrays, buf)
	_, array, err := reader.ReadValueBytes((*buf)[:0])
	if err != nil {
		return err
	}
	*buf = array
	return decodeArray(dc, array, val)
}

// failure is a value that can't be encoded.
type failure struct{ err error }

func (f failure) ProxyBSON() (any, error) { return nil, f.err }
