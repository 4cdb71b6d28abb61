package live_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

// openV1 returns a database of s that goes with the test. A nil registry is the
// driver's default.
func openV1(t *testing.T, s *mongodb.Server, reg *bsoncodec.Registry) *mongo.Database {
	t.Helper()
	opts := options.Client().ApplyURI(s.URI)
	if reg != nil {
		opts.SetRegistry(reg)
	}
	client, err := mongo.Connect(t.Context(), opts)
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

// registriesV1 holds the ways to set up a client.
func registriesV1() map[string]*bsoncodec.Registry {
	mapAny := mongov1.NewRegistry()
	mongov1.MapAny(mapAny)
	return map[string]*bsoncodec.Registry{"default": nil, "ours": mongov1.NewRegistry(), "ours, any mapped": mapAny}
}

// allV1 returns the documents that a filter finds, by n.
func allV1(t *testing.T, c *mongo.Collection, filter any, opts ...*options.FindOptions) (orders []order) {
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

func TestLiveV1(t *testing.T) {
	for name, reg := range registriesV1() {
		t.Run(name, func(t *testing.T) {
			c := openV1(t, mongodb.Start(t), reg).Collection("orders")
			ctx := t.Context()
			var orders []order
			for n := range 10 {
				orders = append(orders, newOrder(n))
			}

			one, err := c.InsertOne(ctx, orders[0])
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := mongov1.FromAny(one.InsertedID); !ok || id != orders[0].ID {
				t.Errorf("InsertedID %T %v, want %v", one.InsertedID, one.InsertedID, orders[0].ID)
			}
			var rest []any
			for _, o := range orders[1:] {
				rest = append(rest, o)
			}
			many, err := c.InsertMany(ctx, rest)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range many.InsertedIDs {
				if id, ok := mongov1.FromAny(v); !ok || id != orders[1+i].ID {
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
				bson.D{{Key: "_id", Value: primitive.ObjectID(id)}},
			} {
				if err := c.FindOne(ctx, filter).Decode(&last); err != nil || !equalOrders(last, orders[3]) {
					t.Errorf("find %v: %v, %v", filter, last, err)
				}
			}
			three := []oid.ID{orders[2].ID, orders[5].ID, orders[7].ID}
			for _, filter := range []any{
				mongov1.In("_id", three), bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: three}}}},
				bson.M{"_id": bson.M{"$in": bson.A{three[0], &three[1], primitive.ObjectID(three[2])}}},
			} {
				if got := allV1(t, c, filter); !slices.EqualFunc(got, []order{orders[2], orders[5], orders[7]}, equalOrders) {
					t.Errorf("$in: %v", got)
				}
			}
			if got := allV1(t, c, mongov1.In("_id", []oid.ID(nil))); len(got) != 0 {
				t.Errorf("$in of nothing: %v", got)
			}
			if got := allV1(t, c, mongov1.CreatedSince("_id", orders[0].ID.Timestamp())); !slices.EqualFunc(got, orders, equalOrders) {
				t.Errorf("since: %v", got)
			}
			if got := allV1(t, c, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: -1}}).SetLimit(2)); !slices.EqualFunc(got, []order{orders[9], orders[8]}, equalOrders) {
				t.Errorf("sorted: %v", got)
			}

			// A result that the driver makes by itself.
			generated, err := c.InsertOne(ctx, order{N: 100})
			if err != nil {
				t.Fatal(err)
			}
			newID, ok := mongov1.FromAny(generated.InsertedID)
			if err := c.FindOne(ctx, bson.D{{Key: "_id", Value: newID}}).Decode(&last); !ok || err != nil || last.N != 100 {
				t.Errorf("the driver's id %v: %v, %v", generated.InsertedID, last, err)
			}
			upsert, err := c.UpdateOne(ctx, bson.D{{Key: "n", Value: 200}}, bson.D{{Key: "$set", Value: bson.D{{Key: "parent", Value: id}}}}, options.Update().SetUpsert(true))
			if err != nil {
				t.Fatal(err)
			}
			newID, ok = mongov1.FromAny(upsert.UpsertedID)
			if err := c.FindOne(ctx, bson.D{{Key: "_id", Value: newID}}).Decode(&last); !ok || err != nil || last.N != 200 || *last.Parent != id {
				t.Errorf("UpsertedID %v: %v, %v", upsert.UpsertedID, last, err)
			}
			assigned := &order{N: 300}
			newID, err = mongov1.Assign(assigned)
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
				if upserted, ok := mongov1.FromAny(v); !ok || upserted != id2 || len(bulk.UpsertedIDs) != 1 {
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
			values, err := c.Distinct(ctx, "_id", mongov1.In("_id", three[1:]))
			var ids []oid.ID
			for _, v := range values {
				id, ok := mongov1.FromAny(v)
				if !ok {
					t.Errorf("distinct: %T", v)
				}
				ids = append(ids, id)
			}
			if err != nil || len(ids) != 2 || !slices.Contains(ids, three[1]) || !slices.Contains(ids, three[2]) {
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

func TestLiveGridFSV1(t *testing.T) {
	for name, reg := range registriesV1() {
		t.Run(name, func(t *testing.T) {
			bucket, err := gridfs.NewBucket(openV1(t, mongodb.Start(t), reg))
			if err != nil {
				t.Fatal(err)
			}
			id, text := oid.New(), strings.Repeat("a file ", 100_000)
			if err := bucket.UploadFromStreamWithID(id, "a.txt", strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if _, err := bucket.DownloadToStream(id, &got); err != nil || got.String() != text {
				t.Errorf("download: %d bytes, %v", got.Len(), err)
			}
			stream, err := bucket.OpenDownloadStream(id)
			if err != nil {
				t.Fatal(err)
			}
			if fileID, ok := mongov1.FromAny(stream.GetFile().ID); !ok || fileID != id {
				t.Errorf("GetFile().ID = %v", stream.GetFile().ID)
			}
			stream.Close()
			uploaded, err := bucket.UploadFromStream("b.txt", strings.NewReader("b"))
			if _, ok := mongov1.FromAny(uploaded); err != nil || !ok {
				t.Errorf("upload: %v, %v", uploaded, err)
			}
			if err := bucket.Delete(id); err != nil {
				t.Error(err)
			}
			if _, err := bucket.DownloadToStream(id, &got); !errors.Is(err, gridfs.ErrFileNotFound) {
				t.Errorf("download of a deleted file: %v", err)
			}
		})
	}
}

// nativeOrderV1 is what a program with primitive.ObjectID has in place of order.
type nativeOrderV1 struct {
	ID       primitive.ObjectID   `bson:"_id,omitempty"`
	Customer primitive.ObjectID   `bson:"customer"`
	Lines    []primitive.ObjectID `bson:"lines"`
	Parent   *primitive.ObjectID  `bson:"parent"`
	N        int                  `bson:"n"`
}

func (o order) nativeV1() nativeOrderV1 {
	n := nativeOrderV1{ID: primitive.ObjectID(o.ID), Customer: primitive.ObjectID(o.Customer), Parent: (*primitive.ObjectID)(o.Parent), N: o.N}
	for _, line := range o.Lines {
		n.Lines = append(n.Lines, primitive.ObjectID(line))
	}
	return n
}

// One collection, half of it written by a program with primitive.ObjectID: both programs
// find all of it, by each other's IDs too.
func TestLiveMixedCollectionV1(t *testing.T) {
	s := mongodb.Start(t)
	old := openV1(t, s, nil).Collection("orders")
	c := openV1(t, s, mongov1.NewRegistry()).Collection("orders")
	ctx := t.Context()
	var orders []order
	for n := range 20 {
		o := newOrder(n)
		orders = append(orders, o)
		var err error
		if n%2 == 0 {
			_, err = old.InsertOne(ctx, o.nativeV1())
		} else {
			_, err = c.InsertOne(ctx, o)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := allV1(t, c, mongov1.CreatedBetween("_id", orders[0].ID.Timestamp(), orders[19].ID.Timestamp().Add(time.Second))); !slices.EqualFunc(got, orders, equalOrders) {
		t.Errorf("all: %v", got)
	}
	for _, o := range orders {
		var got order
		if err := c.FindOne(ctx, bson.D{{Key: "_id", Value: o.ID}, {Key: "customer", Value: o.Customer}}).Decode(&got); err != nil || !equalOrders(got, o) {
			t.Errorf("%d, by ours: %v, %v", o.N, got, err)
		}
		var native nativeOrderV1
		err := old.FindOne(ctx, bson.D{{Key: "_id", Value: primitive.ObjectID(o.ID)}, {Key: "lines", Value: primitive.ObjectID(o.Lines[0])}}).Decode(&native)
		if err != nil || native.ID != primitive.ObjectID(o.ID) || len(native.Lines) != 2 || *native.Parent != primitive.ObjectID(*o.Parent) {
			t.Errorf("%d, by native: %v, %v", o.N, native, err)
		}
	}
	// A change by either is one to the same document.
	if res, err := old.UpdateOne(ctx, bson.D{{Key: "_id", Value: primitive.ObjectID(orders[1].ID)}}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 100}}}}); err != nil || res.ModifiedCount != 1 {
		t.Errorf("native changes ours: %v, %v", res, err)
	}
	if res, err := c.DeleteOne(ctx, bson.D{{Key: "_id", Value: orders[2].ID}}); err != nil || res.DeletedCount != 1 {
		t.Errorf("ours deletes native: %v, %v", res, err)
	}
}
