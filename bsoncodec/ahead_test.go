package bsoncodec_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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
	decoders := map[string]func(doc any) error{
		"UnmarshalWith": func(doc any) error { return bsoncodec.UnmarshalWith(reg, data, doc) },
		"RawValue": func(doc any) error {
			return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, doc)
		},
	}
	for name, reader := range readers {
		if name == "io.Reader" {
			continue // it doesn't say how much it has
		}
		decoders[name] = func(doc any) error {
			dec := bson.NewDecoder(bson.NewDocumentReader(reader(data)))
			dec.SetRegistry(reg)
			return dec.Decode(doc)
		}
	}
	for name, decode := range decoders {
		n := testing.AllocsPerRun(10, func() {
			var doc listed[oid.ID]
			if err := decode(&doc); err != nil || !slices.Equal(doc.List, ids) {
				t.Fatalf("%s: %v, %v, want %v", name, doc.List, err, ids)
			}
		})
		if n > 50 {
			t.Errorf("%s: %v allocations for a list of 1,000 IDs, want less than one for each", name, n)
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
