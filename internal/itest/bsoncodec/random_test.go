package bsoncodec_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// places has an ID in each place of a document. Its maps have at most one key, because the
// driver writes keys in random order.
type places[T ~[12]byte] struct {
	ID     T `bson:"_id"`
	V      T
	P      *T
	O      T `bson:",omitempty"`
	S      []T
	L      []*T
	A      [2]T
	M      map[string]T
	N      map[string][]T
	K      map[T]T
	Sub    part[T]
	Parts  []part[T]
	Inline within[T] `bson:",inline"`
	Any    any
	Text   string
	Time   time.Time
}

type within[T any] struct {
	I      T
	Number int64
}

type part[T any] struct {
	X *T
	Y []T
}

// convert returns p with IDs of another type. The documents have no ID but those of p.
func convert[B, A ~[12]byte](p *places[A]) *places[B] {
	pointer := func(a *A) *B {
		if a == nil {
			return nil
		}
		b := B(*a)
		return &b
	}
	list := func(a []A) []B {
		if a == nil {
			return nil
		}
		b := make([]B, len(a))
		for i := range a {
			b[i] = B(a[i])
		}
		return b
	}
	q := &places[B]{ID: B(p.ID), V: B(p.V), P: pointer(p.P), O: B(p.O), S: list(p.S), A: [2]B{B(p.A[0]), B(p.A[1])},
		Sub: part[B]{pointer(p.Sub.X), list(p.Sub.Y)}, Inline: within[B]{B(p.Inline.I), p.Inline.Number}, Any: p.Any, Text: p.Text, Time: p.Time}
	if id, ok := p.Any.(A); ok {
		q.Any = B(id)
	}
	if p.L != nil {
		q.L = make([]*B, len(p.L))
	}
	for i, a := range p.L {
		q.L[i] = pointer(a)
	}
	if p.M != nil {
		q.M = map[string]B{}
	}
	for key, a := range p.M {
		q.M[key] = B(a)
	}
	if p.N != nil {
		q.N = map[string][]B{}
	}
	for key, a := range p.N {
		q.N[key] = list(a)
	}
	if p.K != nil {
		q.K = map[B]B{}
	}
	for key, a := range p.K {
		q.K[B(key)] = B(a)
	}
	if p.Parts != nil {
		q.Parts = make([]part[B], len(p.Parts))
	}
	for i, a := range p.Parts {
		q.Parts[i] = part[B]{pointer(a.X), list(a.Y)}
	}
	return q
}

// randomPlaces returns a document whose lists have few IDs, or sometimes hundreds.
func randomPlaces(r *rand.Rand) *places[bson.ObjectID] {
	id := func() (id bson.ObjectID) {
		if r.IntN(8) > 0 {
			binary.BigEndian.PutUint64(id[:], r.Uint64())
			binary.BigEndian.PutUint32(id[8:], r.Uint32())
		}
		return id
	}
	pointer := func() *bson.ObjectID {
		if r.IntN(3) == 0 {
			return nil
		}
		id := id()
		return &id
	}
	list := func() []bson.ObjectID {
		n := r.IntN(4) - 1
		switch {
		case n < 0:
			return nil
		case r.IntN(30) == 0:
			n = r.IntN(13)
		case r.IntN(500) == 0:
			n = 90 + r.IntN(400)
		}
		ids := make([]bson.ObjectID, n)
		for i := range ids {
			ids[i] = id()
		}
		return ids
	}
	p := &places[bson.ObjectID]{ID: id(), V: id(), P: pointer(), O: id(), S: list(), A: [2]bson.ObjectID{id(), id()}, Sub: part[bson.ObjectID]{pointer(), list()},
		Inline: within[bson.ObjectID]{id(), r.Int64N(9)}, Text: strconv.Itoa(r.Int()), Time: time.UnixMilli(r.Int64N(1 << 42)).UTC()}
	for range r.IntN(3) {
		p.L, p.Parts = append(p.L, pointer()), append(p.Parts, part[bson.ObjectID]{pointer(), list()})
	}
	switch r.IntN(4) {
	case 0:
		p.M, p.N, p.K, p.Any = map[string]bson.ObjectID{"a": id()}, map[string][]bson.ObjectID{"a": list()}, map[bson.ObjectID]bson.ObjectID{id(): id()}, id()
	case 1:
		p.M, p.Any = map[string]bson.ObjectID{}, int32(7)
	}
	return p
}

// spoil changes some bytes of a document, cuts it, or adds some.
func spoil(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(data))
		switch r.IntN(6) {
		case 0:
			data[at] ^= 1 << r.IntN(8)
		case 1:
			data[at] = byte(r.IntN(20)) // a type
		case 2:
			data = data[:max(at, 5)]
		case 3:
			data = append(data[:at], append([]byte{byte(r.Int())}, data[at:]...)...)
		case 4:
			binary.LittleEndian.PutUint32(data, uint32(len(data)))
		case 5:
			if at+4 <= len(data) {
				binary.LittleEndian.PutUint32(data[at:], uint32(r.IntN(40)))
			}
		}
	}
	if r.IntN(2) == 0 {
		binary.LittleEndian.PutUint32(data, uint32(len(data)))
	}
	return data
}

// Random documents, whole and spoiled, are the same bytes and the same values with our IDs
// as with those of the drivers, by every way to encode and decode them. OIDKIT_COMPARISONS
// is how many results to compare. The test prints how many it compared.
func TestRandomDocuments(t *testing.T) {
	wanted := int64(20_000)
	if text := os.Getenv("OIDKIT_COMPARISONS"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		wanted = n
	}
	seed := uint64(time.Now().UnixNano())
	var compared, refused atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			c := newComparer(t)
			for compared.Load() < wanted && !t.Failed() {
				before, refusedBefore := c.compared, c.refused
				c.compare(r)
				compared.Add(c.compared - before)
				refused.Add(c.refused - refusedBefore)
			}
		})
	}
	wg.Wait()
	t.Logf("seed %d: %d results compared, of which %d are errors, in %v", seed, compared.Load(), refused.Load(), time.Since(begin).Round(time.Second))
}

type comparer struct {
	t                 *testing.T
	ours, registered  *bson.Registry
	native, methods   *bson.Registry
	nativeV1, oursV1  codec
	values            []any
	compared, refused int64
}

func newComparer(t *testing.T) *comparer {
	c := &comparer{t: t, native: oracle(), methods: bson.NewRegistry(), ours: bsoncodec.NewRegistry(), registered: bsoncodec.NewRegistry(), nativeV1: v1(oracleV1)(), oursV1: v1(mongov1.NewRegistry)()}
	bsoncodec.RegisterFor[named](c.registered)
	for _, in := range inputs() {
		if len(in.doc) > 0 {
			c.values = append(c.values, in.doc[0].Value)
		}
	}
	return c
}

type named oid.ID

// compare makes a document, and compares what is encoded and decoded.
func (c *comparer) compare(r *rand.Rand) {
	p := randomPlaces(r)
	data, err := bson.Marshal(p)
	if err != nil {
		c.t.Error(err)
		return
	}
	c.encode(p, data)
	switch r.IntN(4) {
	case 0:
		data = spoil(r, data)
	case 1: // whole, but with values that aren't IDs
		var doc bson.D
		for range 1 + r.IntN(3) {
			key := []string{"_id", "v", "p", "o", "s", "l", "a", "m", "n", "k", "sub", "parts", "any", "text", "time"}[r.IntN(15)]
			doc = append(doc, bson.E{Key: key, Value: c.values[r.IntN(len(c.values))]})
		}
		if data, err = bson.Marshal(doc); err != nil {
			c.t.Error(err)
			return
		}
		if r.IntN(4) == 0 {
			data = spoil(r, data)
		}
	}
	if len(data) > 4 && hasNegativeLength(data[4:]) {
		return
	}
	c.decode(data)
}

func (c *comparer) encode(p *places[bson.ObjectID], want []byte) {
	same := func(what string, got []byte, err error) {
		c.compared++
		if err != nil || !bytes.Equal(got, want) {
			c.t.Errorf("%s: %v\n got %v\nwant %v", what, err, bson.Raw(got), bson.Raw(want))
		}
	}
	id, typed, name := convert[oid.ID](p), convert[oid.For[int]](p), convert[named](p)
	got, err := bsoncodec.Marshal(id)
	same("Marshal(oid.ID)", got, err)
	got, err = bsoncodec.Marshal(typed)
	same("Marshal(oid.For)", got, err)
	got, err = encodeV2(c.ours, id)
	same("a client's encoder, oid.ID", got, err)
	got, err = encodeV2(c.ours, typed)
	same("a client's encoder, oid.For", got, err)
	got, err = bson.Marshal(id)
	same("bson.Marshal(oid.ID)", got, err)
	if p.O != (bson.ObjectID{}) && len(p.K) == 0 { // RegisterFor says what differs
		got, err = bsoncodec.MarshalWith(c.registered, name)
		same("MarshalWith, a type of RegisterFor", got, err)
	}
	if _, empty := p.K[bson.ObjectID{}]; !empty {
		got, err = c.oursV1.marshal(id, "")
		same("driver v1", got, err)
	}
}

func encodeV2(reg *bson.Registry, doc any) ([]byte, error) {
	var buf bytes.Buffer
	encoder := bson.NewEncoder(bson.NewDocumentWriter(&buf))
	encoder.SetRegistry(reg)
	err := encoder.Encode(doc)
	return buf.Bytes(), err
}

func (c *comparer) decode(data []byte) {
	preset := bson.ObjectID(id2)
	newWant := func() *places[bson.ObjectID] {
		return &places[bson.ObjectID]{V: preset, P: &bson.ObjectID{1}, S: make([]bson.ObjectID, 2, 4)}
	}
	newGot := func() *places[oid.ID] { return convert[oid.ID](newWant()) }
	whole := len(data) >= 5 && int64(binary.LittleEndian.Uint32(data)) == int64(len(data))

	memory := func(reg *bson.Registry, doc any) error {
		return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, doc)
	}
	value := newWant()
	err := memory(c.native, value)
	want := newOutcome(value, err)
	if err != nil {
		c.refused++
	}
	id := newGot()
	check(c, "in memory", data, want, id, memory(c.ours, id))
	typed := convert[oid.For[int]](newWant())
	check(c, "in memory, oid.For", data, want, typed, memory(c.ours, typed))
	if !hasUndefined(data) {
		id = newGot()
		check(c, "by methods", data, want, id, memory(c.methods, id))
	}
	if whole {
		id = newGot()
		check(c, "UnmarshalWith", data, want, id, bsoncodec.UnmarshalWith(c.ours, data, id))
		id = newGot()
		check(c, "Unmarshal", data, want, id, bsoncodec.Unmarshal(data, id))
	}
	if !hasLength(data[min(4, len(data)):], 1<<16) {
		value := newWant()
		err := decodeStream(c.native, data, value)
		want := newOutcome(value, err)
		id = newGot()
		check(c, "from a stream", data, want, id, decodeStream(c.ours, data, id))
		id = newGot()
		decoder := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
		decoder.SetRegistry(c.ours)
		check(c, "a client's decoder", data, want, id, decoder.Decode(id))
		id = newGot()
		decoder = bson.NewDecoder(bson.NewDocumentReader(iotest.OneByteReader(bytes.NewReader(data))))
		decoder.SetRegistry(c.ours)
		check(c, "byte by byte", data, want, id, decoder.Decode(id))
	}
	if whole && !hasLength(data[4:], len(data)) && bson.Raw(data).Validate() == nil {
		value := convert[primitive.ObjectID](newWant())
		err := c.nativeV1.unmarshal(bytes.Clone(data), value, "")
		want := newOutcome(value, err)
		id = newGot()
		err = c.oursV1.unmarshal(bytes.Clone(data), id, "")
		if _, empty := id.K[oid.ID{}]; !empty { // the map key "": see package mongov1
			check(c, "driver v1", data, want, id, err)
		}
	}
}

// An outcome is what the driver's own type gives.
type outcome struct {
	err   error
	value any // a *places[oid.ID] without its Any
	any   any // in the form of plain
}

func newOutcome[T ~[12]byte](value *places[T], err error) outcome {
	if err != nil {
		return outcome{err: err}
	}
	any := plain(reflect.ValueOf(value.Any))
	value.Any = nil
	return outcome{nil, convert[oid.ID](value), any}
}

// check compares a result with that of the driver's own type. After an error, it compares
// only that both are errors.
func check[T ~[12]byte](c *comparer, what string, data []byte, want outcome, got *places[T], err error) {
	c.compared++
	if (err == nil) != (want.err == nil) {
		c.t.Errorf("%s: %x: error %v, native %v", what, data, err, want.err)
		return
	}
	if err != nil {
		return
	}
	result := newOutcome(got, nil)
	if !reflect.DeepEqual(result, want) {
		c.t.Errorf("%s: %x:\n got %v\nwant %v", what, data, result, want)
	}
}
