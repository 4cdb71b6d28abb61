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

func encode(b *testing.B, reg *bson.Registry, doc any) {
	var buf bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
	enc.SetRegistry(reg)
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		enc.Reset(bson.NewDocumentWriter(&buf))
		if err := enc.Encode(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode11(b *testing.B) {
	b.Run("native", func(b *testing.B) { encode(b, bson.NewRegistry(), native11()) })
	b.Run("oid-registry", func(b *testing.B) { encode(b, bsoncodec.NewRegistry(), ours11()) })
	b.Run("oid-plain", func(b *testing.B) { encode(b, bson.NewRegistry(), ours11()) })
}

func decode[T any](b *testing.B, reg *bson.Registry) {
	data, err := bson.Marshal(native11())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	r := bytes.NewReader(data)
	for b.Loop() {
		r.Reset(data)
		dec := bson.NewDecoder(bson.NewDocumentReader(r))
		dec.SetRegistry(reg)
		var d doc[T]
		if err := dec.Decode(&d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode11(b *testing.B) {
	b.Run("native", func(b *testing.B) { decode[bson.ObjectID](b, bson.NewRegistry()) })
	b.Run("oid-registry", func(b *testing.B) { decode[oid.ID](b, bsoncodec.NewRegistry()) })
	b.Run("oid-plain", func(b *testing.B) { decode[oid.ID](b, bson.NewRegistry()) })
}

// The package functions take no registry: here is oid.ID by its methods only.
func BenchmarkMarshal11(b *testing.B) {
	run := func(name string, doc any) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bson.Marshal(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("native", native11())
	run("oid-plain", ours11())
}

func unmarshal[T any](b *testing.B) {
	data, err := bson.Marshal(native11())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var d doc[T]
		if err := bson.Unmarshal(data, &d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnmarshal11(b *testing.B) {
	b.Run("native", unmarshal[bson.ObjectID])
	b.Run("oid-plain", unmarshal[oid.ID])
}

// A filter for one of 1,000 ids, from the list to the bytes.
func BenchmarkIn1000(b *testing.B) {
	ours := make([]oid.ID, 1000)
	oid.Fill(ours)
	native := make([]bson.ObjectID, len(ours))
	for i := range ours {
		native[i] = bson.ObjectID(ours[i])
	}
	run := func(name string, reg *bson.Registry, filter func() bson.D) {
		b.Run(name, func(b *testing.B) {
			var buf bytes.Buffer
			enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
			enc.SetRegistry(reg)
			b.ReportAllocs()
			for b.Loop() {
				buf.Reset()
				enc.Reset(bson.NewDocumentWriter(&buf))
				if err := enc.Encode(filter()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("native", bson.NewRegistry(), func() bson.D {
		return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: native}}}}
	})
	run("oid-registry", bsoncodec.NewRegistry(), func() bson.D { return bsoncodec.In("_id", ours) })
	run("oid-slice", bsoncodec.NewRegistry(), func() bson.D {
		return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ours}}}}
	})
	run("oid-plain", bson.NewRegistry(), func() bson.D {
		return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ours}}}}
	})
}

// TestFewerAllocations is the promise that a busy machine can't blur.
func TestFewerAllocations(t *testing.T) {
	for _, test := range []struct {
		name  string
		bench func(b *testing.B, native bool)
	}{
		{"encode 11", func(b *testing.B, native bool) {
			if native {
				encode(b, bson.NewRegistry(), native11())
			} else {
				encode(b, bsoncodec.NewRegistry(), ours11())
			}
		}},
		{"decode 11", func(b *testing.B, native bool) {
			if native {
				decode[bson.ObjectID](b, bson.NewRegistry())
			} else {
				decode[oid.ID](b, bsoncodec.NewRegistry())
			}
		}},
	} {
		native := testing.Benchmark(func(b *testing.B) { test.bench(b, true) })
		ours := testing.Benchmark(func(b *testing.B) { test.bench(b, false) })
		if ours.AllocsPerOp() >= native.AllocsPerOp() {
			t.Errorf("%s: %d allocations, native %d", test.name, ours.AllocsPerOp(), native.AllocsPerOp())
		}
	}
}
