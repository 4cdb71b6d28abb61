package mongo

import (
	"bytes"
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// doc has 11 IDs.
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

func typed11() *doc[oid.For[int]] {
	d := &doc[oid.For[int]]{ID: oid.For[int](oid.New()), Name: "eleven"}
	for range 10 {
		d.Refs = append(d.Refs, oid.For[int](oid.New()))
	}
	return d
}

// list holds 1,000 IDs.
type list[T any] struct {
	Refs []T
}

func nativeList() *list[bson.ObjectID] {
	l := &list[bson.ObjectID]{}
	for range 1000 {
		l.Refs = append(l.Refs, bson.NewObjectID())
	}
	return l
}

func oursList() *list[oid.ID] {
	l := &list[oid.ID]{make([]oid.ID, 1000)}
	oid.Fill(l.Refs)
	return l
}

func typedList() *list[oid.For[int]] {
	l := &list[oid.For[int]]{}
	for range 1000 {
		l.Refs = append(l.Refs, oid.For[int](oid.New()))
	}
	return l
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

// decoder returns what decodes a document with 11 IDs with reg.
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
	run(b, "for-registry", encoder(bsoncodec.NewRegistry(), typed11()))
	run(b, "oid-plain", encoder(bson.NewRegistry(), ours11()))
}

func BenchmarkDecode11(b *testing.B) {
	run(b, "native", decoder[bson.ObjectID](b, bson.NewRegistry()))
	run(b, "oid-registry", decoder[oid.ID](b, bsoncodec.NewRegistry()))
	run(b, "for-registry", decoder[oid.For[int]](b, bsoncodec.NewRegistry()))
	run(b, "oid-plain", decoder[oid.ID](b, bson.NewRegistry()))
}

// The driver's package functions take no registry: oid-plain is oid.ID by its
// methods only.
func BenchmarkMarshal11(b *testing.B) {
	run(b, "native", marshaler(bson.Marshal, native11()))
	run(b, "oid-bsoncodec", marshaler(bsoncodec.Marshal, ours11()))
	run(b, "for-bsoncodec", marshaler(bsoncodec.Marshal, typed11()))
	run(b, "oid-plain", marshaler(bson.Marshal, ours11()))
}

func BenchmarkUnmarshal11(b *testing.B) {
	run(b, "native", unmarshaler[doc[bson.ObjectID]](b, bson.Unmarshal, native11()))
	run(b, "oid-bsoncodec", unmarshaler[doc[oid.ID]](b, bsoncodec.Unmarshal, native11()))
	run(b, "for-bsoncodec", unmarshaler[doc[oid.For[int]]](b, bsoncodec.Unmarshal, native11()))
	run(b, "oid-plain", unmarshaler[doc[oid.ID]](b, bson.Unmarshal, native11()))
}

func BenchmarkMarshalList1000(b *testing.B) {
	run(b, "native", marshaler(bson.Marshal, nativeList()))
	run(b, "oid-bsoncodec", marshaler(bsoncodec.Marshal, oursList()))
	run(b, "for-bsoncodec", marshaler(bsoncodec.Marshal, typedList()))
	run(b, "oid-plain", marshaler(bson.Marshal, oursList()))
}

func BenchmarkUnmarshalList1000(b *testing.B) {
	run(b, "native", unmarshaler[list[bson.ObjectID]](b, bson.Unmarshal, nativeList()))
	run(b, "oid-bsoncodec", unmarshaler[list[oid.ID]](b, bsoncodec.Unmarshal, nativeList()))
	run(b, "for-bsoncodec", unmarshaler[list[oid.For[int]]](b, bsoncodec.Unmarshal, nativeList()))
	run(b, "oid-plain", unmarshaler[list[oid.ID]](b, bson.Unmarshal, nativeList()))
}

// marshaler returns what encodes doc.
func marshaler(marshal func(any) ([]byte, error), doc any) func() error {
	return func() error {
		_, err := marshal(doc)
		return err
	}
}

// unmarshaler returns what decodes the bytes of doc into a new T.
func unmarshaler[T any](tb testing.TB, unmarshal func([]byte, any) error, doc any) func() error {
	data, err := bson.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return func() error { return unmarshal(data, new(T)) }
}

// A filter for one of 1,000 IDs, from the list to the bytes.
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

// The tests below are the promises that a busy machine can't blur.

// allocations returns how many a step takes: the least of some runs, because a
// sync.Pool of the driver loses some of its items under the race detector.
func allocations(t *testing.T, step func() error) float64 {
	least := math.Inf(1)
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, func() {
			if err := step(); err != nil {
				t.Error(err)
			}
		}))
	}
	return least
}

func TestFewerAllocations(t *testing.T) {
	for _, tt := range []struct {
		name         string
		ours, native func() error
	}{
		{"encode 11", encoder(bsoncodec.NewRegistry(), ours11()), encoder(bson.NewRegistry(), native11())},
		{"decode 11", decoder[oid.ID](t, bsoncodec.NewRegistry()), decoder[bson.ObjectID](t, bson.NewRegistry())},
		{"Marshal 11", marshaler(bsoncodec.Marshal, ours11()), marshaler(bson.Marshal, native11())},
		{"Unmarshal 11", unmarshaler[doc[oid.ID]](t, bsoncodec.Unmarshal, native11()), unmarshaler[doc[bson.ObjectID]](t, bson.Unmarshal, native11())},
		{"Marshal a list", marshaler(bsoncodec.Marshal, oursList()), marshaler(bson.Marshal, nativeList())},
		{"Unmarshal a list", unmarshaler[list[oid.ID]](t, bsoncodec.Unmarshal, nativeList()), unmarshaler[list[bson.ObjectID]](t, bson.Unmarshal, nativeList())},
	} {
		if ours, native := allocations(t, tt.ours), allocations(t, tt.native); ours >= native {
			t.Errorf("%s: %v allocations, native %v, want fewer", tt.name, ours, native)
		}
	}
}

type ownID oid.ID

// Typed IDs, and the types of RegisterFor, take no more than an oid.ID takes: as one value,
// behind pointers and in lists.
func TestOtherTypesOfIDAllocateNoMore(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[ownID](reg)
	id := oid.New()
	encode := map[string]float64{
		"oid.ID":      allocations(t, encoder(reg, &every[oid.ID]{id, &id, []oid.ID{id, id, id, id, id}})),
		"oid.For":     allocations(t, encoder(reg, &every[oid.For[int]]{oid.For[int](id), (*oid.For[int])(&id), make([]oid.For[int], 5)})),
		"RegisterFor": allocations(t, encoder(reg, &every[ownID]{ownID(id), (*ownID)(&id), make([]ownID, 5)})),
	}
	data, err := bson.Marshal(&every[bson.ObjectID]{bson.ObjectID(id), (*bson.ObjectID)(&id), make([]bson.ObjectID, 5)})
	if err != nil {
		t.Fatal(err)
	}
	raw := bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}
	decode := map[string]float64{
		"oid.ID":      allocations(t, func() error { return raw.UnmarshalWithRegistry(reg, new(every[oid.ID])) }),
		"oid.For":     allocations(t, func() error { return raw.UnmarshalWithRegistry(reg, new(every[oid.For[int]])) }),
		"RegisterFor": allocations(t, func() error { return raw.UnmarshalWithRegistry(reg, new(every[ownID])) }),
	}
	for name := range encode {
		if encode[name] > encode["oid.ID"] || decode[name] > decode["oid.ID"] {
			t.Errorf("%s: %v and %v allocations to encode and decode, oid.ID %v and %v", name, encode[name], decode[name], encode["oid.ID"], decode["oid.ID"])
		}
	}
}

// every has an ID in each place that has a codec.
type every[T any] struct {
	V T
	P *T
	L []T
}
