package mongo

import (
	"bytes"
	"testing"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// encoderV1 returns what encodes doc with reg as a client of driver v1 does it.
func encoderV1(reg *bsoncodec.Registry, doc any) func() error {
	var buf bytes.Buffer
	return func() error {
		buf.Reset()
		vw, err := bsonrw.NewBSONValueWriter(&buf)
		if err != nil {
			return err
		}
		enc, err := bson.NewEncoder(vw)
		if err != nil {
			return err
		}
		if err := enc.SetRegistry(reg); err != nil {
			return err
		}
		return enc.Encode(doc)
	}
}

// decoderV1 returns what decodes the bytes of doc into a new T with reg.
func decoderV1[T any](b *testing.B, reg *bsoncodec.Registry, doc any) func() error {
	data, err := bson.Marshal(doc)
	if err != nil {
		b.Fatal(err)
	}
	return func() error {
		dec, err := bson.NewDecoder(bsonrw.NewBSONDocumentReader(data))
		if err != nil {
			return err
		}
		if err := dec.SetRegistry(reg); err != nil {
			return err
		}
		return dec.Decode(new(T))
	}
}

// encodeV1 measures how a client of driver v1 encodes the same document.
func encodeV1(b *testing.B, native, ours, typed any) {
	run(b, "native", encoderV1(bson.NewRegistry(), native))
	run(b, "oid-registry", encoderV1(mongov1.NewRegistry(), ours))
	run(b, "for-registry", encoderV1(mongov1.NewRegistry(), typed))
}

// decodeV1 measures how a client of driver v1 decodes doc.
func decodeV1[Native, Ours, Typed any](b *testing.B, doc *Native) {
	run(b, "native", decoderV1[Native](b, bson.NewRegistry(), doc))
	run(b, "oid-registry", decoderV1[Ours](b, mongov1.NewRegistry(), doc))
	run(b, "for-registry", decoderV1[Typed](b, mongov1.NewRegistry(), doc))
}

type nativeV1 = primitive.ObjectID

func BenchmarkV1Encode3(b *testing.B) {
	encodeV1(b, newOrder[nativeV1](), newOrder[oid.ID](), newOrder[typed]())
}

func BenchmarkV1Decode3(b *testing.B) {
	decodeV1[order[nativeV1], order[oid.ID], order[typed]](b, newOrder[nativeV1]())
}

func BenchmarkV1Encode11(b *testing.B) {
	encodeV1(b, newDoc[nativeV1](), newDoc[oid.ID](), newDoc[typed]())
}

func BenchmarkV1Decode11(b *testing.B) {
	decodeV1[doc[nativeV1], doc[oid.ID], doc[typed]](b, newDoc[nativeV1]())
}

func BenchmarkV1EncodeFields10(b *testing.B) {
	encodeV1(b, newFields[nativeV1](), newFields[oid.ID](), newFields[typed]())
}

func BenchmarkV1DecodeFields10(b *testing.B) {
	decodeV1[fields[nativeV1], fields[oid.ID], fields[typed]](b, newFields[nativeV1]())
}

func BenchmarkV1EncodePointers5(b *testing.B) {
	encodeV1(b, newPointers[nativeV1](), newPointers[oid.ID](), newPointers[typed]())
}

func BenchmarkV1DecodePointers5(b *testing.B) {
	decodeV1[pointers[nativeV1], pointers[oid.ID], pointers[typed]](b, newPointers[nativeV1]())
}

func BenchmarkV1EncodeList1000(b *testing.B) {
	encodeV1(b, newList[nativeV1](), newList[oid.ID](), newList[typed]())
}

func BenchmarkV1DecodeList1000(b *testing.B) {
	decodeV1[list[nativeV1], list[oid.ID], list[typed]](b, newList[nativeV1]())
}

func BenchmarkV1Filter(b *testing.B) {
	id := oid.New()
	encodeV1(b, bson.D{{Key: "_id", Value: nativeV1(id)}}, bson.D{{Key: "_id", Value: id}}, bson.D{{Key: "_id", Value: typed(id)}})
}
