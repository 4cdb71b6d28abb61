package mongo

import (
	"bytes"
	"reflect"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// every has an id in each place that decodes on a way of its own.
type every[T comparable] struct {
	V      T
	P      *T
	S      []T
	A      [2]T
	M      map[string]T
	K      map[T]int
	Any    any
	Inline inner[T] `bson:",inline"`
}

// oracle is the driver's registry, but for the one thing that its own type takes
// and oid.ID doesn't: a string of 12 bytes.
func oracle() *bson.Registry {
	reg := bson.NewRegistry()
	native, err := reg.LookupDecoder(reflect.TypeFor[bson.ObjectID]())
	if err != nil {
		panic(err)
	}
	reg.RegisterTypeDecoder(reflect.TypeFor[bson.ObjectID](), bson.ValueDecoderFunc(
		func(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
			if vr.Type() != bson.TypeString {
				return native.DecodeValue(dc, vr, val)
			}
			text, err := vr.ReadString()
			if err != nil {
				return err
			}
			id, err := bson.ObjectIDFromHex(text)
			if err == nil {
				val.Set(reflect.ValueOf(id))
			}
			return err
		}))
	return reg
}

// FuzzDecode decodes any bytes into a struct with ids of the driver and into the
// same struct with ours: the same verdict, the same value, and never a panic.
func FuzzDecode(f *testing.F) {
	for _, in := range inputs() {
		if len(in.doc) == 0 {
			continue
		}
		for _, key := range []string{"v", "p", "s", "a", "m", "k", "any", "_id"} {
			data, err := bson.Marshal(bson.D{{Key: key, Value: in.doc[0].Value}, {Key: "n", Value: int64(7)}})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
			f.Add(data[:len(data)-1])
		}
	}
	native, ours, methods := newV2(oracle()), newV2(bsoncodec.NewRegistry()), newV2(bson.NewRegistry())
	f.Fuzz(func(t *testing.T, data []byte) {
		preset, presetOurs := bson.ObjectID(id2), id2
		want := every[bson.ObjectID]{V: preset, P: &preset, S: []bson.ObjectID{preset, preset}}
		got := every[oid.ID]{V: presetOurs, P: &presetOurs, S: []oid.ID{presetOurs, presetOurs}}
		wantErr := native.unmarshal(bytes.Clone(data), &want, "")
		if err := methods.unmarshal(data, new(every[oid.ID]), ""); (err == nil) != (wantErr == nil) {
			t.Fatalf("without a registry: %v, native %v", err, wantErr)
		}
		err := ours.unmarshal(data, &got, "")
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v, native %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if w, g := plain(reflect.ValueOf(want)), plain(reflect.ValueOf(got)); !reflect.DeepEqual(g, w) {
			t.Fatalf("\n got %v\nwant %v", g, w)
		}
		clear(data) // what was decoded must not hang on to it
		if w, g := plain(reflect.ValueOf(want)), plain(reflect.ValueOf(got)); !reflect.DeepEqual(g, w) {
			t.Fatalf("after the input changed:\n got %v\nwant %v", g, w)
		}
	})
}
