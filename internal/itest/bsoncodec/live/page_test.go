package live_test

import (
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

import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"

// TestPageOnMongoDB runs the code of docs/mongodb.md. internal/contract/docs checks that each
// line of the page stands here.
func TestPageOnMongoDB(t *testing.T) {
	type Customer struct{ ID oid.ID }
	type Order struct {
		ID       oid.ID            `bson:"_id,omitempty"`
		Number   string            `bson:"number"`
		Customer oid.For[Customer] `bson:"customer"` // the compiler keeps it apart from other IDs
		Parent   *oid.ID           `bson:"parent"`   // nil is null
		Related  []oid.ID          `bson:"related"`
	}
	ctx, server := t.Context(), mongodb.Start(t)
	block := func(name string, run func() error) {
		t.Helper()
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	numbers := func(cursor *mongo.Cursor, err error) (n int) {
		t.Helper()
		var orders []Order
		if err == nil {
			err = cursor.All(ctx, &orders)
		}
		if err != nil {
			t.Error(err)
		}
		return len(orders)
	}
	block("install", func() error {
		uri := server.URI
		client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(bsoncodec.NewRegistry()))
		if err != nil {
			return err
		}
		coll := client.Database("shop").Collection("orders")
		if coll.Name() != "orders" { // this collection isn't ours: nothing is sent
			t.Error(coll.Name())
		}
		return client.Disconnect(ctx)
	})
	coll := openV2(t, server, bsoncodec.NewRegistry()).Collection("orders")
	var ids []oid.ID
	block("insert", func() error {
		order := Order{Number: "A1001"}
		id, err := bsoncodec.Assign(&order) // sets order.ID if it is zero
		if err != nil {
			return err
		}
		_, err = coll.InsertOne(ctx, order)
		fmt.Println("stored", id, err)
		ids = append(ids, id)
		return err
	})
	order := Order{ID: oid.New(), Number: "A1003", Customer: oid.For[Customer](oid.New()), Parent: &ids[0]}
	block("rules", func() error {
		result, err := coll.InsertOne(ctx, order)
		if err != nil {
			return err
		}
		same := bsoncodec.MustFromAny(result.InsertedID) == order.ID // rule 1: InsertedID is an any
		data, err := bsoncodec.Marshal(order)                        // rule 4
		if err != nil {
			return err
		}
		before := order.ID
		order.ID = oid.ID{}
		err = bsoncodec.Unmarshal(data, &order)
		if !same || order.ID != before {
			t.Errorf("inserted %v, same: %t, read %v", before, same, order.ID)
		}
		if err != nil {
			return err
		}
		var doc bson.M
		err = coll.FindOne(ctx, bson.D{{Key: "number", Value: order.Number}}).Decode(&doc)
		id, ok := bsoncodec.FromAny(doc["_id"]) // rule 1: a value of a bson.M is an any
		if !ok || id != order.ID {
			t.Errorf("the document has the _id %v, want %v", doc["_id"], order.ID)
		}
		return err
	})
	ids = append(ids, order.ID)
	block("list", func() error {
		cursor, err := coll.Find(ctx, bsoncodec.In("_id", ids))
		if err != nil {
			return err
		}
		var orders []Order
		err = cursor.All(ctx, &orders)
		if len(orders) != 2 {
			t.Errorf("found %v", orders)
		}
		return err
	})
	block("page", func() error {
		last := ids[0]
		after := bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: last}}}}
		page, err := coll.Find(ctx, after, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(50))
		if n := numbers(page, err); n != 1 {
			t.Errorf("%d after the first one", n)
		}
		newest, err := coll.Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: -1}}).SetLimit(50)) // the 50 newest orders
		if n := numbers(newest, err); n != 2 {
			t.Errorf("%d newest, want 2", n)
		}
		return nil
	})
	block("created", func() error {
		from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		march, err := coll.Find(ctx, bsoncodec.CreatedBetween("_id", from, to))
		if n := numbers(march, err); n != 2 {
			t.Errorf("%d between", n)
		}
		since, err := coll.Find(ctx, bsoncodec.CreatedSince("customer", from)) // orders whose customer was created at or after from
		if n := numbers(since, err); n != 1 {
			t.Errorf("%d of customers since", n)
		}
		old, err := coll.DeleteMany(ctx, bsoncodec.CreatedBefore("_id", from))
		if err == nil && old.DeletedCount != 0 {
			t.Errorf("%d were deleted", old.DeletedCount)
		}
		return err
	})
	block("read, update and delete", func() error {
		text := ids[0].Hex()
		id, err := oid.Parse(text) // text of a URL
		if err != nil {
			return err
		}
		byID := bson.D{{Key: "_id", Value: id}}
		var order Order
		if err := coll.FindOne(ctx, byID).Decode(&order); errors.Is(err, mongo.ErrNoDocuments) {
			return err // no such order
		}
		if order.ID != id || order.Number != "A1001" {
			t.Errorf("found %+v", order)
		}
		_, err = coll.UpdateOne(ctx, byID, bson.D{{Key: "$set", Value: bson.D{{Key: "number", Value: "A1002"}}}})
		if err != nil {
			return err
		}
		_, err = coll.DeleteOne(ctx, byID)
		return err
	})
	if n, err := coll.CountDocuments(ctx, bson.D{}); err != nil || n != 1 {
		t.Errorf("%d documents are left, %v, want 1", n, err)
	}
	block("upsert", func() error {
		id := oid.New()
		for range 2 {
			order := Order{ID: id, Number: "A1006"}
			sameID := bson.D{{Key: "_id", Value: order.ID}}
			_, err := coll.ReplaceOne(ctx, sameID, order, options.Replace().SetUpsert(true))
			if err != nil {
				return err
			}
		}
		if n := numbers(coll.Find(ctx, bson.D{{Key: "_id", Value: id}})); n != 1 {
			t.Errorf("two upserts stored %d documents, want 1", n)
		}
		return nil
	})
	block("insert many", func() error {
		orders := []Order{{Number: "A1004"}, {Number: "A1005"}}
		for i := range orders {
			if _, err := bsoncodec.Assign(&orders[i]); err != nil {
				return err
			}
		}
		_, err := coll.InsertMany(ctx, orders)
		if err != nil {
			return err
		}
		inserted := []oid.ID{orders[0].ID, orders[1].ID}
		if n := numbers(coll.Find(ctx, bsoncodec.In("_id", inserted))); n != 2 {
			t.Errorf("found %d of 2 inserted documents", n)
		}
		return nil
	})
	block("registry", func() error {
		old := oid.New()
		for number, id := range map[string]any{"string": old.Hex(), "Binary": bson.Binary{Data: old[:]}} {
			if _, err := coll.InsertOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "number", Value: number}}); err != nil {
				return err
			}
		}
		uri := server.URI
		reg := bsoncodec.NewRegistry()
		bsoncodec.RefuseStrings(reg) // rule 2
		bsoncodec.AcceptBinary(reg)  // rule 3
		client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(reg))
		if err != nil {
			return err
		}
		strict := client.Database(coll.Database().Name()).Collection(coll.Name())
		var order Order
		if err := strict.FindOne(ctx, bson.D{{Key: "number", Value: "string"}}).Decode(&order); err == nil {
			t.Errorf("a string _id was read as %v, want an error", order.ID)
		}
		if err := strict.FindOne(ctx, bson.D{{Key: "number", Value: "Binary"}}).Decode(&order); err != nil || order.ID != old {
			t.Errorf("a Binary _id was read as %v, %v, want %v", order.ID, err, old)
		}
		return client.Disconnect(ctx)
	})
}
