package mongov1

import (
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// CreatedBetween returns a filter for the documents whose id at key, often "_id",
// was made in [from, to): {key: {$gte: lo, $lt: hi}}, with the bounds of
// [oid.Range]. It works with every registry.
//
// As ids hold whole seconds, from is rounded down and to is rounded up. Give
// whole seconds where ranges must not overlap.
func CreatedBetween(key string, from, to time.Time) bson.D {
	lo, hi := oid.Range(from, to)
	return where(key, bson.E{Key: "$gte", Value: primitive.ObjectID(lo)}, bson.E{Key: "$lt", Value: primitive.ObjectID(hi)})
}

// CreatedSince returns a filter for the documents whose id at key was made at
// from, rounded down to a whole second, or later.
func CreatedSince(key string, from time.Time) bson.D {
	lo, _ := oid.Range(from, from)
	return where(key, bson.E{Key: "$gte", Value: primitive.ObjectID(lo)})
}

// CreatedBefore returns a filter for the documents whose id at key was made before
// to, rounded up to a whole second.
func CreatedBefore(key string, to time.Time) bson.D {
	_, hi := oid.Range(time.Time{}, to)
	return where(key, bson.E{Key: "$lt", Value: primitive.ObjectID(hi)})
}

// In returns a filter for the documents whose id at key is one of ids:
// {key: {$in: ids}}. The list is encoded at once, which takes a fraction of the
// time that the driver needs for it. No ids match no document.
func In(key string, ids []oid.ID) bson.D {
	return where(key, bson.E{Key: "$in", Value: bson.RawValue{Type: bson.TypeArray, Value: document.AppendArray(nil, ids)}})
}

func where(key string, conditions ...bson.E) bson.D {
	return bson.D{{Key: key, Value: bson.D(conditions)}}
}
