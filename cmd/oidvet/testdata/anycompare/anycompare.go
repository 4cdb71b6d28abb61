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
	_ = res.InsertedID == id      // want `the driver's ObjectID in an any never equals an oid.ID: compare with bsoncodec.MustFromAny`
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

	// These are right.
	_ = res.InsertedID == bson.ObjectID(id)
	_ = res.InsertedID == any(bson.ObjectID(id))
	_, _ = res.InsertedID.(bson.ObjectID)
	_ = res.InsertedID == nil
	var other any = id
	_ = other == id
	changed := res.InsertedID
	changed = id
	_ = changed == id
	_ = own{id}.InsertedID == id
	_ = res.InsertedID == id //oidvet:ignore anycompare
}

type own struct{ InsertedID any }
