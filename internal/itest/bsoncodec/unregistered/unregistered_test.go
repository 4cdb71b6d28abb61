// Package unregistered is a program that uses driver v1 and has forgotten to import
// mongov1. It must not be imported here either.
package unregistered_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

type former struct{}

func (former) IDForm() *public.Form { return nil }

// Without the import, storing an ID is an error that names it, and never Binary.
func TestEncodingWithoutTheImportIsAnErrorThatNamesIt(t *testing.T) {
	id := oid.New()
	type order struct {
		oid.ID `bson:"_id"`
		Total  int
	}
	for _, doc := range []any{
		struct{ ID oid.ID }{id},
		&struct{ ID oid.ID }{id},
		struct{ ID *oid.ID }{&id},
		struct{ IDs []oid.ID }{[]oid.ID{id}},
		struct{ IDs [1]oid.ID }{},
		struct{ IDs map[string]oid.ID }{map[string]oid.ID{"a": id}},
		struct{ ID oid.For[int] }{oid.For[int](id)},
		struct{ ID public.ID[former] }{public.ID[former](id)},
		struct{ IDs []public.ID[former] }{[]public.ID[former]{public.ID[former](id)}},
		struct{ ID any }{id},
		bson.D{{Key: "_id", Value: id}},
		bson.M{"_id": &id},
		bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: []oid.ID{id}}}}},
		bson.D{{Key: "a", Value: bson.A{id}}},
		order{id, 7},
		id,
	} {
		data, err := bson.Marshal(doc)
		const want = `add import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, %v", doc, bson.Raw(data), err)
		}
	}
	if typ, data, err := bson.MarshalValue(id); err == nil {
		t.Errorf("MarshalValue: %v %x", typ, data)
	}
}

// Reading is an error as well, before anything can go wrong by it.
func TestDecodingWithoutTheImportIsAnError(t *testing.T) {
	data, err := bson.Marshal(bson.D{{Key: "id", Value: primitive.NewObjectID()}})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ ID oid.ID }
	// The text is the driver's. It asks no method of ours: its interfaces for decoding
	// have a type of its own in their signatures. docs/troubleshooting.md has the text.
	const want = "cannot decode objectID into an array"
	if err := bson.Unmarshal(data, &doc); err == nil || !strings.Contains(err.Error(), want) || !doc.ID.IsZero() {
		t.Errorf("%v, %v, want %s", doc, err, want)
	}
	// Nil and empty things hold no ID, and are no error.
	if _, err := bson.Marshal(struct {
		ID  *oid.ID `bson:",omitempty"`
		IDs []oid.ID
	}{}); err != nil {
		t.Error(err)
	}
}
