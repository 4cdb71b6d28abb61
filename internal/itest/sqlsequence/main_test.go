// Package sqlsequence_test shows what package sqlsequence promises on real servers.
package sqlsequence_test

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

func init() { mysql.SetLogger(&mysql.NopLogger{}) } // it would log every lost connection

func TestMain(m *testing.M) {
	daemon.AtOnce(8)
	m.Run()
}

// A server is a driver of database/sql and an empty database that no other test uses.
type server struct {
	name    string // of the subtest
	driver  string
	dsn     string
	dialect sqlsequence.Dialect
}

// The drivers, and those of them that are for SQLite.
var (
	drivers       = map[string]func(testing.TB) server{"pgx": onPgx, "pq": onPq, "modernc": onModernc}
	sqliteDrivers = []func(testing.TB) server{onModernc}
)

func init() {
	for _, e := range mysqlserver.Engines() {
		drivers[e.Name] = on(e)
	}
}

// withLikeMySQL returns servers, and those that are like MySQL.
func withLikeMySQL(servers ...func(testing.TB) server) []func(testing.TB) server {
	for _, e := range mysqlserver.Engines() {
		servers = append(servers, on(e))
	}
	return servers
}

// each runs f in parallel with a database on each server, by each driver.
func each(t *testing.T, f func(t *testing.T, s server)) {
	for name, open := range drivers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t))
		})
	}
}

// eachDialect runs f in parallel with a database on each server, by one driver.
func eachDialect(t *testing.T, f func(t *testing.T, s server)) {
	for name, open := range drivers {
		if name == "pq" || name == "mattn" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t))
		})
	}
}

func onPgx(t testing.TB) server {
	return server{"pgx", "pgx", postgres.Database(t), sqlsequence.PostgreSQL}
}

func onPq(t testing.TB) server {
	return server{"pq", "postgres", postgres.Database(t), sqlsequence.PostgreSQL}
}

// on returns the function that makes a database on a server of an engine.
func on(e *mysqlserver.Engine) func(testing.TB) server {
	return func(t testing.TB) server {
		return server{e.Name, "mysql", e.Database(t), sqlsequence.MySQL}
	}
}

func onMariaDB(t testing.TB) server { return on(mysqlserver.MariaDB)(t) }

func onModernc(t testing.TB) server {
	return server{"modernc", "sqlite", "file:" + filepath.Join(t.TempDir(), "s.db") +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)", sqlsequence.SQLite}
}

// open returns a pool of s until the end of the test.
func (s server) open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open(s.driver, s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxIdleConns(20)
	return db
}

// store returns a store of the table sequences, and makes the table.
func (s server) store(t testing.TB) (*sqlsequence.Store, *sql.DB) {
	t.Helper()
	db := s.open(t)
	store := sqlsequence.New(db, "sequences", s.dialect)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store, db
}

// with returns s with a parameter in its DSN.
func (s server) with(t testing.TB, name, value string) server {
	t.Helper()
	sep := "?"
	if strings.Contains(s.dsn, "?") {
		sep = "&"
	}
	s.dsn += sep + name + "=" + url.QueryEscape(value)
	return s
}

// tickets returns the sequence 1, 2, 3 ... of a key.
func tickets(store sequence.Store, key string, opts ...sequence.Option) *sequence.Sequence {
	return sequence.New(store, key, sequence.Plan{First: 1, Last: 1 << 60}, opts...)
}

// execute runs a statement.
func execute(t testing.TB, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// positions returns the sequence 1, 2, 3 ... of a key that is drawn from in transactions.
func positions(store sequence.Store, key string) *sequence.Sequence {
	return tickets(store, key, sequence.WithGapFree())
}
