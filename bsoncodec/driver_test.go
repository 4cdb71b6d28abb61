package bsoncodec_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// marshal encodes doc with reg.
func marshal(reg *bson.Registry, doc any) ([]byte, error) {
	var buf bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
	enc.SetRegistry(reg)
	err := enc.Encode(doc)
	return buf.Bytes(), err
}

// unmarshal decodes data with reg into doc, a pointer.
func unmarshal(reg *bson.Registry, data []byte, doc any) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	dec.SetRegistry(reg)
	return dec.Decode(doc)
}

// newMgoRegistry returns a registry with the rules of the old driver mgo.
func newMgoRegistry() *bson.Registry { return bson.NewMgoRegistry() }

// Register on a registry that is in use already comes too late for the types that
// it has met: IDs stay right, but not the structs that embed one.
func TestLateRegister(t *testing.T) {
	reg := bson.NewRegistry()
	list := struct{ Orders []order }{[]order{{id1, 7}}}
	early, err := marshal(reg, list)
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, reg, ours{ID: id1}, native{ID: bson.ObjectID(id1)})
	bsoncodec.Register(reg)
	sameBytes(t, reg, ours{ID: id1}, native{ID: bson.ObjectID(id1)})
	if late, err := marshal(reg, list); err != nil || !bytes.Equal(late, early) {
		t.Errorf("the registry forgot what it had met: %v, %v", bson.Raw(late), err)
	}
	sameBytes(t, reg, list, bson.D{{Key: "orders", Value: bson.A{id1}}}) // without the totals
}

func TestTopLevelIDIsAnError(t *testing.T) {
	for _, v := range []any{id1, &id1, []oid.ID{id1}, oid.For[ours](id1)} {
		if data, err := marshal(bsoncodec.NewRegistry(), v); err == nil {
			t.Errorf("%T as a document: %v", v, bson.Raw(data))
		}
	}
}

// broken is a reader of a value that can't be read.
type broken struct {
	bson.ValueReader
	typ bson.Type
}

var errBroken = errors.New("broken")

func (b broken) Type() bson.Type                          { return b.typ }
func (broken) ReadArray() (bson.ArrayReader, error)       { return nil, errBroken }
func (broken) ReadObjectID() (bson.ObjectID, error)       { return bson.ObjectID(id1), errBroken }
func (broken) ReadBinary() (data []byte, _ byte, _ error) { return id1[:], 0, errBroken }
func (broken) ReadString() (string, error)                { return id1.Hex(), errBroken }

func TestDecodersReturnTheErrorsOfReaders(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.AcceptBinary(reg)
	for _, tt := range []struct {
		of  reflect.Type
		typ bson.Type
	}{
		{reflect.TypeFor[oid.ID](), bson.TypeObjectID}, {reflect.TypeFor[oid.ID](), bson.TypeBinary}, {reflect.TypeFor[oid.ID](), bson.TypeString},
		{reflect.TypeFor[[]oid.ID](), bson.TypeArray},
	} {
		decoder, err := reg.LookupDecoder(tt.of)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.New(tt.of).Elem()
		if err := decoder.DecodeValue(bson.DecodeContext{Registry: reg}, broken{typ: tt.typ}, v); !errors.Is(err, errBroken) || !v.IsZero() {
			t.Errorf("%v into %v: %v, %v, want %v", tt.typ, tt.of, v, err, errBroken)
		}
	}
}

// The encoder's option decides about a nil slice too.
func TestNilSliceAsEmpty(t *testing.T) {
	type doc struct{ Refs []oid.ID }
	var buf bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&buf))
	enc.SetRegistry(bsoncodec.NewRegistry())
	enc.NilSliceAsEmpty()
	if err := enc.Encode(doc{}); err != nil {
		t.Fatal(err)
	}
	if want := mustMarshal(t, bson.D{{Key: "refs", Value: bson.A{}}}); !bytes.Equal(buf.Bytes(), want) {
		t.Errorf("with NilSliceAsEmpty: %v", bson.Raw(buf.Bytes()))
	}
}

// Without a registry of this package, an undefined value sets a pointer to the zero ID.
func TestUndefinedIntoAPointerWithoutARegistry(t *testing.T) {
	var got struct{ ID *oid.ID }
	if err := bson.Unmarshal(mustMarshal(t, bson.D{{Key: "id", Value: bson.Undefined{}}}), &got); err != nil || got.ID == nil || !got.ID.IsZero() {
		t.Errorf("%v, %v", got, err)
	}
}
