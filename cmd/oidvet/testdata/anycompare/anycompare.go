// Package anycompare compares the driver's results with IDs.
package anycompare

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/oid"
)

type user struct{}

func results(ctx context.Context, c *mongo.Collection, id oid.ID, typed oid.For[user]) {
	res, _ := c.InsertOne(ctx, bson.M{"_id": id})
	_ = res.InsertedID == id      // want `the driver's ObjectID in an any never equals an oid.ID: compare with bsoncodec.Same`
	_ = id != res.InsertedID      // want `never equals an oid.ID`
	_ = any(id) != res.InsertedID // want `never equals an oid.ID`
	_ = res.InsertedID == typed   // want `never equals an oid.ID`

	got, ok := res.InsertedID.(oid.ID) // want `the any holds the driver's ObjectID, not an oid.ID: write bsoncodec.FromAny`
	_, _ = got, ok
	_ = res.InsertedID.(oid.ID).Hex() // want `write bsoncodec.MustFromAny`

	many, _ := c.InsertMany(ctx, []any{bson.M{"_id": id}})
	_ = many.InsertedIDs[0] == id // want `never equals an oid.ID`
	for _, v := range many.InsertedIDs {
		_ = v == id // want `never equals an oid.ID`
	}

	up, _ := c.UpdateOne(ctx, bson.M{}, bson.M{})
	last := up.UpsertedID
	switch last.(type) {
	case oid.ID: // want `this case is never taken`
	case bson.ObjectID:
	}

	var one, two = up.UpsertedID.(oid.ID)                            // want `write bsoncodec.FromAny`
	var three = up.UpsertedID.(oid.ID)                               // want `write bsoncodec.MustFromAny`
	four, five := res.InsertedID.(oid.ID), up.UpsertedID.(oid.ID)    // want `write bsoncodec.MustFromAny` `write bsoncodec.MustFromAny`
	var six, seven = res.InsertedID.(oid.ID), up.UpsertedID.(oid.ID) // want `write bsoncodec.MustFromAny` `write bsoncodec.MustFromAny`
	_, _, _, _, _, _, _ = one, two, three, four, five, six, seven
	switch v := res.InsertedID.(type) {
	case string, oid.ID: // want `this case is never taken`
		_ = v
	}
	var declared any = res.InsertedID
	_ = (declared) == (id)  // want `never equals an oid.ID`
	_ = declared == any(id) // want `never equals an oid.ID`
	list := many.InsertedIDs
	_ = (many.InsertedIDs)[1] == id // want `never equals an oid.ID`
	_ = list[0] == id               // the list is not followed
	var first, second = any(res.InsertedID), res.InsertedID
	_ = second == id                   // want `never equals an oid.ID`
	_ = first == id                    // nor a conversion
	_ = res.InsertedID.(oid.For[user]) // want `write bsoncodec.MustFromAny`
	one, two = up.UpsertedID.(oid.ID)  // want `write bsoncodec.FromAny`

	_ = res.InsertedID == (any(id)) // want `never equals an oid.ID`

	var want any = id
	_ = res.InsertedID == want // want `never equals an oid.ID`
	switch res.InsertedID {
	case want, nil: // want `this case is never taken`
	case id: // want `this case is never taken`
	case bson.ObjectID(id):
	}

	// These are right.
	switch want {
	case id:
	}
	_ = res.InsertedID
	values := []any{nil}
	values[0] = res.InsertedID
	_ = values[0] == id
	key := res.InsertedID
	for key = range map[any]int{} {
	}
	_ = key == id
	model := mongo.NewUpdateOneModel()
	_ = model.Filter == id
	for _, v := range mongo.NewClientUpdateOneModel().ArrayFilters {
		_ = v == id
	}
	_ = id == own{}.InsertedID
	_ = id == one
	_ = res.InsertedID == wrap(id)
	_ = own{}.InsertedID.(oid.ID)
	_ = res.InsertedID == bson.ObjectID(id)
	_ = res.InsertedID == any(bson.ObjectID(id))
	_, _ = res.InsertedID.(bson.ObjectID)
	_ = res.InsertedID == nil
	var other any = id
	_ = other == id
	addressed := res.InsertedID
	set(&addressed)
	_ = addressed == id
	negated := -len(many.InsertedIDs)
	_ = negated < 1 && !ok
	for i, v := range many.InsertedIDs {
		v = i
		_ = v == id
	}
	for range many.InsertedIDs {
	}
	for _, v := range list {
		_ = v == id
	}
	_ = res.InsertedID.(interface{ Hex() string })
	var none any
	switch none.(type) {
	case oid.ID:
	}
	switch {
	case res.InsertedID == nil:
	}
	_ = getter{}.InsertedID() == id
	get := getter{}.InsertedID
	_ = get() == id
	_ = up.MatchedCount == 1
	both := map[string]any{"_id": res.InsertedID}
	_ = both["_id"] == id
	later := any(id)
	later = res.InsertedID
	_ = later == id
	changed := res.InsertedID
	changed = id
	_ = changed == id
	_ = own{id}.InsertedID == id
	_ = res.InsertedID == id //oidvet:ignore anycompare
}

type own struct{ InsertedID any }

type getter struct{}

func (getter) InsertedID() any { return nil }

func set(v *any) {}

func wrap(id oid.ID) any { return bson.ObjectID(id) }
