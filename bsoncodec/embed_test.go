package bsoncodec_test

import (
	"reflect"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

type (
	order struct {
		oid.ID `bson:"_id"`
		Total  int
	}
	extendedOrder struct {
		jsonx.Extended `bson:"_id"`
		Total          int
	}
	hexOrder struct {
		sqltype.Hex `bson:"_id"`
		Total       int
	}
	uuidOrder struct {
		sqltype.UUID `bson:"_id"`
		Total        int
	}
	zeroNullOrder struct {
		sqltype.ZeroNull `bson:"_id"`
		Total            int
	}
	zeroNullForOrder struct {
		sqltype.ZeroNullFor[order] `bson:"_id"`
		Total                      int
	}
	typedOrder struct {
		oid.For[order] `bson:"_id"`
		Total          int
	}
	pointerOrder struct {
		*oid.ID `bson:"_id"`
		Total   int
	}
	untagged struct {
		oid.ID
		Total int
	}
	onlyTagged struct {
		oid.ID `bson:"_id"`
	}
	onlyPointer struct{ *oid.ID } // nil has no methods that can be called
	Base        struct {
		oid.ID `bson:"_id"`
	}
	inlined struct {
		Base  `bson:",inline"`
		Total int
	}
	generic[T any] struct {
		oid.ID `bson:"_id"`
		Total  T
	}
	private struct {
		oid.For[order]
		cached string
	}
	twice struct{ oid.For[order] }
)

func TestStructsThatEmbedAnIDAreDocuments(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	want := bson.D{{Key: "_id", Value: id1}, {Key: "total", Value: 7}}
	docs := []any{
		order{id1, 7},
		typedOrder{oid.For[order](id1), 7},
		pointerOrder{&id1, 7},
		inlined{Base{id1}, 7},
		extendedOrder{jsonx.Extended(id1), 7}, hexOrder{sqltype.Hex(id1), 7}, uuidOrder{sqltype.UUID(id1), 7},
		zeroNullOrder{sqltype.ZeroNull(id1), 7}, zeroNullForOrder{sqltype.ZeroNullFor[order](id1), 7},
		generic[int]{id1, 7},
	}
	for _, doc := range docs {
		sameBytes(t, reg, doc, want)
		roundTrip(t, reg, doc)
		// As a field, behind a pointer, in lists and maps, and in an any.
		v := reflect.ValueOf(doc)
		sameBytes(t, reg, bson.D{{Key: "a", Value: doc}}, bson.D{{Key: "a", Value: want}})
		ptr := reflect.New(v.Type())
		ptr.Elem().Set(v)
		sameBytes(t, reg, ptr.Interface(), want)
		sameBytes(t, reg, bson.D{{Key: "a", Value: ptr.Interface()}}, bson.D{{Key: "a", Value: want}})
		list := reflect.Append(reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, 1), v)
		sameBytes(t, reg, bson.D{{Key: "a", Value: list.Interface()}}, bson.D{{Key: "a", Value: bson.A{want}}})
		m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), v.Type()))
		m.SetMapIndex(reflect.ValueOf("k"), v)
		sameBytes(t, reg, m.Interface(), bson.D{{Key: "k", Value: want}})

		holder := reflect.StructOf([]reflect.StructField{
			{Name: "Value", Type: v.Type()},
			{Name: "List", Type: list.Type()},
			{Name: "Ptr", Type: ptr.Type()},
		})
		h := reflect.New(holder).Elem()
		h.Field(0).Set(v)
		h.Field(1).Set(list)
		h.Field(2).Set(ptr)
		roundTrip(t, reg, h.Interface())
	}
	sameBytes(t, reg, untagged{id1, 7}, bson.D{{Key: "id", Value: id1}, {Key: "total", Value: 7}})
	sameBytes(t, reg, onlyPointer{&id1}, bson.D{{Key: "id", Value: id1}})
	sameBytes(t, reg, onlyPointer{}, bson.D{{Key: "id", Value: nil}})
	sameBytes(t, reg, onlyTagged{id1}, bson.D{{Key: "_id", Value: id1}})
	sameBytes(t, reg, pointerOrder{nil, 7}, bson.D{{Key: "_id", Value: nil}, {Key: "total", Value: 7}})
	roundTrip(t, reg, struct{ List []pointerOrder }{[]pointerOrder{{nil, 7}}})
}

// With the mgo registry, an embedded struct is stored though its type isn't exported.
func TestUnexportedEmbeddedStructsAreKept(t *testing.T) {
	type base struct{ Name string }
	type doc struct {
		oid.ID
		base `bson:",inline"`
	}
	reg := newMgoRegistry()
	bsoncodec.Register(reg)
	sameBytes(t, reg, struct{ Docs []doc }{[]doc{{id1, base{"x"}}}},
		bson.D{{Key: "docs", Value: bson.A{bson.D{{Key: "id", Value: id1}, {Key: "name", Value: "x"}}}}})
}

func TestStructsThatAreIDs(t *testing.T) {
	type doc struct {
		For     oid.For[order]
		Ptr     *oid.For[order]
		List    []oid.For[order]
		Private private
		Twice   twice
		Nil     *oid.For[order]
		Zero    oid.For[order] `bson:",omitempty"`
	}
	f := oid.For[order](id1)
	sameBytes(t, bsoncodec.NewRegistry(),
		doc{For: f, Ptr: &f, List: []oid.For[order]{f}, Private: private{f, "x"}, Twice: twice{f}},
		bson.D{{Key: "for", Value: id1}, {Key: "ptr", Value: id1}, {Key: "list", Value: bson.A{id1}},
			{Key: "private", Value: id1}, {Key: "twice", Value: id1}, {Key: "nil", Value: nil}})
	roundTrip(t, bsoncodec.NewRegistry(), doc{For: f, Ptr: &f, List: []oid.For[order]{f}, Private: private{For: f}, Twice: twice{f}})
}

// A null document zeroes a struct, and an ObjectId isn't one.
func TestOtherValuesIntoADocumentThatEmbedsAnID(t *testing.T) {
	type doc struct{ Order order }
	got := doc{order{id1, 7}}
	if err := unmarshal(bsoncodec.NewRegistry(), mustMarshal(t, bson.D{{Key: "order", Value: id2}}), &got); err == nil || got.Order != (order{id1, 7}) {
		t.Errorf("ObjectId: %v, %v", got, err)
	}
	if err := unmarshal(bsoncodec.NewRegistry(), mustMarshal(t, bson.D{{Key: "order", Value: nil}}), &got); err != nil || got.Order != (order{}) {
		t.Errorf("null: %v, %v", got, err)
	}
}
