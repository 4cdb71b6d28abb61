package bsoncodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// plain returns v as a tree in which all types of ID are the same: what two
// decoded values have in common if they are equal but for that.
func plain(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		if hex, ok := v.Interface().(hexID); ok {
			return fmt.Sprintf("id %024s", string(hex))
		}
		return v.String()
	case reflect.Array:
		if v.Len() == 12 && v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("id %x", v.Convert(reflect.TypeFor[[12]byte]()).Interface())
		}
	case reflect.Struct:
		list := []any{}
		for i := range v.NumField() {
			list = append(list, plain(v.Field(i)))
		}
		return list
	case reflect.Pointer:
		if v.IsNil() {
			return "nil pointer"
		}
		return []any{"pointer", plain(v.Elem())}
	case reflect.Interface:
		return plain(v.Elem())
	case reflect.Map:
		if v.IsNil() {
			return "nil map"
		}
		list := []string{}
		for _, key := range v.MapKeys() {
			list = append(list, fmt.Sprint(plain(key), ": ", plain(v.MapIndex(key))))
		}
		sort.Strings(list)
		return append(list, "map")
	case reflect.Slice:
		if v.IsNil() {
			return "nil slice"
		}
	default:
		return fmt.Sprint(v)
	}
	list := []any{v.Kind().String()}
	for i := range v.Len() {
		list = append(list, plain(v.Index(i)))
	}
	return list
}

// A target is something to decode into, made anew each time, often with an ID in it
// already.
type target struct {
	name string
	make func() any
}

func targets[T comparable](preset T) []target {
	p := func() *T { copied := preset; return &copied }
	return []target{
		{"zero", func() any { return new(field[T]) }},
		{"preset", func() any { return &field[T]{preset} }},
		{"nil pointer", func() any { return new(field[*T]) }},
		{"preset pointer", func() any { return &field[*T]{p()} }},
		{"pointer to pointer", func() any { q := p(); return &field[**T]{&q} }},
		{"slice", func() any { return new(field[[]T]) }},
		{"preset slice", func() any { return &field[[]T]{append(make([]T, 0, 8), preset, preset, preset)} }},
		{"slice of pointers", func() any { return &field[[]*T]{[]*T{p()}} }},
		{"array", func() any { return &field[[2]T]{[2]T{preset, preset}} }},
		{"map", func() any { return new(field[map[string]T]) }},
		{"preset map", func() any { return &field[map[string]T]{map[string]T{"a": preset, "k": preset}} }},
		{"map by id", func() any { return &field[map[T]any]{map[T]any{preset: 1}} }},
		{"any", func() any { return new(field[any]) }},
		{"any with an id", func() any { return &field[any]{preset} }},
		{"any with a pointer", func() any { return &field[any]{p()} }},
		{"slice of any", func() any { return &field[[]any]{[]any{p(), preset}} }},
		{"document", func() any { return &field[inner[T]]{inner[T]{preset, 7}} }},
		{"pointer to document", func() any { return new(field[*inner[T]]) }},
		{"slice of documents", func() any { return new(field[[]inner[T]]) }},
		{"inline", func() any { return &inlined[T]{Inner: inner[T]{ID: preset}} }},
		{"inline nil pointer", func() any { return new(inlinedPointer[T]) }},
		{"inline map", func() any { return new(inlinedMap[T]) }},
		{"map at the top", func() any { return new(map[string]T) }},
		{"map by id at the top", func() any { return new(map[T]T) }},
		{"id at the top", func() any { return p() }},
		{"slice at the top", func() any { return new([]T) }},
	}
}

// input is a BSON document in the bytes of driver v2.
type input struct {
	name string
	doc  bson.D
}

// inputs returns documents with values that are IDs, could be IDs, and aren't.
func inputs() []input {
	n1, n2 := bson.ObjectID(id1), bson.ObjectID(id2)
	values := []input{{"nothing", bson.D{}}}
	for _, v := range []struct {
		name  string
		value any
	}{
		{"ObjectId", n1},
		{"zero ObjectId", bson.ObjectID{}},
		{"null", nil},
		{"undefined", bson.Undefined{}},
		{"hex", id1.Hex()},
		{"upper-case hex", strings.ToUpper(id1.Hex())},
		{"empty string", ""},
		{"11 bytes", "elevenbytes"},
		{"12 bytes", "twelve bytes"},
		{"12 bytes of UTF-8", "zwölf Bütz"},
		{"23 digits", id1.Hex()[1:]},
		{"25 digits", id1.Hex() + "0"},
		{"24 bytes", "65b3f7edd9bfca00daa6e3bx"},
		{"symbol", bson.Symbol(id1.Hex())},
		{"Binary", bson.Binary{Data: id1[:]}},
		{"old Binary", bson.Binary{Data: id1[:], Subtype: 2}},
		{"Binary of subtype 5", bson.Binary{Data: id1[:], Subtype: 5}},
		{"int32", int32(7)},
		{"int64", int64(7)},
		{"double", 1.5},
		{"bool", true},
		{"date", bson.DateTime(7)},
		{"timestamp", bson.Timestamp{T: 7}},
		{"decimal", bson.NewDecimal128(1, 2)},
		{"regex", bson.Regex{Pattern: "a"}},
		{"code", bson.JavaScript("a")},
		{"code with scope", bson.CodeWithScope{Code: "a", Scope: bson.D{{Key: "_id", Value: n1}}}},
		{"DBPointer", bson.DBPointer{DB: "a", Pointer: n1}},
		{"MinKey", bson.MinKey{}},
		{"MaxKey", bson.MaxKey{}},
		{"empty document", bson.D{}},
		{"$oid", bson.D{{Key: "$oid", Value: id1.Hex()}}},
		{"document", bson.D{{Key: "_id", Value: n1}, {Key: "n", Value: int64(8)}}},
		{"document of null", bson.D{{Key: "_id", Value: nil}}},
		{"by key", bson.D{{Key: "k", Value: n1}}},
		{"null by key", bson.D{{Key: "a", Value: n1}, {Key: "k", Value: nil}}},
		{"undefined by key", bson.D{{Key: "k", Value: bson.Undefined{}}, {Key: "z", Value: n1}}},
		{"number by key", bson.D{{Key: "a", Value: n1}, {Key: "k", Value: int32(7)}}},
		{"by id", bson.D{{Key: id1.Hex(), Value: n2}}},
		{"by printed id", bson.D{{Key: n1.String(), Value: n2}}},
		{"by no key", bson.D{{Key: "", Value: n2}}},
		{"empty array", bson.A{}},
		{"array", bson.A{n1, n2}},
		{"array of 1", bson.A{n1}},
		{"array of 40", func() (a bson.A) {
			for range 40 {
				a = append(a, n1)
			}
			return a
		}()},
		{"array with null", bson.A{n1, nil}},
		{"array with undefined", bson.A{bson.Undefined{}, n1}},
		{"array with hex", bson.A{id1.Hex(), n2}},
		{"array with a number", bson.A{n1, int32(7), n2}},
		{"array of documents", bson.A{bson.D{{Key: "_id", Value: n1}}, bson.D{}}},
		{"array of arrays", bson.A{bson.A{n1}}},
	} {
		values = append(values, input{v.name, bson.D{{Key: "v", Value: v.value}}})
		if v.name == "ObjectId" || v.name == "null" || v.name == "undefined" || v.name == "hex" || v.name == "int32" || v.name == "12 bytes" {
			values = append(values, input{v.name + " as _id", bson.D{{Key: "_id", Value: v.value}, {Key: "x", Value: v.value}}},
				input{v.name + " by id at the top", bson.D{{Key: id1.Hex(), Value: v.value}}})
		}
	}
	return values
}

// How a target may come out otherwise than with the driver's IDs.
const (
	weRefuse  = "we refuse what the driver takes"
	weTake    = "we take what the driver refuses"
	weDeviate = "another value"
)

// decodesOnPurpose returns how we may differ, "" if not at all. It is the code to
// the tables in the package comments of bsoncodec and mongov1.
func decodesOnPurpose(p pairing, input string) string {
	switch {
	case strings.HasPrefix(input, "12 bytes"):
		return weRefuse // a string of 12 bytes isn't an ID
	case strings.Contains(input, "undefined") && (p.name == "v2 default" || p.name == "v2 mgo"):
		return weDeviate // without our codec, a pointer can't become nil
	case strings.HasPrefix(p.name, "v1") && input == "by no key":
		return weTake // the driver's own IDs refuse this key
	}
	return ""
}

// difference says how two outcomes differ, "" if they don't. After an error, what
// the driver's own IDs leave is nothing to go by.
func difference(got any, err error, want any, wantErr error) string {
	switch {
	case err != nil && wantErr != nil:
		return ""
	case err != nil:
		return weRefuse
	case wantErr != nil:
		return weTake
	case !reflect.DeepEqual(plain(reflect.ValueOf(got)), plain(reflect.ValueOf(want))):
		return weDeviate
	}
	return ""
}

func TestSameValues(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pairings {
		for _, option := range p.options(decodeOptions) {
			nativeCodec, oursCodec, forCodec := p.native(), p.ours(), p.ours()
			var native []target
			if nativeCodec.driver == "v2" {
				native = targets(bson.ObjectID(id2))
			} else {
				native = targets(primitive.ObjectID(id2))
			}
			ours, typed := targets(id2), targets(oid.For[field[int]](id2))
			for _, in := range inputs() {
				data, err := bson.Marshal(in.doc)
				if err != nil {
					t.Fatal(err)
				}
				for i := range native {
					want := native[i].make()
					wantErr := nativeCodec.unmarshal(data, want, option)
					for _, c := range []struct {
						codec  codec
						target target
					}{{oursCodec, ours[i]}, {forCodec, typed[i]}} {
						got := c.target.make()
						err := c.codec.unmarshal(data, got, option)
						how := difference(got, err, want, wantErr)
						if how != "" && how == decodesOnPurpose(p, in.name) {
							seen[p.name+", "+in.name] = true
						} else if how != "" {
							t.Errorf("%s, %s, %s into %s, %T:\n got %v, %v\nwant %v, %v", p.name, option, in.name, native[i].name, got,
								plain(reflect.ValueOf(got)), err, plain(reflect.ValueOf(want)), wantErr)
						}
					}
				}
			}
		}
	}
	// Each difference on purpose is there.
	for _, known := range []string{"v2 default, 12 bytes", "v2 ours, 12 bytes", "v1 ours, 12 bytes", "v2 default, undefined", "v1 ours, by no key"} {
		if !seen[known] {
			t.Errorf("no difference any more: %s", known)
		}
	}
}

// A document that comes in pieces is decoded as one in memory: byte by byte, and in
// pieces around the 4,096 bytes of the driver's buffer.
func TestDecodeFromAStream(t *testing.T) {
	type doc struct {
		ID   oid.ID `bson:"_id"`
		Refs []oid.ID
		Name string
		For  []oid.For[int]
		Hex  []hexID
		M    map[string]oid.ID
		Last *oid.ID
	}
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[hexID](reg)
	// Each pad moves the IDs across the borders of the buffer by a byte.
	for pad := range 40 {
		want := doc{ID: id1, Refs: make([]oid.ID, 270), Name: strings.Repeat("x", pad), For: make([]oid.For[int], 300), Hex: []hexID{hexID(id1.Hex()), hexID(id2.Hex())},
			M: map[string]oid.ID{"k": id2}, Last: &id2}
		oid.Fill(want.Refs)
		for i := range want.For {
			want.For[i] = oid.For[int](oid.New())
		}
		data, err := newV2(reg).marshal(want, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 4095, 4096, 4097, 1 << 20} {
			if size == 1 && pad > 0 {
				continue // it is the same for all
			}
			r := &pieces{bytes.NewReader(append(bytes.Clone(data), data...)), size}
			dec := bson.NewDecoder(bson.NewDocumentReader(r))
			dec.SetRegistry(reg)
			for n := range 2 {
				var got doc
				if err := dec.Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("document %d in pieces of %d bytes, pad %d: %v, error %v", n, size, pad, got, err)
				}
			}
			// Cut anywhere in the lists, it is an error.
			dec = bson.NewDecoder(bson.NewDocumentReader(&pieces{bytes.NewReader(data[:len(data)-4096+pad]), size}))
			dec.SetRegistry(reg)
			if err := dec.Decode(new(doc)); err == nil {
				t.Fatalf("a cut document in pieces of %d bytes, pad %d: no error", size, pad)
			}
		}
	}
}

// pieces reads at most size bytes at a time.
type pieces struct {
	r    io.Reader
	size int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.size)]) }

var errOwn = errors.New("an error of the program's own")

// refuses has methods of its own that fail.
type refuses struct{ oid.ID }

func (refuses) MarshalBSONValue() (byte, []byte, error) { return 0, nil, errOwn }
func (*refuses) UnmarshalBSONValue(byte, []byte) error  { return errOwn }
func (refuses) ProxyBSON() (any, error)                 { return nil, errOwn }

// refusesFor is the same for a type that is no struct.
type refusesFor [12]byte

func (refusesFor) MarshalBSONValue() (byte, []byte, error) { return 0, nil, errOwn }
func (*refusesFor) UnmarshalBSONValue(byte, []byte) error  { return errOwn }
func (refusesFor) ProxyBSON() (any, error)                 { return nil, errOwn }

// An error from a method of the program comes through as it is.
func TestErrorsOfTheProgramPassThrough(t *testing.T) {
	data, err := bson.Marshal(bson.D{{Key: "v", Value: id1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairings {
		for _, doc := range []any{&field[refuses]{}, &field[refusesFor]{}, &field[*refuses]{&refuses{}}, &field[[]refuses]{[]refuses{{}}}, &field[any]{refuses{}}} {
			if got, err := p.ours().marshal(doc, ""); !errors.Is(err, errOwn) {
				t.Errorf("%s: %T is stored as %v, %v, want %v", p.name, doc, bson.Raw(got), err, errOwn)
			}
		}
		for _, doc := range []any{&field[refuses]{}, &field[refusesFor]{}, &field[*refuses]{}} {
			if !strings.HasPrefix(p.name, "v2") {
				continue // driver v1 has no such method
			}
			if err := p.ours().unmarshal(data, doc, ""); !errors.Is(err, errOwn) {
				t.Errorf("%s: %T decodes with error %v, want %v", p.name, doc, err, errOwn)
			}
		}
	}
}
