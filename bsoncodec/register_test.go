package bsoncodec_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

var (
	id1 = oid.MustParse("65b3f7edd9bfca00daa6e3b1")
	id2 = oid.MustParse("00112233445566778899aabb")
)

// mustMarshal encodes doc with the driver's default registry.
func mustMarshal(t *testing.T, doc any) []byte {
	t.Helper()
	data, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sameBytes fails the test unless reg encodes doc as the driver encodes want.
func sameBytes(t *testing.T, reg *bson.Registry, doc, want any) {
	t.Helper()
	got, err := marshal(reg, doc)
	if err != nil {
		t.Errorf("%#v: %v", doc, err)
		return
	}
	if want := mustMarshal(t, want); !bytes.Equal(got, want) {
		t.Errorf("%#v:\n got %v\nwant %v", doc, bson.Raw(got), bson.Raw(want))
	}
}

// roundTrip fails the test unless doc, a struct, comes back equal through reg.
func roundTrip(t *testing.T, reg *bson.Registry, doc any) {
	t.Helper()
	data, err := marshal(reg, doc)
	if err != nil {
		t.Errorf("%#v: %v", doc, err)
		return
	}
	back := reflect.New(reflect.TypeOf(doc))
	if err := unmarshal(reg, data, back.Interface()); err != nil {
		t.Errorf("%#v: %v", doc, err)
	} else if !reflect.DeepEqual(back.Elem().Interface(), doc) {
		t.Errorf("%#v came back as %#v", doc, back.Elem())
	}
}

type ours struct {
	ID    oid.ID            `bson:"_id,omitempty"`
	Ref   *oid.ID           `bson:"ref"`
	Refs  []oid.ID          `bson:"refs"`
	Typed oid.For[ours]     `bson:"typed"`
	Ptr   *oid.For[ours]    `bson:"ptr"`
	ByID  map[oid.ID]oid.ID `bson:"byID"`
	Any   any               `bson:"any"`
}

type native struct {
	ID    bson.ObjectID                   `bson:"_id,omitempty"`
	Ref   *bson.ObjectID                  `bson:"ref"`
	Refs  []bson.ObjectID                 `bson:"refs"`
	Typed bson.ObjectID                   `bson:"typed"`
	Ptr   *bson.ObjectID                  `bson:"ptr"`
	ByID  map[bson.ObjectID]bson.ObjectID `bson:"byID"`
	Any   any                             `bson:"any"`
}

func TestSameBytesAsNative(t *testing.T) {
	n1, n2 := bson.ObjectID(id1), bson.ObjectID(id2)
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg, ours{}, native{})
	sameBytes(t, reg,
		ours{id1, &id2, []oid.ID{id1, {}, id2}, oid.For[ours](id1), (*oid.For[ours])(&id2), map[oid.ID]oid.ID{id1: id2}, id2},
		native{n1, &n2, []bson.ObjectID{n1, {}, n2}, n1, &n2, map[bson.ObjectID]bson.ObjectID{n1: n2}, n2})
	sameBytes(t, reg, ours{Refs: []oid.ID{}, ByID: map[oid.ID]oid.ID{}, Any: []oid.ID{id1}},
		native{Refs: []bson.ObjectID{}, ByID: map[bson.ObjectID]bson.ObjectID{}, Any: []bson.ObjectID{n1}})
	roundTrip(t, reg, ours{id1, &id2, []oid.ID{id1, {}, id2}, oid.For[ours](id1), (*oid.For[ours])(&id2), map[oid.ID]oid.ID{id1: id2}, nil})
}

// A nil slice is null or an empty array as the registry has it for other slices.
func TestNilSliceIsTheRegistrysAffair(t *testing.T) {
	type doc struct{ Refs []oid.ID }
	mgo := newMgoRegistry()
	bsoncodec.Register(mgo)
	sameBytes(t, mgo, doc{}, bson.D{{Key: "refs", Value: bson.A{}}})
	sameBytes(t, bsoncodec.NewRegistry(), doc{}, bson.D{{Key: "refs", Value: nil}})
}

// A decoded list takes the place of the one before, in its memory if it fits, as
// with the driver's own slices.
func TestDecodeIntoSlices(t *testing.T) {
	type doc struct{ Refs []oid.ID }
	reg := bsoncodec.NewRegistry()
	three := mustMarshal(t, bson.D{{Key: "refs", Value: bson.A{id1, id2, nil}}})
	backing := []oid.ID{id2, id2, id2, id2}
	got := doc{backing[:1]}
	if err := unmarshal(reg, three, &got); err != nil || !reflect.DeepEqual(got.Refs, []oid.ID{id1, id2, {}}) {
		t.Errorf("into a short slice: %v, %v", got.Refs, err)
	}
	if backing[0] != id1 || backing[3] != id2 {
		t.Errorf("backing array: %v", backing)
	}
	for _, value := range []any{nil, bson.Undefined{}} {
		got := doc{[]oid.ID{id1}}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "refs", Value: value}}), &got); err != nil || got.Refs != nil {
			t.Errorf("%v: %v, %v; want a nil slice", value, got.Refs, err)
		}
	}
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "refs", Value: bson.A{}}}), &got); err != nil || got.Refs == nil || len(got.Refs) != 0 {
		t.Errorf("empty array: %#v, %v; want an empty slice, not nil", got.Refs, err)
	}
	for _, have := range [][]oid.ID{nil, {}, {id2}, {id2, id2, id2}} {
		for _, want := range [][]oid.ID{{}, {id1}, {id1, id2}} {
			got := doc{have}
			if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "refs", Value: want}}), &got); err != nil || !reflect.DeepEqual(got.Refs, want) {
				t.Errorf("%v into %v: %#v, %v", want, have, got.Refs, err)
			}
		}
	}
	var many []oid.ID
	for range 1000 {
		many = append(many, oid.New())
	}
	roundTrip(t, reg, doc{many})
}

func TestBadInputChangesNothing(t *testing.T) {
	type doc struct {
		ID    oid.ID
		Typed oid.For[ours]
		Refs  []oid.ID
	}
	reg := bsoncodec.NewRegistry()
	for _, value := range []any{
		int32(7), "", "65b3f7edd9bfca00daa6e3b", "twelve bytes", "zzb3f7edd9bfca00daa6e3b1", true, bson.D{{Key: "$oid", Value: id1.Hex()}},
		bson.Binary{Data: id1[:]}, bson.Symbol(id1.Hex()), bson.DateTime(7), bson.MinKey{}, bson.DBPointer{Pointer: bson.ObjectID(id1)},
	} {
		got := doc{id1, oid.For[ours](id1), []oid.ID{id1, id2}}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "id", Value: value}}), &got); !errors.Is(err, oid.ErrSyntax) || got.ID != id1 {
			t.Errorf("%T(%v) into an id: %v, %v", value, value, got.ID, err)
		}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "typed", Value: value}}), &got); !errors.Is(err, oid.ErrSyntax) || oid.ID(got.Typed) != id1 {
			t.Errorf("%T(%v) into an oid.For: %v, %v", value, value, got.Typed, err)
		}
		err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "refs", Value: bson.A{id2, value}}}), &got)
		if !errors.Is(err, oid.ErrSyntax) || !reflect.DeepEqual(got.Refs, []oid.ID{id1, id2}) {
			t.Errorf("%T(%v) into a list: %v, %v", value, value, got.Refs, err)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "error decoding key refs.1: ") {
			t.Errorf("%T(%v) into a list: error %q doesn't say where", value, value, err)
		}
	}
	for _, value := range []any{id1, int32(7), bson.D{{Key: "0", Value: id1}}, bson.D{}, bson.Binary{Data: id1[:]}} {
		got := doc{Refs: []oid.ID{id2}}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "refs", Value: value}}), &got); err == nil || !reflect.DeepEqual(got.Refs, []oid.ID{id2}) {
			t.Errorf("%T(%v) in place of a list: %v, %v", value, value, got.Refs, err)
		}
	}
}

// An undefined value makes a pointer nil, as null does.
func TestUndefinedIntoAPointerIsNil(t *testing.T) {
	type doc struct {
		ID    *oid.ID
		Typed *oid.For[ours]
	}
	data := mustMarshal(t, bson.D{{Key: "id", Value: bson.Undefined{}}, {Key: "typed", Value: bson.Undefined{}}})
	got := doc{&id1, (*oid.For[ours])(&id1)}
	if err := unmarshal(bsoncodec.NewRegistry(), data, &got); err != nil || got.ID != nil || got.Typed != nil {
		t.Errorf("%v, %v", got, err)
	}
}

type (
	userID  bson.ObjectID
	orderID oid.ID
	typed   struct {
		User   userID
		Order  orderID
		Ptr    *userID
		Orders []orderID
		Nonce  [12]byte
	}
)

func TestDefinedTypesAreBinaryUnlessRegistered(t *testing.T) {
	doc := typed{userID(id1), orderID(id2), (*userID)(&id1), []orderID{orderID(id1)}, id2}
	binary := func(id oid.ID) bson.Binary { return bson.Binary{Data: id[:]} }
	old := bson.D{{Key: "user", Value: binary(id1)}, {Key: "order", Value: binary(id2)}, {Key: "ptr", Value: binary(id1)},
		{Key: "orders", Value: bson.A{binary(id1)}}, {Key: "nonce", Value: binary(id2)}}
	sameBytes(t, bsoncodec.NewRegistry(), doc, old)

	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[userID](reg)
	bsoncodec.RegisterFor[orderID](reg)
	sameBytes(t, reg, doc, bson.D{{Key: "user", Value: id1}, {Key: "order", Value: id2}, {Key: "ptr", Value: id1},
		{Key: "orders", Value: bson.A{id1}}, {Key: "nonce", Value: binary(id2)}})
	roundTrip(t, reg, doc)

	// Only after AcceptBinary can the values stored before be read.
	var got typed
	if err := unmarshal(reg, mustMarshal(t, old), &got); !errors.Is(err, oid.ErrSyntax) {
		t.Errorf("Binary was read without AcceptBinary: %v", err)
	}
	bsoncodec.AcceptBinary(reg)
	if err := unmarshal(reg, mustMarshal(t, old), &got); err != nil || !reflect.DeepEqual(got, doc) {
		t.Errorf("with AcceptBinary: %v, %v", got, err)
	}
}

func TestAcceptBinary(t *testing.T) {
	type doc struct {
		ID   oid.ID
		Ptr  *oid.ID
		Refs []oid.ID
		For  oid.For[ours]

		Struct  twice
		Pointer *twice
		Structs []twice
	}
	reg := bsoncodec.NewRegistry()
	bsoncodec.AcceptBinary(reg)
	binary := bson.Binary{Data: id1[:]}
	var got doc
	data := mustMarshal(t, bson.D{{Key: "id", Value: binary}, {Key: "ptr", Value: binary}, {Key: "refs", Value: bson.A{binary, id2}}, {Key: "for", Value: binary},
		{Key: "struct", Value: binary}, {Key: "pointer", Value: binary}, {Key: "structs", Value: bson.A{binary, id2}}})
	wrapped := func(id oid.ID) twice { return twice{oid.For[order](id)} }
	if err := unmarshal(reg, data, &got); err != nil || got.Struct != wrapped(id1) || *got.Pointer != wrapped(id1) || !slices.Equal(got.Structs, []twice{wrapped(id1), wrapped(id2)}) {
		t.Errorf("structs that are stored as their IDs: %v, %v", got, err)
	}
	if err := unmarshal(reg, data, &got); err != nil || got.ID != id1 || *got.Ptr != id1 || got.Refs[0] != id1 || got.Refs[1] != id2 || oid.ID(got.For) != id1 {
		t.Errorf("%v, %v", got, err)
	}
	if err := unmarshal(bsoncodec.NewRegistry(), mustMarshal(t, bson.D{{Key: "struct", Value: binary}}), &got); !errors.Is(err, oid.ErrSyntax) || !strings.Contains(err.Error(), "AcceptBinary") {
		t.Errorf("a struct without AcceptBinary: %v", err)
	}
	for _, bad := range []bson.Binary{{Data: id1[:11]}, {Data: append(id1[:], 0)}, {Data: id1[:], Subtype: bson.TypeBinaryUUID}, {Data: id1[:], Subtype: bson.TypeBinaryUserDefined}, {}} {
		got := doc{ID: id2}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "id", Value: bad}}), &got); !errors.Is(err, oid.ErrSyntax) || got.ID != id2 {
			t.Errorf("%v: %v, %v", bad, got.ID, err)
		}
		got.Struct = wrapped(id2)
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "struct", Value: bad}}), &got); !errors.Is(err, oid.ErrSyntax) || got.Struct != wrapped(id2) {
			t.Errorf("%v in a struct: %v, %v", bad, got.Struct, err)
		}
	}
	uuid := bson.Binary{Data: make([]byte, 16), Subtype: bson.TypeBinaryUUID}
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "id", Value: uuid}}), &got); err == nil || !strings.Contains(err.Error(), "a UUID of 16 bytes") {
		t.Errorf("a UUID: %v, want an error that says that it is one", err)
	}
}

func TestMapAny(t *testing.T) {
	data := mustMarshal(t, bson.D{{Key: "a", Value: id1}, {Key: "list", Value: bson.A{id2}}})
	reg := bson.NewRegistry()
	bsoncodec.Register(reg)
	var m bson.M
	if err := unmarshal(reg, data, &m); err != nil || m["a"] != any(bson.ObjectID(id1)) {
		t.Errorf("without: %#v, %v", m, err)
	}
	reg = bsoncodec.NewRegistry()
	m = nil
	if err := unmarshal(reg, data, &m); err != nil || m["a"] != any(id1) || m["list"].(bson.A)[0] != any(id2) {
		t.Errorf("with: %#v, %v", m, err)
	}
	var d bson.D
	if err := unmarshal(reg, data, &d); err != nil || d[0].Value != any(id1) {
		t.Errorf("bson.D: %#v, %v", d, err)
	}
}

func TestRegisterTwice(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.Register(reg)
	roundTrip(t, reg, ours{ID: id1, Ref: &id2, Refs: []oid.ID{id1}, Typed: oid.For[ours](id1)})
	roundTrip(t, reg, struct{ Orders []order }{[]order{{id1, 7}}})
}

// A message that ends too early is an error in each kind of value that IDs are read
// from.
func TestCutDocumentsAreErrors(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.AcceptBinary(reg)
	bsoncodec.RegisterHex[invoiceID](reg)
	type doc struct {
		A       oid.ID
		Binary  oid.ID
		Text    oid.ID
		Hex     invoiceID
		List    []oid.ID
		Mixed   []oid.ID
		Wrapper twice
	}
	data := mustMarshal(t, bson.D{{Key: "a", Value: id1}, {Key: "binary", Value: bson.Binary{Data: id1[:]}}, {Key: "text", Value: id1.Hex()},
		{Key: "hex", Value: id1}, {Key: "list", Value: bson.A{id1, id2}}, {Key: "mixed", Value: bson.A{id1, id2.Hex()}}, {Key: "wrapper", Value: id1}})
	want := doc{id1, id1, id1, invoiceID(id1.Hex()), []oid.ID{id1, id2}, []oid.ID{id1, id2}, twice{oid.For[order](id1)}}
	var got doc
	if err := unmarshal(reg, data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("unmarshal = %v, %v, want %v", got, err, want)
	}
	for n := range data {
		if err := unmarshal(reg, data[:n], new(doc)); err == nil {
			t.Errorf("the first %d of %d bytes are read without an error", n, len(data))
		}
	}
}

// A list that fits is read into the memory that is there.
func TestListsKeepTheirMemory(t *testing.T) {
	var doc struct{ List []oid.ID }
	for _, have := range []int{2, 3} {
		doc.List = make([]oid.ID, have)
		before := &doc.List[0]
		err := unmarshal(bsoncodec.NewRegistry(), mustMarshal(t, bson.D{{Key: "list", Value: bson.A{id1, id2}}}), &doc)
		if err != nil || !slices.Equal(doc.List, []oid.ID{id1, id2}) || &doc.List[0] != before {
			t.Errorf("a list of 2 into one of %d: %v, %v, or new memory", have, doc.List, err)
		}
	}
}

// A value that is cut is an error of the driver, and changes nothing.
func TestCutValuesChangeNothing(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.AcceptBinary(reg)
	type doc struct {
		A oid.ID
		L []oid.ID
	}
	for _, e := range []bson.E{
		{Key: "a", Value: id1}, {Key: "a", Value: bson.Binary{Data: id1[:]}}, {Key: "a", Value: id1.Hex()},
		{Key: "l", Value: bson.A{id1, id1}}, {Key: "l", Value: bson.A{id1, id1.Hex()}},
	} {
		data := mustMarshal(t, bson.D{e})
		for n := range data {
			got := doc{id2, []oid.ID{id2}}
			err := unmarshal(reg, data[:n], &got)
			// The last byte is the end of the document, after the value.
			if err == nil || errors.Is(err, oid.ErrSyntax) || n < len(data)-1 && !reflect.DeepEqual(got, doc{id2, []oid.ID{id2}}) {
				t.Errorf("%T for %q, cut after %d of %d bytes: %v, %v", e.Value, e.Key, n, len(data), got, err)
			}
		}
	}
}

// A value whose length is a lie is an error, and changes nothing.
func TestLyingLengthsAreErrors(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.AcceptBinary(reg)
	type doc struct {
		A oid.ID
		W twice
		L []oid.ID
	}
	before := doc{id2, twice{oid.For[order](id2)}, []oid.ID{id2}}
	for _, key := range []string{"a", "w", "l"} {
		for _, value := range []any{id1.Hex(), bson.Binary{Data: id1[:]}, bson.A{id1}, bson.A{id1.Hex()}} {
			data := mustMarshal(t, bson.D{{Key: key, Value: value}})
			data[8] = 0x7f // the value's length comes after the document's, the type and the key
			got := doc{id2, before.W, []oid.ID{id2}}
			if err := unmarshal(reg, data, &got); err == nil || !reflect.DeepEqual(got, before) {
				t.Errorf("%T for %q: %v, %v, want an error and %v", value, key, got, err, before)
			}
		}
	}
}
