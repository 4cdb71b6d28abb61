// Package orders is the program of ../before after the rules.
package orders

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

type Order struct {
	ID       oid.ID   `bson:"_id,omitempty"`
	Lines    []oid.ID `bson:"lines"`
	Parent   *oid.ID  `bson:"parent"`
	ByPerson map[oid.ID]int
}

func Insert(ctx context.Context, c *mongo.Collection) (oid.ID, error) {
	order := Order{Lines: []oid.ID{oid.New(), oid.New()}}
	result, err := c.InsertOne(ctx, order)
	if err != nil {
		return oid.ID{}, err
	}
	id, ok := bsoncodec.FromAny(result.InsertedID)
	if !ok || id.IsZero() {
		return oid.ID{}, errors.New("no id")
	}
	return id, nil
}

func Find(ctx context.Context, c *mongo.Collection, hex string) (order Order, err error) {
	id, err := oid.Parse(hex)
	if err != nil {
		return Order{}, err
	}
	if !order.ID.IsZero() {
		return Order{}, errors.New("found already")
	}
	err = c.FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&order)
	return order, err
}

// maker is where a program puts a function of its own for tests.
var maker = struct{ newID func() oid.ID }{newID: oid.New}

func Next() oid.ID { return maker.newID() }
