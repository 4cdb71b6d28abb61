package mongov1

import (
	"reflect"

	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// embeddedEncoder takes the place of the driver's encoder for types with the
// method ProxyBSON. It passes on to next all but the types that have it
// from an oid.ID which they embed, and pointers to those.
type embeddedEncoder struct {
	next   bsoncodec.ValueEncoder
	shapes document.Shapes
}

func (e *embeddedEncoder) EncodeValue(ec bsoncodec.EncodeContext, vw bsonrw.ValueWriter, val reflect.Value) error {
	path, kind := e.shapes.Codec(val)
	switch {
	case path != nil:
		return idCodec[oid.ID]{}.EncodeValue(ec, vw, val.FieldByIndex(path))
	case kind == nil:
		return e.next.EncodeValue(ec, vw, val)
	}
	encoder, err := ec.LookupEncoder(kind)
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, val)
}

// embeddedDecoder takes the place of the driver's decoder for structs. Only those
// that are ids are no affair of next.
type embeddedDecoder struct {
	next   bsoncodec.ValueDecoder
	shapes document.Shapes
}

func (d *embeddedDecoder) DecodeValue(dc bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	if path, _ := d.shapes.Codec(val); path != nil {
		return idCodec[oid.ID]{}.DecodeValue(dc, vr, val.FieldByIndex(path))
	}
	return d.next.DecodeValue(dc, vr, val)
}
