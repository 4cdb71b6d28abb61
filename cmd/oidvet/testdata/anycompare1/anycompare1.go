// Package anycompare1 compares the results of driver v1 with IDs.
package anycompare1

import (
	"go.mongodb.org/mongo-driver/mongo"

	v1 "github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

var registry = v1.NewRegistry()

func results(res *mongo.InsertOneResult, bulk *mongo.BulkWriteResult, id oid.ID) {
	_ = res.InsertedID == id       // want `compare with v1.Same`
	_ = bulk.UpsertedIDs[0] == id  // want `compare with v1.Same`
	_, _ = res.InsertedID.(oid.ID) // want `write v1.FromAny`
}
