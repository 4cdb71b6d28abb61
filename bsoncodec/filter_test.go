package bsoncodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

func TestFilters(t *testing.T) {
	from := time.Date(2024, 1, 26, 18, 20, 29, 5e8, time.FixedZone("", 3600))
	to := from.Add(time.Hour)
	lo, hi := oid.Range(from, to)
	for _, test := range []struct {
		name      string
		got, want bson.D
	}{
		{"between", bsoncodec.CreatedBetween("_id", from, to), bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: lo}, {Key: "$lt", Value: hi}}}}},
		{"since", bsoncodec.CreatedSince("a.b", from), bson.D{{Key: "a.b", Value: bson.D{{Key: "$gte", Value: lo}}}}},
		{"before", bsoncodec.CreatedBefore("_id", to), bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: hi}}}}},
		{"since 2200", bsoncodec.CreatedSince("_id", time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)),
			bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: oid.MaxAt(time.Unix(math.MaxUint32, 0))}}}}},
		{"before 1900", bsoncodec.CreatedBefore("_id", time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)),
			bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: oid.ID{}}}}}},
	} {
		// The filters need no registry.
		if got, want := mustMarshal(t, test.got), mustMarshal(t, test.want); !bytes.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.name, bson.Raw(got), bson.Raw(want))
		}
	}
	if hi.Timestamp() != to.Truncate(time.Second).Add(time.Second).UTC() {
		t.Errorf("the upper bound %v isn't the second after %v", hi.Timestamp(), to)
	}
}

func TestInIsTheDriversList(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 101, 1000, 1001, 10_001} {
		ids := make([]oid.ID, n)
		oid.Fill(ids)
		list := bson.A{}
		for _, id := range ids {
			list = append(list, bson.ObjectID(id))
		}
		got := mustMarshal(t, bsoncodec.In("_id", ids))
		if want := mustMarshal(t, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: list}}}}); !bytes.Equal(got, want) {
			t.Errorf("%d ids: not what the driver makes of them", n)
		}
	}
	if got, want := mustMarshal(t, bsoncodec.In("_id", nil)), mustMarshal(t, bsoncodec.In("_id", []oid.ID{})); !bytes.Equal(got, want) {
		t.Errorf("nil: %v", bson.Raw(got))
	}
}

type failing struct{}

func (failing) MarshalBSONValue() (byte, []byte, error) { return 0x07, id1[:], errors.New("no") }

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

func TestAssign(t *testing.T) {
	type model struct {
		ID   oid.ID `bson:"_id,omitempty"`
		Name string
	}
	type base struct {
		Name string
		ID   *oid.ID `bson:"_id"`
	}
	type Inlined struct {
		ID oid.ID `bson:"_id"`
	}
	// The drivers take a whole tag without a colon for theirs; go vet doesn't.
	oldTag := reflect.StructOf([]reflect.StructField{{Name: "ID", Type: reflect.TypeFor[oid.ID](), Tag: "_id"}})
	type Outer struct {
		Inlined `bson:",inline"` // its _id gives way to that of Outer
		ID      oid.ID           `bson:"_id"`
	}
	type Deep struct {
		Base struct {
			Inlined `bson:",inline"`
		} `bson:",inline"`
		ID struct {
			Key *oid.ID `bson:"_id"`
		} `bson:",inline"`
	}
	var d bson.D
	docs := []any{
		&Outer{}, &Outer{Inlined: Inlined{id1}}, &Deep{},
		&model{}, new(base), &struct {
			ID bson.ObjectID `bson:"_id"`
		}{}, &struct {
			ID oid.For[model] `bson:"_id"`
		}{}, &struct {
			ID userID `bson:"_id"`
		}{}, &struct {
			ID any `bson:"_id"`
		}{}, &struct {
			ID any `bson:"_id"`
		}{ID: oid.ID{}}, &struct {
			ID any `bson:"_id"`
		}{ID: new(oid.ID)}, &struct {
			Base  *Inlined `bson:",inline"`
			Other int
		}{}, &struct {
			Other int
			Base  Inlined `bson:"base,omitempty,inline"`
		}{}, reflect.New(oldTag).Interface(), &order{}, &pointerOrder{}, &typedOrder{},
		bson.M{}, bson.M{"_id": nil}, bson.M{"_id": bson.ObjectID{}}, map[string]oid.ID{}, &bson.M{},
		&d, &bson.D{{Key: "name", Value: "x"}}, &bson.D{{Key: "name", Value: "x"}, {Key: "_id", Value: oid.ID{}}},
	}
	for _, doc := range docs {
		id, err := bsoncodec.Assign(doc)
		if err != nil || id.IsZero() {
			t.Errorf("%v, %v", id, err)
			continue
		}
		if again, err := bsoncodec.Assign(doc); err != nil || again != id {
			t.Errorf("Assign(%T) changed %v to %v, %v", doc, id, again, err)
		}
		reg := bsoncodec.NewRegistry()
		bsoncodec.RegisterTyped[userID](reg)
		data, err := marshal(reg, doc)
		if err != nil {
			t.Errorf("%T: %v", doc, err)
			continue
		}
		if stored, ok := bson.Raw(data).Lookup("_id").ObjectIDOK(); !ok || oid.ID(stored) != id {
			t.Errorf("%T is stored as %v, want _id %v", doc, bson.Raw(data), id)
		}
	}
	if d[0].Key != "_id" || len(d) != 1 {
		t.Errorf("bson.D: %v", d)
	}
	set := &model{ID: id1}
	if id, err := bsoncodec.Assign(set); id != id1 || err != nil {
		t.Errorf("Assign of a document with an _id = %v, %v", id, err)
	}
}

type (
	wedding struct {
		Husband husband `bson:",inline"`
	}
	husband struct {
		Wife *wife `bson:",inline"`
	}
	wife struct {
		Husband *husband `bson:",inline"`
	}
)

func TestAssignErrors(t *testing.T) {
	type model struct {
		ID string `bson:"_id"`
	}
	type inner struct {
		ID string `bson:"_id"`
	}
	type nested struct {
		Inner *inner `bson:",inline"`
	}
	const want = "want a pointer to a struct, a map with keys of type string, or a pointer to a bson.D"
	type private struct {
		id oid.ID `bson:"_id"` //lint:ignore U1000 the drivers don't see it either
	}
	for _, test := range []struct {
		doc  any
		want string
	}{
		{nil, "bsoncodec.Assign(<nil>): " + want},
		{model{}, "bsoncodec.Assign(bsoncodec_test.model): " + want},
		{&model{}, "bsoncodec.Assign(*bsoncodec_test.model): _id is a string, which is not an ObjectId"},
		{&private{}, `bsoncodec.Assign(*bsoncodec_test.private): no field has the tag bson:"_id"`},
		{&wedding{}, `bsoncodec.Assign(*bsoncodec_test.wedding): no field has the tag bson:"_id"`},
		{&nested{}, "bsoncodec.Assign(*bsoncodec_test.nested): _id is a string, which is not an ObjectId"},
		{(*model)(nil), "bsoncodec.Assign(*bsoncodec_test.model): nil pointer"},
		{bson.D{}, "bsoncodec.Assign(bson.D): " + want},
		{bson.M(nil), "bsoncodec.Assign(bson.M): nil map"},
		{bson.M{"_id": 7}, "bsoncodec.Assign(bson.M): _id is a int, which is not an ObjectId"},
		{map[int]any{}, "bsoncodec.Assign(map[int]interface {}): " + want},
		{&[]int{}, "bsoncodec.Assign(*[]int): " + want},
		{"x", "bsoncodec.Assign(string): " + want},
	} {
		before := shown(test.doc)
		if _, err := bsoncodec.Assign(test.doc); err == nil || err.Error() != test.want {
			t.Errorf("Assign(%T):\n got %v\nwant %s", test.doc, err, test.want)
		}
		if after := shown(test.doc); after != before {
			t.Errorf("Assign(%T) changed %s to %s", test.doc, before, after)
		}
	}
}

// shown returns what a document holds, behind its pointer.
func shown(doc any) string {
	if v := reflect.ValueOf(doc); v.Kind() == reflect.Pointer && !v.IsNil() {
		doc = v.Elem().Interface()
	}
	return fmt.Sprintf("%#v", doc)
}
