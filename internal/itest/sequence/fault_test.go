package sequence_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mariadb"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
)

// A storm is many callers of a few sequences, while something goes wrong. Each sequence
// has its own connections, like a process.
type storm struct {
	seqs    []*sequence.Sequence
	callers int

	mu    sync.Mutex
	seen  map[int64]bool
	fails int
	lost  int // draws that failed, including retries
}

// newStorm returns a storm of two sequences with connections of their own.
func newStorm(t *testing.T, p place, opts ...sequence.Option) *storm {
	t.Helper()
	st := &storm{callers: 20, seen: map[int64]bool{}}
	opts = append(opts, sequence.WithObserver(func(t sequence.Trip) {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.lost += t.Retries
		if t.Err != nil {
			st.lost++
		}
	}))
	for range 2 {
		st.seqs = append(st.seqs, sequence.New(p.mustOpen(t), "k", opts...))
	}
	return st
}

// blow has the callers draw until stop is closed, each time with a context of
// patience().
func (st *storm) blow(t *testing.T, stop <-chan struct{}, patience func() time.Duration) *sync.WaitGroup {
	var wg sync.WaitGroup
	for i := range st.callers {
		wg.Go(func() {
			var last int64
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience())
				n, err := st.seqs[i%len(st.seqs)].Next(ctx)
				cancel()
				st.mu.Lock()
				switch {
				case err != nil:
					st.fails++
				case st.seen[n.Ordinal]:
					t.Errorf("number %d came twice", n.Ordinal)
				case n.Ordinal < last:
					t.Errorf("number %d after %d", n.Ordinal, last)
				}
				if err == nil {
					st.seen[n.Ordinal] = true
					last = n.Ordinal
				}
				st.mu.Unlock()
				if err != nil {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	return &wg
}

// drawn waits until the callers have n numbers more than now.
func (st *storm) drawn(t *testing.T, n int) {
	t.Helper()
	count := func() int {
		st.mu.Lock()
		defer st.mu.Unlock()
		return len(st.seen)
	}
	target := count() + n
	until(t, func() bool { return count() >= target })
}

// until waits for what must come, however busy the machine is.
func until(t *testing.T, came func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !came(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited a minute for nothing")
		}
	}
}

// gaps closes the sequences and returns how many numbers nobody got.
func (st *storm) gaps(t *testing.T, s sequence.Store) int {
	t.Helper()
	unused := int64(0)
	for _, s := range st.seqs {
		left, err := s.Close(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		unused += left
	}
	// By a Sequence, which retries, because this store's connection may be dead too.
	b, err := sequence.New(s, "k").Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	last := b.At(0).Ordinal - 1
	gaps := int(last-unused) - len(st.seen)
	t.Logf("%d numbers, %d calls failed, %d draws lost, %d unused, %d gaps", len(st.seen), st.fails, st.lost, unused, gaps)
	if gaps < 0 || gaps > st.lost*st.callers {
		t.Errorf("%d gaps for %d lost draws of %d callers", gaps, st.lost, st.callers)
	}
	if len(st.seen) < 100 {
		t.Errorf("%d numbers show nothing", len(st.seen))
	}
	return gaps
}

// killing draws while kill is called three times.
func killing(t *testing.T, p place, kill func() error) {
	t.Helper()
	s := p.mustOpen(t)
	create(t, s, 1, 99)
	st := newStorm(t, p)
	stop := make(chan struct{})
	wg := st.blow(t, stop, func() time.Duration { return 2 * time.Second })
	for range 3 {
		st.drawn(t, 200)
		if err := kill(); err != nil {
			t.Error(err)
		}
	}
	st.drawn(t, 200)
	close(stop)
	wg.Wait()
	// At each kill, each sequence had one draw under way.
	if gaps := st.gaps(t, s); gaps > 3*st.callers {
		t.Errorf("%d gaps for 3 kills", gaps)
	}
	if st.lost == 0 {
		t.Error("no draw was lost: nothing was killed")
	}
}

func TestServerKilledInADrawNeverRepeatsANumber(t *testing.T) {
	for name, p := range map[string]struct{ kind, setting string }{
		"postgres":                                 {"postgres", ""},
		"postgres with synchronous_commit off":     {"postgres", "off"},
		"sql postgres with synchronous_commit off": {"sql postgres", "off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := pgserver.Start(t)
			if !server.Ours() {
				daemon.Skip(t, server.Kill())
			}
			uri := server.DSN
			if p.setting != "" {
				uri = with(t, uri, "synchronous_commit", p.setting)
			}
			killing(t, migrated(t, place{kind: p.kind, uri: uri}), server.Restart)
		})
	}
	t.Run("mysql", func(t *testing.T) {
		t.Parallel()
		server := mariadb.Start(t)
		killing(t, migrated(t, place{kind: "mysql", uri: server.DSN}), server.Restart)
	})
	t.Run("mongo", func(t *testing.T) {
		p, server := mongoDB(t)
		if !server.Ours() {
			daemon.Skip(t, server.Kill())
		}
		killing(t, p, server.Restart)
	})
}

// TestConnectionLost loses every 20th draw on its way to the server or back.
func TestConnectionLost(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   mongodb.Fault
		retries int
		gaps    bool
	}{
		{"before, not retried", mongodb.Fault{DropBefore: true}, 0, false},
		{"after, not retried", mongodb.Fault{DropAfter: true}, 0, true},
		{"before", mongodb.Fault{DropBefore: true}, 3, false},
		{"after", mongodb.Fault{DropAfter: true}, 3, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, server := mongoDB(t)
			s := p.mustOpen(t)
			create(t, s, 1, 99)
			var mu sync.Mutex
			faults := 0
			server.Inject(func(c mongodb.Command) mongodb.Fault {
				if c.Name == "findAndModify" && c.N%20 == 0 {
					mu.Lock()
					defer mu.Unlock()
					faults++
					return tt.fault
				}
				return mongodb.Fault{}
			})
			st := newStorm(t, p, sequence.WithRetry(tt.retries))
			stop := make(chan struct{})
			wg := st.blow(t, stop, func() time.Duration { return 10 * time.Second })
			until(t, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return faults >= 4
			})
			st.drawn(t, 20)
			close(stop)
			wg.Wait()
			server.Inject(nil)
			gaps := st.gaps(t, s)
			if faults == 0 || st.lost != faults || (st.fails > 0) != (tt.retries == 0) {
				t.Errorf("%d faults, %d draws lost, %d calls failed", faults, st.lost, st.fails)
			}
			if tt.gaps && gaps < faults || !tt.gaps && gaps != 0 {
				t.Errorf("%d gaps for %d faults", gaps, faults)
			}
		})
	}
}

func TestHalfOfTheCallersTimeOut(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 99)
		st := newStorm(t, p)
		st.callers = 40
		stop := make(chan struct{})
		// A draw takes longer than half of these.
		wg := st.blow(t, stop, func() time.Duration {
			if rand.IntN(2) == 0 {
				return rand.N(2 * time.Millisecond)
			}
			return 10 * time.Second
		})
		until(t, func() bool {
			st.mu.Lock()
			defer st.mu.Unlock()
			return len(st.seen) > 500 && st.fails > 500
		})
		close(stop)
		wg.Wait()
		if gaps := st.gaps(t, s); gaps != 0 && st.lost == 0 {
			t.Errorf("%d gaps, though nothing was lost", gaps)
		}
		if st.fails == 0 {
			t.Error("nobody timed out")
		}
	})
}

func TestClosedConnectionsAreATransientFailure(t *testing.T) {
	p := postgres(t)
	s := p.mustOpen(t)
	create(t, s, 1, 99)
	take(t, s, 1)
	if _, err := p.pool(t).Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) {
		t.Errorf("Take on a connection that was ended: %v", err)
	}
	if _, err := sequence.New(s, "k").Next(t.Context()); err != nil {
		t.Errorf("Next: %v", err)
	}
}
