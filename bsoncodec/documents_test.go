package bsoncodec_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// A tag for JSON makes a document of a struct that only embeds an ID. With the option, the
// tag is the key.
func TestJSONTagsAreTags(t *testing.T) {
	type doc struct {
		oid.ID `json:"_id"`
	}
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg, bson.D{{Key: "a", Value: doc{id1}}}, bson.D{{Key: "a", Value: bson.D{{Key: "id", Value: id1}}}})
	reg = bsoncodec.NewRegistry() // the driver remembers the keys of a type
	for _, v := range []any{doc{id1}, bson.D{{Key: "a", Value: doc{id1}}}} {
		var buf bytes.Buffer
		enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
		enc.SetRegistry(reg)
		enc.UseJSONStructTags()
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		want := mustMarshal(t, bson.D{{Key: "_id", Value: id1}})
		if _, nested := v.(bson.D); nested {
			want = mustMarshal(t, bson.D{{Key: "a", Value: bson.Raw(want)}})
		}
		if !bytes.Equal(buf.Bytes(), want) {
			t.Errorf("%T with UseJSONStructTags = %v, want %v", v, bson.Raw(buf.Bytes()), bson.Raw(want))
		}
		var got struct {
			Top doc `bson:",inline"`
			A   doc
		}
		dec := bson.NewDecoder(bson.NewDocumentReader(&buf))
		dec.SetRegistry(reg)
		dec.UseJSONStructTags()
		if err := dec.Decode(&got); err != nil || got.Top.ID != id1 && got.A.ID != id1 {
			t.Errorf("%T with UseJSONStructTags reads as %v, %v", v, got, err)
		}
	}
}

// Without the registry of this package, this is what becomes of them.
func TestStructsThatEmbedAnIDLoseTheirFieldsWithoutARegistry(t *testing.T) {
	sameBytes(t, bson.NewRegistry(), struct{ Orders []order }{[]order{{id1, 7}}}, bson.D{{Key: "orders", Value: bson.A{id1}}})
	if data, err := bson.Marshal(order{id1, 7}); err == nil {
		t.Errorf("at the top: %v", bson.Raw(data))
	}
}

// ref says itself how it is stored, and so do the types below.
type ref struct {
	oid.ID
	Name string
}

func (r ref) MarshalBSONValue() (byte, []byte, error) { return r.ID.MarshalBSONValue() }

func (r *ref) UnmarshalBSONValue(typ byte, data []byte) error {
	r.Name = "looked up"
	return r.ID.UnmarshalBSONValue(typ, data)
}

type genericRef[T any] struct {
	oid.ID
	Extra T
}

func (r genericRef[T]) MarshalBSONValue() (byte, []byte, error) { return r.ID.MarshalBSONValue() }

type pointerRef struct {
	oid.ID
	Name string
}

func (r *pointerRef) MarshalBSONValue() (byte, []byte, error) { return r.ID.MarshalBSONValue() }

// other has the method from an embedded type that is none of ours.
type other struct {
	text
	Name string
}

type text string

func (s text) MarshalBSONValue() (byte, []byte, error) {
	typ, data, err := bson.MarshalValue(string(s))
	return byte(typ), data, err
}

// failing has the method and no value.
type failing struct{}

func (failing) MarshalBSONValue() (byte, []byte, error) { return 0x07, id1[:], errors.New("no") }

// onlyWritten and onlyRead have one method of their own, and the other one by
// embedding: so they go together.
type (
	onlyWritten struct {
		oid.ID
		Name string
	}
	onlyRead struct {
		oid.ID
		Name string
	}
)

func (o onlyWritten) MarshalBSONValue() (byte, []byte, error) { return o.ID.MarshalBSONValue() }

func (o *onlyRead) UnmarshalBSONValue(typ byte, data []byte) error {
	o.Name = "looked up"
	return o.ID.UnmarshalBSONValue(typ, data)
}

func TestStructsWithOneMethodOfTheirOwnComeBack(t *testing.T) {
	type doc struct {
		W onlyWritten
		R onlyRead
	}
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg, doc{onlyWritten{id1, "x"}, onlyRead{id2, "x"}}, bson.D{{Key: "w", Value: id1}, {Key: "r", Value: id2}})
	roundTrip(t, reg, doc{onlyWritten{id1, ""}, onlyRead{id2, "looked up"}})
}

// both has both kinds of methods. The driver prefers those of values.
type both struct{ Name string }

func (b both) MarshalBSONValue() (byte, []byte, error) { return text(b.Name).MarshalBSONValue() }
func (b both) MarshalBSON() ([]byte, error) {
	return bson.Marshal(bson.D{{Key: "document", Value: b.Name}})
}
func (b *both) UnmarshalBSONValue(byte, []byte) error { b.Name = "a value"; return nil }
func (b *both) UnmarshalBSON([]byte) error            { b.Name = "a document"; return nil }

func TestMethodsOfValuesComeBeforeThoseOfDocuments(t *testing.T) {
	type doc struct{ A both }
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg, doc{both{"x"}}, bson.D{{Key: "a", Value: "x"}})
	roundTrip(t, reg, doc{both{"a value"}})
}

// The error of a type's own method comes back to the caller.
func TestErrorsOfMethodsAreReturned(t *testing.T) {
	for _, doc := range []any{bson.D{{Key: "a", Value: failing{}}}, struct{ A failing }{}, struct{ A []failing }{[]failing{{}}}, map[string]failing{"a": {}}} {
		if data, err := marshal(bsoncodec.NewRegistry(), doc); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("marshal(%T) = %v, %v, want the error of the method", doc, bson.Raw(data), err)
		}
	}
	reg := bsoncodec.NewRegistry()
	for _, of := range []reflect.Type{reflect.TypeFor[oid.For[order]](), reflect.TypeFor[*oid.For[order]]()} {
		encoder, err := reg.LookupEncoder(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := encoder.EncodeValue(bson.EncodeContext{Registry: reg}, nil, reflect.Value{}); err == nil {
			t.Errorf("the encoder of %v took no value", of)
		}
		decoder, err := reg.LookupDecoder(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := decoder.DecodeValue(bson.DecodeContext{Registry: reg}, nil, reflect.Value{}); err == nil {
			t.Errorf("the decoder of %v took no value", of)
		}
	}
}

func TestStructsWithMethodsOfTheirOwnKeepThem(t *testing.T) {
	type doc struct {
		Ref     ref
		Generic genericRef[int]
		Pointer *pointerRef
		Other   other
	}
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg, doc{ref{id1, "x"}, genericRef[int]{id1, 7}, &pointerRef{id2, "x"}, other{"t", "x"}},
		bson.D{{Key: "ref", Value: id1}, {Key: "generic", Value: id1}, {Key: "pointer", Value: id2}, {Key: "other", Value: "t"}})
	var got doc
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "ref", Value: id1}}), &got); err != nil || got.Ref != (ref{id1, "looked up"}) {
		t.Errorf("%v, %v", got.Ref, err)
	}
}

// written says itself how it is stored as a document, and nativeWritten does with
// the driver's ID.
type (
	written struct {
		oid.ID `bson:"_id"`
		Total  int
	}
	nativeWritten struct {
		bson.ObjectID `bson:"_id"`
		Total         int
	}
	hidden struct {
		oid.ID
		total int
	}
	pointerWritten struct {
		oid.ID `bson:"_id"`
		Total  int
	}
	nativePointerWritten struct {
		bson.ObjectID `bson:"_id"`
		Total         int
	}
)

func write(id bson.ObjectID, total int) ([]byte, error) {
	return bson.Marshal(bson.D{{Key: "_id", Value: id}, {Key: "cents", Value: 100 * total}})
}

func read(data []byte) (id bson.ObjectID, total int, err error) {
	var doc struct {
		ID    bson.ObjectID `bson:"_id"`
		Cents int
	}
	err = bson.Unmarshal(data, &doc)
	return doc.ID, doc.Cents / 100, err
}

func (w written) MarshalBSON() ([]byte, error)       { return write(bson.ObjectID(w.ID), w.Total) }
func (w nativeWritten) MarshalBSON() ([]byte, error) { return write(w.ObjectID, w.Total) }
func (w *pointerWritten) MarshalBSON() ([]byte, error) {
	return write(bson.ObjectID(w.ID), w.Total)
}
func (h hidden) MarshalBSON() ([]byte, error)                { return write(bson.ObjectID(h.ID), h.total) }
func (w *nativePointerWritten) MarshalBSON() ([]byte, error) { return write(w.ObjectID, w.Total) }

func (h *hidden) UnmarshalBSON(data []byte) error {
	id, total, err := read(data)
	*h = hidden{oid.ID(id), total}
	return err
}

func (w *written) UnmarshalBSON(data []byte) error {
	id, total, err := read(data)
	*w = written{oid.ID(id), total}
	return err
}

// A document's own MarshalBSON and UnmarshalBSON are called as they are if it
// embeds the driver's ID, also inside another document.
func TestDocumentsThatMarshalThemselvesDo(t *testing.T) {
	type doc[V, P any] struct {
		V    V
		Ptr  *V
		Nil  *V
		List []V
		P    P // not addressable, and so without the methods of its pointer
		PPtr *P
		PS   []P
		Any  any
	}
	n1, n2 := bson.ObjectID(id1), bson.ObjectID(id2)
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg,
		doc[written, pointerWritten]{written{id1, 7}, &written{id2, 8}, nil, []written{{id1, 9}}, pointerWritten{id1, 1}, &pointerWritten{id2, 2}, []pointerWritten{{id1, 3}}, written{id1, 4}},
		doc[nativeWritten, nativePointerWritten]{nativeWritten{n1, 7}, &nativeWritten{n2, 8}, nil, []nativeWritten{{n1, 9}}, nativePointerWritten{n1, 1},
			&nativePointerWritten{n2, 2}, []nativePointerWritten{{n1, 3}}, nativeWritten{n1, 4}})
	sameBytes(t, reg, written{id1, 7}, nativeWritten{n1, 7})
	roundTrip(t, reg, struct {
		V    written
		Ptr  *written
		List []written
		ByID map[oid.ID]written
		Hide []hidden
	}{written{id1, 7}, &written{id2, 8}, []written{{id1, 9}, {id2, 0}}, map[oid.ID]written{id1: {id1, 1}}, []hidden{{id1, 7}}})
}

// sealed is a type of 12 bytes with methods that a registered codec must come before.
type sealed [12]byte

func (sealed) MarshalBSONValue() (byte, []byte, error) {
	return 0, nil, errors.New("not by this method")
}
func (*sealed) UnmarshalBSONValue(byte, []byte) error { return errors.New("not by this method") }

func TestRegisterForComesBeforeMethods(t *testing.T) {
	type doc struct {
		Value sealed
		Ptr   *sealed
		List  []sealed
		Ptrs  []*sealed
	}
	s := sealed(id1)
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[sealed](reg)
	sameBytes(t, reg, doc{s, &s, []sealed{s}, []*sealed{&s}},
		bson.D{{Key: "value", Value: id1}, {Key: "ptr", Value: id1}, {Key: "list", Value: bson.A{id1}}, {Key: "ptrs", Value: bson.A{id1}}})
	roundTrip(t, reg, doc{s, &s, []sealed{s}, []*sealed{&s}})
}

// optional says itself what its nil pointer and undefined are.
type optional struct{ text string }

func (o *optional) MarshalBSONValue() (byte, []byte, error) {
	if o == nil {
		return text("none").MarshalBSONValue()
	}
	return text(o.text).MarshalBSONValue()
}

func (o *optional) UnmarshalBSONValue(typ byte, _ []byte) error {
	o.text = bson.Type(typ).String()
	return nil
}

func TestPointersWithMethodsOfTheirOwnKeepThem(t *testing.T) {
	type doc struct{ A, B *optional }
	reg := bsoncodec.NewRegistry()
	sameBytes(t, reg, doc{B: &optional{"x"}}, bson.D{{Key: "a", Value: "none"}, {Key: "b", Value: "x"}})
	var got doc
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "a", Value: bson.Undefined{}}, {Key: "b", Value: 7}}), &got); err != nil ||
		!reflect.DeepEqual(got, doc{&optional{"undefined"}, &optional{"32-bit integer"}}) {
		t.Errorf("got %v, %v, %v", got.A, got.B, err)
	}
}
