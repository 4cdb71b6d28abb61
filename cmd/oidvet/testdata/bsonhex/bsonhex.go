// Package bsonhex has documents of MongoDB.
package bsonhex

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	v1 "go.mongodb.org/mongo-driver/bson"
	mongo1 "go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sqltype"
)

type key struct{}

func (key) IDForm() *public.Form { return nil }

// The text of a public.ID is for logs and URLs.
func outside(id public.ID[key]) []any {
	slog.Info("paid", "id", id, "text", id.String())
	return []any{
		bson.M{"_id": id.String()}, // want `this text never equals an ObjectId`
		bson.M{"_id": id},
		"SELECT * FROM logs WHERE line LIKE '%" + id.String() + "%'",
	}
}

func documents(id oid.ID, user oid.For[key], hex sqltype.Hex, other bson.ObjectID, text string) []any {
	h := id.Hex()
	return []any{
		bson.M{"_id": id.Hex()},                      // want `this text never equals an ObjectId: use the ID itself as the _id`
		bson.M{"name": text, "_id": (user.String())}, // want `this text never equals an ObjectId`
		bson.D{{"_id", id.Hex()}},                    // want `this text never equals an ObjectId`
		bson.D{{Key: "_id", Value: hex.String()}},    // want `this text never equals an ObjectId`
		v1.M{"_id": oid.New().Hex()},                 // want `this text never equals an ObjectId`
		v1.D{{Key: "_id", Value: id.Hex()}},          // want `this text never equals an ObjectId`

		bson.M{"_id": bson.M{"$in": []string{id.Hex(), fmt.Sprint(user)}}}, // want `this text never equals an ObjectId`
		bson.D{{"_id", bson.D{{"$in", bson.A{id.Hex()}}}}},                 // want `this text never equals an ObjectId`
		bson.M{"_id": bson.E{Key: "$ne", Value: id.Hex()}},                 // want `this text never equals an ObjectId`
		bson.M{"_id": h},                          // want `this text never equals an ObjectId`
		bson.M{"_id": fmt.Sprintf("%s", id)},      // want `this text never equals an ObjectId`
		bson.M{"_id": bson.M{"$gte": time.Now()}}, // want `a time in a filter never equals an ObjectId, and is never less or greater: use bsoncodec.CreatedSince`

		// These are right, or nobody can tell.
		bson.M{"_id": bson.M{"$in": []string{}}},
		bson.M{"_id": bson.M{"$in": []string{text}}},
		bson.M{"_id": bson.M{"$gte": oid.MinAt(time.Now()), "text": id.Hex()}},
		bson.M{"_id": key{}},
		bson.E{"_id", nil},
		bson.M{"_id": id},
		bson.M{"text": id.Hex()},
		bson.M{"_id": text},
		bson.M{"_id": textOf(id)},
		bson.M{"_id": other.Hex()},
		bson.M{"_id": bson.M{"$in": bson.A{id, id.Hex()}}},
		bson.M{text: id.Hex()},
		bson.D{{}},
		map[string]any{"_id": id.Hex()},
		bson.M{"_id": id.Hex()}, //oidvet:ignore bsonhex the collection has texts as IDs
	}
}

func calls(ctx context.Context, c *mongo.Collection, c1 *mongo1.Collection, id oid.ID, update bson.M) {
	c.UpdateByID(ctx, id.Hex(), update)  // want `this text never equals an ObjectId`
	c1.UpdateByID(ctx, id.Hex(), update) // want `this text never equals an ObjectId`
	c.UpdateByID(ctx, id, update)
	c.UpdateOne(ctx, id.Hex(), update)
	c.UpdateByID(three())
	UpdateByID(ctx, id.Hex())
}

func textOf(id oid.ID) string { return id.Hex() }

func three() (ctx context.Context, id, update any) { return }

// UpdateByID is not the driver's.
func UpdateByID(ctx context.Context, id string) {}
