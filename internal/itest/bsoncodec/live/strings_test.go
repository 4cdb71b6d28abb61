package live_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

// copyWithIDs is the program of docs/migrating.md.
func copyWithIDs(ctx context.Context, from, to *mongo.Collection) error {
	cursor, err := from.Find(ctx, bson.D{})
	if err != nil {
		return err
	}
	defer cursor.Close(ctx)
	for cursor.Next(ctx) {
		var doc bson.D
		if err := cursor.Decode(&doc); err != nil {
			return err
		}
		for i := range doc {
			text, isText := doc[i].Value.(string)
			if doc[i].Key != "_id" || !isText { // add the fields that hold the IDs of other documents
				continue
			}
			id, err := oid.Parse(text)
			if err != nil {
				return err
			}
			doc[i].Value = id
		}
		byID := bson.D{{Key: "_id", Value: doc[0].Value}} // the server returns _id first
		if _, err := to.ReplaceOne(ctx, byID, doc, options.Replace().SetUpsert(true)); err != nil {
			return err
		}
	}
	return cursor.Err()
}

// A document whose _id is a string is read, but not found by its ID, until it is copied
// as docs/migrating.md says. RefuseStrings makes the reading an error.
func TestStringIDs(t *testing.T) {
	s := mongodb.Start(t)
	db := openV2(t, s, bsoncodec.NewRegistry())
	refuse := bsoncodec.NewRegistry()
	bsoncodec.RefuseStrings(refuse)
	old, now := db.Collection("strings"), db.Collection("ids")
	strict := db.Collection("strings", options.Collection().SetRegistry(refuse))
	type doc struct {
		ID oid.ID `bson:"_id"`
		N  int
	}
	ids := make([]oid.ID, 50)
	oid.Fill(ids)
	for i, id := range ids {
		var key any = id.Hex()
		if i%10 == 0 {
			key = id // some are ObjectIds already
		}
		if _, err := old.InsertOne(t.Context(), bson.D{{Key: "_id", Value: key}, {Key: "n", Value: i}}); err != nil {
			t.Fatal(err)
		}
	}

	byText := bson.D{{Key: "_id", Value: ids[1].Hex()}}
	var got doc
	if err := old.FindOne(t.Context(), byText).Decode(&got); err != nil || got.ID != ids[1] {
		t.Fatalf("a string is read as %v, %v, want %v", got.ID, err, ids[1])
	}
	if err := old.FindOne(t.Context(), bson.D{{Key: "_id", Value: ids[1]}}).Decode(&got); !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("a filter by the ID finds %v, %v, want no document", got, err)
	}
	if err := strict.FindOne(t.Context(), byText).Decode(&got); err == nil || !strings.Contains(err.Error(), "bsoncodec.RefuseStrings refuses a string") {
		t.Errorf("with RefuseStrings: %v, want an error that names it", err)
	}
	for _, id := range ids[:11] { // in the time between
		both := bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: bson.A{id, id.Hex()}}}}}
		if err := old.FindOne(t.Context(), both).Decode(&got); err != nil || got.ID != id {
			t.Errorf("$in of both forms finds %v, %v, want %v", got.ID, err, id)
		}
	}

	for range 2 { // it can run again
		if err := copyWithIDs(t.Context(), old, now); err != nil {
			t.Fatal(err)
		}
	}
	cursor, err := now.Find(t.Context(), bsoncodec.In("_id", ids), options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	var all []doc
	if err := cursor.All(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	copied := slices.Collect(func(yield func(oid.ID) bool) {
		for i, doc := range all {
			if doc.N != i || !yield(doc.ID) {
				return
			}
		}
	})
	if n, err := now.CountDocuments(t.Context(), bson.D{}); err != nil || n != int64(len(ids)) || !slices.Equal(copied, ids) {
		t.Errorf("the copy has %d documents, %v, %v, want %v", n, copied, err, ids)
	}
}
