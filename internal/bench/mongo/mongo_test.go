package mongo

import (
	"bytes"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// doc has 11 ids.
type doc[T any] struct {
	ID   T `bson:"_id"`
	Name string
	Refs []T
}

func native11() *doc[bson.ObjectID] {
	d := &doc[bson.ObjectID]{ID: bson.NewObjectID(), Name: "eleven"}
	for range 10 {
		d.Refs = append(d.Refs, bson.NewObjectID())
	}
	return d
}

func ours11() *doc[oid.ID] {
	d := &doc[oid.ID]{ID: oid.New(), Name: "eleven", Refs: make([]oid.ID, 10)}
	oid.Fill(d.Refs)
	return d
}

// encoder returns what encodes doc with reg as a client does it, again and again.
func encoder(reg *bson.Registry, doc any) func() error {
	var buf bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
	enc.SetRegistry(reg)
	return func() error {
		buf.Reset()
		enc.Reset(bson.NewDocumentWriter(&buf))
		return enc.Encode(doc)
	}
}

// decoder returns what decodes a document with 11 ids with reg.
func decoder[T any](tb testing.TB, reg *bson.Registry) func() error {
	data, err := bson.Marshal(native11())
	if err != nil {
		tb.Fatal(err)
	}
	r := bytes.NewReader(data)
	return func() error {
		r.Reset(data)
		dec := bson.NewDecoder(bson.NewDocumentReader(r))
		dec.SetRegistry(reg)
		var d doc[T]
		return dec.Decode(&d)
	}
}

// run measures step.
func run(b *testing.B, name string, step func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode11(b *testing.B) {
	run(b, "native", encoder(bson.NewRegistry(), native11()))
	run(b, "oid-registry", encoder(bsoncodec.NewRegistry(), ours11()))
	run(b, "oid-plain", encoder(bson.NewRegistry(), ours11()))
}

func BenchmarkDecode11(b *testing.B) {
	run(b, "native", decoder[bson.ObjectID](b, bson.NewRegistry()))
	run(b, "oid-registry", decoder[oid.ID](b, bsoncodec.NewRegistry()))
	run(b, "oid-plain", decoder[oid.ID](b, bson.NewRegistry()))
}

// The package functions take no registry: here is oid.ID by its methods only.
func BenchmarkMarshal11(b *testing.B) {
	marshaler := func(doc any) func() error {
		return func() error {
			_, err := bson.Marshal(doc)
			return err
		}
	}
	run(b, "native", marshaler(native11()))
	run(b, "oid-plain", marshaler(ours11()))
}

func BenchmarkUnmarshal11(b *testing.B) {
	data, err := bson.Marshal(native11())
	if err != nil {
		b.Fatal(err)
	}
	run(b, "native", func() error {
		var d doc[bson.ObjectID]
		return bson.Unmarshal(data, &d)
	})
	run(b, "oid-plain", func() error {
		var d doc[oid.ID]
		return bson.Unmarshal(data, &d)
	})
}

// A filter for one of 1,000 ids, from the list to the bytes.
func BenchmarkIn1000(b *testing.B) {
	ours := make([]oid.ID, 1000)
	oid.Fill(ours)
	native := make([]bson.ObjectID, len(ours))
	for i := range ours {
		native[i] = bson.ObjectID(ours[i])
	}
	filter := func(reg *bson.Registry, filter func() bson.D) func() error {
		var buf bytes.Buffer
		enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
		enc.SetRegistry(reg)
		return func() error {
			buf.Reset()
			enc.Reset(bson.NewDocumentWriter(&buf))
			return enc.Encode(filter())
		}
	}
	in := func(list any) func() bson.D {
		return func() bson.D { return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: list}}}} }
	}
	run(b, "native", filter(bson.NewRegistry(), in(native)))
	run(b, "oid-registry", filter(bsoncodec.NewRegistry(), func() bson.D { return bsoncodec.In("_id", ours) }))
	run(b, "oid-slice", filter(bsoncodec.NewRegistry(), in(ours)))
	run(b, "oid-plain", filter(bson.NewRegistry(), in(ours)))
}

// TestFewerAllocations is the promise that a busy machine can't blur.
func TestFewerAllocations(t *testing.T) {
	for _, test := range []struct {
		name         string
		ours, native func() error
	}{
		{"encode 11", encoder(bsoncodec.NewRegistry(), ours11()), encoder(bson.NewRegistry(), native11())},
		{"decode 11", decoder[oid.ID](t, bsoncodec.NewRegistry()), decoder[bson.ObjectID](t, bson.NewRegistry())},
	} {
		count := func(step func() error) float64 {
			return testing.AllocsPerRun(100, func() {
				if err := step(); err != nil {
					t.Error(err)
				}
			})
		}
		if ours, native := count(test.ours), count(test.native); ours >= native {
			t.Errorf("%s: %v allocations, native %v", test.name, ours, native)
		}
	}
}
