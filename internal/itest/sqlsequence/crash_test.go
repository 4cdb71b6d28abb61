package sqlsequence_test

import (
	"context"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// count returns the number in an environment variable, or n.
func count(variable string, n int) int {
	if v, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return v
	}
	return n
}

// TestKilledServerNeverRepeatsANumber kills the server with SIGKILL while 8 programs with 3
// callers each draw from one key. The disk takes 3 ms for a flush, and the server writes
// nothing by itself for 10 s, so what nobody waited for is lost.
//
// OIDKIT_SEQUENCE_KILLS sets how often, and OIDKIT_SEQUENCE_DRAWS how many numbers are
// drawn between two kills.
func TestKilledServerNeverRepeatsANumber(t *testing.T) {
	t.Parallel()
	kills, between := count("OIDKIT_SEQUENCE_KILLS", 1), count("OIDKIT_SEQUENCE_DRAWS", 300)
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			own := postgres.Start(t)
			s := server{driver: driver, dsn: own.DSN, dialect: sqlsequence.PostgreSQL}
			db := s.open(t)
			for _, setting := range []string{"commit_delay = 3000", "commit_siblings = 0", "wal_writer_delay = '10s'", "synchronous_commit = off"} {
				execute(t, db, "ALTER SYSTEM SET "+setting)
			}
			execute(t, db, "SELECT pg_reload_conf()")
			s.survives(t, kills, between, own.Instance)
		})
	}
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			own := e.StartOwn(t)
			server{driver: "mysql", dsn: own.DSN, dialect: sqlsequence.MySQL}.survives(t, kills, between, own.Instance)
		})
	}
}

// survives draws while the server is killed and started again.
func (s server) survives(t *testing.T, kills, between int, own *daemon.Instance) {
	var mu sync.Mutex
	seen, retries, failed := map[int64]bool{}, 0, 0
	drawn := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range 8 {
		store, _ := s.store(t)
		seq := tickets(store, "k", sequence.WithObserver(func(trip sequence.Trip) {
			mu.Lock()
			defer mu.Unlock()
			retries += trip.Retries
		}))
		for range 3 {
			wg.Go(func() {
				for last := int64(0); ctx.Err() == nil; {
					n, err := seq.Next(ctx)
					mu.Lock()
					switch {
					case err != nil && ctx.Err() == nil:
						failed++
						t.Errorf("Next: %v", err)
					case err == nil && (seen[n.Ordinal] || n.Ordinal <= last):
						t.Errorf("number %d came twice, or after %d", n.Ordinal, last)
					case err == nil:
						seen[n.Ordinal], last = true, n.Ordinal
					}
					mu.Unlock()
				}
			})
		}
	}
	for i := range kills + 1 {
		until(t, func() bool { return drawn() >= (i+1)*between })
		if i == kills {
			break
		}
		if err := own.Restart(); err != nil {
			daemon.Skip(t, err)
		}
	}
	cancel()
	wg.Wait()
	mu.Lock() // the observer may be behind
	defer mu.Unlock()
	t.Logf("%d numbers, %d kills, %d draws made again, %d failed, 0 repeats", len(seen), kills, retries, failed)
}

// until waits for what must come, however busy the machine is.
func until(t testing.TB, came func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !came(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited five minutes for nothing")
		}
	}
}
