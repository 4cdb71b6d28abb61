package bsoncodec

import (
	"fmt"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// CreatedBetween returns a filter for the documents whose ID at key, often "_id",
// was made in [from, to). The filter is {key: {$gte: lo, $lt: hi}}, with the bounds of
// [oid.Range]. It works with every registry.
//
// IDs hold whole seconds, so from is rounded down and to is rounded up. Pass whole
// seconds if ranges must not overlap.
func CreatedBetween(key string, from, to time.Time) bson.D {
	lo, hi := oid.Range(from, to)
	return where(key, bson.E{Key: "$gte", Value: bson.ObjectID(lo)}, bson.E{Key: "$lt", Value: bson.ObjectID(hi)})
}

// CreatedSince returns a filter for the documents whose ID at key was made at
// from, rounded down to a whole second, or later.
func CreatedSince(key string, from time.Time) bson.D {
	return where(key, bson.E{Key: "$gte", Value: bson.ObjectID(oid.Since(from))})
}

// CreatedBefore returns a filter for the documents whose ID at key was made before
// to, rounded up to a whole second.
func CreatedBefore(key string, to time.Time) bson.D {
	return where(key, bson.E{Key: "$lt", Value: bson.ObjectID(oid.Until(to))})
}

// After returns a filter for the documents whose ID at key comes after id. In ascending
// order, they are the page after the one that ended with id. For the first page, id is
// zero.
func After(key string, id oid.ID) bson.D {
	return where(key, bson.E{Key: "$gt", Value: bson.ObjectID(id)})
}

// Before returns a filter for the documents whose ID at key comes before id. In
// descending order, they are the page after the one that ended with id. For the first
// page, id is zero, which means the end.
func Before(key string, id oid.ID) bson.D {
	if id.IsZero() {
		return where(key, bson.E{Key: "$lte", Value: bson.ObjectID(oid.MaxAt(time.Unix(math.MaxUint32, 0)))})
	}
	return where(key, bson.E{Key: "$lt", Value: bson.ObjectID(id)})
}

// In returns a filter for the documents whose ID at key is one of ids:
// {key: {$in: ids}}. It encodes the list at once, in a fraction of the time that the
// driver needs. If ids is empty, the filter matches no document.
//
// A message to MongoDB holds 16 MiB, which is enough for 844,000 IDs. Encoding a filter
// with a longer list is an error that says so.
func In(key string, ids []oid.ID) bson.D {
	return in("In", key, len(ids), func(i int) []byte { return ids[i][:] })
}

// InFor is [In] for typed IDs.
func InFor[T any](key string, ids []oid.For[T]) bson.D {
	return in("InFor", key, len(ids), func(i int) []byte { return ids[i][:] })
}

// in returns the filter of In for n IDs. The function at returns the 12 bytes of each.
func in(call, key string, n int, at func(i int) []byte) bson.D {
	if document.ArraySize(n) > maxMessage {
		err := fmt.Errorf("bsoncodec.%s(%q, %d IDs): the list is longer than the 16 MiB of a message: split it into several queries", call, key, n)
		return where(key, bson.E{Key: "$in", Value: failure{err}})
	}
	return where(key, bson.E{Key: "$in", Value: bson.RawValue{Type: bson.TypeArray, Value: document.AppendArray(nil, n, at)}})
}

// maxMessage is the size of a document that every MongoDB server accepts.
const maxMessage = 16 << 20

func where(key string, conditions ...bson.E) bson.D {
	return bson.D{{Key: key, Value: bson.D(conditions)}}
}
