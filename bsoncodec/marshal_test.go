package bsoncodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

func TestMarshalWritesTheDriversBytes(t *testing.T) {
	n1, n2 := bson.ObjectID(id1), bson.ObjectID(id2)
	type customer = oid.For[ours]
	for _, tt := range []struct{ doc, want any }{
		{ours{}, native{}},
		{&ours{id1, &id2, []oid.ID{id1, {}, id2}, customer(id1), (*customer)(&id2), map[oid.ID]oid.ID{id1: id2}, id2},
			&native{n1, &n2, []bson.ObjectID{n1, {}, n2}, n1, &n2, map[bson.ObjectID]bson.ObjectID{n1: n2}, n2}},
		{bson.D{{Key: "a", Value: []customer{customer(id1)}}}, bson.D{{Key: "a", Value: bson.A{n1}}}},
		{bson.M{"a": &id1}, bson.M{"a": n1}},
		{map[string]customer{"k": customer(id2)}, bson.M{"k": n2}},
		{order{id1, 7}, bson.D{{Key: "_id", Value: n1}, {Key: "total", Value: 7}}},
		{bson.D{}, bson.D{}},
		{written{id1, 7}, nativeWritten{n1, 7}}, // has a MarshalBSON
		{bson.Raw(mustMarshal(t, bson.D{{Key: "a", Value: 1}})), bson.D{{Key: "a", Value: 1}}},
	} {
		got, err := bsoncodec.Marshal(tt.doc)
		if want := mustMarshal(t, tt.want); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Marshal(%#v) = %v, %v, want %v", tt.doc, bson.Raw(got), err, bson.Raw(want))
		}
	}
}

// One Marshal must not leave anything to the next one, whatever became of it.
func TestMarshalAfterAnError(t *testing.T) {
	want := mustMarshal(t, bson.D{{Key: "_id", Value: id1}})
	for range 100 {
		for _, bad := range []any{
			bson.D{{Key: "a", Value: 1}, {Key: "b", Value: bson.D{{Key: "c", Value: make(chan int)}}}},
			bson.D{{Key: "a", Value: failing{}}}, id1, nil, 7, make(chan int),
		} {
			gotErr, wantErr := error(nil), error(nil)
			_, gotErr = bsoncodec.Marshal(bad)
			_, wantErr = bson.Marshal(bad)
			if gotErr == nil || wantErr == nil || bad != any(id1) && gotErr.Error() != wantErr.Error() {
				t.Fatalf("Marshal(%v): error %v, want that of bson.Marshal: %v", bad, gotErr, wantErr)
			}
		}
		if got, err := bsoncodec.Marshal(bson.D{{Key: "_id", Value: id1}}); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Marshal after an error = %v, %v, want %v", bson.Raw(got), err, bson.Raw(want))
		}
	}
}

// What Marshal returns is the caller's: no later call changes it.
func TestMarshalGivesItsResultAway(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var all [][]byte
			for i := range 300 {
				data, err := bsoncodec.Marshal(bson.D{{Key: "text", Value: strings.Repeat(fmt.Sprint(g), 1+i)}})
				if err != nil {
					t.Error(err)
				}
				all = append(all, data)
			}
			for i, data := range all {
				if got := bson.Raw(data).Lookup("text").StringValue(); got != strings.Repeat(fmt.Sprint(g), 1+i) {
					t.Errorf("document %d of %d holds %q", i, g, got)
				}
			}
		})
	}
	wg.Wait()
}

// selfRead reads a document by a method of its own.
type selfRead struct{ data string }

func (s *selfRead) UnmarshalBSON(data []byte) error {
	s.data = string(data)
	return nil
}

// Unmarshal gives the value and the error of bson.Unmarshal, for everything that a
// caller may pass, and for broken documents. Only an ObjectId in an any is an oid.ID.
func TestUnmarshalIsTheDrivers(t *testing.T) {
	type plain struct {
		ID    bson.ObjectID `bson:"_id"`
		N     int
		List  []int
		Inner struct{ T time.Time }
		Raw   bson.Raw
		Any   any
	}
	good := mustMarshal(t, bson.D{{Key: "_id", Value: id1}, {Key: "n", Value: 7}, {Key: "list", Value: bson.A{1, 2}},
		{Key: "inner", Value: bson.D{{Key: "t", Value: time.Unix(7, 0)}}}, {Key: "raw", Value: bson.D{{Key: "a", Value: 1}}}, {Key: "any", Value: bson.A{bson.D{{Key: "b", Value: id2}}}}})
	docs := [][]byte{good, mustMarshal(t, bson.D{}), mustMarshal(t, bson.D{{Key: "n", Value: "no number"}}),
		mustMarshal(t, bson.D{{Key: "inner", Value: bson.D{{Key: "t", Value: "no time"}}}}), nil, {}, {5, 0, 0}, {5, 0, 0, 0}, {6, 0, 0, 0, 0}, {4, 0, 0, 0},
		append(slices.Clone(good), 0), {0xff, 0xff, 0xff, 0xff}}
	for n := range good {
		cut := slices.Clone(good[:n])
		docs = append(docs, cut)
		if n > 4 {
			cut = slices.Clone(cut)
			cut[0] = byte(n)
			docs = append(docs, cut)
		}
		changed := slices.Clone(good)
		changed[n] ^= 0x40
		docs = append(docs, changed)
	}
	targets := []func() any{
		func() any { return new(plain) }, func() any { return new(bson.D) }, func() any { return new(bson.M) }, func() any { return bson.M{"kept": 1} },
		func() any { return new(map[string]any) }, func() any { return map[string]int{"kept": 1} }, func() any { return new(bson.Raw) },
		func() any { return new(any) }, func() any { p := new(plain); return &p }, func() any { return new(*plain) }, func() any { return new(selfRead) },
		func() any { return new(int) }, func() any { return new(string) }, func() any { return new(bson.ObjectID) }, func() any { return new([]int) },
		func() any { return new([]byte) }, func() any { return new(bson.A) }, func() any { return new([]any) }, func() any { return new(bson.RawValue) },
		func() any { return new(time.Time) }, func() any { return new(url.URL) }, func() any { return new(bson.Binary) }, func() any { return new(bson.Regex) },
		func() any { var v any = new(plain); return &v }, func() any { return new(map[string]bson.ObjectID) }, func() any { return new(map[bson.ObjectID]any) },
		func() any {
			return new(struct {
				plain `bson:",inline"`
			})
		}, func() any { return new(bson.E) }, func() any { return new(bson.Decimal128) },
		func() any { return new([2]int) }, func() any { return new(chan int) },
		func() any { return nil }, func() any { return (*plain)(nil) }, func() any { return bson.M(nil) }, func() any { return plain{} }, func() any { return 7 },
	}
	mapped := bson.NewRegistry()
	mapped.RegisterTypeMapEntry(bson.TypeObjectID, reflect.TypeFor[oid.ID]())
	for _, data := range docs {
		for _, target := range targets {
			got, want := target(), target()
			err, wantErr := bsoncodec.Unmarshal(slices.Clone(data), got), bson.Unmarshal(data, want)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("Unmarshal(%x) into %T: error %v, want %v", data, got, err, wantErr)
			}
			if dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data))); !reflect.DeepEqual(got, want) {
				want = target() // it has an any
				dec.SetRegistry(mapped)
				_ = dec.Decode(want)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("Unmarshal(%x) into %T = %+v, want %+v", data, got, got, want)
			}
		}
	}
}

// selfReadMap is a map whose pointer has a method of its own.
type selfReadMap map[string]oid.ID

func (m *selfReadMap) UnmarshalBSON(data []byte) error {
	*m = selfReadMap{"read": {11: byte(len(data))}}
	return nil
}

// selfReadValue keeps what it is called with.
type selfReadValue struct {
	ID  oid.ID
	Typ byte
}

func (s *selfReadValue) UnmarshalBSONValue(typ byte, _ []byte) error {
	s.Typ = typ
	return nil
}

// Types that read a document by a method of their own are read as bson.Unmarshal reads
// them, with every registry.
func TestUnmarshalOfTypesThatReadThemselves(t *testing.T) {
	data := mustMarshal(t, bson.D{{Key: "id", Value: id1}})
	for _, target := range []func() any{
		func() any { return selfReadMap{} }, func() any { return &selfReadMap{} }, func() any { return new(selfReadValue) },
		func() any { p := new(selfReadValue); return &p }, func() any { return new(*selfReadValue) },
	} {
		want := target()
		wantErr := bson.Unmarshal(data, want)
		for name, unmarshal := range map[string]func([]byte, any) error{
			"Unmarshal":     bsoncodec.Unmarshal,
			"UnmarshalWith": func(data []byte, doc any) error { return bsoncodec.UnmarshalWith(bsoncodec.NewRegistry(), data, doc) },
		} {
			got := target()
			if err := unmarshal(data, got); fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s into %T = %+v, %v, want %+v, %v", name, got, got, err, want, wantErr)
			}
		}
	}
}

// MarshalWith and UnmarshalWith know what a program has registered, as a client does.
func TestMarshalWithAProgramsRegistry(t *testing.T) {
	type (
		orderID string
		ownID   oid.ID
		doc     struct {
			Hex orderID
			Own ownID
			Any any
			IDs []oid.ID
		}
	)
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[orderID](reg)
	bsoncodec.RegisterFor[ownID](reg)
	bsoncodec.MapAny(reg)
	in := doc{orderID(id1.Hex()), ownID(id2), id1, []oid.ID{id1, id2}}
	data, err := bsoncodec.MarshalWith(reg, in)
	want := mustMarshal(t, bson.D{{Key: "hex", Value: id1}, {Key: "own", Value: id2}, {Key: "any", Value: id1}, {Key: "ids", Value: bson.A{id1, id2}}})
	if err != nil || !bytes.Equal(data, want) {
		t.Errorf("MarshalWith = %v, %v, want %v", bson.Raw(data), err, bson.Raw(want))
	}
	var out doc
	if err := bsoncodec.UnmarshalWith(reg, data, &out); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("UnmarshalWith = %v, %v, want %v", out, err, in)
	}
	for _, m := range []any{&bson.D{}, &bson.M{}, bson.M{}, new(any), &map[string]any{}} {
		if err := bsoncodec.UnmarshalWith(reg, data, m); err != nil || !strings.Contains(fmt.Sprintf("%#v", reflect.Indirect(reflect.ValueOf(m))), "oid.ID{") {
			t.Errorf("UnmarshalWith into %T = %#v, %v, want an oid.ID", m, m, err)
		}
	}
	if _, err := bsoncodec.MarshalWith(reg, doc{Hex: "not an id"}); !errors.Is(err, oid.ErrSyntax) {
		t.Errorf("MarshalWith of a bad ID: error %v, want ErrSyntax", err)
	}
	if _, err := bsoncodec.MarshalWith(nil, in); !errors.Is(err, bson.ErrNilRegistry) {
		t.Errorf("MarshalWith(nil) = %v", err)
	}
	if err := bsoncodec.UnmarshalWith(nil, data, &out); !errors.Is(err, bson.ErrNilRegistry) {
		t.Errorf("UnmarshalWith(nil) = %v", err)
	}
}

func TestUnmarshalReadsIDs(t *testing.T) {
	doc := ours{id1, &id2, []oid.ID{id1, {}, id2}, oid.For[ours](id1), (*oid.For[ours])(&id2), map[oid.ID]oid.ID{id1: id2}, nil}
	data := mustMarshal(t, doc)
	var got ours
	if err := bsoncodec.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, doc) {
		t.Errorf("Unmarshal = %v, %v, want %v", got, err, doc)
	}
	clear(data) // what was decoded must not hang on to it
	if !reflect.DeepEqual(got, doc) {
		t.Errorf("after the input changed: %v, want %v", got, doc)
	}
	m := map[string]oid.For[ours]{"kept": oid.For[ours](id2)}
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{{Key: "a", Value: id1}}), m); err != nil || len(m) != 2 || m["a"] != oid.For[ours](id1) {
		t.Errorf("Unmarshal into a map = %v, %v", m, err)
	}
	var list struct{ Orders []order }
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{{Key: "orders", Value: bson.A{bson.D{{Key: "_id", Value: id1}, {Key: "total", Value: 7}}}}}), &list); err != nil ||
		len(list.Orders) != 1 || list.Orders[0] != (order{id1, 7}) {
		t.Errorf("Unmarshal of documents that embed an id = %v, %v", list, err)
	}
	byName := map[string]order{}
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{{Key: "a", Value: bson.D{{Key: "_id", Value: id1}, {Key: "total", Value: 7}}}}), &byName); err != nil || byName["a"] != (order{id1, 7}) {
		t.Errorf("Unmarshal into a map of documents that embed an id = %v, %v", byName, err)
	}
	byName = map[string]order{"kept": {id2, 8}}
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{{Key: "a", Value: bson.D{{Key: "_id", Value: id1}, {Key: "total", Value: 7}}}}), byName); err != nil || byName["a"] != (order{id1, 7}) || len(byName) != 2 {
		t.Errorf("Unmarshal into a map itself, of documents that embed an id = %v, %v", byName, err)
	}
	one := order{id1, 7}
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{}), &one); err != nil || one != (order{id1, 7}) {
		t.Errorf("Unmarshal of an empty document into one that embeds an id = %v, %v", one, err)
	}
	var ptr *order
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{{Key: "_id", Value: id1}, {Key: "total", Value: 7}}), &ptr); err != nil || ptr == nil || *ptr != (order{id1, 7}) {
		t.Errorf("Unmarshal into a pointer to a document that embeds an id = %v, %v", ptr, err)
	}
	var bad struct{ ID oid.ID }
	if err := bsoncodec.Unmarshal(mustMarshal(t, bson.D{{Key: "id", Value: 7}}), &bad); !errors.Is(err, oid.ErrSyntax) {
		t.Errorf("Unmarshal of a number into an id: error %v, want ErrSyntax", err)
	}
}

// The error for a Binary says what it is, and names AcceptBinary only where that helps. A
// stream isn't read to find out, so its error says when AcceptBinary helps.
func TestErrorsNameWhatABinaryIs(t *testing.T) {
	const want = ", want an ObjectId of 12 bytes, a string of 24 hex digits, or null"
	accepting := bsoncodec.NewRegistry()
	bsoncodec.AcceptBinary(accepting)
	for _, tt := range []struct {
		v       bson.Binary
		problem string
		accept  string
	}{
		{bson.Binary{Subtype: 4, Data: make([]byte, 16)}, "a UUID of 16 bytes" + want, ""},
		{bson.Binary{Subtype: 3, Data: make([]byte, 16)}, "a UUID of 16 bytes" + want, ""},
		{bson.Binary{Subtype: 0, Data: make([]byte, 16)}, "a Binary of 16 bytes" + want, ""},
		{bson.Binary{Subtype: 5, Data: make([]byte, 12)}, "a Binary of 12 bytes" + want, ""},
		{bson.Binary{Subtype: 0, Data: make([]byte, 12)}, "a Binary of 12 bytes" + want, "; to read a Binary of 12 bytes, call bsoncodec.AcceptBinary"},
	} {
		data := mustMarshal(t, bson.D{{Key: "v", Value: tt.v}})
		full := fmt.Sprintf("error decoding key v: bsoncodec.DecodeValue(type 0x05, subtype 0x%02x): %s%s", tt.v.Subtype, tt.problem, tt.accept)
		for _, doc := range []any{new(struct{ V oid.ID }), new(struct{ V *oid.ID }), new(struct {
			V oid.ID
			L []oid.ID
		}), new(map[string]oid.For[int])} {
			if err := bsoncodec.Unmarshal(data, doc); err == nil || err.Error() != full || !errors.Is(err, oid.ErrSyntax) {
				t.Errorf("Unmarshal of %v into %T:\n got %v\nwant %s", tt.v, doc, err, full)
			}
			err := bsoncodec.UnmarshalWith(accepting, data, doc)
			if accepted := tt.accept != ""; accepted != (err == nil) || !accepted && err.Error() != full {
				t.Errorf("after AcceptBinary, UnmarshalWith of %v into %T: %v", tt.v, doc, err)
			}
			err = unmarshal(bsoncodec.NewRegistry(), data, doc)
			if text := "to read a Binary of 12 bytes, call bsoncodec.AcceptBinary (a UUID is not an ID)"; err == nil || !strings.HasSuffix(err.Error(), text) || !errors.Is(err, oid.ErrSyntax) {
				t.Errorf("from a stream, %v into %T: %v", tt.v, doc, err)
			}
		}
	}
}
