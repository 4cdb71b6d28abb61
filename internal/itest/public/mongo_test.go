package public_test

import (
	"bytes"
	"testing"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	bsonv1 "go.mongodb.org/mongo-driver/bson"
	bsoncodecv1 "go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var (
	_ bson.ValueMarshaler        = OrderID{}
	_ bson.ValueUnmarshaler      = (*OrderID)(nil)
	_ bson.Zeroer                = OrderID{}
	_ bson.KeyMarshaler          = OrderID{}
	_ bson.KeyUnmarshaler        = (*OrderID)(nil)
	_ bsoncodecv1.Proxy          = OrderID{}
	_ bsoncodecv1.KeyMarshaler   = OrderID{}
	_ bsoncodecv1.KeyUnmarshaler = (*OrderID)(nil)
)

// A document has an ID in every place.
type document[ID comparable] struct {
	ID      ID         `bson:"_id"`
	Pointer *ID        `bson:"pointer"`
	Nil     *ID        `bson:"nil"`
	List    []ID       `bson:"list"`
	Zero    ID         `bson:"zero,omitempty"`
	Map     map[ID]int `bson:"map"`
	Any     any        `bson:"any"`
}

func newDocument[ID ~[12]byte](id oid.ID) document[ID] {
	return document[ID]{ID(id), ptr(ID(id)), nil, []ID{ID(id), ID(printable)}, ID{}, map[ID]int{ID(id): 1}, ID(id)}
}

// Both drivers write the same bytes for a public.ID as for an oid.ID, and read them back.
func TestBSON(t *testing.T) {
	registry := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[OrderID](registry)
	registryV1 := mongov1.NewRegistry()
	mongov1.RegisterFor[OrderID](registryV1)
	want, err := bson.Marshal(newDocument[oid.ID](sample))
	if err != nil {
		t.Fatal(err)
	}
	for name, driver := range map[string]struct {
		marshal   func(any) ([]byte, error)
		unmarshal func([]byte, any) error
	}{
		"bson":                {bson.Marshal, bson.Unmarshal},
		"bsoncodec":           {bsoncodec.Marshal, bsoncodec.Unmarshal},
		"RegisterFor":         {func(v any) ([]byte, error) { return bsoncodec.MarshalWith(registry, v) }, func(b []byte, v any) error { return bsoncodec.UnmarshalWith(registry, b, v) }},
		"mongov1":             {bsonv1.Marshal, nil},
		"mongov1 NewRegistry": {func(v any) ([]byte, error) { return bsonv1.MarshalWithRegistry(mongov1.NewRegistry(), v) }, nil}, //lint:ignore SA1019 programs use it
		"mongov1 RegisterFor": {
			func(v any) ([]byte, error) { return bsonv1.MarshalWithRegistry(registryV1, v) },      //lint:ignore SA1019 programs use it
			func(b []byte, v any) error { return bsonv1.UnmarshalWithRegistry(registryV1, b, v) }, //lint:ignore SA1019 programs use it
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := newDocument[OrderID](sample)
			got, err := driver.marshal(doc)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%v, %v, want %v", bson.Raw(got), err, bson.Raw(want))
			}
			if driver.unmarshal == nil {
				return
			}
			var back document[OrderID]
			if err := driver.unmarshal(want, &back); err != nil {
				t.Fatal(err)
			}
			if back.ID != doc.ID || *back.Pointer != doc.ID || back.Nil != nil || len(back.List) != 2 || back.List[1] != doc.List[1] || !back.Zero.IsZero() || back.Map[doc.ID] != 1 {
				t.Errorf("%v", back)
			}
		})
	}
}

// Driver v1 writes an ObjectId also where the type isn't registered, and never a Binary. With
// mongov1 imported, it reads it too.
func TestDriverV1WithoutRegisterFor(t *testing.T) {
	data, err := bsonv1.Marshal(newDocument[public.ID[Shop]](sample))
	if err != nil || bsonv1.Raw(data).Lookup("_id").Type != bsonv1.TypeObjectID || bsonv1.Raw(data).Lookup("list", "0").Type != bsonv1.TypeObjectID {
		t.Errorf("%v, %v", bsonv1.Raw(data), err)
	}
	var got document[public.ID[Shop]]
	if err := bsonv1.Unmarshal(data, &got); err != nil || got.ID != public.ID[Shop](sample) || got.List[1] != public.ID[Shop](printable) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Assign takes a public.ID as it takes an oid.For.
func TestAssign(t *testing.T) {
	for name, assign := range map[string]func(any) (oid.ID, error){"bsoncodec": bsoncodec.Assign, "mongov1": mongov1.Assign} {
		id, err := assign(&Order{})
		if typed, typedErr := assign(&struct {
			ID oid.For[Order] `bson:"_id"`
		}{}); (err == nil) != (typedErr == nil) {
			t.Errorf("%s.Assign = %v, %v, and of an oid.For %v, %v", name, id, err, typed, typedErr)
		}
		order := newOrder()
		if id, err := assign(&order); err == nil && id != oid.ID(order.ID) {
			t.Errorf("%s.Assign = %v, %v, want %v", name, id, err, order.ID)
		}
		if id, err := assign(bson.M{"_id": order.ID}); name == "bsoncodec" && (err != nil || id != oid.ID(order.ID)) {
			t.Errorf("%s.Assign of a map = %v, %v, want %v", name, id, err, oid.ID(order.ID))
		}
	}
}

// FromAny takes what is written as an ObjectId, and a public.ID is, as an oid.For is.
func TestFromAny(t *testing.T) {
	id := OrderID(sample)
	for _, v := range []any{id, &id, public.ID[Shop](sample), oid.For[Order](sample)} {
		for name, fromAny := range map[string]func(any) (oid.ID, bool){"bsoncodec": bsoncodec.FromAny, "mongov1": mongov1.FromAny} {
			if got, ok := fromAny(v); got != sample || !ok {
				t.Errorf("%s.FromAny(%T) = %v, %v", name, v, got, ok)
			}
		}
		if !bsoncodec.Same(v, sample) || bsoncodec.Same(v, printable) {
			t.Errorf("Same(%T) = %v, and %v for another ID", v, bsoncodec.Same(v, sample), bsoncodec.Same(v, printable))
		}
	}
	for _, v := range []any{(*OrderID)(nil), id.String(), newOrder()} {
		if got, ok := bsoncodec.FromAny(v); ok {
			t.Errorf("FromAny(%T) = %v", v, got)
		}
	}
}

// With StringifyMapKeysWithFmt, a driver prints the key of a map, which is outside.
func TestStringifiedMapKeysAreTheForm(t *testing.T) {
	var b bytes.Buffer
	encoder := bson.NewEncoder(bson.NewDocumentWriter(&b))
	encoder.StringifyMapKeysWithFmt()
	if err := encoder.Encode(bson.M{"m": map[OrderID]int{OrderID(sample): 1}}); err != nil || !bytes.Contains(b.Bytes(), []byte(OrderID(sample).String())) {
		t.Errorf("%v, %v", bson.Raw(b.Bytes()), err)
	}
}

// In a collection, a public.ID is found by the ObjectId that other programs have stored.
func TestLive(t *testing.T) {
	client, err := mongo.Connect(options.Client().ApplyURI(mongodb.Start(t).URI).SetRegistry(bsoncodec.NewRegistry()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Disconnect(t.Context())
	orders := client.Database("shop").Collection("orders")
	order := newOrder()
	if _, err := orders.InsertOne(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	again := newOrder()
	if result, err := orders.InsertOne(t.Context(), again); err != nil || bsoncodec.MustFromAny(result.InsertedID) != oid.ID(again.ID) {
		t.Errorf("InsertOne = %v, %v", result, err)
	}
	var native struct {
		ID bson.ObjectID `bson:"_id"`
	}
	if err := orders.FindOne(t.Context(), bson.M{"_id": order.ID}).Decode(&native); err != nil || OrderID(native.ID) != order.ID {
		t.Errorf("%v, %v", native, err)
	}
	var got Order
	for name, filter := range map[string]any{
		"native":  bson.M{"_id": bson.ObjectID(order.ID)},
		"In":      bsoncodec.In("_id", []OrderID{order.ID, OrderID(sample)}),
		"shop_id": bson.D{{Key: "shop_id", Value: order.ShopID}},
		"created": bsoncodec.CreatedSince("_id", oid.ID(order.ID).Timestamp()),
	} {
		got = Order{}
		if err := orders.FindOne(t.Context(), filter).Decode(&got); err != nil || got != order {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if err := orders.FindOne(t.Context(), bson.M{"_id": order.ID.String()}).Err(); err != mongo.ErrNoDocuments {
		t.Errorf("a text finds %v", err)
	}
}
