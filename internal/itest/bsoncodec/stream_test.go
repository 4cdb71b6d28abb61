package bsoncodec_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// decodeStream decodes data as a client does: from a stream.
func decodeStream(reg *bson.Registry, data []byte, doc any) error {
	// The reader hides its length from the driver.
	dec := bson.NewDecoder(bson.NewDocumentReader(io.MultiReader(bytes.NewReader(data))))
	dec.SetRegistry(reg)
	return dec.Decode(doc)
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

type (
	ownID   oid.ID
	textID  string
	wrapper struct{ oid.ID }
)

// A value says how long it is. Nothing is allocated before the stream has so many bytes.
func TestHugeLengthsAllocateNothing(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[ownID](reg)
	bsoncodec.RegisterHex[textID](reg)
	const length = "\xf0\xff\xff\x7f"
	for name, value := range map[string]string{
		"an array of IDs":      "\x04v\x00" + length + "\x070\x00abcdefghijkl\x07",
		"an array without IDs": "\x04v\x00" + length + "\x00",
		"a document":           "\x03v\x00" + length + "\x00",
		"a Binary":             "\x05v\x00" + length + "\x00",
		"a code with scope":    "\x0fv\x00" + length + length,
		"a JavaScript code":    "\x0dv\x00" + length + "a",
		"a symbol":             "\x0ev\x00" + length + "a",
		"a DBPointer":          "\x0cv\x00" + length + "a",
	} {
		data := append([]byte{0, 0, 0, 0}, value+"\x00"...)
		binary.LittleEndian.PutUint32(data, math.MaxInt32)
		for _, doc := range []any{
			new(struct{ V oid.ID }), new(struct{ V *oid.ID }), new(struct{ V []oid.ID }), new(struct{ V oid.For[int] }), new(struct{ V *oid.For[int] }),
			new(struct{ V []oid.For[int] }), new(struct{ V ownID }), new(struct{ V *ownID }), new(struct{ V []ownID }), new(struct{ V textID }),
			new(struct{ V wrapper }), new(struct{ V *wrapper }), new(struct{ V []wrapper }), new(map[string]oid.ID), new(map[string][]oid.ID),
		} {
			var err error
			if size := allocated(func() { err = decodeStream(reg, data, doc) }); size > 1<<20 || err == nil {
				t.Errorf("%s of 2 GiB into a %T: %d bytes allocated, error %v", name, doc, size, err)
			}
		}
	}
}

// With AcceptBinary, a Binary is read. In memory, nothing is allocated for bytes that aren't
// there. From a stream, the driver allocates what a Binary claims, as for a bson.Binary.
func TestHugeBinariesWithAcceptBinary(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[ownID](reg)
	bsoncodec.RegisterHex[textID](reg)
	bsoncodec.AcceptBinary(reg)
	const claimed = 64 << 20
	value := binary.LittleEndian.AppendUint32([]byte("\x05v\x00"), claimed)
	data := append([]byte{0, 0, 0, 0}, append(value, "\x00abcdefghijkl\x00"...)...)
	list := append([]byte("\x04v\x00"), binary.LittleEndian.AppendUint32(nil, claimed)...)
	list = append(list, "\x050\x00"...)
	list = append(append([]byte{0, 0, 0, 0}, list...), data[7:]...)
	binary.LittleEndian.PutUint32(data, uint32(len(data)))
	binary.LittleEndian.PutUint32(list, uint32(len(list)))
	var err error
	native := allocated(func() { err = decodeStream(reg, data, new(struct{ V bson.Binary })) })
	if err == nil {
		t.Fatal("a bson.Binary was read past its end")
	}
	for _, doc := range []any{
		new(struct{ V oid.ID }), new(struct{ V *oid.ID }), new(struct{ V []oid.ID }), new(struct{ V oid.For[int] }),
		new(struct{ V ownID }), new(struct{ V []ownID }), new(struct{ V textID }), new(map[string]oid.ID), new(map[string][]oid.ID),
	} {
		for _, data := range [][]byte{data, list} {
			if size := allocated(func() { err = bsoncodec.UnmarshalWith(reg, data, doc) }); size > 1<<20 || err == nil {
				t.Errorf("UnmarshalWith into a %T: %d bytes allocated for %d, error %v", doc, size, len(data), err)
			}
			if size := allocated(func() { err = decodeStream(reg, data, doc) }); size > native+1<<20 || err == nil {
				t.Errorf("a stream into a %T: %d bytes allocated, %d for a bson.Binary, error %v", doc, size, native, err)
			}
		}
	}
}

// FuzzStream decodes any bytes from a stream into a struct with IDs of the driver, and
// into the same struct with ours: the same verdict, the same value, and no more memory.
func FuzzStream(f *testing.F) {
	for _, in := range inputs() {
		if len(in.doc) == 0 {
			continue
		}
		for _, key := range []string{"v", "p", "s", "a", "m", "w"} {
			data, err := bson.Marshal(bson.D{{Key: key, Value: in.doc[0].Value}, {Key: "s", Value: bson.A{id1, in.doc[0].Value, id2}}})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
			f.Add(data[:len(data)-1])
		}
	}
	f.Add([]byte("\x1e\x00\x00\x00\x04s\x00\xf0\xff\xff\x7f\x070\x00abcdefghijkl\x00\x00"))
	f.Add([]byte("\x10\x00\x00\x00\x03v\x00\xf0\xff\xff\x7f\x00"))
	long, err := bson.Marshal(bson.D{{Key: "s", Value: make([]bson.ObjectID, 500)}, {Key: "v", Value: id1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(long)
	f.Add(long[:len(long)-20])
	f.Add(bytes.Replace(long, []byte("\x07300\x00"), []byte("\x0a300\x00"), 1))
	type fields[T any] struct {
		V T
		P *T
		S []T
		A [2]T
		M map[string][]T
		W struct{ T T }
	}
	native, ours := oracle(), bsoncodec.NewRegistry()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4 && hasNegativeLength(data[4:]) {
			return
		}
		preset := bson.ObjectID(id2)
		want := fields[bson.ObjectID]{V: preset, S: []bson.ObjectID{preset, preset}}
		got := fields[oid.ID]{V: id2, S: []oid.ID{id2, id2}}
		var wantErr, err error
		wantSize := allocated(func() { wantErr = decodeStream(native, data, &want) })
		size := allocated(func() { err = decodeStream(ours, data, &got) })
		if size > wantSize+uint64(2*len(data))+64<<10 {
			t.Fatalf("%d bytes allocated, native %d", size, wantSize)
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v, native %v", err, wantErr)
		}
		if wantSize > 16<<20 {
			return // the driver has believed the length of a string: once more, and memory runs out
		}
		inMemory := fields[oid.ID]{V: id2, S: []oid.ID{id2, id2}}
		dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
		dec.SetRegistry(ours)
		memoryErr := dec.Decode(&inMemory)
		if place(memoryErr) != place(err) || !reflect.DeepEqual(inMemory, got) {
			t.Fatalf("\n got %v, %v from memory\nwant %v, %v", inMemory, memoryErr, got, err)
		}
		if err != nil {
			return
		}
		if w, g := plain(reflect.ValueOf(want)), plain(reflect.ValueOf(got)); !reflect.DeepEqual(g, w) {
			t.Fatalf("\n got %v\nwant %v", g, w)
		}
	})
}

// A list that has something else than ObjectIds in it is read as by the driver, and a
// list that ends early is the driver's error.
func TestListsFromAStream(t *testing.T) {
	native, ours := oracle(), bsoncodec.NewRegistry()
	n1, n2 := bson.ObjectID(id1), bson.ObjectID(id2)
	for _, list := range []bson.A{{}, {n1}, {n1, n2, n1}, {nil}, {n1, nil, n2}, {n1, n2, id1.Hex(), n2, nil}, {id1.Hex(), n2}, {n1, 7, n2}, {n1, bson.A{n2}}, {n1, n2, "short"}} {
		whole, err := bson.Marshal(bson.D{{Key: "l", Value: list}})
		if err != nil {
			t.Fatal(err)
		}
		for n := 5; n <= len(whole); n++ {
			want := struct{ L []bson.ObjectID }{[]bson.ObjectID{n2, n1}}
			got := struct{ L []oid.ID }{[]oid.ID{id2, id1}}
			wantErr, err := decodeStream(native, whole[:n], &want), decodeStream(ours, whole[:n], &got)
			if place(err) != place(wantErr) {
				t.Errorf("%v, %d of %d bytes: error %v, native %v", list, n, len(whole), err, wantErr)
			}
			if !reflect.DeepEqual(plain(reflect.ValueOf(got)), plain(reflect.ValueOf(want))) {
				t.Errorf("%v, %d of %d bytes: %v, want %v", list, n, len(whole), got, want)
			}
		}
	}
}

// place returns what an error of the driver says about its place: error decoding key l.2.
func place(err error) string {
	if err == nil {
		return "no error"
	}
	text, _, _ := strings.Cut(err.Error(), ":")
	return text
}
