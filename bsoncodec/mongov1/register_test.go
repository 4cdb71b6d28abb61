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
	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

var (
	id1 = oid.MustParse("65b3f7edd9bfca00daa6e3b1")
	id2 = oid.MustParse("00112233445566778899aabb")
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

// mustMarshal encodes doc with the driver's default registry.
func mustMarshal(t *testing.T, doc any) []byte {
	t.Helper()
	data, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sameBytes fails the test unless reg encodes doc as the driver encodes want, which
// holds IDs as primitive.ObjectID only.
func sameBytes(t *testing.T, reg *bsoncodec.Registry, doc, want any) {
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
func roundTrip(t *testing.T, reg *bsoncodec.Registry, doc any) {
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
	ID    primitive.ObjectID                        `bson:"_id,omitempty"`
	Ref   *primitive.ObjectID                       `bson:"ref"`
	Refs  []primitive.ObjectID                      `bson:"refs"`
	Typed primitive.ObjectID                        `bson:"typed"`
	Ptr   *primitive.ObjectID                       `bson:"ptr"`
	ByID  map[primitive.ObjectID]primitive.ObjectID `bson:"byID"`
	Any   any                                       `bson:"any"`
}

// A blank import makes the default registry store IDs as ObjectIds; a registry
// of one's own needs Register.
func TestSameBytesAsNative(t *testing.T) {
	n1, n2 := primitive.ObjectID(id1), primitive.ObjectID(id2)
	for _, reg := range []*bsoncodec.Registry{nil, mongov1.NewRegistry()} {
		sameBytes(t, reg, ours{}, native{})
		sameBytes(t, reg,
			ours{id1, &id2, []oid.ID{id1, {}, id2}, oid.For[ours](id1), (*oid.For[ours])(&id2), map[oid.ID]oid.ID{id1: id2}, id2},
			native{n1, &n2, []primitive.ObjectID{n1, {}, n2}, n1, &n2, map[primitive.ObjectID]primitive.ObjectID{n1: n2}, n2})
		roundTrip(t, reg, ours{id1, &id2, []oid.ID{id1, {}, id2}, oid.For[ours](id1), (*oid.For[ours])(&id2), map[oid.ID]oid.ID{id1: id2}, nil})
	}
}

func TestNilSliceIsTheRegistrysAffair(t *testing.T) {
	type doc struct{ Refs []oid.ID }
	mgo := mgocompat.NewRegistryBuilder().Build() //lint:ignore SA1019 the only way to one of our own
	mongov1.Register(mgo)
	sameBytes(t, mgo, doc{}, bson.D{{Key: "refs", Value: bson.A{}}})
	sameBytes(t, nil, doc{}, bson.D{{Key: "refs", Value: nil}})
}

func TestBadInputChangesNothing(t *testing.T) {
	type doc struct {
		ID    oid.ID
		Typed oid.For[ours]
		Refs  []oid.ID
	}
	for _, value := range []any{
		int32(7), "", "65b3f7edd9bfca00daa6e3b", "twelve bytes", "zzb3f7edd9bfca00daa6e3b1", true, bson.D{{Key: "$oid", Value: id1.Hex()}},
		primitive.Binary{Data: id1[:]}, primitive.Symbol(id1.Hex()), primitive.DateTime(7), primitive.MinKey{}, primitive.DBPointer{Pointer: primitive.ObjectID(id1)},
	} {
		got := doc{id1, oid.For[ours](id1), []oid.ID{id1, id2}}
		if err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "id", Value: value}}), &got); !errors.Is(err, oid.ErrSyntax) || got.ID != id1 {
			t.Errorf("%T(%v) into an id: %v, %v", value, value, got.ID, err)
		}
		if err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "typed", Value: value}}), &got); !errors.Is(err, oid.ErrSyntax) || oid.ID(got.Typed) != id1 {
			t.Errorf("%T(%v) into an oid.For: %v, %v", value, value, got.Typed, err)
		}
		err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "refs", Value: bson.A{id2, value}}}), &got)
		if !errors.Is(err, oid.ErrSyntax) || !reflect.DeepEqual(got.Refs, []oid.ID{id1, id2}) {
			t.Errorf("%T(%v) into a list: %v, %v", value, value, got.Refs, err)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "error decoding key refs.1: ") {
			t.Errorf("%T(%v) into a list: error %q doesn't say where", value, value, err)
		}
	}
	for _, value := range []any{id1, int32(7), bson.D{{Key: "0", Value: id1}}, bson.D{}, primitive.Binary{Data: id1[:]}} {
		got := doc{Refs: []oid.ID{id2}}
		if err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "refs", Value: value}}), &got); err == nil || !reflect.DeepEqual(got.Refs, []oid.ID{id2}) {
			t.Errorf("%T(%v) in place of a list: %v, %v", value, value, got.Refs, err)
		}
	}
}

func TestUndefinedIntoAPointerIsNil(t *testing.T) {
	type doc struct {
		ID    *oid.ID
		Typed *oid.For[ours]
	}
	data := mustMarshal(t, bson.D{{Key: "id", Value: primitive.Undefined{}}, {Key: "typed", Value: primitive.Undefined{}}})
	got := doc{&id1, (*oid.For[ours])(&id1)}
	if err := bson.Unmarshal(data, &got); err != nil || got.ID != nil || got.Typed != nil {
		t.Errorf("%v, %v", got, err)
	}
}

type (
	userID primitive.ObjectID
	typed  struct {
		User  userID
		Ptr   *userID
		Users []userID
		Nonce [12]byte
	}
)

func TestDefinedTypesAreBinaryUnlessRegistered(t *testing.T) {
	doc := typed{userID(id1), (*userID)(&id1), []userID{userID(id1)}, id2}
	binary := func(id oid.ID) primitive.Binary { return primitive.Binary{Data: id[:]} }
	old := bson.D{{Key: "user", Value: binary(id1)}, {Key: "ptr", Value: binary(id1)},
		{Key: "users", Value: bson.A{binary(id1)}}, {Key: "nonce", Value: binary(id2)}}
	sameBytes(t, nil, doc, old)

	reg := mongov1.NewRegistry()
	mongov1.RegisterFor[userID](reg)
	sameBytes(t, reg, doc, bson.D{{Key: "user", Value: id1}, {Key: "ptr", Value: id1},
		{Key: "users", Value: bson.A{id1}}, {Key: "nonce", Value: binary(id2)}})
	roundTrip(t, reg, doc)

	var got typed
	if err := unmarshal(reg, mustMarshal(t, old), &got); !errors.Is(err, oid.ErrSyntax) {
		t.Errorf("Binary was read without AcceptBinary: %v", err)
	}
	mongov1.AcceptBinary(reg)
	if err := unmarshal(reg, mustMarshal(t, old), &got); err != nil || !reflect.DeepEqual(got, doc) {
		t.Errorf("with AcceptBinary: %v, %v", got, err)
	}
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "user", Value: primitive.Binary{Data: id1[:11]}}}), &got); !errors.Is(err, oid.ErrSyntax) {
		t.Errorf("11 bytes with AcceptBinary: %v", err)
	}
}

func TestMapAny(t *testing.T) {
	data := mustMarshal(t, bson.D{{Key: "a", Value: id1}})
	// The import of this package registers codecs, and maps nothing.
	var m bson.M
	if err := bson.Unmarshal(data, &m); err != nil || m["a"] != any(primitive.ObjectID(id1)) {
		t.Errorf("bson.DefaultRegistry: %#v, %v", m, err)
	}
	reg := bson.NewRegistry()
	mongov1.Register(reg)
	m = nil
	if err := unmarshal(reg, data, &m); err != nil || m["a"] != any(primitive.ObjectID(id1)) {
		t.Errorf("without: %#v, %v", m, err)
	}
	reg, m = mongov1.NewRegistry(), nil
	if err := unmarshal(reg, data, &m); err != nil || m["a"] != any(id1) {
		t.Errorf("with: %#v, %v", m, err)
	}
}

type (
	order struct {
		oid.ID `bson:"_id"`
		Total  int
	}
	pointerOrder struct {
		*oid.ID `bson:"_id"`
		Total   int
	}
	extendedOrder struct {
		jsonx.Extended `bson:"_id"`
		Total          int
	}
	hexOrder struct {
		sqltype.Hex `bson:"_id"`
		Total       int
	}
	uuidOrder struct {
		sqltype.UUID `bson:"_id"`
		Total        int
	}
	zeroNullOrder struct {
		sqltype.ZeroNull `bson:"_id"`
		Total            int
	}
	zeroNullForOrder struct {
		sqltype.ZeroNullFor[order] `bson:"_id"`
		Total                      int
	}
	typedOrder struct {
		oid.For[order] `bson:"_id"`
		Total          int
	}
	Base struct {
		oid.ID `bson:"_id"`
	}
	inlined struct {
		Base  `bson:",inline"`
		Total int
	}
	wrapper struct {
		oid.For[order]
		cached string
	}
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

func TestStructsThatEmbedAnIDAreDocuments(t *testing.T) {
	want := bson.D{{Key: "_id", Value: primitive.ObjectID(id1)}, {Key: "total", Value: 7}}
	for _, doc := range []any{order{id1, 7}, &order{id1, 7}, pointerOrder{&id1, 7}, &pointerOrder{&id1, 7},
		extendedOrder{jsonx.Extended(id1), 7}, hexOrder{sqltype.Hex(id1), 7}, uuidOrder{sqltype.UUID(id1), 7},
		zeroNullOrder{sqltype.ZeroNull(id1), 7}, zeroNullForOrder{sqltype.ZeroNullFor[order](id1), 7}} {
		if reflect.TypeOf(doc).Kind() == reflect.Struct {
			roundTrip(t, nil, doc)
		}
		sameBytes(t, nil, doc, want)
		sameBytes(t, nil, bson.D{{Key: "a", Value: bson.A{doc}}}, bson.D{{Key: "a", Value: bson.A{want}}})
	}
	roundTrip(t, nil, order{id1, 7})
	roundTrip(t, nil, struct {
		A order
		B []pointerOrder
		C *order
		D map[string]order
	}{order{id1, 7}, []pointerOrder{{&id1, 7}, {nil, 8}}, &order{id2, 9}, map[string]order{"k": {id1, 7}}})
	sameBytes(t, nil, struct {
		oid.ID
		Total int
	}{id1, 7}, bson.D{{Key: "id", Value: primitive.ObjectID(id1)}, {Key: "total", Value: 7}})
	// A method of its own is kept.
	sameBytes(t, nil, bson.D{{Key: "ref", Value: ref{id1, "x"}}}, bson.D{{Key: "ref", Value: primitive.ObjectID(id1)}})
}

// A struct that holds nothing but an untagged embedded ID stands for it.
func TestStructsThatAreIDs(t *testing.T) {
	type doc struct {
		V    wrapper
		Ptr  *wrapper
		List []wrapper
		Nil  *wrapper
	}
	w := wrapper{For: oid.For[order](id1)}
	sameBytes(t, nil, doc{V: wrapper{oid.For[order](id1), "x"}, Ptr: &w, List: []wrapper{w}}, bson.D{{Key: "v", Value: id1}, {Key: "ptr", Value: id1},
		{Key: "list", Value: bson.A{id1}}, {Key: "nil", Value: nil}})
	roundTrip(t, nil, doc{V: w, Ptr: &w, List: []wrapper{w}})
	got := doc{V: w}
	if err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "v", Value: 7}}), &got); !errors.Is(err, oid.ErrSyntax) || got.V != w {
		t.Errorf("a number into a struct that is an id: %v, %v", got.V, err)
	}
}

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

func TestRegisterTwice(t *testing.T) {
	reg := mongov1.NewRegistry()
	mongov1.Register(reg)
	roundTrip(t, reg, ours{ID: id1, Ref: &id2, Refs: []oid.ID{id1}, Typed: oid.For[ours](id1)})
	roundTrip(t, reg, struct{ Orders []order }{[]order{{id1, 7}}})
}

// A message that ends too early is an error in each kind of value that IDs are read
// from.
func TestCutDocumentsAreErrors(t *testing.T) {
	reg := mongov1.NewRegistry()
	mongov1.AcceptBinary(reg)
	mongov1.RegisterHex[invoiceID](reg)
	type doc struct {
		A       oid.ID
		Binary  oid.ID
		Text    oid.ID
		Hex     invoiceID
		List    []oid.ID
		Mixed   []oid.ID
		Wrapper struct{ oid.For[order] }
	}
	data := mustMarshal(t, bson.D{{Key: "a", Value: id1}, {Key: "binary", Value: primitive.Binary{Data: id1[:]}}, {Key: "text", Value: id1.Hex()},
		{Key: "hex", Value: id1}, {Key: "list", Value: bson.A{id1, id2}}, {Key: "mixed", Value: bson.A{id1, id2.Hex()}}, {Key: "wrapper", Value: id1}})
	want := doc{id1, id1, id1, invoiceID(id1.Hex()), []oid.ID{id1, id2}, []oid.ID{id1, id2}, struct{ oid.For[order] }{oid.For[order](id1)}}
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
	for _, of := range []reflect.Type{reflect.TypeFor[oid.For[order]](), reflect.TypeFor[wrapper]()} {
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

// A list that fits is read into the memory that is there.
func TestListsKeepTheirMemory(t *testing.T) {
	var doc struct{ List []oid.ID }
	for _, have := range []int{2, 3} {
		doc.List = make([]oid.ID, have)
		before := &doc.List[0]
		err := unmarshal(mongov1.NewRegistry(), mustMarshal(t, bson.D{{Key: "list", Value: bson.A{id1, id2}}}), &doc)
		if err != nil || !reflect.DeepEqual(doc.List, []oid.ID{id1, id2}) || &doc.List[0] != before {
			t.Errorf("a list of 2 into one of %d: %v, %v, or new memory", have, doc.List, err)
		}
	}
}

// A value whose length is a lie is an error, and changes nothing.
func TestLyingLengthsAreErrors(t *testing.T) {
	reg := mongov1.NewRegistry()
	mongov1.AcceptBinary(reg)
	type doc struct {
		A oid.ID
		W struct{ oid.For[order] }
		L []oid.ID
	}
	before := doc{id2, struct{ oid.For[order] }{oid.For[order](id2)}, []oid.ID{id2}}
	for _, key := range []string{"a", "w", "l"} {
		for _, value := range []any{id1.Hex(), primitive.Binary{Data: id1[:]}, bson.A{id1}, bson.A{id1.Hex()}} {
			data := mustMarshal(t, bson.D{{Key: key, Value: value}})
			data[8] = 0x7f // the value's length comes after the document's, the type and the key
			got := before
			if err := unmarshal(reg, data, &got); err == nil || !reflect.DeepEqual(got, before) {
				t.Errorf("%T for %q: %v, %v, want an error and %v", value, key, got, err, before)
			}
		}
	}
}

// Only a generic Binary of 12 bytes is an ID, and only with AcceptBinary.
func TestAcceptBinaryRefusesOthers(t *testing.T) {
	reg := mongov1.NewRegistry()
	mongov1.AcceptBinary(reg)
	for _, binary := range []primitive.Binary{{Data: id1[:11]}, {Data: append(id1[:], 0)}, {Data: id1[:], Subtype: bson.TypeBinaryUserDefined}, {Data: id1[:], Subtype: bson.TypeBinaryUUID}} {
		doc := struct{ A oid.ID }{id2}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "a", Value: binary}}), &doc); !errors.Is(err, oid.ErrSyntax) || doc.A != id2 {
			t.Errorf("%d bytes of subtype %d: %v, %v", len(binary.Data), binary.Subtype, doc.A, err)
		}
	}
}

// An empty list is not nil, and a shorter one has its own length.
func TestDecodeIntoSlices(t *testing.T) {
	for _, have := range [][]oid.ID{nil, {}, {id2}, {id2, id2, id2}} {
		for _, want := range [][]oid.ID{{}, {id1}, {id1, id2}} {
			doc := struct{ L []oid.ID }{have}
			if err := unmarshal(mongov1.NewRegistry(), mustMarshal(t, bson.D{{Key: "l", Value: want}}), &doc); err != nil || !reflect.DeepEqual(doc.L, want) {
				t.Errorf("%v into %v: %#v, %v", want, have, doc.L, err)
			}
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

// Null makes a list nil, also one that held IDs.
func TestNullIntoAListIsNil(t *testing.T) {
	for _, have := range [][]oid.ID{nil, {}, {id2}} {
		doc := struct{ L []oid.ID }{have}
		if err := unmarshal(mongov1.NewRegistry(), mustMarshal(t, bson.D{{Key: "l", Value: nil}}), &doc); err != nil || doc.L != nil {
			t.Errorf("null into %v: %#v, %v", have, doc.L, err)
		}
	}
}

// A value that is cut is an error of the driver, and changes nothing.
func TestCutValuesChangeNothing(t *testing.T) {
	reg := mongov1.NewRegistry()
	mongov1.AcceptBinary(reg)
	type doc struct {
		A oid.ID
		L []oid.ID
	}
	for _, e := range []bson.E{
		{Key: "a", Value: id1}, {Key: "a", Value: primitive.Binary{Data: id1[:]}}, {Key: "a", Value: id1.Hex()},
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
