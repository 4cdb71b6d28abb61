package mongov1_test

import (
	"fmt"
	"log"

	"go.mongodb.org/mongo-driver/bson"

	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// The program only needs the import: import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"
func Example() {
	doc := struct {
		ID oid.ID `bson:"_id"`
	}{oid.MustParse("65b3f7edd9bfca00daa6e3b1")}

	data, err := bson.Marshal(doc)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bson.Raw(data))
	// Output: {"_id": {"$oid":"65b3f7edd9bfca00daa6e3b1"}}
}

func ExampleFromAny() {
	// The value raw["_id"] is like the InsertedID of an InsertOneResult.
	raw := bson.M{}
	data, err := bson.Marshal(bson.M{"_id": oid.MustParse("65b3f7edd9bfca00daa6e3b1")})
	if err == nil {
		err = bson.Unmarshal(data, &raw)
	}
	if err != nil {
		log.Fatal(err)
	}
	id, ok := mongov1.FromAny(raw["_id"])
	fmt.Println(id, ok)
	// Output: 65b3f7edd9bfca00daa6e3b1 true
}
