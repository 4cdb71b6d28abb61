package bsoncodec_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"testing"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	bsoncodecv1 "go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// every has an ID in each place that decodes on a way of its own.
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

// hasNegativeLength reports whether some value in the elements of a document has a
// length below zero, or one so great that the sum with another size is. The driver,
// v2.10.0, goes back in its buffer by such a length when it skips the value, and so for
// ever round in circles, whatever it decodes into. docs/upstream has a program that shows
// it.
func hasNegativeLength(elements []byte) bool { return hasLength(elements, math.MaxInt32-100) }

// hasLength reports whether some value in the elements of a document has a length below
// zero or above most. From an io.Reader, the drivers make room for what a length says
// before they have seen it.
func hasLength(elements []byte, most int) bool {
	for len(elements) > 0 && elements[0] != 0 {
		typ := bson.Type(elements[0])
		end := bytes.IndexByte(elements, 0)
		if end < 0 {
			return false
		}
		elements = elements[end+1:]
		length := 0
		if len(elements) >= 4 {
			length = int(int32(binary.LittleEndian.Uint32(elements)))
		}
		size := 0
		switch typ {
		case bson.TypeString, bson.TypeSymbol, bson.TypeJavaScript:
			size = 4 + length
		case bson.TypeBinary:
			size = 5 + length
		case bson.TypeDBPointer:
			size = 4 + length + 12
		case bson.TypeEmbeddedDocument, bson.TypeArray, bson.TypeCodeWithScope:
			size = length
			inner := elements[min(4, len(elements)):]
			if typ == bson.TypeCodeWithScope && len(inner) >= 4 {
				code := int(int32(binary.LittleEndian.Uint32(inner)))
				if code < 0 || code > most {
					return true
				}
				inner = inner[min(4+code+4, len(inner)):]
			}
			if hasLength(inner, most) {
				return true
			}
		case bson.TypeDouble, bson.TypeDateTime, bson.TypeTimestamp, bson.TypeInt64:
			size, length = 8, 0
		case bson.TypeObjectID:
			size, length = 12, 0
		case bson.TypeBoolean:
			size, length = 1, 0
		case bson.TypeInt32:
			size, length = 4, 0
		case bson.TypeDecimal128:
			size, length = 16, 0
		case bson.TypeRegex:
			for range 2 {
				end := bytes.IndexByte(elements, 0)
				if end < 0 {
					return false
				}
				elements = elements[end+1:]
			}
			length = 0
		case bson.TypeNull, bson.TypeUndefined, bson.TypeMinKey, bson.TypeMaxKey:
			length = 0
		default:
			return false
		}
		if length < 0 || length > most {
			return true
		}
		elements = elements[min(size, len(elements)):]
	}
	return false
}

// hasUndefined reports whether a document may hold an undefined value, which makes a
// pointer nil only with our codecs.
func hasUndefined(data []byte) bool { return bytes.IndexByte(data, byte(bson.TypeUndefined)) >= 0 }

// FuzzDecode decodes any bytes into a struct with IDs of the driver and into the
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
	f.Add([]byte("\x13\x00\x00\x00\x0cx\x00\xff\xff\xff\x7f")) // a DBPointer for which the driver's sum wraps
	native, ours, methods := oracle(), bsoncodec.NewRegistry(), bson.NewRegistry()
	// From memory: see hasLength.
	unmarshal := func(reg *bson.Registry, data []byte, doc any) error {
		return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, doc)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4 && hasNegativeLength(data[4:]) {
			return
		}
		preset, presetOurs := bson.ObjectID(id2), id2
		want := every[bson.ObjectID]{V: preset, P: &preset, S: []bson.ObjectID{preset, preset}}
		got := every[oid.ID]{V: presetOurs, P: &presetOurs, S: []oid.ID{presetOurs, presetOurs}}
		wantErr := unmarshal(native, bytes.Clone(data), &want)
		if err := unmarshal(methods, data, new(every[oid.ID])); (err == nil) != (wantErr == nil) {
			t.Fatalf("without a registry: %v, native %v", err, wantErr)
		}
		// bsoncodec.Unmarshal takes what bson.Unmarshal takes.
		viaDriver, viaOurs := every[oid.ID]{}, every[oid.ID]{}
		driverErr, oursErr := bson.Unmarshal(bytes.Clone(data), &viaDriver), bsoncodec.Unmarshal(bytes.Clone(data), &viaOurs)
		if (oursErr == nil) != (driverErr == nil) {
			t.Fatalf("bsoncodec.Unmarshal: %v, bson.Unmarshal %v", oursErr, driverErr)
		}
		if oursErr == nil && !hasUndefined(data) && !reflect.DeepEqual(plain(reflect.ValueOf(viaOurs)), plain(reflect.ValueOf(viaDriver))) {
			t.Fatalf("bsoncodec.Unmarshal gives %v, bson.Unmarshal %v", viaOurs, viaDriver)
		}
		err := unmarshal(ours, data, &got)
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

// FuzzDecodeHex decodes any bytes into a struct with IDs of the driver, and into the
// same struct with hex digits. Both fail, or both give the same digits, in both
// drivers.
func FuzzDecodeHex(f *testing.F) {
	type doc[T comparable] struct {
		V T
		P *T
		S []T
		A [2]T
		M map[string]T
	}
	for _, in := range inputs() {
		if len(in.doc) == 0 {
			continue
		}
		for _, key := range []string{"v", "p", "s", "a", "m"} {
			data, err := bson.Marshal(bson.D{{Key: key, Value: in.doc[0].Value}})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	codecs := []codec{v2(withHex(bson.NewRegistry))(), v1(withHexV1(mongov1.NewRegistry))()}
	native := oracle()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 || int64(binary.LittleEndian.Uint32(data)) != int64(len(data)) || hasLength(data[4:], len(data)) || hasUndefined(data) || bson.Raw(data).Validate() != nil {
			return
		}
		var want doc[bson.ObjectID]
		wantErr := bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: bytes.Clone(data)}.UnmarshalWithRegistry(native, &want)
		for _, c := range codecs {
			var got doc[hexID]
			err := c.unmarshal(bytes.Clone(data), &got, "")
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v: %v, native %v", c.driver, bson.Raw(data), err, wantErr)
			}
			if err != nil {
				continue
			}
			if w, g := plain(reflect.ValueOf(want)), plain(reflect.ValueOf(got)); !reflect.DeepEqual(g, w) {
				t.Fatalf("%s: %v:\n got %v\nwant %v", c.driver, bson.Raw(data), g, w)
			}
		}
	})
}

// FuzzDecodeV1 is FuzzDecode for driver v1.
func FuzzDecodeV1(f *testing.F) {
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
		}
	}
	native, ours := v1(oracleV1)(), v1(mongov1.NewRegistry)()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 || int64(binary.LittleEndian.Uint32(data)) != int64(len(data)) || hasLength(data[4:], len(data)) || bson.Raw(data).Validate() != nil {
			return
		}
		preset, presetOurs := primitive.ObjectID(id2), id2
		want := every[primitive.ObjectID]{V: preset, P: &preset, S: []primitive.ObjectID{preset, preset}}
		got := every[oid.ID]{V: presetOurs, P: &presetOurs, S: []oid.ID{presetOurs, presetOurs}}
		wantErr := native.unmarshal(bytes.Clone(data), &want, "")
		err := ours.unmarshal(data, &got, "")
		if _, zero := got.K[oid.ID{}]; err == nil && wantErr != nil && zero {
			return // the map key "": see package mongov1
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v: %v, native %v", bson.Raw(data), err, wantErr)
		}
		if err != nil {
			return
		}
		clear(data) // what was decoded must not hang on to it
		if w, g := plain(reflect.ValueOf(want)), plain(reflect.ValueOf(got)); !reflect.DeepEqual(g, w) {
			t.Fatalf("\n got %v\nwant %v", g, w)
		}
	})
}

// oracleV1 is oracle for driver v1.
func oracleV1() *bsoncodecv1.Registry {
	reg := bsonv1.NewRegistry()
	native, err := reg.LookupDecoder(reflect.TypeFor[primitive.ObjectID]())
	if err != nil {
		panic(err)
	}
	reg.RegisterTypeDecoder(reflect.TypeFor[primitive.ObjectID](), bsoncodecv1.ValueDecoderFunc(
		func(dc bsoncodecv1.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
			if vr.Type() != bsonv1.TypeString {
				return native.DecodeValue(dc, vr, val)
			}
			text, err := vr.ReadString()
			if err != nil {
				return err
			}
			id, err := primitive.ObjectIDFromHex(text)
			if err == nil {
				val.Set(reflect.ValueOf(id))
			}
			return err
		}))
	return reg
}
