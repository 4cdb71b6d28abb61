package bsoncodec_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

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
		}{}, &struct {
			Others map[string]any `bson:",inline"`
			Base   Inlined        `bson:",inline"`
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
		bsoncodec.RegisterFor[userID](reg)
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

// Assign leaves the other pairs and keys as they are.
func TestAssignKeepsTheOtherFields(t *testing.T) {
	d := bson.D{{Key: "a", Value: 1}, {Key: "b", Value: bson.D{{Key: "_id", Value: 2}}}, {Key: "c", Value: "x"}}
	want := slices.Clone(d)
	id, err := bsoncodec.Assign(&d)
	if want = slices.Insert(want, 0, bson.E{Key: "_id", Value: id}); err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("Assign of a bson.D: %v, %v, want %v", d, err, want)
	}
	for _, before := range []any{nil, oid.ID{}, bson.ObjectID{}, new(oid.ID)} {
		d := bson.D{{Key: "a", Value: 1}, {Key: "_id", Value: before}, {Key: "b", Value: 2}}
		id, err := bsoncodec.Assign(&d)
		got, _ := bsoncodec.FromAny(d[1].Value)
		if err != nil || len(d) != 3 || d[0] != (bson.E{Key: "a", Value: 1}) || d[1].Key != "_id" || got != id || d[2] != (bson.E{Key: "b", Value: 2}) {
			t.Errorf("Assign of a bson.D with _id %#v: %v, %v, want _id %v", before, d, err, id)
		}
	}
	m := bson.M{"a": 1, "b": "x"}
	id, err = bsoncodec.Assign(m)
	if want := (bson.M{"_id": id, "a": 1, "b": "x"}); err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("Assign of a bson.M: %v, %v, want %v", m, err, want)
	}
	type model struct {
		A  int
		ID *oid.ID `bson:"_id"`
		B  string
	}
	doc := &model{A: 1, B: "x"}
	id, err = bsoncodec.Assign(&doc)
	if err != nil || doc.A != 1 || doc.B != "x" || doc.ID == nil || *doc.ID != id {
		t.Errorf("Assign of a struct: %+v, %v", doc, err)
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
	const wantDocument = "want a pointer to a struct, a map with keys of type string, or a pointer to a bson.D"
	type private struct {
		id oid.ID `bson:"_id"` //lint:ignore U1000 the drivers don't see it either
	}
	type pair struct {
		Key   string
		Value any
	}
	var noPointer **model
	var noModel *model
	for _, tt := range []struct {
		doc     any
		problem string
	}{
		{noPointer, "nil pointer"},
		{&noModel, "nil pointer"},
		{&pair{}, `no field has the tag bson:"_id"`},
		// Almost a bson.D.
		{&[]struct{ Key, Value string }{}, wantDocument},
		{&[]struct {
			Key   int
			Value any
		}{}, wantDocument},
		{&[]struct {
			Name  string
			Value any
		}{}, wantDocument},
		{&[]struct {
			Key  string
			Data any
		}{}, wantDocument},
		{&[]struct{ Key string }{}, wantDocument},
		{&[]struct {
			Key   string
			Value any
			More  int
		}{}, wantDocument},
		{&[2]pair{}, wantDocument},
		{&map[int]any{}, wantDocument},
		{new(any), wantDocument},
		{nil, wantDocument},
		{model{}, wantDocument},
		{&model{}, "_id is of type string, which is not an ObjectId"},
		{&private{}, `no field has the tag bson:"_id"`},
		{&wedding{}, `no field has the tag bson:"_id"`},
		{&nested{}, "_id is of type string, which is not an ObjectId"},
		{&struct {
			ID *string `bson:"_id"`
		}{}, "_id is of type string, which is not an ObjectId"},
		{&struct {
			ID error `bson:"_id"`
		}{}, "_id is of type error, which is not an ObjectId"},
		{&struct {
			ID any `bson:"_id"`
		}{"text"}, "_id is of type string, which is not an ObjectId"},
		{&struct {
			Inner struct {
				ID oid.ID `bson:"_id"`
			}
		}{}, `no field has the tag bson:"_id"`},
		{map[string]string{}, "_id is of type string, which is not an ObjectId"},
		{(*model)(nil), "nil pointer"},
		{bson.D{}, wantDocument},
		{bson.M(nil), "nil map"},
		{bson.M{"_id": 7}, "_id is of type int, which is not an ObjectId"},
		{bson.M{"_id": []byte("twelve bytes")}, "_id is of type []uint8, which is not an ObjectId"},
		{bson.M{"_id": [11]byte{}}, "_id is of type [11]uint8, which is not an ObjectId"},
		{map[int]any{}, wantDocument},
		{&[]int{}, wantDocument},
		{"x", wantDocument},
	} {
		before, want := shown(tt.doc), fmt.Sprintf("bsoncodec.Assign(%T): %s", tt.doc, tt.problem)
		if _, err := bsoncodec.Assign(tt.doc); err == nil || err.Error() != want {
			t.Errorf("Assign(%T):\n got %v\nwant %s", tt.doc, err, want)
		}
		if after := shown(tt.doc); after != before {
			t.Errorf("Assign(%T) changed %s to %s", tt.doc, before, after)
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
