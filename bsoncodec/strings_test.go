package bsoncodec_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

type (
	refusedID  oid.ID
	wrappedID  struct{ oid.ID }
	embeddedID struct {
		oid.ID `bson:"v"`
		N      int
	}
)

// A string of 24 hex digits is read as an ID, unless the registry refuses strings. An
// ObjectId and null are read in any case.
func TestRefuseStrings(t *testing.T) {
	read, refuse := bsoncodec.NewRegistry(), bsoncodec.NewRegistry()
	for _, reg := range []*bson.Registry{read, refuse} {
		bsoncodec.RegisterFor[refusedID](reg)
		bsoncodec.RegisterHex[invoiceID](reg)
	}
	bsoncodec.RefuseStrings(refuse)
	const want = "bsoncodec.DecodeValue(type 0x02, string): want an ObjectId of 12 bytes or null: bsoncodec.RefuseStrings refuses a string, " +
		"which no filter for an ID finds: store the ID as an ObjectId"
	for _, doc := range []any{
		struct{ V oid.ID }{}, struct{ V *oid.ID }{}, struct{ V oid.For[int] }{}, struct{ V *oid.For[int] }{},
		struct{ V refusedID }{}, struct{ V *refusedID }{}, struct{ V invoiceID }{}, struct{ V wrappedID }{}, embeddedID{},
		map[string]oid.ID{}, map[string]invoiceID{},
	} {
		decode := func(reg *bson.Registry, value any) error {
			return unmarshal(reg, mustMarshal(t, bson.D{{Key: "v", Value: value}}), reflect.New(reflect.TypeOf(doc)).Interface())
		}
		if err := decode(read, id1.Hex()); err != nil {
			t.Errorf("%T from a string: %v, want no error", doc, err)
		}
		if err := decode(refuse, id1.Hex()); err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, oid.ErrSyntax) {
			t.Errorf("%T from a string, with RefuseStrings: %v, want %s", doc, err, want)
		}
		for _, value := range []any{bson.ObjectID(id1), nil} {
			if err := decode(refuse, value); err != nil {
				t.Errorf("%T from a %T, with RefuseStrings: %v, want no error", doc, value, err)
			}
		}
	}
	for _, list := range []any{new(struct{ V []oid.ID }), new(struct{ V []oid.For[int] }), new(struct{ V []refusedID }), new(struct{ V []invoiceID }), new(struct{ V [2]oid.ID })} {
		data := mustMarshal(t, bson.D{{Key: "v", Value: bson.A{bson.ObjectID(id1), id1.Hex()}}})
		if err := unmarshal(refuse, data, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T with a string in the list: %v, want %s", list, err, want)
		}
	}
}

// A nil registry is a mistake of the program. The panic names the call.
func TestNilRegistries(t *testing.T) {
	for call, f := range map[string]func(*bson.Registry){
		"Register": bsoncodec.Register, "RegisterFor": bsoncodec.RegisterFor[refusedID], "RegisterHex": bsoncodec.RegisterHex[invoiceID],
		"MapAny": bsoncodec.MapAny, "AcceptBinary": bsoncodec.AcceptBinary, "RefuseStrings": bsoncodec.RefuseStrings,
	} {
		t.Run(call, func(t *testing.T) {
			defer func() {
				want := "bsoncodec." + call + "(nil): want a registry, such as the result of NewRegistry"
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("%s(nil) panics with %s, want %s", call, got, want)
				}
			}()
			f(nil)
		})
	}
}
