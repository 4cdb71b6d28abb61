// Package sequence_test shows what package sequence promises on every store.
package sequence_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(jobVariable); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	daemon.AtOnce(8)
	os.Exit(m.Run())
}

// A place is a server, and a table or collection on it that no other test uses.
type place struct {
	Kind string // memory, postgres, mongo, sql postgres, sqlite, or the name of an engine of mysqlserver
	URI  string
	Name string // the database, on MongoDB
}

// An opened place is a store, with connections of its own.
type opened struct {
	sequence.Store
	migrate func(context.Context) error
	inTx    func(context.Context, func(tx sequence.Store, execute func(statement string) error) error) error // nil without transactions
	close   func()
}

var dialects = map[string]struct {
	driver string
	sqlsequence.Dialect
}{
	"sql postgres": {"pgx", sqlsequence.PostgreSQL},
	"mysql":        {"mysql", sqlsequence.MySQL},
	"mariadb":      {"mysql", sqlsequence.MySQL},
	"tidb":         {"mysql", sqlsequence.MySQL},
	"sqlite":       {"sqlite", sqlsequence.SQLite},
}

// likeMySQL are the kinds of places on servers like MySQL, by name.
var likeMySQL = func() map[string]*mysqlserver.Engine {
	kinds := map[string]*mysqlserver.Engine{}
	for _, e := range mysqlserver.Engines() {
		kinds[e.Name] = e
	}
	return kinds
}()

// withLikeMySQL returns kinds, and those of servers like MySQL.
func withLikeMySQL(kinds ...string) []string {
	return slices.AppendSeq(kinds, maps.Keys(likeMySQL))
}

func (p place) open() (opened, error) {
	switch p.Kind {
	case "postgres":
		pool, err := pgxpool.New(context.Background(), p.URI+"&pool_max_conns=20")
		if err != nil {
			return opened{}, err
		}
		s := pgsequence.New(pool, "sequences")
		return opened{s, s.Migrate, func(ctx context.Context, f func(sequence.Store, func(string) error) error) error {
			return s.InTx(ctx, func(tx pgx.Tx) error {
				return f(s.Tx(tx), func(statement string) error { _, err := tx.Exec(ctx, statement); return err })
			})
		}, func() { s.Close(); pool.Close() }}, nil
	case "mongo":
		client, err := mongo.Connect(options.Client().ApplyURI(p.URI).SetServerSelectionTimeout(5 * time.Second))
		if err != nil {
			return opened{}, err
		}
		s := mongosequence.New(client.Database(p.Name).Collection("sequences"))
		return opened{s, s.Migrate, nil, func() { client.Disconnect(context.Background()) }}, nil
	case "memory":
		m := new(sequence.Memory)
		return opened{m, func(context.Context) error { return nil }, func(ctx context.Context, f func(sequence.Store, func(string) error) error) error {
			return m.InTx(ctx, func(tx *sequence.Memory) error { return f(m.Tx(tx), nil) })
		}, func() {}}, nil
	}
	d, ok := dialects[p.Kind]
	if !ok {
		return opened{}, fmt.Errorf("unknown kind %q", p.Kind)
	}
	db, err := sql.Open(d.driver, p.URI)
	if err != nil {
		return opened{}, err
	}
	db.SetMaxIdleConns(20)
	s := sqlsequence.New(db, "sequences", d.Dialect)
	return opened{s, s.Migrate, func(ctx context.Context, f func(sequence.Store, func(string) error) error) error {
		return s.InTx(ctx, func(tx *sql.Tx) error {
			return f(s.Tx(tx), func(statement string) error { _, err := tx.ExecContext(ctx, statement); return err })
		})
	}, func() { db.Close() }}, nil
}

// store opens p until the end of the test.
func (p place) store(t *testing.T) opened {
	t.Helper()
	s, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// db opens the database of p until the end of the test.
func (p place) db(t *testing.T) *sql.DB {
	t.Helper()
	driver := "pgx"
	if d, ok := dialects[p.Kind]; ok {
		driver = d.driver
	}
	db, err := sql.Open(driver, p.URI)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(20)
	t.Cleanup(func() { db.Close() })
	return db
}

// execute runs a statement.
func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// shared are the places that processes can share.
var shared = map[string]func(t *testing.T) place{
	"postgres":     func(t *testing.T) place { return place{Kind: "postgres", URI: pgserver.Database(t)} },
	"sql postgres": func(t *testing.T) place { return place{Kind: "sql postgres", URI: pgserver.Database(t)} },
	"sqlite": func(t *testing.T) place {
		return place{Kind: "sqlite", URI: "file:" + filepath.Join(t.TempDir(), "sequences.db") +
			"?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_txlock=immediate"}
	},
	"mongo": func(t *testing.T) place {
		s := mongodb.Start(t)
		return place{Kind: "mongo", URI: s.URI, Name: s.Database}
	},
}

func init() {
	for kind, engine := range likeMySQL {
		shared[kind] = func(t *testing.T) place { return place{Kind: kind, URI: engine.Database(t)} }
		breakables[kind] = func(t *testing.T) breakable {
			s := engine.StartOwn(t)
			return breakable{place{Kind: kind, URI: s.DSN}, s.Restart, s.Pause, s.Resume}
		}
	}
}

// onEach runs f on each place, at once, with a store that is migrated.
func onEach(t *testing.T, f func(t *testing.T, p place, s opened)) {
	t.Helper()
	parallel(t)
	for kind, at := range shared {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := at(t)
			s := p.store(t)
			if err := s.migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			f(t, p, s)
		})
	}
}

// onEachWithTransactions is onEach without MongoDB.
func onEachWithTransactions(t *testing.T, f func(t *testing.T, p place, s opened)) {
	t.Helper()
	onEach(t, func(t *testing.T, p place, s opened) {
		if s.inTx != nil {
			f(t, p, s)
		}
	})
}

// cycling returns a plan from 1 to last, which never ends.
func cycling(last int64) sequence.Plan { return sequence.Plan{First: 1, Last: last, Cycle: true} }
