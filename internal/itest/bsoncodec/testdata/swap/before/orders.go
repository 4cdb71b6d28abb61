// Package orders is a program with bson.ObjectID, and below ../after the same with
// oid.ID.
package orders

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type Order struct {
	ID       bson.ObjectID   `bson:"_id,omitempty"`
	Lines    []bson.ObjectID `bson:"lines"`
	Parent   *bson.ObjectID  `bson:"parent"`
	ByPerson map[bson.ObjectID]int
}

func Insert(ctx context.Context, c *mongo.Collection) (bson.ObjectID, error) {
	order := Order{Lines: []bson.ObjectID{bson.NewObjectID(), bson.NewObjectID()}}
	result, err := c.InsertOne(ctx, order)
	if err != nil {
		return bson.NilObjectID, err
	}
	id, ok := result.InsertedID.(bson.ObjectID)
	if !ok || id == bson.NilObjectID {
		return bson.NilObjectID, errors.New("no id")
	}
	return id, nil
}

func Find(ctx context.Context, c *mongo.Collection, hex string) (order Order, err error) {
	id, err := bson.ObjectIDFromHex(hex)
	if err != nil {
		return Order{}, err
	}
	if bson.NilObjectID != order.ID {
		return Order{}, errors.New("found already")
	}
	err = c.FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&order)
	return order, err
}

// maker is where a program puts a function of its own for tests.
var maker = struct{ newID func() bson.ObjectID }{newID: bson.NewObjectID}

func Next() bson.ObjectID { return maker.newID() }
