package sqltype_test

import (
	"database/sql/driver"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// In JSON and BSON, an array of any form is a list of ObjectIds.
func TestArraysAreListsOfIDsInJSONAndBSON(t *testing.T) {
	t.Parallel()
	testArrayEncodings[oid.ID](t)
	testArrayEncodings[userID](t)
	testArrayEncodings[sqltype.Hex](t)
	testArrayEncodings[sqltype.UUID](t)
	testArrayEncodings[sqltype.ZeroNull](t)
	testArrayEncodings[sqltype.ZeroNullFor[user]](t)
}

func testArrayEncodings[T interface {
	~[12]byte
	driver.Valuer
}](t *testing.T) {
	t.Helper()
	type document struct {
		IDs sqltype.Array[T] `json:"ids" bson:"ids"`
	}
	in := document{sqltype.Array[T]{T(sample), T(printable)}}
	name := reflect.TypeFor[sqltype.Array[T]]().String()

	data, err := json.Marshal(in)
	if want := `{"ids":["` + sample.Hex() + `","` + printable.Hex() + `"]}`; err != nil || string(data) != want {
		t.Errorf("%s: json.Marshal = %s, %v, want %s", name, data, err, want)
	}
	var out document
	if err := json.Unmarshal(data, &out); err != nil || !slices.Equal(out.IDs, in.IDs) {
		t.Errorf("%s: json.Unmarshal = %v, %v", name, out, err)
	}

	native, err := bson.Marshal(bson.D{{Key: "ids", Value: []bson.ObjectID{bson.ObjectID(sample), bson.ObjectID(printable)}}})
	if err != nil {
		t.Fatal(err)
	}
	v1 := mongov1.NewRegistry()
	for how, codec := range map[string]struct {
		marshal   func(any) ([]byte, error)
		unmarshal func([]byte, any) error
	}{
		"driver v2":      {bson.Marshal, bson.Unmarshal},
		"with bsoncodec": {bsoncodec.Marshal, bsoncodec.Unmarshal},
		"driver v1": {
			func(v any) ([]byte, error) { return bsonv1.MarshalWithRegistry(v1, v) },            //lint:ignore SA1019 programs use it
			func(data []byte, v any) error { return bsonv1.UnmarshalWithRegistry(v1, data, v) }, //lint:ignore SA1019 programs use it
		},
	} {
		data, err := codec.marshal(in)
		if err != nil || string(data) != string(native) {
			t.Errorf("%s, %s: Marshal = %x, %v, want %x", name, how, data, err, native)
		}
		var out document
		err = codec.unmarshal(native, &out)
		if err != nil || !slices.Equal(out.IDs, in.IDs) {
			t.Errorf("%s, %s: Unmarshal = %v, %v", name, how, out, err)
		}
	}
}
