package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// slow is a Memory at the other end of a wire. It is used inside a synctest
// bubble, where its time costs none.
type slow struct {
	*sequence.Memory
	trip func(draw int) time.Duration
	fail func(draw int) (before, after error) // the errors on the way there and back

	mu    sync.Mutex
	draws []int64
}

func newSlow(t *testing.T, p sequence.Plan) *slow {
	s := &slow{Memory: sequence.NewMemory()}
	create(t, s, "k", p)
	s.trip = func(int) time.Duration { return 10 * time.Millisecond }
	return s
}

func (s *slow) begin(ctx context.Context, n int64) (after, err error) {
	s.mu.Lock()
	draw := len(s.draws)
	s.draws = append(s.draws, n)
	s.mu.Unlock()
	if s.fail != nil {
		err, after = s.fail(draw)
	}
	t := time.NewTimer(s.trip(draw))
	defer t.Stop()
	select {
	case <-t.C:
		return after, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *slow) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	after, err := s.begin(ctx, n)
	if err != nil {
		return sequence.Block{}, err
	}
	b, err := s.Memory.Take(ctx, key, n)
	if after != nil {
		return sequence.Block{}, after
	}
	return b, err
}

func (s *slow) TakeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	after, err := s.begin(ctx, d.N)
	if err != nil {
		return sequence.Stamps{}, err
	}
	stamps, err := s.Memory.TakeStamps(ctx, key, d)
	if after != nil {
		return sequence.Stamps{}, after
	}
	return stamps, err
}

// plan is a wheel, which never ends.
func plan(last int64) sequence.Plan { return sequence.Plan{First: 1, Last: last, Cycle: true} }

func closed(t *testing.T, s *sequence.Sequence) int64 {
	t.Helper()
	unused, err := s.Close(t.Context())
	if err != nil {
		t.Error(err)
	}
	return unused
}

func wantDraws(t *testing.T, s *slow, want ...int64) {
	t.Helper()
	if !slices.Equal(s.draws, want) {
		t.Errorf("draws of %v numbers, want %v", s.draws, want)
	}
}

func TestCallersDuringADrawShareTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		s := sequence.New(store, "k")
		var got [20]sequence.Number
		for i := range got {
			go func() {
				n, err := s.Next(t.Context())
				if err != nil {
					t.Error(err)
				}
				got[i] = n
			}()
			synctest.Wait()
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		for i, n := range got {
			if n.Ordinal != int64(i)+1 {
				t.Errorf("caller %d got number %d: not in the order of the calls", i+1, n.Ordinal)
			}
		}
		wantDraws(t, store, 1, 19)
		if unused := closed(t, s); unused != 0 {
			t.Errorf("%d unused", unused)
		}
	})
}

func TestCallerWhoseContextEndsLeavesItsNumberToAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		s := sequence.New(store, "k")
		var mu sync.Mutex
		got := map[int]int64{}
		call := func(caller int, d time.Duration) {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), d)
				defer cancel()
				begin := time.Now()
				n, err := s.Next(ctx)
				if took := time.Since(begin); took > d {
					t.Errorf("caller %d waited %v with a context of %v", caller, took, d)
				}
				if want := `sequence.Sequence.Next("k"): context deadline exceeded`; err != nil && (!errors.Is(err, context.DeadlineExceeded) || err.Error() != want) {
					t.Errorf("caller %d: %v, want %s", caller, err, want)
				}
				mu.Lock()
				defer mu.Unlock()
				got[caller] = n.Ordinal
			}()
			synctest.Wait()
		}
		call(1, time.Second)
		call(2, 15*time.Millisecond) // leaves in the middle of the second draw
		call(3, time.Second)
		call(4, 5*time.Millisecond) // leaves before it
		time.Sleep(12 * time.Millisecond)
		call(5, time.Second) // comes during it
		time.Sleep(time.Second)
		synctest.Wait()
		if want := "map[1:1 2:0 3:2 4:0 5:3]"; fmt.Sprint(got) != want {
			t.Errorf("numbers %v, want %s", got, want)
		}
		wantDraws(t, store, 1, 2)
		call(6, time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		if got[6] != 4 {
			t.Errorf("the next number is %d", got[6])
		}
	})
}

func TestNumbersThatEverybodyLeftServeTheNextCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		s := sequence.New(store, "k")
		brief, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		for range 2 {
			if _, err := s.Next(brief); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		n, err := s.Next(t.Context())
		if err != nil || n.Ordinal != 1 {
			t.Errorf("got %+v, %v", n, err)
		}
		wantDraws(t, store, 1)

		// A trip without an answer is cut off, and the next caller needn't wait for it.
		store.trip = func(draw int) time.Duration {
			if draw == 1 {
				return time.Hour
			}
			return time.Millisecond
		}
		brief, cancel = context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		if _, err := s.Next(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("the next caller waited %v", took)
		}
	})
}

func TestFailureGoesOnlyToCallersOfTheTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		broken := errors.New("broken")
		store.fail = func(draw int) (before, after error) {
			if draw == 0 {
				return broken, nil
			}
			return nil, nil
		}
		s := sequence.New(store, "k")
		var errs [3]error
		for i := range errs {
			go func() { _, errs[i] = s.Next(t.Context()) }()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !errors.Is(errs[0], broken) || errs[1] != nil || errs[2] != nil {
			t.Errorf("errors %v", errs)
		}
		wantDraws(t, store, 1, 2)
	})
}

// TestNoNumberIsHandedOutTwice accounts for every number. Callers with contexts of any
// length draw from a store that loses requests and replies.
func TestNoNumberIsHandedOutTwice(t *testing.T) {
	for name, opts := range map[string][]sequence.Option{
		"coalesced":    nil,
		"lease":        {sequence.WithLease(7, 0)},
		"ageing lease": {sequence.WithLease(7, 3*time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newSlow(t, plan(10))
				// Whole milliseconds, so that contexts often end at the
				// very moment at which numbers arrive.
				ms := func(n int) time.Duration { return time.Duration(rand.IntN(n)) * time.Millisecond }
				store.trip = func(int) time.Duration { return ms(8) }
				store.fail = func(int) (before, after error) {
					switch rand.IntN(20) {
					case 0:
						return sequence.ErrTransient, nil
					case 1:
						return nil, sequence.ErrTransient
					case 2:
						return nil, errors.New("broken")
					}
					return nil, nil
				}
				var mu sync.Mutex
				var drawn, dropped int64
				s := sequence.New(store, "k", append(opts, sequence.WithObserver(func(t sequence.Trip) {
					mu.Lock()
					defer mu.Unlock()
					drawn += t.Numbers
					dropped += t.Dropped
				}))...)
				seen := map[int64]bool{}
				last := make([]int64, 100)
				timeouts := 0
				var wg sync.WaitGroup
				for caller := range last {
					wg.Go(func() {
						for range 200 {
							ctx, cancel := context.WithTimeout(t.Context(), ms(30))
							n, err := s.Next(ctx)
							cancel()
							mu.Lock()
							switch {
							case errors.Is(err, context.DeadlineExceeded):
								timeouts++
							case err == nil && seen[n.Ordinal]:
								t.Errorf("number %d handed out twice", n.Ordinal)
							case err == nil && n.Ordinal < last[caller]:
								t.Errorf("number %d after %d", n.Ordinal, last[caller])
							case err == nil:
								seen[n.Ordinal] = true
								last[caller] = n.Ordinal
							}
							mu.Unlock()
							time.Sleep(ms(3))
						}
					})
				}
				wg.Wait()
				unused := closed(t, s)
				if got := int64(len(seen)); got+dropped+unused != drawn {
					t.Errorf("%d numbers drawn; %d handed out, %d dropped, %d unused", drawn, got, dropped, unused)
				}
				if timeouts == 0 || len(seen) < 1000 {
					t.Errorf("%d timeouts and %d numbers show nothing", timeouts, len(seen))
				}
			})
		})
	}
}

func TestLeaseServesLaterCallersWithoutATrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		s := sequence.New(store, "k", sequence.WithLease(10, time.Minute))
		next := func(want int64) {
			t.Helper()
			n, err := s.Next(t.Context())
			if err != nil || n.Ordinal != want {
				t.Fatalf("got %+v, %v, want number %d", n, err, want)
			}
		}
		for i := range 11 {
			next(int64(i) + 1)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if n, err := s.Next(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("in an ended context: %v, %v", n, err)
		}
		next(12)
		wantDraws(t, store, 10, 10)
		time.Sleep(time.Hour)
		next(21) // 13 to 20 are too old
		// The age counts from the start of the draw. The server may have counted right
		// then, however long the reply took.
		time.Sleep(time.Minute - 10*time.Millisecond)
		next(22)
		time.Sleep(time.Nanosecond)
		next(31)
		if unused := closed(t, s); unused != 9 {
			t.Errorf("%d unused, want 9", unused)
		}
	})
}

func TestCloseServesThoseWhoWaitAndRefusesOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		s := sequence.New(store, "k", sequence.WithLease(5, 0))
		var served atomic.Int64
		for range 7 {
			go func() {
				if _, err := s.Next(t.Context()); err != nil {
					t.Error(err)
					return
				}
				served.Add(1)
			}()
			synctest.Wait()
		}
		if unused := closed(t, s); unused != 3 {
			t.Errorf("%d unused, want 3", unused)
		}
		synctest.Wait()
		if n := served.Load(); n != 7 {
			t.Errorf("%d served, want 7", n)
		}
		_, nextErr := s.Next(t.Context())
		_, takeErr := s.Take(t.Context(), 1)
		if !errors.Is(nextErr, sequence.ErrClosed) || !errors.Is(takeErr, sequence.ErrClosed) {
			t.Errorf("after Close: %v, %v", nextErr, takeErr)
		}
		if unused := closed(t, s); unused != 0 {
			t.Errorf("second Close: %d unused", unused)
		}
	})
}

func TestWrapIsAnnouncedToExactlyOneCaller(t *testing.T) {
	for name, opts := range map[string][]sequence.Option{
		"coalesced":    nil,
		"lease":        {sequence.WithLease(25, 0)},
		"ageing lease": {sequence.WithLease(25, time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newSlow(t, plan(10))
				var mu sync.Mutex
				announced := map[int64]int{} // by cycle
				silent := map[int64]bool{}   // cycles that other begins
				other := sequence.New(store, "k", sequence.WithWrap(func(n sequence.Number) {
					mu.Lock()
					defer mu.Unlock()
					silent[n.Cycle] = true
				}))
				opts = append(opts, sequence.WithWrap(func(n sequence.Number) {
					if _, err := other.Next(t.Context()); err != nil { // a wrap function may draw
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					announced[n.Cycle]++
					if n.Serial != 1 {
						t.Errorf("a wrap at serial %d", n.Serial)
					}
				}))
				seqs := []*sequence.Sequence{sequence.New(store, "k", opts...), sequence.New(store, "k", opts...)}
				var wg sync.WaitGroup
				for i := range 20 {
					wg.Go(func() {
						for j := range 50 {
							var err error
							if j%10 == 0 {
								_, err = seqs[i%2].Take(t.Context(), 33)
							} else {
								_, err = seqs[i%2].Next(t.Context())
							}
							if err != nil {
								t.Error(err)
							}
							time.Sleep(rand.N(5 * time.Millisecond))
						}
					})
				}
				wg.Wait()
				for _, s := range seqs {
					closed(t, s)
				}
				b, err := store.Memory.Take(t.Context(), "k", 1)
				if err != nil {
					t.Fatal(err)
				}
				for cycle := int64(1); cycle < b.At(0).Cycle; cycle++ {
					want := 1
					if silent[cycle] {
						want = 0
					}
					if announced[cycle] != want {
						t.Errorf("wrap into cycle %d announced %d times, want %d", cycle, announced[cycle], want)
					}
				}
			})
		})
	}
}

func TestOnlyTransientFailuresAreDrawnAgain(t *testing.T) {
	lost := fmt.Errorf("reply lost: %w", sequence.ErrTransient)
	for _, tt := range []struct {
		name    string
		opts    []sequence.Option
		fail    []error // the errors after the store counted
		timeout time.Duration
		draws   int
		ordinal int64
		wantErr error
	}{
		{"passing", nil, []error{lost, lost}, 0, 3, 3, nil},
		{"another", nil, []error{errors.New("broken")}, 0, 1, 0, errors.New("broken")},
		{"many", nil, slices.Repeat([]error{lost}, 20), 0, 21, 21, nil},
		{"too many", []sequence.Option{sequence.WithRetry(3)}, []error{lost, lost, lost, lost, lost}, 0, 4, 0, lost},
		{"never again", []sequence.Option{sequence.WithRetry(0)}, []error{lost}, 0, 1, 0, lost},
		{"context ends", nil, slices.Repeat([]error{lost}, 1001), 3 * time.Second, 0, 0, context.DeadlineExceeded},
	} {
		for _, call := range []string{"Next", "Take"} {
			t.Run(tt.name+"/"+call, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newSlow(t, plan(99))
					store.fail = func(draw int) (before, after error) {
						if draw < len(tt.fail) {
							return nil, tt.fail[draw]
						}
						return nil, nil
					}
					var trips []sequence.Trip
					observe := sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) })
					s := sequence.New(store, "k", append(tt.opts, observe)...)
					ctx := t.Context()
					if tt.timeout > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, tt.timeout)
						defer cancel()
					}
					begin := time.Now()
					var ordinal int64
					var err error
					if call == "Next" {
						var n sequence.Number
						n, err = s.Next(ctx)
						ordinal = n.Ordinal
					} else {
						var b sequence.Block
						if b, err = s.Take(ctx, 1); err == nil {
							ordinal = b.At(0).Ordinal
						}
					}
					if tt.timeout > 0 && time.Since(begin) != tt.timeout {
						t.Errorf("took %v", time.Since(begin))
					}
					if (err == nil) != (tt.wantErr == nil) || err != nil && !errors.Is(err, tt.wantErr) && !errors.Is(err, tt.fail[0]) {
						t.Errorf("error %v, want %v", err, tt.wantErr)
					}
					if tt.timeout > 0 && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("error %v doesn't tell of the context", err)
					}
					if ordinal != tt.ordinal {
						t.Errorf("number %d, want %d", ordinal, tt.ordinal)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					if tt.draws > 0 && len(store.draws) != tt.draws {
						t.Errorf("%d draws, want %d", len(store.draws), tt.draws)
					}
					if len(trips) != 1 || trips[0].Retries != len(store.draws)-1 || trips[0].Key != "k" || trips[0].Err != nil && len(trips[0].Waits) > 0 {
						t.Errorf("observed %+v", trips)
					}
				})
			})
		}
	}
}

func TestObserverIsToldOfEachTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		var trips []sequence.Trip
		s := sequence.New(store, "k", sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))
		for range 3 {
			go s.Next(t.Context())
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if _, err := s.Take(t.Context(), 50); err != nil {
			t.Fatal(err)
		}
		const ms = time.Millisecond
		want := []sequence.Trip{
			{Key: "k", Numbers: 1, Waits: []time.Duration{10 * ms}, Took: 10 * ms},
			{Key: "k", Numbers: 2, Waits: []time.Duration{20 * ms, 20 * ms}, Took: 10 * ms},
			{Key: "k", Numbers: 50, Waits: []time.Duration{10 * ms}, Took: 10 * ms},
		}
		if fmt.Sprint(trips) != fmt.Sprint(want) {
			t.Errorf("observed\n%v, want\n%v", trips, want)
		}
	})
}

// gone is a context that ends just after the first look at it.
type gone struct {
	context.Context
	looked atomic.Bool
}

func (g *gone) Err() error {
	if g.looked.Swap(true) {
		return context.Canceled
	}
	return nil
}

func TestTripThatEverybodyLeftBeforeItSetOutIsNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		store := newSlow(t, plan(99))
		trips := 0
		s := sequence.New(store, "k", sequence.WithObserver(func(sequence.Trip) { trips++ }))
		for range 100 {
			if _, err := s.Next(&gone{Context: ended}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if trips != len(store.draws) || trips > 50 {
			t.Errorf("%d draws, told of %d", len(store.draws), trips)
		}
	})
}

// short is a store that returns one number too few.
type short struct{ *sequence.Memory }

func (s short) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	if n == 1 {
		return sequence.Block{}, nil
	}
	return s.Memory.Take(ctx, key, n-1)
}

func TestStoreThatReturnsTooFewIsAnError(t *testing.T) {
	m := short{sequence.NewMemory()}
	create(t, m, "k", plan(9))
	s := sequence.New(m, "k")
	_, nextErr := s.Next(t.Context())
	_, takeErr := s.Take(t.Context(), 5)
	if nextErr == nil || takeErr == nil {
		t.Errorf("errors %v, %v", nextErr, takeErr)
	}
}

func TestBadOptionIsReportedByTheFirstCall(t *testing.T) {
	for want, o := range map[string]sequence.Option{
		`sequence.Sequence.Next("k"): WithLease(0, 0s): fewer than 1 number asked for`:  sequence.WithLease(0, 0),
		`sequence.Sequence.Next("k"): WithLease(1, -1ns): the age must not be negative`: sequence.WithLease(1, -1),
		`sequence.Sequence.Next("k"): WithRetry(-1): must not be negative`:              sequence.WithRetry(-1),
		`sequence.Sequence.Next("k"): WithTripTimeout(-1ns): must not be negative`:      sequence.WithTripTimeout(-1),
		`sequence.Sequence.Next("k"): WithWidth(5) is not for a Sequence`:               sequence.WithWidth(5),
		`sequence.Sequence.Next("k"): the zero Option is invalid`:                       {},
	} {
		m := sequence.NewMemory()
		create(t, m, "k", plan(9))
		s := sequence.New(m, "k", o)
		if _, err := s.Next(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := s.Take(t.Context(), 1); err == nil {
			t.Errorf("Take with %s", want)
		}
	}
}

func TestNilStoreIsReportedByEachCall(t *testing.T) {
	numbers, stamps, invoices := sequence.New(nil, "k"), sequence.NewStamper(nil, "k"), sequence.NewNumbering(nil, "k", "{0+}")
	ctx := t.Context()
	for want, call := range map[string]func() error{
		`sequence.Sequence.Next("k"): the store is nil`:                      func() error { _, err := numbers.Next(ctx); return err },
		`sequence.Sequence.Take("k", 2): the store is nil`:                   func() error { _, err := numbers.Take(ctx, 2); return err },
		`sequence.Stamper.Next("k"): the store is nil`:                       func() error { _, err := stamps.Next(ctx); return err },
		`sequence.Stamper.Parse("2026112009311512345607"): the store is nil`: func() error { _, err := stamps.Parse("2026112009311512345607"); return err },
		`sequence.Numbering.Next("k"): the store is nil`:                     func() error { _, err := invoices.Next(ctx); return err },
		`sequence.Numbering.Next("k/shop"): the store is nil`:                func() error { _, err := invoices.For("shop").Next(ctx); return err },
		`sequence.Numbering.Parse("7"): the store is nil`:                    func() error { _, err := invoices.Parse("7"); return err },
		`sequence.Numbering.Advance("7"): the store is nil`:                  func() error { return invoices.Advance(ctx, "7") },
	} {
		if err := call(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if unused, err := numbers.Close(ctx); unused != 0 || err != nil {
		t.Errorf("Close() = %d, %v, want 0, nil", unused, err)
	}
}
