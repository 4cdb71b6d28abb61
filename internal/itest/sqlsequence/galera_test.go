//go:build nightly

package sqlsequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestClusterSendsTransientErrors makes nodes of a cluster fail.
func TestClusterSendsTransientErrors(t *testing.T) { sends(t, "Galera") }

// TestGroupSendsTransientErrors has nodes of MySQL's Group Replication conflict.
func TestGroupSendsTransientErrors(t *testing.T) { sends(t, "Group") }

// TestNodesOfAClusterDrawNoNumberTwice has nine programs with four callers each. Three
// programs use each node. One node is killed and comes back.
func TestNodesOfAClusterDrawNoNumberTwice(t *testing.T) {
	cluster, nodes := onGalera(t)
	var (
		mu    sync.Mutex
		drawn = map[int64]bool{}
		wg    sync.WaitGroup
	)
	enough := count("OIDKIT_SEQUENCE_DRAWS", 20_000)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	size := func() int { mu.Lock(); defer mu.Unlock(); return len(drawn) }
	for i := range 9 {
		store := sqlsequence.New(nodes[i%3].open(t), "sequences", sqlsequence.MySQL)
		if err := store.Migrate(t.Context()); err != nil { // each program, at its start
			t.Fatal(err)
		}
		numbers := tickets(store, "tickets")
		for range 4 {
			wg.Go(func() {
				for size() < enough && ctx.Err() == nil {
					n, err := numbers.Next(ctx)
					if err != nil {
						if !errors.Is(err, context.DeadlineExceeded) {
							t.Error(err)
						}
						return
					}
					mu.Lock()
					if drawn[n.Ordinal] {
						t.Errorf("%d was drawn twice", n.Ordinal)
					}
					drawn[n.Ordinal] = true
					mu.Unlock()
				}
			})
		}
	}
	until(t, func() bool { return size() > enough/4 })
	if err := cluster.Nodes[2].Kill(); err != nil {
		t.Error(err)
	}
	until(t, func() bool { return size() > enough/2 })
	if err := cluster.Restart(cluster.Nodes[2]); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if size() < enough {
		t.Errorf("%d draws in 5 minutes, want %d", size(), enough)
	}
	t.Logf("%d draws, none twice", size())
}

// TestTransactionsOnNodesOfAClusterHaveNoGaps has writers on three nodes, which conflict at
// COMMIT. InTx runs them again.
func TestTransactionsOnNodesOfAClusterHaveNoGaps(t *testing.T) {
	_, nodes := onGalera(t)
	execute(t, nodes[0].open(t), "CREATE TABLE ledger (position bigint PRIMARY KEY)")
	var committed, again atomic.Int64
	var wg sync.WaitGroup
	enough := int64(count("OIDKIT_SEQUENCE_ROWS", 500))
	for i := range 6 {
		store := sqlsequence.New(nodes[i%3].open(t), "sequences", sqlsequence.MySQL)
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		ledger := positions(store, "ledger")
		wg.Go(func() {
			for committed.Load() < enough {
				runs := 0
				err := store.InTx(t.Context(), func(tx *sql.Tx) error {
					if runs++; runs > 1 {
						again.Add(1)
					}
					n, err := ledger.NextIn(t.Context(), store.Tx(tx))
					if err != nil {
						return err
					}
					_, err = tx.Exec(fmt.Sprintf("INSERT INTO ledger VALUES (%d)", n.Ordinal))
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				committed.Add(1)
			}
		})
	}
	wg.Wait()
	for _, node := range nodes {
		db := node.open(t)
		var rows, last int64
		if err := db.QueryRow("SELECT count(*), max(position) FROM ledger").Scan(&rows, &last); err != nil || rows != committed.Load() || last != rows {
			t.Errorf("%s: %d rows, last %d, %v; %d were committed", node.name, rows, last, err, committed.Load())
		}
	}
	t.Logf("%d transactions were committed, %d runs were repeated", committed.Load(), again.Load())
}
