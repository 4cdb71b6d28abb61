package live_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

// The tests of this file need what only a MongoDB has. On the servers that stand in for it,
// they test that docs/compatibility.md is right about what is missing there.

// The two documents of a transaction are stored together or not at all, and the IDs that
// bsoncodec.Assign has set before stay.
func TestTransactionStoresAllOrNothing(t *testing.T) {
	s := mongodb.Start(t)
	coll := openV2(t, s, bsoncodec.NewRegistry()).Collection("orders")
	if _, err := coll.InsertOne(t.Context(), newOrder(0)); err != nil { // older servers make no collection in a transaction
		t.Fatal(err)
	}
	s.Check(t, mongodb.Transactions, errors.Join(
		inTransaction(t.Context(), coll, 1, errRollback),
		inTransaction(t.Context(), coll, 2, nil)))
}

var errRollback = errors.New("roll back")

// inTransaction stores two orders with the number n in a transaction that ends with result.
func inTransaction(ctx context.Context, coll *mongo.Collection, n int, result error) error {
	session, err := coll.Database().Client().StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	orders := []order{newOrder(n), newOrder(n)}
	_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
		for i := range orders {
			if _, err := coll.InsertOne(ctx, &orders[i]); err != nil {
				return nil, err
			}
		}
		return nil, result
	})
	if !errors.Is(err, result) {
		return fmt.Errorf("transaction: %v, want %v", err, result)
	}
	want := int64(len(orders))
	if result != nil {
		want = 0
	}
	got, err := coll.CountDocuments(ctx, bsoncodec.In("_id", []oid.ID{orders[0].ID, orders[1].ID}))
	if err == nil && got != want {
		err = fmt.Errorf("a transaction that ended with %v stored %d documents, want %d", result, got, want)
	}
	return err
}

// A change stream filtered by the ID's time of creation shows the new order, but not the old
// one.
func TestChangeStreamFilteredByTime(t *testing.T) {
	s := mongodb.Start(t)
	coll := openV2(t, s, bsoncodec.NewRegistry()).Collection("orders")
	s.Check(t, mongodb.ChangeStreams, watchSince(t.Context(), coll, time.Now().Add(-time.Hour)))
}

// watchSince stores an order that is older than from and a new one, and watches for those
// since from.
func watchSince(ctx context.Context, coll *mongo.Collection, from time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	pipeline := mongo.Pipeline{{{Key: "$match", Value: bsoncodec.CreatedSince("documentKey._id", from)}}}
	stream, err := coll.Watch(ctx, pipeline)
	if err != nil {
		return err
	}
	defer stream.Close(context.WithoutCancel(ctx))
	old, young := newOrder(1), newOrder(2)
	if old.ID, err = oid.NewAt(from.Add(-time.Minute)); err != nil {
		return err
	}
	for _, o := range []order{old, young} {
		if _, err := coll.InsertOne(ctx, o); err != nil {
			return err
		}
	}
	if !stream.Next(ctx) {
		return fmt.Errorf("no change: %v", stream.Err())
	}
	var change struct {
		FullDocument order `bson:"fullDocument"`
	}
	if err := stream.Decode(&change); err != nil {
		return err
	}
	if got := change.FullDocument.ID; got != young.ID {
		return fmt.Errorf("the first change is of order %v, want that of %v", got, young.ID)
	}
	return nil
}

// A $jsonSchema with oid.Pattern takes the text of an ID, and refuses other text. With the
// type objectId it takes IDs.
func TestJSONSchemaWithPattern(t *testing.T) {
	s := mongodb.Start(t)
	db := openV2(t, s, bsoncodec.NewRegistry())
	schema := bson.D{{Key: "$jsonSchema", Value: bson.D{{Key: "properties", Value: bson.D{
		{Key: "text", Value: bson.D{{Key: "bsonType", Value: "string"}, {Key: "pattern", Value: oid.Pattern}}},
		{Key: "id", Value: bson.D{{Key: "bsonType", Value: "objectId"}}},
	}}}}}
	s.Check(t, mongodb.Validators, func() error {
		if err := db.CreateCollection(t.Context(), "schema", options.CreateCollection().SetValidator(schema)); err != nil {
			return err
		}
		id := oid.New()
		for _, doc := range []bson.D{{{Key: "text", Value: id.Hex()}}, {{Key: "id", Value: id}}} {
			if _, err := db.Collection("schema").InsertOne(t.Context(), doc); err != nil {
				return fmt.Errorf("%v: %w", doc, err)
			}
		}
		for _, doc := range []bson.D{{{Key: "text", Value: id.Hex() + "0"}}, {{Key: "text", Value: "z" + id.Hex()[1:]}}, {{Key: "text", Value: id}}, {{Key: "id", Value: id.Hex()}}} {
			_, err := db.Collection("schema").InsertOne(t.Context(), doc)
			if refused := new(mongo.WriteException); !errors.As(err, refused) {
				return fmt.Errorf("%v: %v, want it refused", doc, err)
			}
		}
		return nil
	}())
}

// Client.BulkWrite stores, changes and deletes documents of several collections by their IDs.
func TestClientBulkWrite(t *testing.T) {
	s := mongodb.Start(t)
	db := openV2(t, s, bsoncodec.NewRegistry())
	s.Check(t, mongodb.ClientBulkWrites, clientBulkWrite(t.Context(), db))
}

func clientBulkWrite(ctx context.Context, db *mongo.Database) error {
	one, two := newOrder(1), newOrder(2)
	byID := func(o order) bson.D { return bson.D{{Key: "_id", Value: o.ID}} }
	var writes []mongo.ClientBulkWrite
	add := func(collection string, model mongo.ClientWriteModel) {
		writes = append(writes, mongo.ClientBulkWrite{Database: db.Name(), Collection: collection, Model: model})
	}
	add("a", mongo.NewClientInsertOneModel().SetDocument(one))
	add("b", mongo.NewClientInsertOneModel().SetDocument(two))
	add("a", mongo.NewClientUpdateOneModel().SetFilter(byID(one)).SetUpdate(bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 3}}}}))
	add("b", mongo.NewClientDeleteOneModel().SetFilter(byID(two)))
	result, err := db.Client().BulkWrite(ctx, writes, options.ClientBulkWrite().SetVerboseResults(true))
	if err != nil {
		return err
	}
	for i, want := range []oid.ID{one.ID, two.ID} {
		if got, ok := bsoncodec.FromAny(result.InsertResults[i].InsertedID); !ok || got != want {
			return fmt.Errorf("InsertedID = %v, want %v", result.InsertResults[i].InsertedID, want)
		}
	}
	var got order
	if err := db.Collection("a").FindOne(ctx, byID(one)).Decode(&got); err != nil || got.N != 3 {
		return fmt.Errorf("the changed order is %+v, %v", got, err)
	}
	if n, err := db.Collection("b").CountDocuments(ctx, byID(two)); err != nil || n != 0 {
		return fmt.Errorf("%d orders are left, %v", n, err)
	}
	return nil
}
