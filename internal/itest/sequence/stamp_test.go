package sequence_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// TestStampsAreUniqueAndAscendForAnyClock has stampers whose clocks differ by up
// to 5 s either way, and jump within that at every reading, draw together.
func TestStampsAreUniqueAndAscendForAnyClock(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 0, 99)
		var mu sync.Mutex
		seen := map[string]bool{}
		var newest sequence.Stamp // the newest that Next returned
		var wg sync.WaitGroup
		for range 4 {
			stamper := sequence.NewStamper(s, "k", sequence.WithClock(func() time.Time {
				return time.Now().Add(rand.N(10*time.Second) - 5*time.Second)
			}))
			for range 5 {
				wg.Go(func() {
					for range 50 {
						mu.Lock()
						before := newest
						mu.Unlock()
						st, err := stamper.Next(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						if text := st.String(); seen[text] {
							t.Errorf("stamp %s came twice", text)
						} else {
							seen[text] = true
						}
						if st.Compare(before) <= 0 || st.String() <= before.String() {
							t.Errorf("%v, though %v was there before the call", st, before)
						}
						if st.Compare(newest) > 0 {
							newest = st
						}
						mu.Unlock()
					}
				})
			}
		}
		wg.Wait()
		if lead := time.Until(newest.Tick); lead > 6*time.Second {
			t.Errorf("stamps are ahead by %v", lead)
		}
	})
}

// TestClockStepsBack moves the last stamp ahead instead, by a second, which is what
// a clock that steps back by one finds.
func TestClockStepsBack(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 0, 99)
		stamper := sequence.NewStamper(s, "k")
		next := func() sequence.Stamp {
			t.Helper()
			st, err := stamper.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return st
		}
		next()
		ahead := time.Now().Add(time.Second)
		p.set(t, map[string]any{"stamp": ahead.UnixMicro()*100 + 99})
		last := sequence.Stamp{Tick: ahead.UTC().Truncate(time.Microsecond), Serial: 99}
		for i := range 250 {
			st := next()
			if st.Compare(last) <= 0 {
				t.Fatalf("%v after %v", st, last)
			}
			// While the clock is behind, serials fill the ticks.
			if st.Serial != i%100 && time.Now().Before(ahead) {
				t.Fatalf("%v is the stamp %d", st, i)
			}
			last = st
		}
		time.Sleep(time.Until(ahead.Add(10 * time.Millisecond)))
		if st := next(); time.Since(st.Tick) > 10*time.Second {
			t.Errorf("%v, after the clock has caught up", st)
		}
	})
}

// TestStampsSurviveLostCommits takes a key back to what it was some draws ago, as a
// failover to a copy that lags does. Numbers then repeat, but stamps don't.
func TestStampsSurviveLostCommits(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 0, 99)
		stamper := sequence.NewStamper(s, "k")
		seen := map[string]bool{}
		draw := func() {
			t.Helper()
			for range 100 {
				st, err := stamper.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if seen[st.String()] {
					t.Errorf("stamp %v came twice", st)
				}
				seen[st.String()] = true
			}
		}
		first, err := stamper.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			draw()
			p.set(t, map[string]any{"stamp": first.Tick.UnixMicro()*100 + int64(first.Serial)})
		}
		draw()
	})
}

// TestStampsDrawnTogetherAreGreaterThanAllBefore draws more stamps at once than a tick
// has, while the clock goes on by a tick. The first of them must be greater than all
// before.
func TestStampsDrawnTogetherAreGreaterThanAllBefore(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 99)
		d := sequence.StampDraw{Width: 100, Tick: time.Microsecond, Now: time.Now().Truncate(time.Microsecond), MaxLead: time.Minute}
		before := int64(0)
		for i := range 200 {
			d.N = 1 + int64(i*37_003%300_000) // up to a few milliseconds of stamps
			stamps, err := s.TakeStamps(t.Context(), "k", d)
			if err != nil {
				t.Fatal(err)
			}
			last := stamps.Last
			if last-d.N < before {
				t.Fatalf("%d stamps up to %d, after %d", d.N, last, before)
			}
			before = last
			if i%2 == 0 {
				// The clock goes to the tick after the last stamp, so it has just passed
				// it.
				d.Now = time.UnixMicro(last/d.Width + 1)
			}
		}
	})
}

// TestStampThatWaitedIsDatedAfterTheWait has a draw wait for another. The stamp is dated
// when its turn came, not when its transaction began.
func TestStampThatWaitedIsDatedAfterTheWait(t *testing.T) {
	p := postgres(t)
	s := p.mustOpen(t)
	create(t, s, 1, 99)
	pool := p.pool(t)
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), "UPDATE sequences SET count = count + 1 WHERE key = 'k'"); err != nil {
		t.Fatal(err)
	}
	drawn := make(chan sequence.Stamp, 1)
	go func() {
		st, err := sequence.NewStamper(s, "k").Next(t.Context())
		if err != nil {
			t.Error(err)
		}
		drawn <- st
	}()
	for waiting := 0; waiting == 0; {
		select {
		case st := <-drawn:
			t.Fatalf("%v didn't wait", st)
		default:
		}
		err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	var released time.Time
	if err := tx.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&released); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := <-drawn; st.Tick.Before(released) {
		t.Errorf("%v is from before %v, when the row was still another's", st, released)
	}
}
