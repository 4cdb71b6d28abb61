package anycompare1

import "go.mongodb.org/mongo-driver/mongo"

func single(res *mongo.UpdateResult) bool {
	return res.UpsertedID == made() // want `compare with mongov1.Same`
}
