package bsoncodec

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// CreatedBetween returns a filter for the documents whose ID in the field named key, often
// "_id", was made in [from, to). The filter is {key: {$gte: lo, $lt: hi}}, with the bounds of
// [oid.Range]. The filter works with every registry.
//
// IDs hold whole seconds, so the start is rounded down, and the end is rounded up. Adjacent
// ranges of whole seconds have no document in common.
func CreatedBetween(key string, from, to time.Time) bson.D {
	lo, hi := oid.Range(from, to)
	return where(key, bson.E{Key: "$gte", Value: bson.ObjectID(lo)}, bson.E{Key: "$lt", Value: bson.ObjectID(hi)})
}

// CreatedSince returns a filter for the documents whose ID in the field named key was made at
// the given time or later. The given time is rounded down to a whole second. key is as for
// [CreatedBetween].
func CreatedSince(key string, from time.Time) bson.D {
	return where(key, bson.E{Key: "$gte", Value: bson.ObjectID(oid.MinAt(from))})
}

// CreatedBefore returns a filter for the documents whose ID in the field named key was made
// before the given time. The given time is rounded up to a whole second. key is as for
// [CreatedBetween].
func CreatedBefore(key string, to time.Time) bson.D {
	return where(key, bson.E{Key: "$lt", Value: bson.ObjectID(oid.Until(to))})
}

// In returns the filter {key: {$in: ids}}, where key is the name of a field. The filter
// matches the documents whose ID in this field is one of ids. In encodes a long list in a
// fraction of the time that the driver needs for its own ObjectIDs. If ids is empty, the
// filter matches no document.
//
// In two cases, the query fails with an error that says what to do. The first case is a list
// of more than about 844,000 IDs, because a BSON document holds at most 16 MiB. The second
// case is a T such as "type UserID bson.ObjectID", for which [RegisterFor] was not called with
// any registry. The driver stores such a T as Binary, so a filter with ObjectIds would match
// no document.
func In[T ~[12]byte](key string, ids []T) bson.D {
	var problem string
	switch t := reflect.TypeFor[T](); {
	case document.ArraySize(len(ids)) > maxDocument:
		problem = "the list is larger than 16 MiB, the limit for a BSON document: split the IDs over several queries"
	case !writesObjectID(t):
		problem = fmt.Sprintf("%v is not stored as an ObjectId: call bsoncodec.RegisterFor[%v] with the registry of your client", t, t)
	}
	if problem != "" {
		err := fmt.Errorf("bsoncodec.In(%q, %d IDs): %s", key, len(ids), problem)
		return where(key, bson.E{Key: "$in", Value: failure{err}})
	}
	return where(key, bson.E{Key: "$in", Value: bson.RawValue{Type: bson.TypeArray, Value: document.AppendArray(nil, ids)}})
}

// maxDocument is the size of the largest document that every MongoDB server accepts.
const maxDocument = 16 << 20

func where(key string, conditions ...bson.E) bson.D {
	return bson.D{{Key: key, Value: bson.D(conditions)}}
}

// FromAny returns v as an ID. Use it for an InsertedID or UpsertedID of the driver, and for a
// value of a bson.M. These values, of type any, can hold a bson.ObjectID or an oid.ID. FromAny
// also accepts an oid.For[T], the other ID types of oidkit such as jsonx.Extended, a value of
// a type for which [RegisterFor] was called, and the ObjectID of MongoDB's other Go driver. A
// non-nil pointer to an ID of any of these types, oid.ID included, is accepted too. FromAny
// accepts a bson.RawValue that holds an ObjectId, but no *bson.RawValue. FromAny returns false
// for values such as a string of hex digits or a struct that embeds an ID.
func FromAny(v any) (oid.ID, bool) {
	switch v := v.(type) {
	case oid.ID:
		return v, true
	case bson.ObjectID:
		return oid.ID(v), true
	case bson.RawValue:
		id, ok := v.ObjectIDOK()
		return oid.ID(id), ok
	}
	val := reflect.ValueOf(v)
	if val.Kind() == reflect.Pointer {
		val = val.Elem()
	}
	if !val.IsValid() || !document.Is12Bytes(val.Type()) || !writesObjectID(val.Type()) && !document.IsObjectID(val.Type()) {
		return oid.ID{}, false
	}
	return document.ID(val), true
}

// MustFromAny is like [FromAny] but panics if v is not an ID. Write MustFromAny(v)
// instead of the assertion v.(bson.ObjectID), which panics if v holds an oid.ID.
func MustFromAny(v any) oid.ID {
	id, ok := FromAny(v)
	if !ok {
		panic(fmt.Sprintf("bsoncodec.MustFromAny(%T): not an ID", v))
	}
	return id
}

// AnyID returns a bson.ObjectID as an oid.ID, and any other v unchanged. Use it for an
// InsertedID or UpsertedID of the driver, and for other values of type any that hold a
// bson.ObjectID or an oid.ID. Comparisons such as AnyID(v) == any(id), assertions such as
// AnyID(v).(oid.ID), and switches on AnyID(v) then work for both types.
func AnyID(v any) any {
	if id, ok := v.(bson.ObjectID); ok {
		return oid.ID(id)
	}
	return v
}

// Same reports whether v holds id, in one of the forms that [FromAny] accepts. It reports
// false if v is nil. Use it to compare the InsertedID or the UpsertedID of a result. The
// expression res.UpsertedID == id is false if UpsertedID holds the driver's type.
func Same(v any, id oid.ID) bool {
	got, ok := FromAny(v)
	return ok && got == id
}

// Assign sets the _id of doc to a new ID if the _id is zero or missing. Assign returns the _id
// that doc then has. The program therefore knows the ID before the insert. If the program
// repeats the insert of doc after a network error, MongoDB can't store the document twice,
// except in a time series collection.
//
// doc is a bson.M or another map with string keys, a pointer to a bson.D, or a pointer to a
// struct. A field of the struct, or of an inlined struct, is tagged bson:"_id". The _id may be
// an oid.ID, an [oid.For], a bson.ObjectID, a type for which [RegisterFor] was called, a
// pointer to one of these types, or an any that is nil or holds one of them. The other ID
// types of oidkit, such as jsonx.Extended, are also accepted.
//
// Assign returns an error for a nil map or pointer, for a struct without a field for the _id,
// and for an _id of another type, such as "type UserID bson.ObjectID" without RegisterFor. The
// driver would store a UserID as Binary, and a filter for the returned ID would not find the
// document. Assign doesn't know which registry stores doc, so it accepts a type after
// RegisterFor was called with any registry.
func Assign(doc any) (oid.ID, error) { return driver.Assign(doc) }

var driver = &document.Driver{Package: "bsoncodec.", D: reflect.TypeFor[bson.D](), Writes: writesObjectID}

// writes maps a type to whether it is written as an ObjectId.
var writes sync.Map // reflect.Type to bool

// writesObjectID reports whether arrays of type t, which have 12 bytes, are written as
// ObjectIds. RegisterFor decides that for a type, or else the driver.
func writesObjectID(t reflect.Type) bool {
	if written, ok := writes.Load(t); ok {
		return written.(bool)
	}
	sample := reflect.New(t).Elem()
	sample.Index(0).SetUint(1) // zero may be written as null
	typ, data, err := bson.MarshalValue(sample.Interface())
	written, _ := writes.LoadOrStore(t, err == nil && typ == bson.TypeObjectID && bytes.Equal(data, sample.Bytes()))
	return written.(bool)
}
