module github.com/oidkit/oidkit/internal/evidence

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	go.mongodb.org/mongo-driver/v2 v2.10.0
)

require go.yaml.in/yaml/v3 v3.0.6 // indirect

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/oidkit/oidkit v0.1.0-rc.1
	github.com/oidkit/oidkit/internal/servers v0.1.0-rc.1
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.41.0 // indirect
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
