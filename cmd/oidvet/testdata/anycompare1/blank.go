package anycompare1

import (
	"go.mongodb.org/mongo-driver/mongo"

	_ "github.com/oidkit/oidkit/bsoncodec/mongov1"
)

import "github.com/oidkit/oidkit/oid"

var unused = 0

func inserted() *mongo.InsertOneResult { return nil }

func made() oid.ID { return oid.ID{} }

func blank(res *mongo.InsertOneResult) bool {
	return res.InsertedID == made() // want `compare with mongov1.Same`
}
