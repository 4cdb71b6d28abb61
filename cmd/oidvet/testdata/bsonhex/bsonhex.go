// Package bsonhex has documents of MongoDB.
package bsonhex

import (
	"log/slog"

	v1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/v2/bson"

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
	return []any{
		bson.M{"_id": id.Hex()},                      // want `this text never equals an ObjectId: use the ID itself as the _id`
		bson.M{"name": text, "_id": (user.String())}, // want `this text never equals an ObjectId`
		bson.D{{"_id", id.Hex()}},                    // want `this text never equals an ObjectId`
		bson.D{{Key: "_id", Value: hex.String()}},    // want `this text never equals an ObjectId`
		v1.M{"_id": oid.New().Hex()},                 // want `this text never equals an ObjectId`
		v1.D{{Key: "_id", Value: id.Hex()}},          // want `this text never equals an ObjectId`

		// These are right, or nobody can tell.
		bson.M{"_id": id},
		bson.M{"text": id.Hex()},
		bson.M{"_id": text},
		bson.M{"_id": other.Hex()},
		bson.M{"_id": bson.M{"$in": bson.A{id, id.Hex()}}},
		bson.M{text: id.Hex()},
		bson.D{{}},
		map[string]any{"_id": id.Hex()},
		bson.M{"_id": id.Hex()}, //oidvet:ignore bsonhex the collection has texts as IDs
	}
}
