module github.com/oidkit/oidkit/bsoncodec/mongov1

go 1.25.0

require (
	github.com/oidkit/oidkit v0.0.0
	go.mongodb.org/mongo-driver v1.17.7
)

replace github.com/oidkit/oidkit => ../../
