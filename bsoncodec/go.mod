module github.com/oidkit/oidkit/bsoncodec

go 1.25.0

require (
	github.com/oidkit/oidkit v0.1.0-rc.1
	go.mongodb.org/mongo-driver/v2 v2.5.0
)
