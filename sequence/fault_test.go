package sequence_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// A caller without a deadline and a connection that has gone silent must not stop the
// others.
func TestSilentConnectionStopsTheCallersForTheTripTimeoutAtMost(t *testing.T) {
	for _, tt := range []struct {
		opts []sequence.Option
		want time.Duration
	}{
		{nil, sequence.DefaultTripTimeout},
		{[]sequence.Option{sequence.WithTripTimeout(time.Second)}, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newSlow(t, plan(99))
			store.trip = func(draw int) time.Duration {
				if draw == 0 {
					return 1000 * time.Hour
				}
				return time.Millisecond
			}
			var trips []sequence.Trip
			s := sequence.New(store, "k", append(tt.opts, sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))...)
			begin := time.Now()
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if _, err := s.Next(context.Background()); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			wg.Wait()
			if took, want := time.Since(begin), tt.want+2*time.Millisecond; took != want {
				t.Errorf("the callers waited %v, want %v", took, want)
			}
			if len(trips) != 2 || trips[0].Retries != 1 || trips[1].Retries != 0 {
				t.Errorf("trips %+v", trips)
			}
		})
	}
}

// deaf is a store that ignores its context.
type deaf struct {
	*sequence.Memory
	release chan struct{}
}

func (d deaf) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	<-d.release
	return d.Memory.Take(ctx, key, n)
}

func TestStoreThatIgnoresItsContextBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := deaf{sequence.NewMemory(), make(chan struct{})}
		create(t, m, "k", plan(99))
		s := sequence.New(m, "k", sequence.WithRetry(0))
		_, err := s.Next(t.Context())
		if !errors.Is(err, sequence.ErrTransient) || !strings.Contains(err.Error(), "the store doesn't return") {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if _, err := s.Take(ctx, 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("Take: %v after %v", err, time.Since(begin))
		}
		close(m.release)
	})
}

// late is a store that answers after its context has ended.
type late struct{ *sequence.Memory }

func (l late) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	time.Sleep(1500 * time.Millisecond)
	return l.Memory.Take(context.WithoutCancel(ctx), key, n)
}

func TestAnswerThatIsALittleLateCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := late{sequence.NewMemory()}
		create(t, m, "k", plan(99))
		s := sequence.New(m, "k", sequence.WithTripTimeout(time.Second), sequence.WithRetry(0))
		if n, err := s.Next(t.Context()); n.Serial != 1 || err != nil {
			t.Errorf("Next() = %v, %v, want serial 1", n, err)
		}
	})
}

func TestCloseReturnsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		store.trip = func(int) time.Duration { return 4 * time.Second }
		s := sequence.New(store, "k", sequence.WithLease(3, 0))
		go s.Next(t.Context())
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		unused, err := s.Close(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || unused != 0 || time.Since(begin) != time.Second {
			t.Errorf("Close: %d, %v after %v", unused, err, time.Since(begin))
		}
		if unused := closed(t, s); unused != 2 {
			t.Errorf("second Close: %d unused, want 2", unused)
		}
	})
}

func TestErrorAtADeadlineTellsTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		refused := errors.New("connection refused")
		store.fail = func(int) (before, after error) { return errors.Join(sequence.ErrTransient, refused), nil }
		s := sequence.New(store, "k")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for name, call := range map[string]func() error{
			"the first":       func() error { _, err := s.Next(ctx); return err },
			"one in the line": func() error { _, err := s.Next(ctx); return err },
			"Take":            func() error { _, err := s.Take(ctx, 1); return err },
		} {
			wg.Go(func() {
				if err := call(); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, refused) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Minute) // the trip, which nobody waits for any more, ends
	})
}

// A draw that hangs after one that failed tells of that failure. One that hangs from the
// start has nothing to tell, and its end is no failure that may pass.
func TestTakeAtADeadlineTellsTheLastFailure(t *testing.T) {
	for _, failures := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			store := newSlow(t, plan(99))
			refused := errors.New("connection refused")
			store.fail = func(draw int) (before, after error) {
				if draw < failures {
					return errors.Join(sequence.ErrTransient, refused), nil
				}
				return nil, nil
			}
			store.trip = func(draw int) time.Duration {
				if draw < failures {
					return time.Millisecond
				}
				return time.Hour
			}
			var trips []sequence.Trip
			s := sequence.New(store, "k", sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := s.Take(ctx, 2)
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, refused) != (failures > 0) || errors.Is(err, sequence.ErrTransient) != (failures > 0) {
				t.Errorf("after %d failures: %v", failures, err)
			}
			if len(trips) != 1 || trips[0].Retries != failures {
				t.Errorf("after %d failures: trips %+v", failures, trips)
			}
		})
	}
}

// TestWithRetryTakesTheTimesOfItsComment compares the times with those in the comment.
func TestWithRetryTakesTheTimesOfItsComment(t *testing.T) {
	for retries, want := range map[int][2]time.Duration{
		3:  {15 * time.Millisecond, 30 * time.Millisecond},
		8:  {600 * time.Millisecond, 1300 * time.Millisecond},
		20: {6600 * time.Millisecond, 13300 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newSlow(t, plan(99))
			store.trip = func(int) time.Duration { return 0 }
			store.fail = func(int) (before, after error) { return sequence.ErrTransient, nil }
			begin := time.Now()
			_, err := sequence.New(store, "k", sequence.WithRetry(retries)).Next(t.Context())
			if took := time.Since(begin); !errors.Is(err, sequence.ErrTransient) || took < want[0] || took > want[1] {
				t.Errorf("%d retries: %v after %v, want %v", retries, err, took, want)
			}
			if len(store.draws) != retries+1 {
				t.Errorf("%d draws", len(store.draws))
			}
		})
	}
}

// violent is a store whose first calls panic or end their goroutine.
type violent struct {
	*sequence.Memory
	calls *int
}

func (v violent) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	*v.calls++
	switch *v.calls {
	case 1:
		panic("out of cheese")
	case 2:
		runtime.Goexit()
	}
	return v.Memory.Take(ctx, key, n)
}

func TestStoreThatPanicsFailsThatTripOnly(t *testing.T) {
	m := violent{sequence.NewMemory(), new(int)}
	create(t, m, "k", plan(99))
	s := sequence.New(m, "k")
	if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "the store panicked: out of cheese") {
		t.Errorf("after a panic: %v", err)
	}
	if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "the store ended its goroutine") {
		t.Errorf("after a Goexit: %v", err)
	}
	if n, err := s.Next(t.Context()); err != nil || n.Ordinal != 1 {
		t.Errorf("then: %v, %v", n, err)
	}
}

func TestObserverThatPanicsFailsThatTripOnly(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", plan(99))
	var told []sequence.Trip
	s := sequence.New(m, "k", sequence.WithObserver(func(t sequence.Trip) {
		told = append(told, t)
		switch len(told) {
		case 1:
			panic("out of cheese")
		case 2:
			runtime.Goexit()
		}
	}))
	for _, want := range []string{"the observer panicked: out of cheese", "the observer ended its goroutine"} {
		if n, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v, want %s", n, err, want)
		}
	}
	n, err := s.Next(t.Context())
	if err != nil || n.Ordinal != 3 {
		t.Errorf("then: %v, %v", n, err)
	}
	if told[2].Dropped != 1 {
		t.Errorf("told of %d dropped, want the number of the second trip", told[2].Dropped)
	}
}

func TestCallingBackFromTheObserverIsAnError(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", plan(99))
	var s *sequence.Sequence
	var errs []error
	s = sequence.New(m, "k", sequence.WithObserver(func(sequence.Trip) {
		ctx := context.Background()
		_, next := s.Next(ctx)
		_, take := s.Take(ctx, 2)
		_, end := s.Close(ctx)
		errs = append(errs, next, take, end)
	}))
	if _, err := s.Next(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Take(t.Context(), 2); err != nil {
		t.Error(err)
	}
	if len(errs) != 6 {
		t.Fatalf("%d calls back", len(errs))
	}
	for _, err := range errs {
		if err == nil || !strings.HasSuffix(err.Error(), "called inside the Observer") {
			t.Errorf("calling back: %v", err)
		}
	}
	if unused := closed(t, s); unused != 0 {
		t.Errorf("%d unused", unused)
	}
}

func TestObserverThatHangsIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := sequence.NewMemory()
		create(t, m, "k", plan(99))
		hang := make(chan struct{})
		var calls atomic.Int32
		s := sequence.New(m, "k", sequence.WithObserver(func(sequence.Trip) {
			if calls.Add(1) == 1 {
				<-hang
			}
		}))
		if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "the observer") {
			t.Errorf("%v", err)
		}
		if _, err := s.Next(t.Context()); err != nil {
			t.Error(err)
		}
		close(hang)
	})
}

func TestLastNumbersServeAsManyCallersAsPossible(t *testing.T) {
	for name, opts := range map[string][]sequence.Option{"coalesced": nil, "lease": {sequence.WithLease(50, 0)}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newSlow(t, sequence.Plan{First: 1, Last: 5})
				s := sequence.New(store, "k", opts...)
				var mu sync.Mutex
				served, exhausted := 0, 0
				var wg sync.WaitGroup
				for range 20 {
					wg.Go(func() {
						_, err := s.Next(t.Context())
						mu.Lock()
						defer mu.Unlock()
						switch {
						case err == nil:
							served++
						case errors.Is(err, sequence.ErrExhausted):
							exhausted++
						default:
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if served != 5 || exhausted != 15 {
					t.Errorf("%d served, %d exhausted", served, exhausted)
				}
			})
		})
	}
}

func TestAnnouncingEndsWithTheContext(t *testing.T) {
	needs64Bits(t)
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 5, Last: 5, Cycle: true})
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	s := sequence.New(m, "k", sequence.WithWrap(func(sequence.Number) {
		if told++; told == 10 {
			cancel()
		}
	}))
	if _, err := s.Take(ctx, 1<<40); err != nil || told != 10 {
		t.Errorf("%d wraps announced, %v", told, err)
	}
}

func TestKeysAreBoundedAndCutInErrors(t *testing.T) {
	m := sequence.NewMemory()
	for _, key := range []string{"", strings.Repeat("k", 256), strings.Repeat("k", 1<<20), "a\x00b", "a\xff"} {
		err := m.Create(t.Context(), key, plan(9))
		_, nextErr := sequence.New(m, key).Next(t.Context())
		_, stampErr := sequence.NewStamper(m, key).Next(t.Context())
		for _, err := range []error{err, nextErr, stampErr} {
			if err == nil || len(err.Error()) > 200 {
				t.Errorf("a key of %d bytes: %v", len(key), err)
			}
		}
	}
	create(t, m, strings.Repeat("k", 255), plan(9))
}
