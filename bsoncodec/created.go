package bsoncodec

import (
	"fmt"
	"reflect"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// CreatedBetween returns a filter for the documents whose ID was made in [from, to). The
// argument key is the name of the field that holds the ID, often "_id". The filter is
// {key: {$gte: lo, $lt: hi}}, with the bounds of [oid.Range]. The filter works with every
// registry.
//
// IDs hold whole seconds, so the argument from is rounded down, and the argument to is
// rounded up. If two filters must not match the same document, pass whole seconds.
func CreatedBetween(key string, from, to time.Time) bson.D {
	lo, hi := oid.Range(from, to)
	return where(key, bson.E{Key: "$gte", Value: bson.ObjectID(lo)}, bson.E{Key: "$lt", Value: bson.ObjectID(hi)})
}

// CreatedSince returns a filter for the documents whose ID was made at or after the time
// in the argument from. This time is rounded down to a whole second. The argument key is
// the name of the field that holds the ID.
func CreatedSince(key string, from time.Time) bson.D {
	return where(key, bson.E{Key: "$gte", Value: bson.ObjectID(oid.MinAt(from))})
}

// CreatedBefore returns a filter for the documents whose ID was made before the time in
// the argument to. This time is rounded up to a whole second. The argument key is the
// name of the field that holds the ID.
func CreatedBefore(key string, to time.Time) bson.D {
	return where(key, bson.E{Key: "$lt", Value: bson.ObjectID(oid.Until(to))})
}

// In returns the filter {key: {$in: ids}}, where key is the name of a field. The filter
// matches the documents whose ID in this field is one of ids. The function In encodes the
// list itself, in a fraction of the time that the driver would need. If ids is empty, the
// filter matches no document.
//
// The query fails with an error that says what to do in two cases. A message to MongoDB
// holds at most 16 MiB, so a filter can hold about 844,000 IDs. And a T for which
// [RegisterFor] was not called, such as "type UserID bson.ObjectID", is stored as Binary:
// a filter with ObjectIds would match no document.
func In[T ~[12]byte](key string, ids []T) bson.D {
	var problem string
	switch t := reflect.TypeFor[T](); {
	case document.ArraySize(len(ids)) > maxMessage:
		problem = "the list is longer than the 16 MiB of a message: split it into several queries"
	case !writesObjectID(t):
		problem = fmt.Sprintf("%v is not stored as an ObjectId: call bsoncodec.RegisterFor[%v] with the registry of your client", t, t)
	}
	if problem != "" {
		err := fmt.Errorf("bsoncodec.In(%q, %d IDs): %s", key, len(ids), problem)
		return where(key, bson.E{Key: "$in", Value: failure{err}})
	}
	return where(key, bson.E{Key: "$in", Value: bson.RawValue{Type: bson.TypeArray, Value: document.AppendArray(nil, ids)}})
}

// maxMessage is the size of a document that every MongoDB server accepts.
const maxMessage = 16 << 20

func where(key string, conditions ...bson.E) bson.D {
	return bson.D{{Key: key, Value: bson.D(conditions)}}
}
