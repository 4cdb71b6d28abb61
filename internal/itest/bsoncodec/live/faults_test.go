package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	mongov1driver "go.mongodb.org/mongo-driver/mongo"
	optionsv1 "go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

// clientV2 returns a client of s with our registry.
func (s *fakeServer) clientV2(t *testing.T, reg *bson.Registry) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(s.uri).SetRegistry(reg).SetServerAPIOptions(options.ServerAPI(options.ServerAPIVersion1)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := client.Disconnect(ctx); err != nil {
			t.Error(err)
		}
	})
	return client
}

func (s *fakeServer) clientV1(t *testing.T) *mongov1driver.Client {
	t.Helper()
	client, err := mongov1driver.Connect(t.Context(), optionsv1.Client().ApplyURI(s.uri).SetServerAPIOptions(optionsv1.ServerAPI(optionsv1.ServerAPIVersion1)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := client.Disconnect(ctx); err != nil {
			t.Error(err)
		}
	})
	return client
}

// An unordered InsertMany with duplicates stores every other document, and
// each ID of the result stands at the index of its document.
func TestUnorderedInsertManyKeepsEachIDAtItsIndex(t *testing.T) {
	s := mongodb.Start(t)
	var orders []order
	for n := range 9 {
		orders = append(orders, newOrder(n))
	}
	orders[3].ID, orders[7].ID = orders[0].ID, orders[1].ID
	stored := []int{0, 1, 2, 4, 5, 6, 8}

	for name, reg := range registriesV2() {
		c := openV2(t, s, reg).Collection("v2 " + name)
		res, err := c.InsertMany(t.Context(), orders, options.InsertMany().SetOrdered(false))
		var bulk mongo.BulkWriteException
		if !errors.As(err, &bulk) || len(bulk.WriteErrors) != 2 || bulk.WriteErrors[0].Index != 3 || bulk.WriteErrors[1].Index != 7 {
			t.Fatalf("v2, %s: error %v, want one for index 3 and one for 7", name, err)
		}
		if len(res.InsertedIDs) != len(stored) {
			t.Fatalf("v2, %s: %d InsertedIDs, want %d", name, len(res.InsertedIDs), len(stored))
		}
		for i, n := range stored {
			if id, ok := bsoncodec.FromAny(res.InsertedIDs[i]); !ok || id != orders[n].ID {
				t.Errorf("v2, %s: InsertedIDs[%d] = %v, want that of document %d, %v", name, i, res.InsertedIDs[i], n, orders[n].ID)
			}
		}
		var got []int
		for _, o := range allV2(t, c, bson.D{}) {
			got = append(got, o.N)
		}
		if !slices.Equal(got, stored) {
			t.Errorf("v2, %s: stored %v, want %v", name, got, stored)
		}
	}

	c := openV1(t, s, nil).Collection("v1")
	var docs []any
	for _, o := range orders {
		docs = append(docs, o)
	}
	res, err := c.InsertMany(t.Context(), docs, optionsv1.InsertMany().SetOrdered(false))
	var bulk mongov1driver.BulkWriteException
	if !errors.As(err, &bulk) || len(bulk.WriteErrors) != 2 || bulk.WriteErrors[0].Index != 3 || bulk.WriteErrors[1].Index != 7 {
		t.Fatalf("v1: error %v, want one for index 3 and one for 7", err)
	}
	if len(res.InsertedIDs) != len(stored) {
		t.Fatalf("v1: %d InsertedIDs, want %d", len(res.InsertedIDs), len(stored))
	}
	for i, n := range stored {
		if id, ok := mongov1.FromAny(res.InsertedIDs[i]); !ok || id != orders[n].ID {
			t.Errorf("v1: InsertedIDs[%d] = %v, want that of document %d, %v", i, res.InsertedIDs[i], n, orders[n].ID)
		}
	}
}

// transient is the answer of a server that wants the transaction again.
var transient = bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 112}, {Key: "codeName", Value: "WriteConflict"}, {Key: "errmsg", Value: "again"},
	{Key: "errorLabels", Value: bson.A{"TransientTransactionError"}}}

// insertTwice answers the first insert with transient, and all else with success.
func insertTwice() func(bson.Raw) bson.D {
	n := 0
	return func(command bson.Raw) bson.D {
		if commandName(command) == "insert" {
			if n++; n == 1 {
				return transient
			}
		}
		return bson.D{{Key: "ok", Value: 1}, {Key: "n", Value: 1}}
	}
}

// The driver calls the function of a transaction again after a transient error. With
// an ID from Assign, the document is the same one both times.
func TestATransactionThatRunsTwiceStoresOneID(t *testing.T) {
	check := func(driver string, s *fakeServer, id oid.ID, calls int, err error) {
		t.Helper()
		inserts := s.sent("insert")
		if err != nil || calls != 2 || len(inserts) != 2 {
			t.Fatalf("%s: %d calls, %d inserts, %v, want 2, 2, nil", driver, calls, len(inserts), err)
		}
		for i, insert := range inserts {
			if sent, ok := insert.Lookup("documents", "0", "_id").ObjectIDOK(); !ok || oid.ID(sent) != id {
				t.Errorf("%s: insert %d sends the _id %v, want %v", driver, i, insert.Lookup("documents", "0", "_id"), id)
			}
		}
	}

	s := startFake(t, insertTwice())
	client := s.clientV2(t, bsoncodec.NewRegistry())
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	var o order
	calls := 0
	_, err = session.WithTransaction(t.Context(), func(ctx context.Context) (any, error) {
		calls++
		if _, err := bsoncodec.Assign(&o); err != nil {
			return nil, err
		}
		return client.Database("test").Collection("orders").InsertOne(ctx, &o)
	})
	check("v2", s, o.ID, calls, err)

	s = startFake(t, insertTwice())
	clientV1 := s.clientV1(t)
	sessionV1, err := clientV1.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer sessionV1.EndSession(t.Context())
	o, calls = order{}, 0
	_, err = sessionV1.WithTransaction(t.Context(), func(ctx mongov1driver.SessionContext) (any, error) {
		calls++
		if _, err := mongov1.Assign(&o); err != nil {
			return nil, err
		}
		return clientV1.Database("test").Collection("orders").InsertOne(ctx, &o)
	})
	check("v1", s, o.ID, calls, err)
}

// A write concern error comes after the document is stored on the primary. The error
// is the driver's own. Its result is nil, so that only Assign knows the ID.
func TestAWriteConcernErrorKeepsTheID(t *testing.T) {
	answer := func(bson.Raw) bson.D {
		return bson.D{{Key: "ok", Value: 1}, {Key: "n", Value: 1}, {Key: "writeConcernError",
			Value: bson.D{{Key: "code", Value: 64}, {Key: "codeName", Value: "WriteConcernFailed"}, {Key: "errmsg", Value: "waiting for replication timed out"}}}}
	}
	s := startFake(t, answer)
	var o order
	id, err := bsoncodec.Assign(&o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.clientV2(t, bsoncodec.NewRegistry()).Database("test").Collection("orders").InsertOne(t.Context(), &o)
	var write mongo.WriteException
	if !errors.As(err, &write) || write.WriteConcernError == nil || write.WriteConcernError.Code != 64 {
		t.Errorf("v2: error %v, want the write concern error", err)
	}
	if res != nil || o.ID != id || sentID(s) != id {
		t.Errorf("v2: result %v, document %v, sent %v, want nil and the id %v", res, o.ID, sentID(s), id)
	}

	s = startFake(t, answer)
	o = order{}
	if id, err = mongov1.Assign(&o); err != nil {
		t.Fatal(err)
	}
	resV1, err := s.clientV1(t).Database("test").Collection("orders").InsertOne(t.Context(), &o)
	var writeV1 mongov1driver.WriteException
	if !errors.As(err, &writeV1) || writeV1.WriteConcernError == nil || writeV1.WriteConcernError.Code != 64 {
		t.Errorf("v1: error %v, want the write concern error", err)
	}
	if resV1 != nil || o.ID != id || sentID(s) != id {
		t.Errorf("v1: result %v, document %v, sent %v, want nil and the id %v", resV1, o.ID, sentID(s), id)
	}
}

// sentID returns the _id of the one document that was sent.
func sentID(s *fakeServer) oid.ID {
	for _, insert := range s.sent("insert") {
		if id, ok := insert.Lookup("documents", "0", "_id").ObjectIDOK(); ok {
			return oid.ID(id)
		}
	}
	return oid.ID{}
}

// The events of a change stream, as a server sends them, give the document's key as
// an oid.ID: to a struct, and with MapAny to a bson.M.
func TestChangeStreamEventsHoldIDs(t *testing.T) {
	token := bson.D{{Key: "_data", Value: "8265B3F7ED000000012B042C0100296E5A1004"}}
	ns := bson.D{{Key: "db", Value: "test"}, {Key: "coll", Value: "orders"}}
	event := func(operation string, id oid.ID, rest ...bson.E) bson.D {
		return append(bson.D{{Key: "_id", Value: token}, {Key: "operationType", Value: operation}, {Key: "clusterTime", Value: bson.Timestamp{T: 1706293229, I: 1}},
			{Key: "ns", Value: ns}, {Key: "documentKey", Value: bson.D{{Key: "_id", Value: bson.ObjectID(id)}}}}, rest...)
	}
	answer := func(command bson.Raw) bson.D {
		batch := bson.A{}
		switch commandName(command) {
		case "aggregate":
			batch = bson.A{
				event("insert", id1, bson.E{Key: "fullDocument", Value: bson.D{{Key: "_id", Value: bson.ObjectID(id1)}, {Key: "parent", Value: bson.ObjectID(id2)}}}),
				event("delete", id2),
			}
			return bson.D{{Key: "ok", Value: 1}, {Key: "cursor", Value: bson.D{{Key: "id", Value: int64(7)}, {Key: "ns", Value: "test.orders"}, {Key: "firstBatch", Value: batch},
				{Key: "postBatchResumeToken", Value: token}}}}
		case "getMore":
			return bson.D{{Key: "ok", Value: 1}, {Key: "cursor", Value: bson.D{{Key: "id", Value: int64(7)}, {Key: "ns", Value: "test.orders"}, {Key: "nextBatch", Value: batch},
				{Key: "postBatchResumeToken", Value: token}}}}
		}
		return bson.D{{Key: "ok", Value: 1}}
	}

	reg := bsoncodec.NewRegistry()
	bsoncodec.MapAny(reg)
	stream, err := startFake(t, answer).clientV2(t, reg).Database("test").Collection("orders").Watch(t.Context(), bson.A{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close(t.Context())
	for _, want := range []oid.ID{id1, id2} {
		var typed struct {
			Operation string `bson:"operationType"`
			Key       struct {
				ID oid.For[order] `bson:"_id"`
			} `bson:"documentKey"`
			Full *order `bson:"fullDocument"`
		}
		var loose bson.M
		if !stream.TryNext(t.Context()) {
			t.Fatalf("v2: no event: %v", stream.Err())
		}
		if err := errors.Join(stream.Decode(&typed), stream.Decode(&loose)); err != nil {
			t.Fatal(err)
		}
		if oid.ID(typed.Key.ID) != want {
			t.Errorf("v2: documentKey %v, want %v", typed.Key.ID, want)
		}
		if got := loose["documentKey"].(bson.D)[0].Value; got != any(want) {
			t.Errorf("v2: documentKey %T %v in a bson.M, want the oid.ID %v", got, got, want)
		}
		if full := typed.Full; (typed.Operation == "insert") != (full != nil) || full != nil && (full.ID != id1 || *full.Parent != id2) {
			t.Errorf("v2, %s: fullDocument %v", typed.Operation, full)
		}
	}

	streamV1, err := startFake(t, answer).clientV1(t).Database("test").Collection("orders").Watch(t.Context(), bsonv1.A{})
	if err != nil {
		t.Fatal(err)
	}
	defer streamV1.Close(t.Context())
	for _, want := range []oid.ID{id1, id2} {
		var typed struct {
			Key struct {
				ID oid.For[order] `bson:"_id"`
			} `bson:"documentKey"`
		}
		if !streamV1.TryNext(t.Context()) {
			t.Fatalf("v1: no event: %v", streamV1.Err())
		}
		if err := streamV1.Decode(&typed); err != nil || oid.ID(typed.Key.ID) != want {
			t.Errorf("v1: documentKey %v, %v, want %v", typed.Key.ID, err, want)
		}
	}
}

// answerWrites answers each write with one document that was upserted under id1, as MongoDB
// 8.0 does. FerretDB doesn't know the command bulkWrite.
func answerWrites(command bson.Raw) bson.D {
	switch commandName(command) {
	case "update":
		return bson.D{{Key: "ok", Value: 1}, {Key: "n", Value: 1}, {Key: "nModified", Value: 0},
			{Key: "upserted", Value: bson.A{bson.D{{Key: "index", Value: 0}, {Key: "_id", Value: bson.ObjectID(id1)}}}}}
	case "bulkWrite":
		upserted := bson.D{{Key: "ok", Value: 1.0}, {Key: "idx", Value: 0}, {Key: "n", Value: 1}, {Key: "nModified", Value: 0},
			{Key: "upserted", Value: bson.D{{Key: "_id", Value: bson.ObjectID(id1)}}}}
		inserted := bson.D{{Key: "ok", Value: 1.0}, {Key: "idx", Value: 1}, {Key: "n", Value: 1}}
		return bson.D{{Key: "ok", Value: 1}, {Key: "nErrors", Value: 0}, {Key: "nInserted", Value: 1}, {Key: "nUpserted", Value: 1}, {Key: "nMatched", Value: 0},
			{Key: "nModified", Value: 0}, {Key: "nDeleted", Value: 0}, {Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)},
				{Key: "ns", Value: "admin.$cmd.bulkWrite"}, {Key: "firstBatch", Value: bson.A{upserted, inserted}}}}}
	}
	return bson.D{{Key: "ok", Value: 1}, {Key: "n", Value: 1}}
}

// Which results of the driver hold an oid.ID, with the registry of the client and with
// MapAny. FromAny takes them all.
func TestTypesOfIDsInResults(t *testing.T) {
	type textID string
	const native, ours = "bson.ObjectID", "oid.ID"
	for _, tt := range []struct {
		result         string
		plain, withAny string // the type without MapAny, and with it
		run            func(ctx context.Context, client *mongo.Client, c *mongo.Collection) (any, error)
	}{
		{"InsertedID of an oid.ID", native, ours, func(ctx context.Context, _ *mongo.Client, c *mongo.Collection) (any, error) {
			res, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: id1}})
			return res.InsertedID, err
		}},
		{"InsertedID of an oid.For", native, ours, func(ctx context.Context, _ *mongo.Client, c *mongo.Collection) (any, error) {
			res, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: oid.For[order](id1)}})
			return res.InsertedID, err
		}},
		{"InsertedID of a type of RegisterHex", native, ours, func(ctx context.Context, _ *mongo.Client, c *mongo.Collection) (any, error) {
			res, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: textID(id1.Hex())}})
			return res.InsertedID, err
		}},
		{"UpsertedID of a collection", native, native, func(ctx context.Context, _ *mongo.Client, c *mongo.Collection) (any, error) {
			res, err := c.UpdateOne(ctx, bson.D{{Key: "_id", Value: id1}}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 1}}}}, options.UpdateOne().SetUpsert(true))
			return res.UpsertedID, err
		}},
		{"UpsertedIDs of Collection.BulkWrite", native, native, func(ctx context.Context, _ *mongo.Client, c *mongo.Collection) (any, error) {
			res, err := c.BulkWrite(ctx, []mongo.WriteModel{mongo.NewReplaceOneModel().SetFilter(bson.D{{Key: "_id", Value: id1}}).SetReplacement(bson.D{}).SetUpsert(true)})
			return res.UpsertedIDs[0], err
		}},
		{"UpsertedID of Client.BulkWrite", native, ours, func(ctx context.Context, client *mongo.Client, _ *mongo.Collection) (any, error) {
			res, err := client.BulkWrite(ctx, bulk(), options.ClientBulkWrite().SetVerboseResults(true))
			return res.UpdateResults[0].UpsertedID, err
		}},
		{"InsertedID of Client.BulkWrite", native, ours, func(ctx context.Context, client *mongo.Client, _ *mongo.Collection) (any, error) {
			res, err := client.BulkWrite(ctx, bulk(), options.ClientBulkWrite().SetVerboseResults(true))
			return res.InsertResults[1].InsertedID, err
		}},
	} {
		for _, mapAny := range []bool{false, true} {
			reg, want := bson.NewRegistry(), tt.plain
			bsoncodec.Register(reg)
			if mapAny {
				reg, want = bsoncodec.NewRegistry(), tt.withAny
			}
			bsoncodec.RegisterHex[textID](reg)
			client := startFake(t, answerWrites).clientV2(t, reg)
			got, err := tt.run(t.Context(), client, client.Database("test").Collection("orders"))
			if err != nil {
				t.Errorf("%s: %v", tt.result, err)
				continue
			}
			if id, ok := bsoncodec.FromAny(got); fmt.Sprintf("%T", got) != want || !ok || id != id1 {
				t.Errorf("%s, with MapAny: %v: %T %v, want the %s %v", tt.result, mapAny, got, got, want, id1)
			}
		}
	}
}

// bulk returns an upsert and an insert.
func bulk() []mongo.ClientBulkWrite {
	return []mongo.ClientBulkWrite{
		{Database: "test", Collection: "orders", Model: mongo.NewClientReplaceOneModel().SetFilter(bson.D{{Key: "_id", Value: id1}}).SetReplacement(bson.D{}).SetUpsert(true)},
		{Database: "test", Collection: "orders", Model: mongo.NewClientInsertOneModel().SetDocument(bson.D{{Key: "_id", Value: id1}})},
	}
}
