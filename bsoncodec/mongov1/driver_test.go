package mongov1_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/bson/mgocompat"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// marshal encodes doc with reg; nil stands for the default registry.
func marshal(reg *bsoncodec.Registry, doc any) ([]byte, error) {
	if reg == nil {
		return bson.Marshal(doc)
	}
	var buf bytes.Buffer
	vw, err := bsonrw.NewBSONValueWriter(&buf)
	if err != nil {
		return nil, err
	}
	enc, err := bson.NewEncoder(vw)
	if err != nil {
		return nil, err
	}
	if err := enc.SetRegistry(reg); err != nil {
		return nil, err
	}
	err = enc.Encode(doc)
	return buf.Bytes(), err
}

// unmarshal decodes data with reg into doc; nil stands for the default registry.
func unmarshal(reg *bsoncodec.Registry, data []byte, doc any) error {
	if reg == nil {
		return bson.Unmarshal(data, doc)
	}
	dec, err := bson.NewDecoder(bsonrw.NewBSONDocumentReader(data))
	if err != nil {
		return err
	}
	if err := dec.SetRegistry(reg); err != nil {
		return err
	}
	return dec.Decode(doc)
}

// newMgoRegistry returns a registry with the rules of the old driver mgo.
func newMgoRegistry() *bsoncodec.Registry { return mgocompat.NewRegistryBuilder().Build() } //lint:ignore SA1019 the only way to one of our own

// A blank import makes the default registry store IDs as ObjectIds, and maps nothing.
func TestDefaultRegistry(t *testing.T) {
	n1, n2 := primitive.ObjectID(id1), primitive.ObjectID(id2)
	doc := ours{id1, &id2, []oid.ID{id1, {}, id2}, oid.For[ours](id1), (*oid.For[ours])(&id2), map[oid.ID]oid.ID{id1: id2}, nil}
	sameBytes(t, nil, ours{}, native{})
	sameBytes(t, nil, doc, native{n1, &n2, []primitive.ObjectID{n1, {}, n2}, n1, &n2, map[primitive.ObjectID]primitive.ObjectID{n1: n2}, nil})
	roundTrip(t, nil, doc)
	roundTrip(t, nil, struct {
		A order
		B []pointerOrder
		C *order
		D map[string]order
		E private
	}{order{id1, 7}, []pointerOrder{{&id1, 7}, {nil, 8}}, &order{id2, 9}, map[string]order{"k": {id1, 7}}, private{For: oid.For[order](id1)}})
	var m bson.M
	if err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "a", Value: id1}}), &m); err != nil || m["a"] != any(n1) {
		t.Errorf("an any: %#v, %v", m, err)
	}
}

// A method of its own is kept, and a number is not an ID.
func TestStructsWithMethodsOfTheirOwn(t *testing.T) {
	reg := mongov1.NewRegistry()
	sameBytes(t, reg, bson.D{{Key: "ref", Value: ref{id1, "x"}}}, bson.D{{Key: "ref", Value: primitive.ObjectID(id1)}})
	got := struct{ V private }{private{For: oid.For[order](id1)}}
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "v", Value: 7}}), &got); !errors.Is(err, oid.ErrSyntax) || oid.ID(got.V.For) != id1 {
		t.Errorf("a number into a struct that is an ID: %v, %v", got.V, err)
	}
}

// These types say themselves how they are stored.
type (
	ref struct {
		oid.ID
		Name string
	}
	text    string
	failing struct{}
)

func (r ref) ProxyBSON() (any, error)   { return r.ID.ProxyBSON() }
func (t text) ProxyBSON() (any, error)  { return string(t), nil }
func (failing) ProxyBSON() (any, error) { return primitive.ObjectID(id1), errors.New("no") }

// Register on a registry that is in use already comes too late for the types that
// it has met. They are stored rightly, and fail to decode.
func TestLateRegister(t *testing.T) {
	type doc struct{ ID oid.ID }
	reg := bson.NewRegistry()
	want := bson.D{{Key: "id", Value: primitive.ObjectID(id1)}}
	sameBytes(t, reg, doc{id1}, want)
	if err := unmarshal(reg, mustMarshal(t, want), &doc{}); err == nil {
		t.Error("decoded without a codec")
	}
	mongov1.Register(reg)
	sameBytes(t, reg, doc{id1}, want)
	if err := unmarshal(reg, mustMarshal(t, want), &doc{}); err == nil || !strings.Contains(err.Error(), "cannot decode objectID into an array") {
		t.Errorf("the registry forgot what it had met: %v", err)
	}
	sameBytes(t, reg, bson.D{{Key: "id", Value: id1}}, want) // a filter finds the document
}

// Many programs for this driver make a registry of their own, without the driver's
// codecs for package bson. It stores the same bytes.
func TestRegistryWithoutTheCodecsOfPackageBSON(t *testing.T) {
	builder := bsoncodec.NewRegistryBuilder()                         //lint:ignore SA1019 programs use it
	bsoncodec.DefaultValueEncoders{}.RegisterDefaultEncoders(builder) //lint:ignore SA1019 programs use it
	bsoncodec.DefaultValueDecoders{}.RegisterDefaultDecoders(builder) //lint:ignore SA1019 programs use it
	reg := builder.Build()                                            //lint:ignore SA1019 programs use it
	mongov1.Register(reg)
	doc := ours{ID: id1, Ref: &id2, Refs: []oid.ID{id1, id2}, Typed: oid.For[ours](id1)}
	sameBytes(t, reg, doc, doc)
	roundTrip(t, reg, doc)
	var text struct{ A []oid.ID }
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "a", Value: bson.A{id1.Hex(), nil}}}), &text); err != nil || !reflect.DeepEqual(text.A, []oid.ID{id1, {}}) {
		t.Errorf("a list of text: %v, %v", text.A, err)
	}
}

// A registry without any codecs gives errors, and doesn't panic.
func TestRegistryWithoutCodecs(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	mongov1.Register(reg)
	of := reflect.TypeFor[order]()
	encoder, err := reg.LookupEncoder(of)
	if err != nil {
		t.Fatal(err)
	}
	if err := encoder.EncodeValue(bsoncodec.EncodeContext{Registry: reg}, nil, reflect.ValueOf(order{})); err == nil || !strings.Contains(err.Error(), "no encoder found") {
		t.Errorf("the encoder of %v: %v, want that there is no encoder", of, err)
	}
}

// The error of a type's own method comes back to the caller, also for no value.
func TestErrorsOfMethodsAreReturned(t *testing.T) {
	for _, doc := range []any{bson.D{{Key: "a", Value: failing{}}}, struct{ A failing }{}, struct{ A []failing }{[]failing{{}}}, map[string]failing{"a": {}}} {
		if data, err := marshal(mongov1.NewRegistry(), doc); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("marshal(%T) = %v, %v, want the error of the method", doc, bson.Raw(data), err)
		}
	}
	reg := mongov1.NewRegistry()
	for _, of := range []reflect.Type{reflect.TypeFor[oid.For[order]](), reflect.TypeFor[private]()} {
		encoder, err := reg.LookupEncoder(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := encoder.EncodeValue(bsoncodec.EncodeContext{Registry: reg}, nil, reflect.Value{}); err == nil {
			t.Errorf("the encoder of %v took no value", of)
		}
		decoder, err := reg.LookupDecoder(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := decoder.DecodeValue(bsoncodec.DecodeContext{Registry: reg}, nil, reflect.Value{}); err == nil {
			t.Errorf("the decoder of %v took no value", of)
		}
	}
}

// sealed is a type of 12 bytes with methods that a registered codec must come before.
type sealed [12]byte

func (sealed) ProxyBSON() (any, error) { return nil, errors.New("not by this method") }
func (*sealed) UnmarshalBSONValue(bsontype.Type, []byte) error {
	return errors.New("not by this method")
}

func TestRegisterForComesBeforeMethods(t *testing.T) {
	type doc struct {
		Value sealed
		Ptr   *sealed
		List  []sealed
		Ptrs  []*sealed
	}
	s := sealed(id1)
	reg := mongov1.NewRegistry()
	mongov1.RegisterFor[sealed](reg)
	sameBytes(t, reg, doc{s, &s, []sealed{s}, []*sealed{&s}},
		bson.D{{Key: "value", Value: id1}, {Key: "ptr", Value: id1}, {Key: "list", Value: bson.A{id1}}, {Key: "ptrs", Value: bson.A{id1}}})
	roundTrip(t, reg, doc{s, &s, []sealed{s}, []*sealed{&s}})
}

// optional says itself what its nil pointer is.
type optional struct{ text string }

func (o *optional) ProxyBSON() (any, error) {
	if o == nil {
		return "none", nil
	}
	return o.text, nil
}

func TestPointersWithMethodsOfTheirOwnKeepThem(t *testing.T) {
	type doc struct{ A, B *optional }
	sameBytes(t, mongov1.NewRegistry(), doc{B: &optional{"x"}}, bson.D{{Key: "a", Value: "none"}, {Key: "b", Value: "x"}})
}

// The driver's readers are left where they are after an error, so that a codec must
// return it.
func TestDecodersReturnTheErrorsOfReaders(t *testing.T) {
	reg := mongov1.NewRegistry()
	mongov1.AcceptBinary(reg)
	_, list, err := bson.MarshalValue(bson.A{id1, id2})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of   reflect.Type
		typ  bsontype.Type
		data []byte
	}{
		{reflect.TypeFor[oid.ID](), bson.TypeObjectID, id1[:11]},
		{reflect.TypeFor[oid.ID](), bson.TypeBinary, id1[:]},
		{reflect.TypeFor[oid.ID](), bson.TypeString, []byte("\x19\x00\x00\x00" + id1.Hex())},
		{reflect.TypeFor[[]oid.ID](), bson.TypeArray, list[:len(list)-1]},
		{reflect.TypeFor[struct{ oid.For[order] }](), bson.TypeObjectID, id1[:11]},
	} {
		decoder, err := reg.LookupDecoder(tt.of)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.New(tt.of).Elem()
		if err := decoder.DecodeValue(bsoncodec.DecodeContext{Registry: reg}, bsonrw.NewBSONValueReader(tt.typ, tt.data), v); err == nil || errors.Is(err, oid.ErrSyntax) || !v.IsZero() {
			t.Errorf("a %v that is cut into %v: %v, %v", tt.typ, tt.of, v, err)
		}
	}
}

// A reader of Extended JSON has no bytes of a list.
func TestListsAreReadFromExtendedJSON(t *testing.T) {
	for text, want := range map[string][]oid.ID{
		`{"a": [{"$oid": "` + id1.Hex() + `"}, {"$oid": "` + id2.Hex() + `"}]}`: {id1, id2},
		`{"a": ["` + id1.Hex() + `", null]}`:                                    {id1, {}},
		`{"a": [{"$oid": "` + id1.Hex() + `"}, 7]}`:                             nil, // an error
		`{"a": [{"$oid": "` + id1.Hex() + `"}`:                                  nil,
	} {
		var doc struct{ A []oid.ID }
		err := bson.UnmarshalExtJSONWithRegistry(mongov1.NewRegistry(), []byte(text), true, &doc) //lint:ignore SA1019 as users have it
		if (err == nil) != (want != nil) || !reflect.DeepEqual(doc.A, want) {
			t.Errorf("%s: %v, %v, want %v", text, doc.A, err, want)
		}
	}
}

// A list is not a document.
func TestTopLevelListIsAnError(t *testing.T) {
	if data, err := marshal(mongov1.NewRegistry(), []oid.ID{id1}); err == nil {
		t.Errorf("a list as a document: %v", bson.Raw(data))
	}
}
