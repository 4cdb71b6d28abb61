module github.com/oidkit/oidkit/internal/bench

go 1.25.0

replace github.com/oidkit/oidkit => ../../

require (
	github.com/google/uuid v1.6.0
	github.com/oidkit/oidkit v0.0.0-00010101000000-000000000000
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rs/xid v1.6.0
	github.com/segmentio/ksuid v1.0.4
	go.mongodb.org/mongo-driver v1.17.10
	go.mongodb.org/mongo-driver/v2 v2.9.3
)
