// Package sql_test shows IDs in database/sql: its drivers, and the libraries on top.
package sqltype_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	_ "modernc.org/sqlite"
)

var sample = oid.MustParse("65b3f7a40c1b2d3e4f506172")

// printable is an ID whose bytes are text.
var printable = oid.ID([]byte("hello world!"))

// A database is one driver in one configuration.
type database struct {
	name   string
	open   func(testing.TB) *sql.DB
	binary string // the column type of an ID
	text   string // the column type of a Hex
	dollar bool   // placeholders are $1, $2
}

// sql returns the statement with the database's column types and placeholders, for
// one written with {id}, {hex} and ?.
func (d database) sql(statement string) string {
	statement = strings.NewReplacer("{id}", d.binary, "{hex}", d.text).Replace(statement)
	for n := 1; d.dollar && strings.Contains(statement, "?"); n++ {
		statement = strings.Replace(statement, "?", fmt.Sprintf("$%d", n), 1)
	}
	return statement
}

func open(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// postgres returns the DSN of a new database with the domain objectid.
func postgres(t testing.TB) string {
	t.Helper()
	dsn := pgserver.Database(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sqltype.PostgresSchema()); err != nil {
		t.Fatal(err)
	}
	return dsn
}

func pgxWith(mode pgx.QueryExecMode, options ...stdlib.OptionOpenDB) func(testing.TB) *sql.DB {
	return func(t testing.TB) *sql.DB {
		t.Helper()
		config, err := pgx.ParseConfig(postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = mode
		db := stdlib.OpenDB(*config, options...)
		t.Cleanup(func() { db.Close() })
		return db
	}
}

// eachMySQL runs test on each engine that is like MySQL.
func eachMySQL(t *testing.T, test func(t *testing.T, e *mysqlserver.Engine)) {
	t.Helper()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) { test(t, e) })
	}
}

func mysqlWith(e *mysqlserver.Engine, configure func(*mysql.Config)) func(testing.TB) *sql.DB {
	return func(t testing.TB) *sql.DB {
		t.Helper()
		config, err := mysql.ParseDSN(e.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		configure(config)
		return open(t, "mysql", config.FormatDSN())
	}
}

func sqliteWith(driver string) func(testing.TB) *sql.DB {
	return func(t testing.TB) *sql.DB {
		return open(t, driver, "file:"+filepath.Join(t.TempDir(), "test.db"))
	}
}

// sqliteDrivers are the drivers of SQLite and the names that they register.
var sqliteDrivers = map[string]string{"modernc": "sqlite"}

func databases() []database {
	registered := stdlib.OptionAfterConnect(pgxoid.AfterConnect)
	list := []database{
		{"pgx", pgxWith(pgx.QueryExecModeCacheStatement), "objectid", "char(24)", true},
		{"pgx registered", pgxWith(pgx.QueryExecModeCacheStatement, registered), "objectid", "text", true},
		{"pgx exec", pgxWith(pgx.QueryExecModeExec), "bytea", "text", true},
		{"pgx simple protocol registered", pgxWith(pgx.QueryExecModeSimpleProtocol, registered), "objectid", "text", true},
		{"lib/pq", func(t testing.TB) *sql.DB { return open(t, "postgres", postgres(t)) }, "bytea", "text", true},
		{"lib/pq binary", func(t testing.TB) *sql.DB { return open(t, "postgres", postgres(t)+"&binary_parameters=yes") }, "objectid", "varchar(24)", true},
	}
	for _, e := range mysqlserver.Engines() {
		list = append(list,
			database{e.Name, mysqlWith(e, func(*mysql.Config) {}), "binary(12)", "char(24)", false},
			database{e.Name + " interpolated", mysqlWith(e, func(c *mysql.Config) { c.InterpolateParams = true }), "binary(12)", "char(24) character set ascii", false})
	}
	for name, driver := range sqliteDrivers {
		list = append(list, database{name + " sqlite", sqliteWith(driver), "blob", "text", false})
	}
	return list
}

func TestMain(m *testing.M) {
	daemon.AtOnce(8)
	os.Exit(m.Run())
}

func forEachDatabase(t *testing.T, test func(*testing.T, *sql.DB, database)) {
	for _, d := range databases() {
		t.Run(d.name, func(t *testing.T) { test(t, d.open(t), d) })
	}
}

func mustExec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%.200s: %v", statement, err)
	}
}

func queryOne[T any](t testing.TB, db *sql.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(query, args...).Scan(&v); err != nil {
		t.Fatalf("%.200s: %v", query, err)
	}
	return v
}
