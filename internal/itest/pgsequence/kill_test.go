package pgsequence_test

import (
	"sync"
	"testing"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
)

// A register has what callers got. No number comes twice.
type register struct {
	mu     sync.Mutex
	seen   map[int64]bool
	stamps map[string]bool
	newest sequence.Stamp
}

func newRegister() *register {
	return &register{seen: map[int64]bool{}, stamps: map[string]bool{}}
}

func (r *register) number(t testing.TB, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[n] {
		t.Errorf("number %d came twice", n)
	}
	r.seen[n] = true
}

func (r *register) stamp(t testing.TB, s sequence.Stamp) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stamps[s.String()] {
		t.Errorf("stamp %v came twice", s)
	}
	r.stamps[s.String()] = true
	if s.Compare(r.newest) > 0 {
		r.newest = s
	}
}

func (r *register) drawn() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// TestNumbersSurviveKills has 8 programs draw from one key, so that they release the row
// before the disk has their numbers. It cuts their connections and kills the server. A
// flush takes 2 ms, and nothing else writes the log to disk.
func TestNumbersSurviveKills(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	pool := newPool(t, server.DSN)
	if err := newStore(t, pool).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, pool, "ALTER SYSTEM SET wal_writer_delay = '10s'")
	execute(t, pool, "ALTER SYSTEM SET commit_delay = 2000")
	execute(t, pool, "ALTER SYSTEM SET commit_siblings = 0")
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	got := newRegister()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	loop := func(draw func() error) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := draw(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 8 {
		own := newStore(t, newPool(t, server.DSN))
		numbers, stamper := sequence.New(own, "numbers", sequence.Plan{First: 1, Last: 99, Cycle: true}), sequence.NewStamper(own, "stamps")
		for range 2 {
			loop(func() error {
				n, err := numbers.Next(t.Context())
				if err == nil {
					got.number(t, n.Ordinal)
				}
				return err
			})
		}
		loop(func() error {
			st, err := stamper.Next(t.Context())
			if err == nil {
				got.stamp(t, st)
			}
			return err
		})
	}
	for range 3 {
		target := got.drawn() + 1000
		for range 10 { // connections, also between the two transactions
			execute(t, newPool(t, server.DSN), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`)
			at := got.drawn() + 20
			until(t, func() bool { return got.drawn() >= at || t.Failed() })
		}
		until(t, func() bool { return got.drawn() >= target || t.Failed() })
		if err := server.Restart(); err != nil {
			t.Error(err)
		}
	}
	target := got.drawn() + 1000
	until(t, func() bool { return got.drawn() >= target || t.Failed() })
	close(stop)
	wg.Wait()
	t.Logf("%d numbers, %d stamps", len(got.seen), len(got.stamps))
	var flushed bool
	if scan(t, newPool(t, server.DSN), "SELECT is_called FROM sequences_flush", &flushed); !flushed {
		t.Error("nobody released the row early")
	}
}
