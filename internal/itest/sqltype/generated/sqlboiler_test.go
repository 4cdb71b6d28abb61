//go:build nightly

package generated_test

import (
	"bytes"
	"database/sql"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/aarondl/sqlboiler/v4/boilingcore"
	"github.com/aarondl/sqlboiler/v4/drivers"
	_ "github.com/aarondl/sqlboiler/v4/drivers/sqlboiler-mysql/driver"
	_ "github.com/aarondl/sqlboiler/v4/drivers/sqlboiler-psql/driver"
	_ "github.com/aarondl/sqlboiler/v4/drivers/sqlboiler-sqlite3/driver"
	"github.com/aarondl/sqlboiler/v4/importers"
	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/itest/overlay"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/pelletier/go-toml/v2"
)

// types reads sqlboiler.toml, with another db_type in place of bytea.
func types(t *testing.T, dbType string) []boilingcore.TypeReplace {
	t.Helper()
	text, err := os.ReadFile("testdata/sqlboiler/sqlboiler.toml")
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := toml.Unmarshal(bytes.ReplaceAll(text, []byte(`"bytea"`), []byte(strconv.Quote(dbType))), &config); err != nil {
		t.Fatal(err)
	}
	return boilingcore.ConvertTypeReplace(config["types"])
}

func TestSqlboiler(t *testing.T) {
	type engine struct {
		name   string // sqlboiler's
		driver string
		dsn    func(testing.TB) string
		config func(t *testing.T, dsn string) drivers.Config
		column string
		dbType string
	}
	engines := []engine{
		{"psql", "pgx", postgres.Database, psqlConfig, "bytea", "bytea"},
		{"sqlite3", "sqlite", func(t testing.TB) string { return "file:" + filepath.Join(t.TempDir(), "test.db") }, sqliteConfig, "BLOB", "BLOB"},
	}
	for _, e := range mysqlserver.Engines() {
		engines = append(engines, engine{"mysql", "mysql", e.Database, mysqlConfig, "binary(12)", "binary"})
	}
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			dsn := engine.dsn(t)
			db, err := sql.Open(engine.driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("create table people (id " + engine.column + " not null primary key, parent " + engine.column + " references people (id), name varchar(20) not null)"); err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			config := engine.config(t, dsn)
			config["foreign-keys"] = []drivers.ForeignKey{}
			state, err := boilingcore.New(&boilingcore.Config{
				DriverName: engine.name, DriverConfig: config,
				PkgName: "models", OutFolder: filepath.Join(folder, "models"),
				NoTests: true, NoHooks: true,
				Imports: importers.NewDefaultImports(), TypeReplaces: types(t, engine.dbType),
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := state.Run(); err != nil {
				t.Fatal(err)
			}
			run(t, overlay.Build(t, "sqlboiler", folder), engine.driver, dsn)
		})
	}
}

func psqlConfig(t *testing.T, dsn string) drivers.Config {
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return drivers.Config{"host": u.Hostname(), "port": u.Port(), "user": u.User.Username(), "pass": password, "dbname": u.Path[1:], "sslmode": "disable"}
}

func mysqlConfig(t *testing.T, dsn string) drivers.Config {
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		t.Fatal(err)
	}
	return drivers.Config{"host": host, "port": port, "user": c.User, "pass": c.Passwd, "dbname": c.DBName, "sslmode": "false"}
}

func sqliteConfig(t *testing.T, dsn string) drivers.Config {
	return drivers.Config{"dbname": dsn[len("file:"):]}
}
