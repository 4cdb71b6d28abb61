//go:build nightly

package sequence_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/lib/pq"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestStoresPassTheSuiteOnStrictServers runs it behind proxies that refuse what Aurora
// DSQL and CockroachDB refuse. 20 % of the stores' own commits fail with 40001. The suite
// expects no error then, so a call that failed so is made again, as package sequence does.
// Transactions of the suite fail only when they meet others.
func TestStoresPassTheSuiteOnStrictServers(t *testing.T) {
	t.Parallel()
	for _, engine := range []*pgserver.Engine{pgserver.DSQL, pgserver.CockroachDB} {
		for name, suite := range map[string]func(t *testing.T, failing, steady string){
			"pgsequence":           suiteOfPgx,
			"sqlsequence with pgx": func(t *testing.T, failing, steady string) { suiteOfSQL(t, "pgx", failing, steady) },
			"sqlsequence with pq":  func(t *testing.T, failing, steady string) { suiteOfSQL(t, "postgres", failing, steady) },
		} {
			t.Run(engine.Name+", "+name, func(t *testing.T) {
				t.Parallel()
				dsn := pgserver.Database(t)
				failing, steady := pgserver.StartStrict(t, dsn, engine, 0.2), pgserver.StartStrict(t, dsn, engine, 0)
				suite(t, failing.DSN, steady.DSN)
				if tried, failed := failing.Commits(); failed < 100 {
					t.Errorf("%d of %d commits failed, which shows nothing", failed, tried)
				}
			})
		}
	}
}

func suiteOfPgx(t *testing.T, failing, steady string) {
	pool := func(dsn string) *pgxpool.Pool {
		pool, err := pgxpool.New(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pool
	}
	transactions := pool(steady + "&pool_max_conns=20")
	store := pgsequence.New(transactions, "sequences")
	t.Cleanup(store.Close)
	drivertest.Run(t, func(t testing.TB) driver.Driver {
		s := pgsequence.New(pool(failing), "sequences", pgsequence.WithMaxConns(20))
		t.Cleanup(s.Close)
		return patient{s.Driver()}
	}, func(ctx context.Context) (driver.Driver, func(commit bool) error, error) {
		tx, err := transactions.Begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		return store.Tx(tx).Driver(), func(commit bool) error {
			if commit {
				return tx.Commit(ctx)
			}
			return tx.Rollback(ctx)
		}, nil
	})
}

func suiteOfSQL(t *testing.T, name, failing, steady string) {
	open := func(dsn string) *sql.DB {
		db, err := sql.Open(name, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	transactions := open(steady)
	store := sqlsequence.New(transactions, "sequences", sqlsequence.PostgreSQL)
	drivertest.Run(t, func(testing.TB) driver.Driver {
		return patient{sqlsequence.New(open(failing), "sequences", sqlsequence.PostgreSQL).Driver()}
	}, func(ctx context.Context) (driver.Driver, func(commit bool) error, error) {
		tx, err := transactions.BeginTx(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		return store.Tx(tx).Driver(), func(commit bool) error {
			if commit {
				return tx.Commit()
			}
			return tx.Rollback()
		}, nil
	})
}

// A patient driver makes a call again that the server has taken back.
type patient struct{ driver.Driver }

// again calls f until the server doesn't take it back.
func again(f func() error) error {
	for {
		err := f()
		var e interface{ SQLState() string }
		if !errors.As(err, &e) || e.SQLState() != "40001" {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func (p patient) Migrate(ctx context.Context) error {
	return again(func() error { return p.Driver.Migrate(ctx) })
}

func (p patient) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	err = again(func() error { r, ok, err = p.Driver.Read(ctx, key); return err })
	return r, ok, err
}

func (p patient) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	err = again(func() error { ok, err = p.Driver.Put(ctx, r, was); return err })
	return ok, err
}

func (p patient) Draw(ctx context.Context, d driver.Draw) (s driver.Step, ok bool, err error) {
	err = again(func() error { s, ok, err = p.Driver.Draw(ctx, d); return err })
	return s, ok, err
}
