package bsoncodec_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/oid"
)

var (
	id1 = oid.MustParse("65b3f7edd9bfca00daa6e3b1")
	id2 = oid.MustParse("ffeeddccbbaa998877665544")
)

// The structs of the differential suite, for any type of ID.
type (
	field[T any] struct {
		V T `bson:"v"`
	}
	omit[T any] struct {
		V T `bson:"v,omitempty"`
	}
	jsonTag[T any] struct {
		V T `json:"id,omitempty"`
	}
	inner[T any] struct {
		ID T `bson:"_id"`
		N  int64
	}
	inlined[T any] struct {
		Inner inner[T] `bson:",inline"`
		M     int
	}
	inlinedPointer[T any] struct {
		Inner *inner[T] `bson:",inline"`
		M     int
	}
	inlinedID[T any] struct {
		V T `bson:",inline"`
	}
	inlinedMap[T any] struct {
		ID T            `bson:"_id"`
		M  map[string]T `bson:",inline"`
	}
	duplicate[T any] struct {
		A inner[T] `bson:",inline"`
		B inner[T] `bson:",inline"`
	}
	unexported[T any] struct {
		V T
		v T
	}
)

type shape struct {
	name string
	doc  any
}

// shapes returns documents that hold the IDs a and b in every way that there is.
func shapes[T comparable](c codec, a, b T) []shape {
	var zero T
	pa, pz := &a, &zero
	var null *T
	return []shape{
		{"value", field[T]{a}},
		{"pointer to the document", &field[T]{a}},
		{"zero", field[T]{}},
		{"next to an unexported field", unexported[T]{V: a, v: b}},
		{"pointer", field[*T]{pa}},
		{"nil pointer", field[*T]{}},
		{"pointer to zero", field[*T]{pz}},
		{"pointer to pointer", field[**T]{&pa}},
		{"pointer to nil pointer", field[**T]{&null}},
		{"slice", field[[]T]{[]T{a, zero, b}}},
		{"slice of 11", field[[]T]{[]T{a, b, a, b, a, b, a, b, a, b, a}}},
		{"empty slice", field[[]T]{[]T{}}},
		{"nil slice", field[[]T]{}},
		{"pointer to slice", field[*[]T]{&[]T{a, b}}},
		{"pointer to nil slice", field[*[]T]{new([]T)}},
		{"slice of pointers", field[[]*T]{[]*T{pa, nil, pz}}},
		{"slice of slices", field[[][]T]{[][]T{{a}, nil, {}}}},
		{"slice of any", field[[]any]{[]any{a, pa, null, []T{b}}}},
		{"array", field[[2]T]{[2]T{a, b}}},
		{"array of pointers", field[[2]*T]{[2]*T{pa, nil}}},
		{"array of none", field[[0]T]{}},
		{"map", field[map[string]T]{map[string]T{"k": a}}},
		{"map of pointers", field[map[string]*T]{map[string]*T{"k": nil}}},
		{"map of slices", field[map[string][]T]{map[string][]T{"k": nil}}},
		{"nil map", field[map[string]T]{}},
		{"map key", field[map[T]int]{map[T]int{a: 1}}},
		{"zero map key", field[map[T]int]{map[T]int{zero: 1}}},
		{"nil map by id", field[map[T]int]{}},
		{"any", field[any]{a}},
		{"pointer in any", field[any]{pa}},
		{"nil pointer in any", field[any]{null}},
		{"zero in any", field[any]{zero}},
		{"slice in any", field[any]{[]T{a}}},
		{"nil slice in any", field[any]{[]T(nil)}},
		{"document in any", field[any]{field[T]{a}}},
		{"fmt.Stringer", field[fmt.Stringer]{any(a).(fmt.Stringer)}},
		{"D", c.d("v", a)},
		{"D of pointer", c.d("v", pa)},
		{"D of nil pointer", c.d("v", null)},
		{"D of slice", c.d("v", []T{a})},
		{"M", c.m("v", a)},
		{"M of nil pointer", c.m("v", null)},
		{"A", c.d("v", c.a(a, pa, null, zero))},
		{"$in", c.d("_id", c.d("$in", []T{a, b}))},
		{"$in of A", c.d("_id", c.d("$in", c.a(a, b)))},
		{"pipeline", c.d("pipeline", c.a(c.d("$match", c.d("_id", c.d("$gte", a)))))},
		{"omitempty", omit[T]{a}},
		{"omitempty zero", omit[T]{}},
		{"omitempty nil pointer", omit[*T]{}},
		{"omitempty pointer to zero", omit[*T]{pz}},
		{"omitempty pointer", omit[*T]{pa}},
		{"omitempty nil slice", omit[[]T]{}},
		{"omitempty empty slice", omit[[]T]{[]T{}}},
		{"omitempty array", omit[[2]T]{}},
		{"omitempty nil map", omit[map[T]T]{}},
		{"omitempty any", omit[any]{zero}},
		{"omitempty nil any", omit[any]{}},
		{"omitempty struct", omit[inner[T]]{}},
		{"omitempty struct with an id", omit[inner[T]]{inner[T]{ID: a}}},
		{"json tag", jsonTag[T]{a}},
		{"json tag zero", jsonTag[T]{}},
		{"nested", field[inner[T]]{inner[T]{ID: a, N: 7}}},
		{"slice of documents", field[[]inner[T]]{[]inner[T]{{ID: a}, {}}}},
		{"inline", inlined[T]{inner[T]{ID: a, N: 7}, 8}},
		{"inline pointer", inlinedPointer[T]{&inner[T]{ID: a, N: 7}, 8}},
		{"inline nil pointer", inlinedPointer[T]{nil, 8}},
		{"inline map", inlinedMap[T]{a, map[string]T{"k": b}}},
		{"inline map with the same key", inlinedMap[T]{a, map[string]T{"_id": b}}},
		{"inline twice", duplicate[T]{}},
		{"at the top", a},
		{"pointer at the top", pa},
		{"slice at the top", []T{a}},
		{"map at the top", map[T]T{a: b}},
	}
}

// onPurpose reports whether a shape differs from the driver's on purpose. It is the
// code to the tables in the package comments of bsoncodec and mongov1.
func onPurpose(p pairing, option, shape string) bool {
	switch shape {
	case "map key", "zero map key", "map at the top":
		// Keys that were printed are the hex digits, not ObjectID("…").
		return strings.Contains(option, "StringifyMapKeysWithFmt") || strings.Contains(p.name, "mgo") && !strings.Contains(p.name, "nil")
	}
	return false
}

func TestSameBytes(t *testing.T) {
	for _, p := range pairings {
		for _, option := range p.options(encodeOptions) {
			nativeCodec := p.native()
			var native []shape
			if nativeCodec.driver == "v2" {
				native = shapes(nativeCodec, bson.ObjectID(id1), bson.ObjectID(id2))
			} else {
				native = shapes(nativeCodec, primitive.ObjectID(id1), primitive.ObjectID(id2))
			}
			ours := p.ours()
			sameBytes(t, p, option, nativeCodec, native, ours, shapes(ours, id1, id2))
			ours = p.ours()
			sameBytes(t, p, option, nativeCodec, native, ours, shapes(ours, oid.For[field[int]](id1), oid.For[field[int]](id2)))
		}
	}
}

func sameBytes(t *testing.T, p pairing, option string, nativeCodec codec, native []shape, oursCodec codec, ours []shape) {
	for i, shape := range native {
		want, wantErr := nativeCodec.marshal(shape.doc, option)
		got, err := oursCodec.marshal(ours[i].doc, option)
		same := (err == nil) == (wantErr == nil) && (err != nil || bytes.Equal(got, want))
		if same == onPurpose(p, option, shape.name) {
			t.Errorf("%s, %s, %s, %T:\n got %v, %v\nwant %v, %v", p.name, option, shape.name, ours[i].doc, bson.Raw(got), err, bson.Raw(want), wantErr)
		}
	}
}

// An ID can't be inline, with the driver's words: neither to encode nor to decode.
func TestInlineID(t *testing.T) {
	data, err := bson.Marshal(bson.D{{Key: "_id", Value: id1}, {Key: "id", Value: id1}, {Key: "v", Value: id1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairings {
		const want = "inline fields must be a struct, a struct pointer, or a map"
		for _, doc := range []any{&inlinedID[oid.ID]{id1}, &inlinedID[oid.For[int]]{oid.For[int](id1)}} {
			if got, err := p.ours().marshal(doc, ""); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %T is stored as %v, %v, want %s", p.name, doc, bson.Raw(got), err, want)
			}
			if err := p.ours().unmarshal(data, doc, ""); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %T decodes with error %v, want %s", p.name, doc, err, want)
			}
		}
		var nativeErr error
		if native := p.native(); native.driver == "v2" {
			_, nativeErr = native.marshal(inlinedID[bson.ObjectID]{bson.ObjectID(id1)}, "")
		} else {
			_, nativeErr = native.marshal(inlinedID[primitive.ObjectID]{primitive.ObjectID(id1)}, "")
		}
		if nativeErr == nil || !strings.HasSuffix(nativeErr.Error(), want) {
			t.Errorf("%s: the driver's own error is %v, want %s", p.name, nativeErr, want)
		}
	}
}

// Documents that embed an ID, with a tag.
type (
	embedsV2 struct {
		bson.ObjectID `bson:"_id"`
		N             int
	}
	embedsV1 struct {
		primitive.ObjectID `bson:"_id"`
		N                  int
	}
	embedsOurs struct {
		oid.ID `bson:"_id"`
		N      int
	}
	embedsFor struct {
		oid.For[embedsV2] `bson:"_id"`
		N                 int
	}
	embedsPointerFor struct {
		*oid.For[embedsV2] `bson:"_id"`
		N                  int
	}
	embedsPointerV2 struct {
		*bson.ObjectID `bson:"_id"`
		N              int
	}
	embedsPointerV1 struct {
		*primitive.ObjectID `bson:"_id"`
		N                   int
	}
	embedsPointerOurs struct {
		*oid.ID `bson:"_id"`
		N       int
	}
)

func documents[T any](c codec, doc T) []shape {
	return []shape{
		{"at the top", doc},
		{"pointer at the top", &doc},
		{"field", field[T]{doc}},
		{"omitempty", omit[T]{doc}},
		{"pointer", field[*T]{&doc}},
		{"nil pointer", field[*T]{}},
		{"slice", field[[]T]{[]T{doc, doc}}},
		{"nil slice", field[[]T]{}},
		{"array", field[[1]T]{[1]T{doc}}},
		{"map", field[map[string]T]{map[string]T{"k": doc}}},
		{"any", field[any]{doc}},
		{"D", c.d("v", doc)},
		{"A", c.d("v", c.a(doc, &doc))},
		{"inline", inlinedID[T]{doc}},
	}
}

func TestSameBytesOfDocumentsThatEmbedAnID(t *testing.T) {
	for _, p := range pairings {
		if !strings.HasSuffix(p.name, "ours") {
			continue // see the tests of package bsoncodec
		}
		for _, option := range p.options(encodeOptions) {
			for _, id := range []oid.ID{id1, {}} {
				native, ours := p.native(), p.ours()
				v2, v1 := bson.ObjectID(id), primitive.ObjectID(id)
				var want []shape
				if native.driver == "v2" {
					want = append(documents(native, embedsV2{v2, 7}), documents(native, embedsPointerV2{&v2, 7})...)
				} else {
					want = append(documents(native, embedsV1{v1, 7}), documents(native, embedsPointerV1{&v1, 7})...)
				}
				typed := oid.For[embedsV2](id)
				sameBytes(t, p, option, native, want, ours, append(documents(ours, embedsOurs{id, 7}), documents(ours, embedsPointerOurs{&id, 7})...))
				sameBytes(t, p, option, native, want, ours, append(documents(ours, embedsFor{typed, 7}), documents(ours, embedsPointerFor{&typed, 7})...))
			}
		}
	}
}

func TestSameExtendedJSON(t *testing.T) {
	for _, p := range pairings {
		for _, canonical := range []bool{false, true} {
			nativeCodec, oursCodec := p.native(), p.ours()
			var native []shape
			if nativeCodec.driver == "v2" {
				native = shapes(nativeCodec, bson.ObjectID(id1), bson.ObjectID(id2))
			} else {
				native = shapes(nativeCodec, primitive.ObjectID(id1), primitive.ObjectID(id2))
			}
			for i, shape := range append(shapes(oursCodec, id1, id2), shapes(oursCodec, oid.For[int](id1), oid.For[int](id2))...) {
				want, wantErr := nativeCodec.toJSON(native[i%len(native)].doc, canonical)
				got, err := oursCodec.toJSON(shape.doc, canonical)
				same := (err == nil) == (wantErr == nil) && (err != nil || bytes.Equal(got, want))
				if same == onPurpose(p, "", shape.name) {
					t.Errorf("%s, %s:\n got %s, %v\nwant %s, %v", p.name, shape.name, got, err, want, wantErr)
				}
			}
		}
	}
}

// The functions that always take the driver's default registry, in driver v1 that
// of the import.
func TestSameByPackageFunctions(t *testing.T) {
	for i, shape := range shapes(newV2(nil), bson.ObjectID(id1), bson.ObjectID(id2)) {
		want, wantErr := bson.Marshal(shape.doc)
		got, err := bson.Marshal(shapes(newV2(nil), id1, id2)[i].doc)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("v2, %s:\n got %v, %v\nwant %v, %v", shape.name, bson.Raw(got), err, bson.Raw(want), wantErr)
		}
	}
	for i, shape := range shapes(newV1(nil), primitive.ObjectID(id1), primitive.ObjectID(id2)) {
		want, wantErr := bsonv1.Marshal(shape.doc)
		got, err := bsonv1.Marshal(shapes(newV1(nil), id1, id2)[i].doc)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("v1, %s:\n got %v, %v\nwant %v, %v", shape.name, bsonv1.Raw(got), err, bsonv1.Raw(want), wantErr)
		}
	}
	for _, pair := range [][2]any{{bson.ObjectID(id1), id1}, {[]bson.ObjectID{bson.ObjectID(id1)}, []oid.ID{id1}}, {(*bson.ObjectID)(nil), (*oid.ID)(nil)}} {
		wantType, want, wantErr := bson.MarshalValue(pair[0])
		gotType, got, err := bson.MarshalValue(pair[1])
		if gotType != wantType || !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("v2 MarshalValue(%T): %v %x %v, want %v %x %v", pair[1], gotType, got, err, wantType, want, wantErr)
		}
	}
	for _, pair := range [][2]any{{primitive.ObjectID(id1), id1}, {[]primitive.ObjectID{primitive.ObjectID(id1)}, []oid.ID{id1}}} {
		wantType, want, wantErr := bsonv1.MarshalValue(pair[0])
		gotType, got, err := bsonv1.MarshalValue(pair[1])
		if gotType != wantType || !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("v1 MarshalValue(%T): %v %x %v, want %v %x %v", pair[1], gotType, got, err, wantType, want, wantErr)
		}
	}
	if got, want := (bson.D{{Key: "_id", Value: id1}}).String(), (bson.D{{Key: "_id", Value: bson.ObjectID(id1)}}).String(); got != want {
		t.Errorf("D.String() = %s, want %s", got, want)
	}
}
