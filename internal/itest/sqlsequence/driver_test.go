package sqlsequence_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestStoreKeepsTheContract runs the suite of all stores.
func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		s.dsn = strings.Replace(s.dsn, "busy_timeout(5000)", "busy_timeout(60000)", 1) // a slow machine is no fault of the store
		drivertest.Run(t, func(t testing.TB) driver.Driver {
			return sqlsequence.New(s.open(t), "sequences", s.dialect).Driver()
		}, begin(s.open(t), s.dialect))
	})
}

// begin returns a function that begins transactions.
func begin(db *sql.DB, d sqlsequence.Dialect) func(context.Context) (driver.Driver, func(bool) error, error) {
	store := sqlsequence.New(db, "sequences", d)
	opts := &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	if d == sqlsequence.SQLite {
		opts = nil
	}
	return func(ctx context.Context) (driver.Driver, func(commit bool) error, error) {
		tx, err := db.BeginTx(ctx, opts)
		if err != nil {
			return nil, nil, err
		}
		return store.Tx(tx).Driver(), func(commit bool) error {
			if !commit {
				return tx.Rollback()
			}
			return tx.Commit()
		}, nil
	}
}

// TestStoreSurvivesCrashes kills the servers that can be killed.
func TestStoreSurvivesCrashes(t *testing.T) {
	t.Parallel()
	crashes := func(t *testing.T, s server, restart func() error) {
		drivertest.RunCrashes(t, func(t testing.TB) driver.Driver {
			return sqlsequence.New(s.open(t), "sequences", s.dialect).Driver()
		}, func(t testing.TB) {
			if err := restart(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("pgx", func(t *testing.T) {
		t.Parallel()
		own := postgres.Start(t)
		crashes(t, server{"pgx", "pgx", own.DSN, sqlsequence.PostgreSQL}, own.Restart)
	})
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			own := e.StartOwn(t)
			crashes(t, server{e.Name, "mysql", own.DSN, sqlsequence.MySQL}, own.Restart)
		})
	}
}
