package bsoncodec_test

import (
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

func TestMustFromAny(t *testing.T) {
	if got := bsoncodec.MustFromAny(any(bson.ObjectID(id1))); got != id1 {
		t.Errorf("MustFromAny = %v, want %v", got, id1)
	}
	for _, v := range []any{nil, id1.Hex(), (*oid.ID)(nil), order{id1, 7}} {
		want := fmt.Sprintf("bsoncodec.MustFromAny(%T): not an ID", v)
		func() {
			defer func() {
				if got := recover(); got != any(want) {
					t.Errorf("MustFromAny(%T) panics with %v, want %s", v, got, want)
				}
			}()
			bsoncodec.MustFromAny(v)
		}()
	}
}

func TestFromAny(t *testing.T) {
	native := bson.ObjectID(id1)
	typ, data, err := bson.MarshalValue(native)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{id1, &id1, native, &native, oid.For[order](id1), (*oid.For[order])(&id1), bson.RawValue{Type: typ, Value: data}} {
		if id, ok := bsoncodec.FromAny(v); id != id1 || !ok {
			t.Errorf("FromAny(%T) = %v, %v", v, id, ok)
		}
	}
	if id, ok := bsoncodec.FromAny(bson.ObjectID{}); !id.IsZero() || !ok {
		t.Errorf("FromAny(bson.ObjectID{}) = %v, %v", id, ok)
	}
	for _, v := range []any{nil, "65b3f7edd9bfca00daa6e3b1", 7, (*oid.ID)(nil), (*bson.ObjectID)(nil), (*oid.For[order])(nil), [12]byte(id1), id1[:],
		bson.Binary{Data: id1[:]}, bson.RawValue{}, bson.RawValue{Type: bson.TypeObjectID, Value: id1[:11]}, text("x"), failing{},
		order{id1, 7}, &order{id1, 7}, pointerOrder{}, &pointerOrder{}, inlined{}} {
		if id, ok := bsoncodec.FromAny(v); ok {
			t.Errorf("FromAny(%T) = %v", v, id)
		}
	}
}

func TestAnyID(t *testing.T) {
	native := bson.ObjectID(id1)
	for _, v := range []any{native, id1} {
		if got := bsoncodec.AnyID(v); got != any(id1) {
			t.Errorf("AnyID(%T) = %#v, want %v", v, got, id1)
		}
	}
	for _, v := range []any{nil, "65b3f7edd9bfca00daa6e3b1", 7, &native, &id1, oid.For[order](id1), [12]byte(id1)} {
		if got := bsoncodec.AnyID(v); got != v {
			t.Errorf("AnyID(%T) = %#v, want the value as it was", v, got)
		}
	}
}

func TestSame(t *testing.T) {
	for _, v := range []any{id1, &id1, bson.ObjectID(id1), oid.For[order](id1)} {
		if !bsoncodec.Same(v, id1) || bsoncodec.Same(v, id2) {
			t.Errorf("Same(%T) = %v, and %v for another ID", v, bsoncodec.Same(v, id1), bsoncodec.Same(v, id2))
		}
	}
	for _, v := range []any{nil, (*oid.ID)(nil), id1.Hex(), 7, [12]byte{}} {
		if bsoncodec.Same(v, id1) || bsoncodec.Same(v, oid.ID{}) {
			t.Errorf("Same(%#v) is true", v)
		}
	}
}
