package bsoncodec_test

import (
	"reflect"
	"strings"
	"testing"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// A program on its way from driver v1 to v2 has ObjectIDs of both. A driver stores the
// ObjectID of the other one as Binary. FromAny and Same know it as an ID. Assign and In
// refuse it, and after RegisterFor it is stored as an ObjectId.
func TestTheOtherDriversObjectID(t *testing.T) {
	id := oid.New()
	for _, tt := range []struct {
		name     string
		v        any
		fromAny  func(any) (oid.ID, bool)
		same     func(any, oid.ID) bool
		assign   func(any) (oid.ID, error)
		doc      func() any
		in       func() any
		register func() func(any) ([]byte, error) // returns the function Marshal for a registry that knows v
	}{
		{
			"v1 in v2", primitive.ObjectID(id), bsoncodec.FromAny, bsoncodec.Same, bsoncodec.Assign,
			func() any {
				return &struct {
					ID primitive.ObjectID `bson:"_id"`
				}{}
			},
			func() any { return bsoncodec.In("_id", []primitive.ObjectID{primitive.ObjectID(id)}) },
			func() func(any) ([]byte, error) {
				reg := bsoncodec.NewRegistry()
				bsoncodec.RegisterFor[primitive.ObjectID](reg)
				return func(v any) ([]byte, error) { return bsoncodec.MarshalWith(reg, v) }
			},
		},
		{
			"v2 in v1", bson.ObjectID(id), mongov1.FromAny, mongov1.Same, mongov1.Assign,
			func() any {
				return &struct {
					ID bson.ObjectID `bson:"_id"`
				}{}
			},
			func() any { return mongov1.In("_id", []bson.ObjectID{bson.ObjectID(id)}) },
			func() func(any) ([]byte, error) {
				reg := mongov1.NewRegistry()
				mongov1.RegisterFor[bson.ObjectID](reg)
				return func(v any) ([]byte, error) { return bsonv1.MarshalWithRegistry(reg, v) } //lint:ignore SA1019 as a client does
			},
		},
	} {
		ptr := reflect.New(reflect.TypeOf(tt.v))
		ptr.Elem().Set(reflect.ValueOf(tt.v))
		for _, v := range []any{tt.v, ptr.Interface()} {
			if got, ok := tt.fromAny(v); !ok || got != id || !tt.same(v, id) {
				t.Errorf("%s: FromAny(%T) = %v, %v, want %v", tt.name, v, got, ok, id)
			}
		}
		if got, err := tt.assign(tt.doc()); err == nil || !strings.Contains(err.Error(), "RegisterFor[") {
			t.Errorf("%s: Assign = %v, %v, want an error that names RegisterFor", tt.name, got, err)
		}
		marshal := tt.register()
		doc := tt.doc()
		got, err := tt.assign(doc)
		if err != nil {
			t.Errorf("%s: Assign after RegisterFor: %v", tt.name, err)
		}
		for key, v := range map[string]any{"_id": doc, "$in": tt.in()} {
			data, err := marshal(v)
			stored := bson.Raw(data).Lookup("_id")
			want := got
			if key == "$in" {
				stored, want = bson.Raw(data).Lookup("_id", "$in", "0"), id
			}
			if stored, ok := stored.ObjectIDOK(); err != nil || !ok || oid.ID(stored) != want {
				t.Errorf("%s: %s is stored as %v, %v, want %v", tt.name, key, bson.Raw(data), err, want)
			}
		}
	}
}
