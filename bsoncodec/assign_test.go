package bsoncodec_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
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
		data, err := marshal(bsoncodec.NewRegistry(), doc)
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

// docsOf returns documents whose _id is a T, in every form that Assign takes.
func docsOf[T ~[12]byte]() []any {
	type Inlined struct {
		ID T `bson:"_id"`
	}
	return []any{
		&struct {
			ID T `bson:"_id"`
		}{}, &struct {
			ID *T `bson:"_id"`
		}{}, &struct {
			ID *T `bson:"_id"`
		}{new(T)}, &struct {
			ID any `bson:"_id"`
		}{T{}}, &struct {
			ID any `bson:"_id"`
		}{new(T)}, &struct {
			*Inlined `bson:",inline"`
		}{}, bson.M{"_id": T{}}, &bson.M{"_id": new(T)}, map[string]T{}, map[string]*T{}, &bson.D{{Key: "_id", Value: T{}}},
	}
}

// printed shows a document with what its pointers point to.
func printed(t *testing.T, doc any) string {
	t.Helper()
	return fmt.Sprintf("%T %v", doc, bson.Raw(mustMarshal(t, doc)))
}

// Assign accepts a type if it is stored as an ObjectId, and otherwise changes nothing.
// FromAny and In agree with it.
func TestAssignAcceptsWhatIsStoredAsAnObjectId(t *testing.T) {
	type (
		ofDriver bson.ObjectID
		ofOurs   oid.ID
		ofBytes  [12]byte
	)
	stored(t, docsOf[ofDriver](), func(id oid.ID) (any, bson.D) { return ofDriver(id), bsoncodec.In("_id", []ofDriver{ofDriver(id)}) }, bsoncodec.RegisterFor[ofDriver])
	stored(t, docsOf[ofOurs](), func(id oid.ID) (any, bson.D) { return (*ofOurs)(&id), bsoncodec.In("_id", []ofOurs{ofOurs(id)}) }, bsoncodec.RegisterFor[ofOurs])
	stored(t, docsOf[ofBytes](), func(id oid.ID) (any, bson.D) { return ofBytes(id), bsoncodec.In("_id", []ofBytes{ofBytes(id)}) }, bsoncodec.RegisterFor[ofBytes])
	for _, doc := range docsOf[[12]byte]() {
		if id, err := bsoncodec.Assign(doc); err == nil || !strings.Contains(err.Error(), "call bsoncodec.RegisterFor[[12]uint8] with the registry of your client") {
			t.Errorf("Assign(%T) = %v, %v, want an error that names RegisterFor", doc, id, err)
		}
	}
}

// stored tests one type before and after it is registered.
func stored(t *testing.T, docs []any, value func(oid.ID) (any, bson.D), register func(*bson.Registry)) {
	t.Helper()
	reg := bsoncodec.NewRegistry()
	for _, doc := range docs {
		before := printed(t, doc)
		if id, err := bsoncodec.Assign(doc); err == nil || !strings.Contains(err.Error(), "bsoncodec.RegisterFor[bsoncodec_test.of") {
			t.Errorf("Assign(%T) = %v, %v, want an error that names RegisterFor", doc, id, err)
		}
		if after := printed(t, doc); after != before {
			t.Errorf("a refused document was %s, and is %s", before, after)
		}
	}
	v, in := value(id1)
	if got, ok := bsoncodec.FromAny(v); ok {
		t.Errorf("FromAny(%T) = %v, want false", v, got)
	}
	if data, err := marshal(reg, in); err == nil || !strings.Contains(err.Error(), "call bsoncodec.RegisterFor[") {
		t.Errorf("In of a %T: %v, %v, want an error that names RegisterFor", v, bson.Raw(data), err)
	}
	register(reg)
	for _, doc := range docs {
		id, err := bsoncodec.Assign(doc)
		if err != nil || id.IsZero() {
			t.Errorf("after RegisterFor, Assign(%T) = %v, %v", doc, id, err)
			continue
		}
		data, err := marshal(reg, doc)
		if stored, ok := bson.Raw(data).Lookup("_id").ObjectIDOK(); err != nil || !ok || oid.ID(stored) != id {
			t.Errorf("%T is stored as %v, %v, want _id %v", doc, bson.Raw(data), err, id)
		}
	}
	v, in = value(id1)
	if got, ok := bsoncodec.FromAny(v); !ok || got != id1 {
		t.Errorf("after RegisterFor, FromAny(%T) = %v, %v", v, got, ok)
	}
	data, err := marshal(reg, in)
	if got, ok := bson.Raw(data).Lookup("_id", "$in", "0").ObjectIDOK(); err != nil || !ok || oid.ID(got) != id1 {
		t.Errorf("after RegisterFor, In of a %T: %v, %v", v, bson.Raw(data), err)
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
		{noPointer, "the pointer is nil"},
		{&noModel, "the pointer is nil"},
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
		{(*model)(nil), "the pointer is nil"},
		{bson.D{}, wantDocument},
		{bson.M(nil), "the map is nil"},
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
