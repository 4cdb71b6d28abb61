package mongo

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/bench/processor"
	"github.com/oidkit/oidkit/oid"
)

// The documents hold IDs of type T: bson.ObjectID, oid.ID or an oid.For.

// order is an ordinary document, with 3 IDs.
type order[T ~[12]byte] struct {
	ID       T `bson:"_id"`
	Customer T
	Parent   *T
	Name     string
	Total    int
	Created  time.Time
}

func newOrder[T ~[12]byte]() *order[T] {
	parent := T(oid.New())
	return &order[T]{T(oid.New()), T(oid.New()), &parent, "three", 1999, time.UnixMilli(1_700_000_000_000).UTC()}
}

// doc has 11 IDs, 10 of them in a list.
type doc[T ~[12]byte] struct {
	ID   T `bson:"_id"`
	Name string
	Refs []T
}

func newDoc[T ~[12]byte]() *doc[T] { return &doc[T]{T(oid.New()), "eleven", newIDs[T](10)} }

// fields has 10 IDs.
type fields[T ~[12]byte] struct {
	A, B, C, D, E, F, G, H, I, J T
}

func newFields[T ~[12]byte]() *fields[T] {
	ids := newIDs[T](10)
	return &fields[T]{ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6], ids[7], ids[8], ids[9]}
}

// pointers has 5 pointers to IDs.
type pointers[T ~[12]byte] struct {
	A, B, C, D, E *T
}

func newPointers[T ~[12]byte]() *pointers[T] {
	ids := newIDs[T](5)
	return &pointers[T]{&ids[0], &ids[1], &ids[2], &ids[3], &ids[4]}
}

// list holds 1,000 IDs.
type list[T ~[12]byte] struct {
	Refs []T
}

func newList[T ~[12]byte]() *list[T] { return &list[T]{newIDs[T](1000)} }

// withText is a document of 100 kB, nearly all of it text.
type withText[T ~[12]byte] struct {
	ID   T `bson:"_id"`
	Text string
}

func newWithText[T ~[12]byte]() *withText[T] {
	return &withText[T]{T(oid.New()), string(bytes.Repeat([]byte("x"), 100_000))}
}

// noIDs is a document without IDs.
type noIDs struct {
	Name    string
	Total   int
	Created time.Time
}

func newIDs[T ~[12]byte](n int) []T {
	ids := make([]T, n)
	for i := range ids {
		ids[i] = T(oid.New())
	}
	return ids
}

// typed is a typed ID.
type typed = oid.For[int]

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

// decoder returns what decodes the bytes of doc into a new T with reg.
func decoder[T any](tb testing.TB, reg *bson.Registry, doc any) func() error {
	data, err := bson.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	r := bytes.NewReader(data)
	return func() error {
		r.Reset(data)
		dec := bson.NewDecoder(bson.NewDocumentReader(r))
		dec.SetRegistry(reg)
		return dec.Decode(new(T))
	}
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

// run measures step.
func run(b *testing.B, name string, step func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		defer processor.Time(b)()
		for b.Loop() {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// encode measures how a client encodes the same document with each type of ID.
func encode(b *testing.B, native, ours, typed any) {
	run(b, "native", encoder(bson.NewRegistry(), native))
	run(b, "oid-registry", encoder(bsoncodec.NewRegistry(), ours))
	run(b, "for-registry", encoder(bsoncodec.NewRegistry(), typed))
	run(b, "oid-plain", encoder(bson.NewRegistry(), ours))
}

// decode measures how a client decodes doc into each type of ID.
func decode[Native, Ours, Typed any](b *testing.B, doc *Native) {
	run(b, "native", decoder[Native](b, bson.NewRegistry(), doc))
	run(b, "oid-registry", decoder[Ours](b, bsoncodec.NewRegistry(), doc))
	run(b, "for-registry", decoder[Typed](b, bsoncodec.NewRegistry(), doc))
	run(b, "oid-plain", decoder[Ours](b, bson.NewRegistry(), doc))
}

// marshal measures the function Marshal. That of the driver takes no registry: oid-plain
// is oid.ID by its methods only.
func marshal(b *testing.B, native, ours, typed any) {
	run(b, "native", marshaler(bson.Marshal, native))
	run(b, "oid-bsoncodec", marshaler(bsoncodec.Marshal, ours))
	run(b, "for-bsoncodec", marshaler(bsoncodec.Marshal, typed))
	run(b, "oid-plain", marshaler(bson.Marshal, ours))
}

// unmarshal measures the function Unmarshal.
func unmarshal[Native, Ours, Typed any](b *testing.B, doc *Native) {
	run(b, "native", unmarshaler[Native](b, bson.Unmarshal, doc))
	run(b, "oid-bsoncodec", unmarshaler[Ours](b, bsoncodec.Unmarshal, doc))
	run(b, "for-bsoncodec", unmarshaler[Typed](b, bsoncodec.Unmarshal, doc))
	run(b, "oid-plain", unmarshaler[Ours](b, bson.Unmarshal, doc))
}

func BenchmarkEncode3(b *testing.B) {
	encode(b, newOrder[bson.ObjectID](), newOrder[oid.ID](), newOrder[typed]())
}

func BenchmarkDecode3(b *testing.B) {
	decode[order[bson.ObjectID], order[oid.ID], order[typed]](b, newOrder[bson.ObjectID]())
}

func BenchmarkMarshal3(b *testing.B) {
	marshal(b, newOrder[bson.ObjectID](), newOrder[oid.ID](), newOrder[typed]())
}

func BenchmarkUnmarshal3(b *testing.B) {
	unmarshal[order[bson.ObjectID], order[oid.ID], order[typed]](b, newOrder[bson.ObjectID]())
}

func BenchmarkEncode11(b *testing.B) {
	encode(b, newDoc[bson.ObjectID](), newDoc[oid.ID](), newDoc[typed]())
}

func BenchmarkDecode11(b *testing.B) {
	native := newDoc[bson.ObjectID]()
	decode[doc[bson.ObjectID], doc[oid.ID], doc[typed]](b, native)
	least := bsoncodec.NewRegistry()
	least.RegisterTypeDecoder(reflect.TypeFor[[]oid.ID](), bson.ValueDecoderFunc(readList))
	run(b, "oid-least", decoder[doc[oid.ID]](b, least, native))
}

// readList makes the calls that a list of IDs can't be read without, and keeps no ID.
func readList(_ bson.DecodeContext, vr bson.ValueReader, _ reflect.Value) error {
	array, err := vr.ReadArray()
	for err == nil {
		if vr, err = array.ReadValue(); err == nil {
			_, err = vr.ReadObjectID()
		}
	}
	if errors.Is(err, bson.ErrEOA) {
		return nil
	}
	return err
}

func BenchmarkMarshal11(b *testing.B) {
	marshal(b, newDoc[bson.ObjectID](), newDoc[oid.ID](), newDoc[typed]())
}

func BenchmarkUnmarshal11(b *testing.B) {
	unmarshal[doc[bson.ObjectID], doc[oid.ID], doc[typed]](b, newDoc[bson.ObjectID]())
}

func BenchmarkEncodeFields10(b *testing.B) {
	encode(b, newFields[bson.ObjectID](), newFields[oid.ID](), newFields[typed]())
}

func BenchmarkDecodeFields10(b *testing.B) {
	decode[fields[bson.ObjectID], fields[oid.ID], fields[typed]](b, newFields[bson.ObjectID]())
}

func BenchmarkEncodePointers5(b *testing.B) {
	encode(b, newPointers[bson.ObjectID](), newPointers[oid.ID](), newPointers[typed]())
}

func BenchmarkDecodePointers5(b *testing.B) {
	decode[pointers[bson.ObjectID], pointers[oid.ID], pointers[typed]](b, newPointers[bson.ObjectID]())
}

func BenchmarkEncodeList1000(b *testing.B) {
	encode(b, newList[bson.ObjectID](), newList[oid.ID](), newList[typed]())
}

func BenchmarkDecodeList1000(b *testing.B) {
	decode[list[bson.ObjectID], list[oid.ID], list[typed]](b, newList[bson.ObjectID]())
}

// A document in a result of a client, by Decode of the cursor and by UnmarshalWith of the
// bytes that the cursor holds.
func decodeCursor[Native, Ours any](b *testing.B, doc *Native) {
	cursor := func(reg *bson.Registry) *mongo.Cursor {
		c, err := mongo.NewCursorFromDocuments([]any{doc}, nil, reg)
		if err != nil || !c.Next(b.Context()) {
			b.Fatal(err)
		}
		return c
	}
	native, reg := cursor(bson.NewRegistry()), bsoncodec.NewRegistry()
	ours := cursor(reg)
	run(b, "native", func() error { return native.Decode(new(Native)) })
	run(b, "oid-registry", func() error { return ours.Decode(new(Ours)) })
	run(b, "oid-current", func() error { return bsoncodec.UnmarshalWith(reg, ours.Current, new(Ours)) })
}

func BenchmarkCursor3(b *testing.B) {
	decodeCursor[order[bson.ObjectID], order[oid.ID]](b, newOrder[bson.ObjectID]())
}

func BenchmarkCursor11(b *testing.B) {
	decodeCursor[doc[bson.ObjectID], doc[oid.ID]](b, newDoc[bson.ObjectID]())
}

func BenchmarkCursorList1000(b *testing.B) {
	decodeCursor[list[bson.ObjectID], list[oid.ID]](b, newList[bson.ObjectID]())
}

func BenchmarkMarshalList1000(b *testing.B) {
	marshal(b, newList[bson.ObjectID](), newList[oid.ID](), newList[typed]())
}

func BenchmarkUnmarshalList1000(b *testing.B) {
	unmarshal[list[bson.ObjectID], list[oid.ID], list[typed]](b, newList[bson.ObjectID]())
}

// A filter for one ID, from the ID to the bytes.
func BenchmarkFilter(b *testing.B) {
	id := oid.New()
	run(b, "native", filter(bson.NewRegistry(), func() bson.D { return bson.D{{Key: "_id", Value: bson.ObjectID(id)}} }))
	run(b, "oid-registry", filter(bsoncodec.NewRegistry(), func() bson.D { return bson.D{{Key: "_id", Value: id}} }))
	run(b, "for-registry", filter(bsoncodec.NewRegistry(), func() bson.D { return bson.D{{Key: "_id", Value: typed(id)}} }))
	named := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[typed](named)
	run(b, "for-named", filter(named, func() bson.D { return bson.D{{Key: "_id", Value: typed(id)}} }))
	run(b, "oid-plain", filter(bson.NewRegistry(), func() bson.D { return bson.D{{Key: "_id", Value: id}} }))
}

// A filter for one of 1,000 IDs, from the list to the bytes.
func BenchmarkIn1000(b *testing.B) {
	in := func(list any) func() bson.D {
		return func() bson.D { return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: list}}}} }
	}
	ours := newIDs[oid.ID](1000)
	run(b, "native", filter(bson.NewRegistry(), in(newIDs[bson.ObjectID](1000))))
	run(b, "oid-in", filter(bson.NewRegistry(), func() bson.D { return bsoncodec.In("_id", ours) }))
	run(b, "oid-registry", filter(bsoncodec.NewRegistry(), in(ours)))
	run(b, "for-registry", filter(bsoncodec.NewRegistry(), in(newIDs[typed](1000))))
	run(b, "oid-plain", filter(bson.NewRegistry(), in(ours)))
}

// filter returns what encodes a new filter with reg.
func filter(reg *bson.Registry, filter func() bson.D) func() error {
	var buf bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
	enc.SetRegistry(reg)
	return func() error {
		buf.Reset()
		enc.Reset(bson.NewDocumentWriter(&buf))
		return enc.Encode(filter())
	}
}

// The documents of these two benchmarks hold few IDs or none, so bsoncodec can save little.
func BenchmarkMarshal100kB(b *testing.B) {
	marshal(b, newWithText[bson.ObjectID](), newWithText[oid.ID](), newWithText[typed]())
}

func BenchmarkUnmarshalNoIDs(b *testing.B) {
	doc := &noIDs{"none", 1999, time.UnixMilli(1_700_000_000_000).UTC()}
	run(b, "native", unmarshaler[noIDs](b, bson.Unmarshal, doc))
	run(b, "oid-bsoncodec", unmarshaler[noIDs](b, bsoncodec.Unmarshal, doc))
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
	eleven, refs := newDoc[bson.ObjectID](), newList[bson.ObjectID]()
	for _, tt := range []struct {
		name         string
		ours, native func() error
	}{
		{"encode 11", encoder(bsoncodec.NewRegistry(), newDoc[oid.ID]()), encoder(bson.NewRegistry(), newDoc[bson.ObjectID]())},
		{"decode 11", decoder[doc[oid.ID]](t, bsoncodec.NewRegistry(), eleven), decoder[doc[bson.ObjectID]](t, bson.NewRegistry(), eleven)},
		{"Marshal 11", marshaler(bsoncodec.Marshal, newDoc[oid.ID]()), marshaler(bson.Marshal, eleven)},
		{"Unmarshal 11", unmarshaler[doc[oid.ID]](t, bsoncodec.Unmarshal, eleven), unmarshaler[doc[bson.ObjectID]](t, bson.Unmarshal, eleven)},
		{"Marshal a list", marshaler(bsoncodec.Marshal, newList[oid.ID]()), marshaler(bson.Marshal, refs)},
		{"Unmarshal a list", unmarshaler[list[oid.ID]](t, bsoncodec.Unmarshal, refs), unmarshaler[list[bson.ObjectID]](t, bson.Unmarshal, refs)},
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
