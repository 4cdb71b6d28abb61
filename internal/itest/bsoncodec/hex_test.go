package bsoncodec_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	bsoncodecv1 "go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// hexID holds the digits of an ID. For the matrix it prints itself, as IDs do.
type hexID string

func (h hexID) String() string { return string(h) }

// hexPairings holds the registries that hexID can be registered in: those of the
// drivers with nothing else of ours, and those with all of it.
var hexPairings = []pairing{
	{"v2 default", v2(bson.NewRegistry), v2(withHex(bson.NewRegistry))},
	{"v2 ours", v2(bson.NewRegistry), v2(withHex(bsoncodec.NewRegistry))},
	{"v2 mgo ours", v2(bson.NewMgoRegistry), v2(withHex(registered(bson.NewMgoRegistry)))},
	{"v2 mgo nil ours", v2(bson.NewRespectNilValuesMgoRegistry), v2(withHex(registered(bson.NewRespectNilValuesMgoRegistry)))},
	{"v1 default", v1(bsonv1.NewRegistry), v1(withHexV1(bsonv1.NewRegistry))},
	{"v1 ours", v1(bsonv1.NewRegistry), v1(withHexV1(mongov1.NewRegistry))},
	{"v1 mgo ours", v1(newMgo), v1(withHexV1(func() *bsoncodecv1.Registry {
		reg := newMgo()
		mongov1.Register(reg)
		return reg
	}))},
}

func withHex(construct func() *bson.Registry) func() *bson.Registry {
	return func() *bson.Registry {
		reg := construct()
		bsoncodec.RegisterHex[hexID](reg)
		return reg
	}
}

func withHexV1(construct func() *bsoncodecv1.Registry) func() *bsoncodecv1.Registry {
	return func() *bsoncodecv1.Registry {
		reg := construct()
		mongov1.RegisterHex[hexID](reg)
		return reg
	}
}

// In every place where an ID can be, the digits are stored in the bytes of the
// driver's own ID. If that is the zero ID, "" is an error.
func TestHexIsStoredAsObjectID(t *testing.T) {
	zero := make([]byte, 12)
	refused := map[string]bool{}
	for _, p := range hexPairings {
		for _, option := range encodeOptions {
			nativeCodec, hexCodec := p.native(), p.ours()
			var native []shape
			if nativeCodec.driver == "v2" {
				native = shapes(nativeCodec, bson.ObjectID(id1), bson.ObjectID(id2))
			} else {
				native = shapes(nativeCodec, primitive.ObjectID(id1), primitive.ObjectID(id2))
			}
			hex := shapes(hexCodec, hexID(id1.Hex()), hexID(strings.ToUpper(id2.Hex())))
			for i, shape := range native {
				want, wantErr := nativeCodec.marshal(shape.doc, option)
				got, err := hexCodec.marshal(hex[i].doc, option)
				switch {
				case shape.name == "map key" || shape.name == "zero map key" || shape.name == "map at the top":
					// Keys are the text that they are.
				case wantErr != nil || bytes.Contains(want, zero) || strings.HasSuffix(shape.name, "pointer to zero"):
					// The driver omits a zero ID behind a pointer, but no text.
					if err == nil {
						t.Errorf("%s, %s, %s: stored %v, want an error", p.name, option, shape.name, bson.Raw(got))
					}
					if wantErr == nil && !errors.Is(err, oid.ErrSyntax) {
						t.Errorf("%s, %s, %s: error %v, want oid.ErrSyntax", p.name, option, shape.name, err)
					}
					refused[shape.name] = true
				case err != nil || !bytes.Equal(got, want):
					t.Errorf("%s, %s, %s:\n got %v, %v\nwant %v", p.name, option, shape.name, bson.Raw(got), err, bson.Raw(want))
				}
			}
		}
	}
	for _, name := range []string{"zero", "slice", "zero in any", "pointer to zero", "omitempty struct"} {
		if !refused[name] {
			t.Errorf("%s: never refused", name)
		}
	}
	for _, name := range []string{"omitempty zero", "omitempty nil pointer", "value", "$in", "pipeline"} {
		if refused[name] {
			t.Errorf("%s: refused", name)
		}
	}
}

// Values that the driver decodes to its own ID are decoded to the digits of that ID, and what
// it refuses is refused.
func TestHexDecodesAsObjectID(t *testing.T) {
	for _, p := range hexPairings {
		for _, option := range decodeOptions {
			nativeCodec, hexCodec := p.native(), p.ours()
			var native []target
			if nativeCodec.driver == "v2" {
				native = targets(bson.ObjectID(id2))
			} else {
				native = targets(primitive.ObjectID(id2))
			}
			hex := targets(hexID(id2.Hex()))
			for _, in := range inputs() {
				data, err := bson.Marshal(in.doc)
				if err != nil {
					t.Fatal(err)
				}
				for i := range native {
					if strings.HasPrefix(native[i].name, "map by id") {
						continue // keys are the text that they are
					}
					want, got := native[i].make(), hex[i].make()
					wantErr := nativeCodec.unmarshal(data, want, option)
					err := hexCodec.unmarshal(data, got, option)
					how := difference(got, err, want, wantErr)
					if how == weRefuse && strings.HasPrefix(in.name, "12 bytes") {
						continue // a string of 12 bytes isn't an ID
					}
					if how != "" {
						t.Errorf("%s, %s, %s into %s:\n got %v, %v\nwant %v, %v", p.name, option, in.name, native[i].name,
							plain(reflect.ValueOf(got)), err, plain(reflect.ValueOf(want)), wantErr)
					}
				}
			}
		}
	}
}

// Null and undefined decode to "", and so does no other value. An ObjectId decodes to
// lower-case digits, also where text in upper case was before.
func TestHexOfWhatIsRead(t *testing.T) {
	for _, p := range hexPairings {
		for _, tt := range []struct {
			value any
			want  hexID
		}{
			{bson.ObjectID(id1), hexID(id1.Hex())}, {bson.ObjectID{}, "000000000000000000000000"}, {nil, ""}, {bson.Undefined{}, ""},
			{strings.ToUpper(id1.Hex()), hexID(id1.Hex())},
		} {
			data, err := bson.Marshal(bson.D{{Key: "v", Value: tt.value}})
			if err != nil {
				t.Fatal(err)
			}
			got := field[hexID]{"AAAAAAAAAAAAAAAAAAAAAAAA"}
			if err := p.ours().unmarshal(data, &got, ""); err != nil || got.V != tt.want {
				t.Errorf("%s: %v decodes to %q, %v, want %q", p.name, tt.value, got.V, err, tt.want)
			}
		}
		for _, value := range []any{"", "no id", "65b3f7edd9bfca00daa6e3b", int32(7), bson.Binary{Data: id1[:]}, bson.Symbol(id1.Hex())} {
			data, err := bson.Marshal(bson.D{{Key: "v", Value: value}})
			if err != nil {
				t.Fatal(err)
			}
			got := field[hexID]{hexID(id2.Hex())} // the registries of mgo clear it before
			if err := p.ours().unmarshal(data, &got, ""); !errors.Is(err, oid.ErrSyntax) || got.V != hexID(id2.Hex()) && !strings.Contains(p.name, "mgo") {
				t.Errorf("%s: %T %v decodes to %q, %v, want oid.ErrSyntax and no change", p.name, value, value, got.V, err)
			}
		}
	}
}

// The digits cost one allocation more than the ID.
func TestHexAllocatesTheTextOnly(t *testing.T) {
	regV2 := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[hexID](regV2)
	data, err := bson.Marshal(field[bson.ObjectID]{bson.ObjectID(id1)})
	if err != nil {
		t.Fatal(err)
	}
	raw := bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}
	count := func(doc any) float64 { // the least of some runs: under the race detector, a sync.Pool loses items
		least := math.Inf(1)
		for range 50 {
			least = min(least, testing.AllocsPerRun(1, func() {
				if err := raw.UnmarshalWithRegistry(regV2, doc); err != nil {
					t.Error(err)
				}
			}))
		}
		return least
	}
	id, hex := count(new(field[oid.ID])), count(new(field[hexID]))
	if hex != id+1 {
		t.Errorf("decoding the digits takes %v allocations, an id %v", hex, id)
	}
}

// FuzzHex stores any text: as the ObjectId that it stands for, or not at all.
func FuzzHex(f *testing.F) {
	for _, text := range []string{"", id1.Hex(), strings.ToUpper(id1.Hex()), "twelve bytes", id1.Hex()[1:], id1.Hex() + "0", "65b3f7edd9bfca00daa6e3bx",
		"０５b3f7edd9bfca00daa6e3b1", "\x00", " 65b3f7edd9bfca00daa6e3b1"} {
		f.Add(text)
	}
	codecs := []codec{}
	for _, p := range hexPairings {
		codecs = append(codecs, p.ours())
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, wantErr := oid.Parse(text)
		want, err := bson.Marshal(bson.D{{Key: "v", Value: bson.ObjectID(id)}, {Key: "list", Value: bson.A{bson.ObjectID(id)}}})
		if err != nil {
			t.Fatal(err)
		}
		type doc struct {
			V    hexID
			List []hexID
		}
		for _, c := range codecs {
			got, err := c.marshal(doc{hexID(text), []hexID{hexID(text)}}, "")
			if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s: %q is stored as %v, %v, want %v, %v", c.driver, text, bson.Raw(got), err, bson.Raw(want), wantErr)
			}
			if err != nil {
				continue
			}
			var back doc
			if err := c.unmarshal(got, &back, ""); err != nil || string(back.V) != id.Hex() || len(back.List) != 1 || string(back.List[0]) != id.Hex() {
				t.Errorf("%s: %q came back as %+v, %v", c.driver, text, back, err)
			}
		}
	})
}
