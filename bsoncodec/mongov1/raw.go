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

// failure is a value that can't be encoded.
type failure struct{ err error }

func (f failure) ProxyBSON() (any, error) { return nil, f.err }
