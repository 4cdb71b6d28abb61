package bsoncodec_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// listed is a document with a list of IDs between other fields.
type listed[T ~[12]byte] struct {
	Before string
	List   []T
	After  int
}

// readers return readers of data. The driver reads from the first two as a client does.
var readers = map[string]func(data []byte) io.Reader{
	"bytes.Reader":           func(data []byte) io.Reader { return bytes.NewReader(data) },
	"bytes.Buffer":           func(data []byte) io.Reader { return bytes.NewBuffer(data) },
	"bufio.Reader of 64 KiB": func(data []byte) io.Reader { return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(data)), 64<<10) },
	"io.Reader":              func(data []byte) io.Reader { return io.MultiReader(bytes.NewReader(data)) },
}

type decoder func(reg *bson.Registry, data []byte, doc any) error

// decoders returns the ways to decode.
func decoders() map[string]decoder {
	decoders := map[string]decoder{
		"UnmarshalWith": bsoncodec.UnmarshalWith,
		"RawValue": func(reg *bson.Registry, data []byte, doc any) error {
			return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, doc)
		},
	}
	for name, reader := range readers {
		decoders[name] = func(reg *bson.Registry, data []byte, doc any) error {
			dec := bson.NewDecoder(bson.NewDocumentReader(reader(data)))
			dec.SetRegistry(reg)
			return dec.Decode(doc)
		}
	}
	return decoders
}

// A list is read in one piece if it is in memory, however long it is. A driver whose
// reader has changed fails this test.
func TestListsInMemoryAreReadInOnePiece(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	data, err := bson.Marshal(listed[oid.ID]{"it", ids, 7})
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(name string, decode decoder) float64 {
		return testing.AllocsPerRun(10, func() {
			var doc listed[oid.ID]
			if err := decode(reg, data, &doc); err != nil || !slices.Equal(doc.List, ids) {
				t.Fatalf("%s: %v, %v, want %v", name, doc.List, err, ids)
			}
		})
	}
	for name, decode := range decoders() {
		if name == "io.Reader" {
			continue // it doesn't say how much it has
		}
		if n := allocations(name, decode); n > 50 {
			t.Errorf("%s: %v allocations for a list of 1,000 IDs, want less than one for each", name, n)
		}
		if readers[name] == nil {
			continue // the driver allocates nothing for an ID here
		}
		bsoncodec.WithoutReadingAhead(func() {
			if n := allocations(name, decode); n < 1000 {
				t.Errorf("%s: %v allocations for a list of 1,000 IDs that is read ID by ID, want one for each", name, n)
			}
		})
	}
}

// A driver whose reader is unknown gives the same lists and the same errors. The lists are
// short, long, broken off, and with elements that are not ObjectIds.
func TestListsAreTheSameWithoutReadingAhead(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	id := bson.NewObjectID()
	long := make(bson.A, 1000)
	for i := range long {
		long[i] = bson.NewObjectID()
	}
	changed := slices.Clone(long)
	changed[700] = id.Hex()
	for _, list := range []bson.A{{}, {id}, {id, nil, id}, {nil}, {id, id.Hex()}, {id, 7, id}, {bson.A{id}}, {id, bson.D{{Key: "id", Value: id}}},
		{id, bson.Binary{Data: id[:]}}, {id, "short"}, long[:240], long, changed} {
		whole, err := bson.Marshal(bson.D{{Key: "before", Value: "it"}, {Key: "list", Value: list}, {Key: "after", Value: 7}})
		if err != nil {
			t.Fatal(err)
		}
		for n := len(whole); n >= 5; n -= 1 + n/50 {
			cut := slices.Clone(whole[:n])
			shorter := slices.Clone(cut) // the document says how long it is now
			binary.LittleEndian.PutUint32(shorter, uint32(n))
			for name, decode := range decoders() {
				for _, data := range [][]byte{cut, shorter} {
					got, want := listed[oid.ID]{List: []oid.ID{{1}, {2}}}, listed[oid.ID]{List: []oid.ID{{1}, {2}}}
					gotErr := decode(reg, data, &got)
					bsoncodec.WithoutReadingAhead(func() { err = decode(reg, data, &want) })
					if fmt.Sprint(gotErr) != fmt.Sprint(err) || !reflect.DeepEqual(got, want) {
						t.Fatalf("%s, %d of %d bytes of a list of %d: %v, error %v, want %v, error %v", name, n, len(whole), len(list), got, gotErr, want, err)
					}
				}
			}
		}
	}
}

// A reader is only read if it has the fields of the driver's reader, each once.
func TestReadersWithOtherFieldsAreUnknown(t *testing.T) {
	type source = bson.ValueReader // any interface that the reader has its bytes in
	memory := &struct {
		source
		data     []byte
		position int64
	}{}
	if !bsoncodec.Knows(&struct{ source }{memory}) {
		t.Error("a reader with the fields of the driver's reader is unknown")
	}
	for name, vr := range map[string]bson.ValueReader{
		"no pointer": struct{ source }{memory},
		"two sources": &struct {
			source
			second any
		}{memory, memory},
		"no source":       &struct{ source }{},
		"source by value": &struct{ source }{*memory},
		"no bytes": &struct{ source }{&struct {
			source
			position int64
		}{}},
		"two positions": &struct{ source }{&struct {
			source
			data            []byte
			position, start int64
		}{}},
		"bytes twice": &struct{ source }{&struct {
			source
			data, other []byte
			position    int64
		}{}},
		"not a position": &struct{ source }{&struct {
			source
			data     []byte
			position int
		}{}},
	} {
		if bsoncodec.Knows(vr) {
			t.Errorf("%s: read as the driver's reader", name)
		}
	}
}

// Lists of every length are read from every reader, and so is what comes after them.
func TestListsOfEveryLength(t *testing.T) {
	type typed = oid.For[int]
	reg := bsoncodec.NewRegistry()
	var data []byte
	var docs []listed[typed]
	for _, n := range []int{0, 1, 100, 200, 239, 240, 241, 1000, 1001, 10_000, 3} {
		ids := make([]oid.ID, n)
		oid.Fill(ids)
		doc := listed[typed]{Before: "it", List: []typed{}, After: n}
		for _, id := range ids {
			doc.List = append(doc.List, typed(id))
		}
		docs = append(docs, doc)
		part, err := bsoncodec.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, part...)
	}
	for name, reader := range readers {
		dec := bson.NewDecoder(bson.NewDocumentReader(reader(data)))
		dec.SetRegistry(reg)
		for _, want := range docs {
			var got listed[typed]
			if err := dec.Decode(&got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, list of %d IDs: got %d IDs, %q, %d, error %v", name, len(want.List), len(got.List), got.Before, got.After, err)
			}
		}
	}
}
