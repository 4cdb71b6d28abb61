package sqlsequence_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestStoreKeepsTheContract runs the suite of all stores.
func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
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
