package bsoncodec_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

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

// readers return readers of data. The driver reads from the first one as a client does.
var readers = map[string]func(data []byte) io.Reader{
	"bytes.Reader":           func(data []byte) io.Reader { return bytes.NewReader(data) },
	"bufio.Reader of 64 KiB": func(data []byte) io.Reader { return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(data)), 64<<10) },
	"io.Reader":              func(data []byte) io.Reader { return io.MultiReader(bytes.NewReader(data)) },
}

type decoder func(reg *bson.Registry, data []byte, doc any) error

// decoders returns the ways to decode.
func decoders() map[string]decoder {
	decoders := map[string]decoder{
		"UnmarshalWith": bsoncodec.UnmarshalWith,
		"Unmarshal":     func(_ *bson.Registry, data []byte, doc any) error { return bsoncodec.Unmarshal(data, doc) },
		"RawValue": func(reg *bson.Registry, data []byte, doc any) error {
			return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, doc)
		},
		"a reader by value": func(reg *bson.Registry, data []byte, doc any) error {
			dec := bson.NewDecoder(byValue{ValueReader: bson.NewDocumentReader(bytes.NewReader(data))})
			dec.SetRegistry(reg)
			return dec.Decode(doc)
		},
	}
	for name, reader := range readers {
		decoders[name] = func(reg *bson.Registry, data []byte, doc any) error {
			return decodeFrom(reg, reader(data), doc)
		}
	}
	return decoders
}

// decodeFrom decodes a document from a stream, as a client does.
func decodeFrom(reg *bson.Registry, r io.Reader, doc any) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(r))
	dec.SetRegistry(reg)
	return dec.Decode(doc)
}

// byValue is a reader that isn't a pointer, and can't be the key of a map.
type byValue struct {
	bson.ValueReader
	bson.DocumentReader
	_ []byte
}

func (r byValue) ReadDocument() (bson.DocumentReader, error) {
	doc, err := r.ValueReader.ReadDocument()
	return byValue{DocumentReader: doc}, err
}

func (r byValue) ReadElement() (string, bson.ValueReader, error) {
	key, value, err := r.DocumentReader.ReadElement()
	return key, byValue{ValueReader: value}, err
}

// What Unmarshal and UnmarshalWith decode is in memory, and so a list in it is read in
// one piece.
func TestListsInMemoryAreReadInOnePiece(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	data := mustMarshal(t, listed[oid.ID]{"it", ids, 7})
	for _, name := range []string{"Unmarshal", "UnmarshalWith"} {
		n := testing.AllocsPerRun(10, func() {
			var doc listed[oid.ID]
			if err := decoders()[name](reg, data, &doc); err != nil || !slices.Equal(doc.List, ids) {
				t.Fatalf("%s: %v, %v, want %v", name, doc.List, err, ids)
			}
		})
		if n > 100 {
			t.Errorf("%s: %v allocations for a list of 1,000 IDs, want less than one for each", name, n)
		}
	}
}

// All ways to decode give the same lists, and errors at the same place. The lists are
// short, long, broken off, and with elements that are not ObjectIds.
func TestListsAreTheSameFromEveryReader(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	id := bson.NewObjectID()
	long := make(bson.A, 1000)
	for i := range long {
		long[i] = bson.NewObjectID()
	}
	changed := slices.Clone(long)
	changed[700] = id.Hex()
	wrong := slices.Clone(long)
	wrong[700] = "short"
	for _, list := range []bson.A{{}, {id}, {id, nil, id}, {nil}, {id, id.Hex()}, {id, 7, id}, {bson.A{id}}, {id, bson.D{{Key: "id", Value: id}}},
		{id, bson.Binary{Data: id[:]}}, {id, "short"}, long[:240], long, changed, wrong} {
		whole := mustMarshal(t, bson.D{{Key: "before", Value: "it"}, {Key: "list", Value: list}, {Key: "after", Value: 7}})
		for n := len(whole); n >= 5; n -= 1 + n/50 {
			data := slices.Clone(whole[:n]) // the document says how long it is now
			binary.LittleEndian.PutUint32(data, uint32(n))
			want := listed[bson.ObjectID]{List: []bson.ObjectID{{1}, {2}}}
			wantErr := decodeFrom(reg, bytes.NewReader(data), &want)
			for name, decode := range decoders() {
				got := listed[oid.ID]{List: []oid.ID{{1}, {2}}}
				err := decode(reg, data, &got)
				if where(err) != where(wantErr) || !reflect.DeepEqual(got, ofOurs(want)) {
					t.Fatalf("%s, %d of %d bytes of a list of %d: %v, error %v, want %v, error %v", name, n, len(whole), len(list), got, err, want, wantErr)
				}
			}
		}
	}
}

// where returns what an error of the driver says about its place: error decoding key l.2.
func where(err error) string {
	text, _, _ := bytes.Cut([]byte(fmt.Sprint(err)), []byte(":"))
	return string(bytes.ReplaceAll(text, []byte("unexpected "), nil))
}

// ofOurs returns doc with our IDs.
func ofOurs(doc listed[bson.ObjectID]) listed[oid.ID] {
	got := listed[oid.ID]{Before: doc.Before, After: doc.After, List: make([]oid.ID, len(doc.List))}
	for i, id := range doc.List {
		got.List[i] = oid.ID(id)
	}
	return got
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
		part := mustMarshal(t, doc)
		data = append(data, part...)
		var got listed[typed]
		if err := bsoncodec.UnmarshalWith(reg, part, &got); err != nil || !reflect.DeepEqual(got, doc) {
			t.Errorf("UnmarshalWith, list of %d IDs: got %d IDs, %q, %d, error %v", n, len(got.List), got.Before, got.After, err)
		}
	}
	for name, reader := range readers {
		dec := bson.NewDecoder(bson.NewDocumentReader(reader(data)))
		dec.SetRegistry(reg)
		for _, want := range docs {
			var got listed[typed]
			if err := dec.Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, list of %d IDs: got %d IDs, %q, %d, error %v", name, len(want.List), len(got.List), got.Before, got.After, err)
			}
		}
	}
}

// Many goroutines decode at once, also more than the package can remember readers of.
func TestUnmarshalWithAtOnce(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	var wg sync.WaitGroup
	for g := range 100 {
		wg.Go(func() {
			ids := make([]oid.ID, 1+g)
			oid.Fill(ids)
			data, err := bsoncodec.MarshalWith(reg, listed[oid.ID]{"it", ids, g})
			for range 10 {
				var got listed[oid.ID]
				if err = errors.Join(err, bsoncodec.UnmarshalWith(reg, data, &got)); err != nil || !slices.Equal(got.List, ids) || got.After != g {
					t.Errorf("a list of %d IDs: %v, %v", len(ids), got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

var errOnce = errors.New("the network is down")

// failsOnce returns an error after n bytes, and then goes on.
type failsOnce struct {
	r      *bytes.Reader
	n      int
	failed bool
}

func (f *failsOnce) Read(p []byte) (int, error) {
	if f.n == 0 && !f.failed {
		f.failed = true
		return 0, errOnce
	}
	if !f.failed {
		p = p[:min(len(p), f.n)]
	}
	n, err := f.r.Read(p)
	f.n -= n
	return n, err
}

// An error of the stream reaches the caller, at whatever byte it comes, also if the stream
// could go on after it.
func TestNoErrorOfAStreamIsLost(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	ids := make([]oid.ID, 100)
	oid.Fill(ids)
	data := mustMarshal(t, listed[oid.ID]{"it", ids, 7})
	for n := range data {
		var got listed[oid.ID]
		var want listed[bson.ObjectID]
		err := decodeFrom(reg, &failsOnce{r: bytes.NewReader(data), n: n}, &got)
		wantErr := decodeFrom(reg, &failsOnce{r: bytes.NewReader(data), n: n}, &want)
		if !errors.Is(err, errOnce) || err.Error() != wantErr.Error() {
			t.Fatalf("an error after %d of %d bytes: %v, native %v", n, len(data), err, wantErr)
		}
	}
}

// A list that claims more bytes than come is an error as soon as the driver's own decoder
// sees it. Nothing waits for the bytes that the list claims.
func TestNothingWaitsForClaimedBytes(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	data := mustMarshal(t, bson.D{{Key: "list", Value: bson.A{id1, id2, id1}}})
	binary.LittleEndian.PutUint32(data[bytes.Index(data, []byte("list"))+5:], 500)
	decode := func(doc any) (err error) {
		synctest.Test(t, func(*testing.T) { // it fails if everything waits
			client, server := net.Pipe()
			go func() { _, _ = server.Write(data) }()
			err = decodeFrom(reg, client, doc)
			_ = client.Close()
		})
		return err
	}
	err, wantErr := decode(new(struct{ List []oid.ID })), decode(new(struct{ List []bson.ObjectID }))
	if err == nil || err.Error() != wantErr.Error() {
		t.Errorf("%v, native %v", err, wantErr)
	}
}
