module github.com/oidkit/oidkit/internal/bench

go 1.26.0

require (
	github.com/google/uuid v1.6.0
	github.com/jackc/pgx/v5 v5.12.0
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rs/xid v1.6.0
	github.com/segmentio/ksuid v1.0.4
	github.com/sqids/sqids-go v0.4.1
	github.com/vgarvardt/pgx-google-uuid/v5 v5.6.0
	go.jetify.com/typeid v1.3.0
	go.mongodb.org/mongo-driver v1.17.10
	go.mongodb.org/mongo-driver/v2 v2.10.0
	gorm.io/driver/mysql v1.6.0
)

require (
	github.com/gofrs/uuid/v5 v5.2.0 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/glebarez/go-sqlite v1.21.2 // indirect
	github.com/glebarez/sqlite v1.11.0
	github.com/go-sql-driver/mysql v1.10.1
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/jinzhu/now v1.1.5 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/oidkit/oidkit v0.1.0-rc.1
	github.com/oidkit/oidkit/bsoncodec v0.1.0-rc.1
	github.com/oidkit/oidkit/bsoncodec/mongov1 v0.1.0-rc.1
	github.com/oidkit/oidkit/gormplugin v0.1.0-rc.1
	github.com/oidkit/oidkit/internal/servers v0.1.0-rc.1
	github.com/oidkit/oidkit/sequence v0.1.0-rc.1
	github.com/oidkit/oidkit/sequence/pgsequence v0.1.0-rc.1
	github.com/oidkit/oidkit/sqltype/pgxoid v0.1.0-rc.1
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/xdg-go/scram v1.4.0 // indirect
	github.com/xdg-go/stringprep v1.0.4 // indirect
	github.com/youmark/pkcs8 v0.0.0-20240726163527-a2c0da244d78 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	gorm.io/driver/postgres v1.6.3
	gorm.io/gorm v1.31.2
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
	modernc.org/sqlite v1.61.1 // indirect
)

replace github.com/oidkit/oidkit => ../..

replace github.com/oidkit/oidkit/bsoncodec => ../../bsoncodec

replace github.com/oidkit/oidkit/bsoncodec/mongov1 => ../../bsoncodec/mongov1/

replace github.com/oidkit/oidkit/gormplugin => ../../gormplugin

replace github.com/oidkit/oidkit/sequence/mongosequence => ../../sequence/mongosequence

replace github.com/oidkit/oidkit/sequence/pgsequence => ../../sequence/pgsequence

replace github.com/oidkit/oidkit/sqltype/pgxoid => ../../sqltype/pgxoid

replace github.com/oidkit/oidkit/internal/servers => ../servers

replace github.com/oidkit/oidkit/cmd/oid => ../../cmd/oid

replace github.com/oidkit/oidkit/sequence => ../../sequence
