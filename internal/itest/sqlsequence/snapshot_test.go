package sqlsequence_test

import (
	"database/sql"
	"sync"
	"testing"
)

// TestInTxHasNoErrorsUnderSnapshotIsolation has 8 writers draw from one key of MariaDB in
// transactions that read before. With this setting, a transaction at REPEATABLE READ can't
// change a row that has changed since its first read.
func TestInTxHasNoErrorsUnderSnapshotIsolation(t *testing.T) {
	t.Parallel()
	s := onMariaDB(t).with(t, "innodb_snapshot_isolation", "ON")
	store, db := s.store(t)
	seq := positions(store, "k")
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := store.InTx(t.Context(), func(tx *sql.Tx) error {
					var n int
					if err := tx.QueryRow("SELECT count(*) FROM sequences").Scan(&n); err != nil {
						return err
					}
					_, err := seq.NextIn(t.Context(), store.Tx(tx))
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	var x int64
	if err := db.QueryRow("SELECT x FROM sequences").Scan(&x); err != nil || x != writers*each {
		t.Errorf("x = %d, %v, want %d", x, err, writers*each)
	}
}
