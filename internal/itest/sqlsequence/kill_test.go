package sqlsequence_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestKilledConnectionsRepeatNoNumber has the server of MySQL's dialect end the connections
// of 8 programs with 4 callers each, again and again.
func TestKilledConnectionsRepeatNoNumber(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			s := on(e)(t)
			admin := s.open(t)
			var name string
			if err := admin.QueryRow("SELECT database()").Scan(&name); err != nil {
				t.Fatal(err)
			}
			crowdDraws(t, s, count("OIDKIT_SEQUENCE_DRAWS", 3000), 5, func() {
				rows, err := admin.Query("SELECT id FROM information_schema.processlist WHERE db = ? AND id <> connection_id()", name)
				if err != nil {
					t.Error(err)
					return
				}
				defer rows.Close()
				var ids []int64
				for rows.Next() {
					var id int64
					if err := rows.Scan(&id); err != nil {
						t.Error(err)
					}
					ids = append(ids, id)
				}
				for _, id := range ids {
					admin.Exec(fmt.Sprint("KILL ", id)) // it may have ended
				}
			})
		})
	}
}

// crowdDraws has 8 programs of 4 callers draw enough numbers, while disturb is called so
// many times. No number may come twice, and no caller may see an error.
func crowdDraws(t *testing.T, s server, enough, times int, disturb func()) {
	t.Helper()
	var (
		mu      sync.Mutex
		drawn   = map[int64]bool{}
		retries int
		wg      sync.WaitGroup
	)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	size := func() int { mu.Lock(); defer mu.Unlock(); return len(drawn) }
	for i := range 8 {
		db := s.open(t)
		store := sqlsequence.New(db, "sequences", s.dialect)
		if i == 0 {
			if err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		numbers := tickets(store, "tickets", sequence.WithObserver(func(trip sequence.Trip) {
			mu.Lock()
			defer mu.Unlock()
			retries += trip.Retries
		}))
		for range 4 {
			wg.Go(func() {
				for last := int64(0); ctx.Err() == nil; {
					n, err := numbers.Next(ctx)
					mu.Lock()
					switch {
					case err != nil && ctx.Err() == nil:
						t.Error(err)
					case err == nil && (drawn[n.Ordinal] || n.Ordinal <= last):
						t.Errorf("%d came twice, or after %d", n.Ordinal, last)
					case err == nil:
						drawn[n.Ordinal], last = true, n.Ordinal
					}
					mu.Unlock()
				}
			})
		}
	}
	for i := range times {
		until(t, func() bool { return size() > (i+1)*enough/(times+1) })
		disturb()
	}
	until(t, func() bool { return size() > enough })
	stop()
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	t.Logf("8 programs of 4 callers: %d numbers, %d disturbances, %d draws made again, none twice", len(drawn), times, retries)
}
