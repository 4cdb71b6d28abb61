// Package live holds the tests of oid.ID with the drivers on a live MongoDB server.
package live_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

var (
	id1 = oid.MustParse("65b3f7edd9bfca00daa6e3b1")
	id2 = oid.MustParse("ffeeddccbbaa998877665544")
)

// openV2 returns a database of s that goes with the test. A nil registry is the
// driver's default.
func openV2(t *testing.T, s *mongodb.Server, reg *bson.Registry) *mongo.Database {
	t.Helper()
	opts := options.Client().ApplyURI(s.URI)
	if reg != nil {
		opts.SetRegistry(reg)
	}
	client, err := mongo.Connect(opts)
	if err != nil {
		t.Fatal(err)
	}
	db := client.Database(s.Database)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(db.Drop(ctx), client.Disconnect(ctx)); err != nil {
			t.Error(err)
		}
	})
	return db
}

// registriesV2 holds the ways to set up a client.
func registriesV2() map[string]*bson.Registry {
	mapAny := bsoncodec.NewRegistry()
	bsoncodec.MapAny(mapAny)
	return map[string]*bson.Registry{"default": nil, "ours": bsoncodec.NewRegistry(), "ours, any mapped": mapAny}
}

// order is a document with our IDs.
type order struct {
	ID       oid.ID         `bson:"_id,omitempty"`
	Customer oid.For[order] `bson:"customer"`
	Lines    []oid.ID       `bson:"lines"`
	Parent   *oid.ID        `bson:"parent"`
	N        int            `bson:"n"`
}

func newOrder(n int) order {
	return order{ID: oid.New(), Customer: oid.For[order](oid.New()), Lines: []oid.ID{oid.New(), oid.New()}, Parent: &id1, N: n}
}

// allV2 returns the documents that a filter finds, by n.
func allV2(t *testing.T, c *mongo.Collection, filter any, opts ...options.Lister[options.FindOptions]) (orders []order) {
	t.Helper()
	if len(opts) == 0 {
		opts = append(opts, options.Find().SetSort(bson.D{{Key: "n", Value: 1}}))
	}
	cursor, err := c.Find(t.Context(), filter, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := cursor.All(t.Context(), &orders); err != nil {
		t.Fatal(err)
	}
	return orders
}

// equalOrders reports whether two orders are the same, behind their pointers.
func equalOrders(a, b order) bool {
	return a.ID == b.ID && a.Customer == b.Customer && slices.Equal(a.Lines, b.Lines) && a.N == b.N &&
		(a.Parent == nil) == (b.Parent == nil) && (a.Parent == nil || *a.Parent == *b.Parent)
}

func TestLiveV2(t *testing.T) {
	for name, reg := range registriesV2() {
		t.Run(name, func(t *testing.T) {
			c := openV2(t, mongodb.Start(t), reg).Collection("orders")
			ctx := t.Context()
			var orders []order
			for n := range 10 {
				orders = append(orders, newOrder(n))
			}

			one, err := c.InsertOne(ctx, orders[0])
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := bsoncodec.FromAny(one.InsertedID); !ok || id != orders[0].ID {
				t.Errorf("InsertedID %T %v, want %v", one.InsertedID, one.InsertedID, orders[0].ID)
			}
			many, err := c.InsertMany(ctx, orders[1:])
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range many.InsertedIDs {
				if id, ok := bsoncodec.FromAny(v); !ok || id != orders[1+i].ID {
					t.Errorf("InsertedIDs[%d] %T %v, want %v", i, v, v, orders[1+i].ID)
				}
			}

			// Finding by ID, in every form that a filter takes.
			var last order
			id := orders[3].ID
			for _, filter := range []any{
				bson.D{{Key: "_id", Value: id}}, bson.D{{Key: "_id", Value: &id}}, bson.M{"_id": id}, order{ID: id}.byID(),
				bson.D{{Key: "_id", Value: bson.D{{Key: "$eq", Value: id}}}}, bson.D{{Key: "customer", Value: orders[3].Customer}},
				bson.D{{Key: "lines", Value: orders[3].Lines[1]}}, bson.D{{Key: "lines", Value: orders[3].Lines}},
				bson.D{{Key: "_id", Value: bson.ObjectID(id)}},
			} {
				if err := c.FindOne(ctx, filter).Decode(&last); err != nil || !equalOrders(last, orders[3]) {
					t.Errorf("find %v: %v, %v", filter, last, err)
				}
			}
			three := []oid.ID{orders[2].ID, orders[5].ID, orders[7].ID}
			for _, filter := range []any{
				bsoncodec.In("_id", three), bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: three}}}},
				bson.M{"_id": bson.M{"$in": bson.A{three[0], &three[1], bson.ObjectID(three[2])}}},
			} {
				if got := allV2(t, c, filter); !slices.EqualFunc(got, []order{orders[2], orders[5], orders[7]}, equalOrders) {
					t.Errorf("$in: %v", got)
				}
			}
			if got := allV2(t, c, bsoncodec.In("_id", []oid.ID(nil))); len(got) != 0 {
				t.Errorf("$in of nothing: %v", got)
			}
			if got := allV2(t, c, bsoncodec.CreatedSince("_id", orders[0].ID.Timestamp())); !slices.EqualFunc(got, orders, equalOrders) {
				t.Errorf("since: %v", got)
			}
			if got := allV2(t, c, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: -1}}).SetLimit(2)); !slices.EqualFunc(got, []order{orders[9], orders[8]}, equalOrders) {
				t.Errorf("sorted: %v", got)
			}

			// A result that the driver makes by itself.
			generated, err := c.InsertOne(ctx, order{N: 100})
			if err != nil {
				t.Fatal(err)
			}
			newID, ok := bsoncodec.FromAny(generated.InsertedID)
			if err := c.FindOne(ctx, bson.D{{Key: "_id", Value: newID}}).Decode(&last); !ok || err != nil || last.N != 100 {
				t.Errorf("the driver's id %v: %v, %v", generated.InsertedID, last, err)
			}
			upsert, err := c.UpdateOne(ctx, bson.D{{Key: "n", Value: 200}}, bson.D{{Key: "$set", Value: bson.D{{Key: "parent", Value: id}}}}, options.UpdateOne().SetUpsert(true))
			if err != nil {
				t.Fatal(err)
			}
			newID, ok = bsoncodec.FromAny(upsert.UpsertedID)
			if err := c.FindOne(ctx, bson.D{{Key: "_id", Value: newID}}).Decode(&last); !ok || err != nil || last.N != 200 || *last.Parent != id {
				t.Errorf("UpsertedID %v: %v, %v", upsert.UpsertedID, last, err)
			}
			assigned := &order{N: 300}
			newID, err = bsoncodec.Assign(assigned)
			if err != nil {
				t.Fatal(err)
			}
			if res, err := c.InsertOne(ctx, assigned); err != nil || newID != assigned.ID {
				t.Errorf("assigned: %v, %v", res, err)
			}

			// A bulk write.
			bulk, err := c.BulkWrite(ctx, []mongo.WriteModel{
				mongo.NewInsertOneModel().SetDocument(newOrder(400)),
				mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: orders[1].ID}}).SetUpdate(bson.D{{Key: "$push", Value: bson.D{{Key: "lines", Value: id}}}}),
				mongo.NewReplaceOneModel().SetFilter(bson.D{{Key: "_id", Value: id2}}).SetReplacement(order{ID: id2, N: 500}).SetUpsert(true),
				mongo.NewDeleteOneModel().SetFilter(bson.D{{Key: "_id", Value: assigned.ID}}),
			})
			if err != nil || bulk.InsertedCount != 1 || bulk.ModifiedCount != 1 || bulk.DeletedCount != 1 || bulk.UpsertedCount != 1 {
				t.Fatalf("bulk write: %+v, %v", bulk, err)
			}
			for _, v := range bulk.UpsertedIDs {
				if upserted, ok := bsoncodec.FromAny(v); !ok || upserted != id2 || len(bulk.UpsertedIDs) != 1 {
					t.Errorf("UpsertedIDs: %v", bulk.UpsertedIDs)
				}
			}

			// Find and modify, by ID.
			err = c.FindOneAndUpdate(ctx, bson.D{{Key: "_id", Value: orders[1].ID}}, bson.D{{Key: "$set", Value: bson.D{{Key: "parent", Value: &id2}}}},
				options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&last)
			if err != nil || *last.Parent != id2 || len(last.Lines) != 3 || last.Lines[2] != id {
				t.Errorf("find and update: %v, %v", last, err)
			}
			if err := c.FindOneAndReplace(ctx, bson.D{{Key: "_id", Value: orders[2].ID}}, order{ID: orders[2].ID, N: 2}).Decode(&last); err != nil || !equalOrders(last, orders[2]) {
				t.Errorf("find and replace: %v, %v", last, err)
			}
			if err := c.FindOneAndDelete(ctx, bson.D{{Key: "_id", Value: orders[9].ID}}).Decode(&last); err != nil || !equalOrders(last, orders[9]) {
				t.Errorf("find and delete: %v, %v", last, err)
			}
			if res, err := c.UpdateByID(ctx, orders[8].ID, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 88}}}}); err != nil || res.ModifiedCount != 1 {
				t.Errorf("update by id: %v, %v", res, err)
			}

			// Aggregation.
			cursor, err := c.Aggregate(ctx, mongo.Pipeline{
				{{Key: "$match", Value: bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: orders[4].ID}, {Key: "$lte", Value: orders[6].ID}}}}}},
				{{Key: "$sort", Value: bson.D{{Key: "_id", Value: 1}}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var matched []order
			if err := cursor.All(ctx, &matched); err != nil || !slices.EqualFunc(matched, orders[4:7], equalOrders) {
				t.Errorf("aggregate: %v, %v", matched, err)
			}

			// Distinct.
			distinct := c.Distinct(ctx, "_id", bsoncodec.In("_id", three[1:]))
			var ids []oid.ID
			if err := errors.Join(distinct.Err(), distinct.Decode(&ids)); err != nil || len(ids) != 2 || !slices.Contains(ids, three[1]) || !slices.Contains(ids, three[2]) {
				t.Errorf("distinct: %v, %v", ids, err)
			}

			// The one ID a second time.
			if _, err := c.InsertOne(ctx, orders[4]); !mongo.IsDuplicateKeyError(err) {
				t.Errorf("an id a second time: %v", err)
			}

			// Whatever was stored, is an ObjectId.
			total, err := c.CountDocuments(ctx, bson.D{})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := c.CountDocuments(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$type", Value: "objectId"}}}}); err != nil || n != total {
				t.Errorf("%d of %d documents have an ObjectId for _id: %v", n, total, err)
			}
		})
	}
}

// byID is a document to filter by.
func (o order) byID() any {
	return struct {
		ID oid.ID `bson:"_id"`
	}{o.ID}
}

func TestLiveGridFSV2(t *testing.T) {
	for name, reg := range registriesV2() {
		t.Run(name, func(t *testing.T) {
			bucket := openV2(t, mongodb.Start(t), reg).GridFSBucket()
			ctx := t.Context()
			id, text := oid.New(), strings.Repeat("a file ", 100_000)
			if err := bucket.UploadFromStreamWithID(ctx, id, "a.txt", strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if _, err := bucket.DownloadToStream(ctx, id, &got); err != nil || got.String() != text {
				t.Errorf("download: %d bytes, %v", got.Len(), err)
			}
			stream, err := bucket.OpenDownloadStream(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if fileID, ok := bsoncodec.FromAny(stream.GetFile().ID); !ok || fileID != id {
				t.Errorf("GetFile().ID = %v", stream.GetFile().ID)
			}
			stream.Close()
			uploaded, err := bucket.UploadFromStream(ctx, "b.txt", strings.NewReader("b"))
			if _, ok := bsoncodec.FromAny(uploaded); err != nil || !ok {
				t.Errorf("upload: %v, %v", uploaded, err)
			}
			if err := bucket.Delete(ctx, id); err != nil {
				t.Error(err)
			}
			if _, err := bucket.DownloadToStream(ctx, id, &got); !errors.Is(err, mongo.ErrFileNotFound) {
				t.Errorf("download of a deleted file: %v", err)
			}
		})
	}
}

// nativeOrder is what a program with bson.ObjectID has in place of order.
type nativeOrder struct {
	ID       bson.ObjectID   `bson:"_id,omitempty"`
	Customer bson.ObjectID   `bson:"customer"`
	Lines    []bson.ObjectID `bson:"lines"`
	Parent   *bson.ObjectID  `bson:"parent"`
	N        int             `bson:"n"`
}

func (o order) native() nativeOrder {
	n := nativeOrder{ID: bson.ObjectID(o.ID), Customer: bson.ObjectID(o.Customer), Parent: (*bson.ObjectID)(o.Parent), N: o.N}
	for _, line := range o.Lines {
		n.Lines = append(n.Lines, bson.ObjectID(line))
	}
	return n
}

// One collection, half of it written by a program with bson.ObjectID: both programs
// find all of it, by each other's IDs too.
func TestLiveMixedCollectionV2(t *testing.T) {
	s := mongodb.Start(t)
	old := openV2(t, s, nil).Collection("orders")
	c := openV2(t, s, bsoncodec.NewRegistry()).Collection("orders")
	ctx := t.Context()
	var orders []order
	for n := range 20 {
		o := newOrder(n)
		orders = append(orders, o)
		var err error
		if n%2 == 0 {
			_, err = old.InsertOne(ctx, o.native())
		} else {
			_, err = c.InsertOne(ctx, o)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := allV2(t, c, bsoncodec.CreatedBetween("_id", orders[0].ID.Timestamp(), orders[19].ID.Timestamp().Add(time.Second))); !slices.EqualFunc(got, orders, equalOrders) {
		t.Errorf("all: %v", got)
	}
	for _, o := range orders {
		var got order
		if err := c.FindOne(ctx, bson.D{{Key: "_id", Value: o.ID}, {Key: "customer", Value: o.Customer}}).Decode(&got); err != nil || !equalOrders(got, o) {
			t.Errorf("%d, by ours: %v, %v", o.N, got, err)
		}
		var native nativeOrder
		err := old.FindOne(ctx, bson.D{{Key: "_id", Value: bson.ObjectID(o.ID)}, {Key: "lines", Value: bson.ObjectID(o.Lines[0])}}).Decode(&native)
		if err != nil || native.ID != bson.ObjectID(o.ID) || len(native.Lines) != 2 || *native.Parent != bson.ObjectID(*o.Parent) {
			t.Errorf("%d, by native: %v, %v", o.N, native, err)
		}
	}
	// A change by either is one to the same document.
	if res, err := old.UpdateOne(ctx, bson.D{{Key: "_id", Value: bson.ObjectID(orders[1].ID)}}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 100}}}}); err != nil || res.ModifiedCount != 1 {
		t.Errorf("native changes ours: %v, %v", res, err)
	}
	if res, err := c.DeleteOne(ctx, bson.D{{Key: "_id", Value: orders[2].ID}}); err != nil || res.DeletedCount != 1 {
		t.Errorf("ours deletes native: %v, %v", res, err)
	}
}
