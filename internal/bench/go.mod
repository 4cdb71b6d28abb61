module github.com/oidkit/oidkit/internal/bench

go 1.25.0

replace (
	github.com/oidkit/oidkit => ../../
	github.com/oidkit/oidkit/internal/itest => ../itest
)

require (
	github.com/google/uuid v1.6.0
	github.com/jackc/pgx/v5 v5.12.0
	github.com/oidkit/oidkit v0.0.0
	github.com/oidkit/oidkit/internal/itest v0.0.0-00010101000000-000000000000
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rs/xid v1.6.0
	github.com/segmentio/ksuid v1.0.4
	github.com/vgarvardt/pgx-google-uuid/v5 v5.6.0
	go.mongodb.org/mongo-driver v1.17.10
	go.mongodb.org/mongo-driver/v2 v2.9.3
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	golang.org/x/text v0.41.0 // indirect
)
