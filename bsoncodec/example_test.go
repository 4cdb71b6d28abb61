package bsoncodec_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

func ExampleAssign() {
	type Order struct {
		ID    oid.ID `bson:"_id,omitempty"`
		Total int
	}
	order := Order{Total: 1999}
	id, err := bsoncodec.Assign(&order)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.ID == id, id.IsZero())
	// Output: true false
}

// To make a client use the registry, call
// options.Client().SetRegistry(bsoncodec.NewRegistry()).
func ExampleNewRegistry() {
	var data bytes.Buffer
	encoder := bson.NewEncoder(bson.NewDocumentWriter(&data))
	encoder.SetRegistry(bsoncodec.NewRegistry())
	if err := encoder.Encode(bson.D{{Key: "_id", Value: oid.MustParse("65b3f7edd9bfca00daa6e3b1")}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bson.Raw(data.Bytes()))
	// Output: {"_id": {"$oid":"65b3f7edd9bfca00daa6e3b1"}}
}

func ExampleFromAny() {
	// This value is like the InsertedID of an InsertOneResult.
	var insertedID any = bson.ObjectID(oid.MustParse("65b3f7edd9bfca00daa6e3b1"))

	id, ok := bsoncodec.FromAny(insertedID)
	fmt.Println(id, ok)
	// Output: 65b3f7edd9bfca00daa6e3b1 true
}

func ExampleCreatedBetween() {
	march := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	fmt.Println(bsoncodec.CreatedBetween("_id", march, march.AddDate(0, 1, 0)))
	// Output: {"_id":{"$gte":{"$oid":"67c24e000000000000000000"},"$lt":{"$oid":"67eb2c800000000000000000"}}}
}

func ExampleIn() {
	ids := []oid.ID{oid.MustParse("65b3f7edd9bfca00daa6e3b1"), oid.MustParse("65b3f7edd9bfca00daa6e3b2")}
	fmt.Println(bsoncodec.In("_id", ids))
	// Output: {"_id":{"$in":[{"$oid":"65b3f7edd9bfca00daa6e3b1"},{"$oid":"65b3f7edd9bfca00daa6e3b2"}]}}
}

func ExampleRegisterFor() {
	type UserID bson.ObjectID // has no methods: the driver stores it as Binary

	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[UserID](reg)
	bsoncodec.AcceptBinary(reg) // to read what was stored before

	old, err := bson.Marshal(bson.D{{Key: "user", Value: UserID(oid.MustParse("65b3f7edd9bfca00daa6e3b1"))}})
	if err != nil {
		log.Fatal(err)
	}
	var doc struct{ User UserID }
	if err := unmarshal(reg, old, &doc); err != nil {
		log.Fatal(err)
	}
	healed, err := marshal(reg, doc)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bson.Raw(old))
	fmt.Println(bson.Raw(healed))
	// Output:
	// {"user": {"$binary":{"base64":"ZbP37dm/ygDapuOx","subType":"00"}}}
	// {"user": {"$oid":"65b3f7edd9bfca00daa6e3b1"}}
}

func ExampleRefuseStrings() {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RefuseStrings(reg)

	old, err := bson.Marshal(bson.D{{Key: "user", Value: "65b3f7edd9bfca00daa6e3b1"}})
	if err != nil {
		log.Fatal(err)
	}
	var doc struct{ User oid.ID }
	fmt.Println(unmarshal(reg, old, &doc) != nil)
	// Output: true
}
