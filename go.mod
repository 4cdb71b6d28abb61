module github.com/oidkit/oidkit

go 1.25.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/olebedev/when v1.1.0
	github.com/urfave/cli/v3 v3.14.0
	go.mongodb.org/mongo-driver/v2 v2.5.0
	golang.org/x/term v0.30.0
	gorm.io/gorm v1.30.0
)

require (
	github.com/AlekSi/pointer v1.0.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/jinzhu/now v1.1.5 // indirect
	github.com/klauspost/compress v1.17.6 // indirect
	github.com/pkg/errors v0.8.1 // indirect
	github.com/xdg-go/pbkdf2 v1.0.0 // indirect
	github.com/xdg-go/scram v1.2.0 // indirect
	github.com/xdg-go/stringprep v1.0.4 // indirect
	github.com/youmark/pkcs8 v0.0.0-20240726163527-a2c0da244d78 // indirect
	golang.org/x/crypto v0.33.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.31.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)
