// Package sequence_test shows what package sequence promises on real servers.
package sequence_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/mariadb"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
	_ "modernc.org/sqlite"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(jobVariable); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A store is one that other processes can open too.
type store interface {
	sequence.Store
	sequence.StampStore
	sequence.NumberingStore
	List(context.Context) ([]sequence.State, error)
}

// A place is a server and a table or collection on it that no other test uses.
type place struct {
	kind string // memory, postgres, mongo, sql postgres, mysql, sqlite
	uri  string
	name string // the database, on MongoDB
}

// dialects are the kinds of places that sqlsequence serves.
var dialects = map[string]struct {
	driver string
	sqlsequence.Dialect
}{
	"sql postgres": {"pgx", sqlsequence.PostgreSQL},
	"mysql":        {"mysql", sqlsequence.MySQL},
	"sqlite":       {"sqlite", sqlsequence.SQLite},
}

// open returns the store of p and a function that ends its connections.
func (p place) open() (store, func(), error) {
	switch p.kind {
	case "postgres":
		cfg, err := pgxpool.ParseConfig(p.uri)
		if err != nil {
			return nil, nil, err
		}
		cfg.MaxConns = 20
		pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
		if err != nil {
			return nil, nil, err
		}
		s := pgsequence.New(pool, "sequences")
		return s, func() { s.Close(); pool.Close() }, nil
	case "mongo":
		client, err := mongo.Connect(options.Client().ApplyURI(p.uri).SetServerSelectionTimeout(5 * time.Second))
		if err != nil {
			return nil, nil, err
		}
		return mongosequence.New(client.Database(p.name).Collection("sequences")),
			func() { client.Disconnect(context.Background()) }, nil
	}
	if d, ok := dialects[p.kind]; ok {
		db, err := sql.Open(d.driver, p.uri)
		if err != nil {
			return nil, nil, err
		}
		return sqlsequence.New(db, "sequences", d.Dialect), func() { db.Close() }, nil
	}
	return sequence.NewMemory(), func() {}, nil
}

// db returns a pool of a place of database/sql.
func (p place) db(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open(dialects[p.kind].driver, p.uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// mustOpen is open until the end of the test.
func (p place) mustOpen(t *testing.T) store {
	t.Helper()
	s, end, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return s
}

// postgres returns a place on the PostgreSQL that the tests share.
func postgres(t *testing.T) place {
	t.Helper()
	return migrated(t, place{kind: "postgres", uri: pgserver.Database(t)})
}

func migrated(t *testing.T, p place) place {
	t.Helper()
	if err := p.mustOpen(t).(interface{ Migrate(context.Context) error }).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// mongoDB returns a place on a MongoDB server of the test's own.
func mongoDB(t *testing.T) (place, *mongodb.Server) {
	t.Helper()
	s := mongodb.Start(t)
	return place{kind: "mongo", uri: s.URI, name: s.Database}, s
}

// sqlite returns a place in a file of the test's own.
func sqlite(t *testing.T) place {
	t.Helper()
	return migrated(t, place{kind: "sqlite", uri: "file:" + filepath.Join(t.TempDir(), "sequences.db") +
		"?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_txlock=immediate"})
}

// onEachSQL runs f with a place on each server of package sqlsequence.
func onEachSQL(t *testing.T, f func(t *testing.T, p place)) {
	t.Run("sql postgres", func(t *testing.T) { f(t, migrated(t, place{kind: "sql postgres", uri: pgserver.Database(t)})) })
	t.Run("mysql", func(t *testing.T) { f(t, migrated(t, place{kind: "mysql", uri: mariadb.Database(t)})) })
	t.Run("sqlite", func(t *testing.T) { f(t, sqlite(t)) })
}

// onEachServer runs f with a place on each server that others can share.
func onEachServer(t *testing.T, f func(t *testing.T, p place)) {
	t.Run("postgres", func(t *testing.T) { f(t, postgres(t)) })
	t.Run("mongo", func(t *testing.T) {
		p, _ := mongoDB(t)
		f(t, p)
	})
	onEachSQL(t, f)
}

// everywhere runs f on each server and in process.
func everywhere(t *testing.T, f func(t *testing.T, p place)) {
	onEachServer(t, f)
	t.Run("memory", func(t *testing.T) { f(t, place{kind: "memory"}) })
}

// collection returns the collection of a place on MongoDB.
func (p place) collection(t *testing.T) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(p.uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	return client.Database(p.name).Collection("sequences")
}

// pool returns a pool of a place on PostgreSQL.
func (p place) pool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), p.uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// set changes fields of the key k behind the store's back.
func (p place) set(t *testing.T, fields map[string]any) {
	t.Helper()
	if p.kind == "mongo" {
		res, err := p.collection(t).UpdateOne(t.Context(), bson.D{{Key: "_id", Value: "k"}}, bson.D{{Key: "$set", Value: fields}})
		if err != nil || res.MatchedCount != 1 {
			t.Fatal(res, err)
		}
		return
	}
	names, args := []string{}, []any{"k"}
	for name, v := range fields {
		args = append(args, v)
		names = append(names, fmt.Sprintf("%s = $%d", name, len(args)))
	}
	statement := "UPDATE sequences SET " + strings.Join(names, ", ") + " WHERE key = $1"
	switch p.kind {
	case "postgres":
		p = place{kind: "sql postgres", uri: p.uri}
	case "mysql":
		statement = strings.ReplaceAll(statement, "key =", "`key` =")
		for i := len(args); i > 0; i-- {
			statement = strings.ReplaceAll(statement, fmt.Sprintf("$%d", i), "?")
		}
		args = append(args[1:], args[0])
	}
	if _, err := p.db(t).Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// create makes a wheel, which never ends.
func create(t *testing.T, s sequence.Store, first, last int64) {
	t.Helper()
	if err := s.Create(t.Context(), "k", sequence.Plan{First: first, Last: last, Cycle: true}); err != nil {
		t.Fatal(err)
	}
}
