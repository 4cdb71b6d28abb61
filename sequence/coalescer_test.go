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
	"github.com/oidkit/oidkit/sequence/driver"
)

func TestCallersDuringADrawShareTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
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

func TestCallersWhoComeStraightBackShareTheNextDraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
		const callers, each = 8, 50
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range each {
					if _, err := s.Next(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		// The first draw is for one caller, and each further one for all. On a busy machine a
		// caller may come back late. If draws didn't wait for callers at all, there would be
		// twice as many.
		if n := len(store.draws); n > 3*each/2 {
			t.Errorf("%d draws for %d callers of %d numbers each, want about %d", n, callers, each, each+1)
		}
	})
}

func TestCallerWhoseContextEndsLeavesItsNumberToAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
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
		store := newSlow()
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
		brief, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		for range 2 {
			if _, err := s.Next(brief); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		time.Sleep(900 * time.Millisecond)
		wantNext(t, s, sequence.Number{Serial: 1, Ordinal: 1})
		wantDraws(t, store, 1)

		// After a second, they are too old.
		brief, cancel = context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		if _, err := s.Next(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		time.Sleep(1001 * time.Millisecond)
		wantNext(t, s, sequence.Number{Serial: 3, Ordinal: 3})
		wantDraws(t, store, 1, 1, 1)

		// A trip without an answer is cut off, and the next caller needn't wait for it.
		store.trip = func(draw int) time.Duration {
			if draw == 3 {
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
		store := newSlow()
		broken := errors.New("broken")
		store.fail = func(draw int) (before, after error) {
			if draw == 0 {
				return broken, nil
			}
			return nil, nil
		}
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
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
				store := newSlow()
				// Whole milliseconds, so that contexts often end at the
				// very moment at which numbers arrive.
				ms := func(n int) time.Duration { return time.Duration(rand.IntN(n)) * time.Millisecond }
				store.trip = func(int) time.Duration { return ms(8) }
				store.fail = func(int) (before, after error) {
					switch rand.IntN(20) {
					case 0:
						return errLost, nil
					case 1:
						return nil, errLost
					case 2:
						return nil, errors.New("broken")
					}
					return nil, nil
				}
				var mu sync.Mutex
				var drawn, dropped int64
				s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), append(opts, sequence.WithObserver(func(t sequence.Trip) {
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
				synctest.Wait()
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
		store := newSlow()
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithLease(10, time.Minute))
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

// A late is a store whose answers to draws take 20 ms. What it drew was drawn before.
type late struct{ driver.Driver }

func (l late) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	step, ok, err := l.Driver.Draw(ctx, d)
	if d.N > 0 {
		time.Sleep(20 * time.Millisecond)
	}
	return step, ok, err
}

// Callers get no number from before AdvanceTo, from a lease or from a trip that set out
// before it, if they come after it.
func TestAdvanceToOutdatesNumbersInMemory(t *testing.T) {
	plan := sequence.Plan{First: 1, Last: 9999}
	next := func(t *testing.T, s *sequence.Sequence, want int64) {
		if n, err := s.Next(t.Context()); err != nil || n.Serial != want {
			t.Errorf("Next() = %+v, %v, want serial %d", n, err, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := sequence.New(storeOf{late{new(sequence.Memory).Driver()}}, "k", plan, sequence.WithLease(10, 0))
		next(t, s, 1)
		if err := s.AdvanceTo(t.Context(), 10_000); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("AdvanceTo past the plan: %v, want ErrExhausted", err)
		}
		next(t, s, 2)
		if err := s.AdvanceTo(t.Context(), 4711); err != nil {
			t.Fatal(err)
		}
		next(t, s, 4712)
		if unused := closed(t, s); unused != 9 { // the trip has reported the 8 of the first lease
			t.Errorf("%d unused, want 9", unused)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := sequence.New(storeOf{late{new(sequence.Memory).Driver()}}, "k", plan, sequence.WithLease(10, 0))
		go next(t, s, 1)
		synctest.Wait()
		if err := s.AdvanceTo(t.Context(), 4711); err != nil {
			t.Fatal(err)
		}
		next(t, s, 4712)
		next(t, s, 4713)
	})
}

// A handler of net/http recovers panics. Other callers then go on.
func TestNilContextHoldsNobodyUp(t *testing.T) {
	s := sequence.New(new(sequence.Memory), "k", cycling(9))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Next(nil) doesn't panic")
			}
		}()
		//lint:ignore SA1012 the context is nil by mistake, as in a program
		s.Next(nil)
	}()
	wantNext(t, s, sequence.Number{Serial: 1, Ordinal: 1})
}

func TestCloseServesThoseWhoWaitAndRefusesOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithLease(5, 0))
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
		wantError(t, nextErr, `sequence.Sequence.Next("k"): the sequence is closed`)
		wantError(t, takeErr, `sequence.Sequence.Take("k", 1): the sequence is closed`)
		if unused := closed(t, s); unused != 0 {
			t.Errorf("second Close: %d unused", unused)
		}
	})
}

func TestOnlyTransientFailuresAreDrawnAgain(t *testing.T) {
	lost := fmt.Errorf("reply lost: %w", errLost)
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
		{"context ends", nil, slices.Repeat([]error{lost}, 1001), 3 * time.Second, 0, 0, context.DeadlineExceeded},
	} {
		for _, call := range []string{"Next", "Take"} {
			t.Run(tt.name+"/"+call, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newSlow()
					store.fail = func(draw int) (before, after error) {
						if draw < len(tt.fail) {
							return nil, tt.fail[draw]
						}
						return nil, nil
					}
					var trips []sequence.Trip
					observe := sequence.WithObserver(func(t sequence.Trip) {
						if t.Waiting == 0 {
							trips = append(trips, t)
						}
					})
					s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), append(tt.opts, observe)...)
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
						var b []sequence.Number
						if b, err = s.Take(ctx, 1); err == nil {
							ordinal = b[0].Ordinal
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
		store := newSlow()
		var trips []sequence.Trip
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))
		for range 3 {
			go s.Next(t.Context())
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if _, err := s.Take(t.Context(), 50); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
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
		store := newSlow()
		trips := 0
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithObserver(func(sequence.Trip) { trips++ }))
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

func TestCloseReturnsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		store.trip = func(int) time.Duration { return 4 * time.Second }
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithLease(3, 0))
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
		store := newSlow()
		refused := errors.New("connection refused")
		store.fail = func(int) (before, after error) { return errors.Join(errLost, refused), nil }
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
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
			store := newSlow()
			refused := errors.New("connection refused")
			store.fail = func(draw int) (before, after error) {
				if draw < failures {
					return errors.Join(errLost, refused), nil
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
			s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := s.Take(ctx, 2)
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, refused) != (failures > 0) || errors.Is(err, errLost) != (failures > 0) {
				t.Errorf("after %d failures: %v", failures, err)
			}
			synctest.Wait()
			if len(trips) != 1 || trips[0].Retries != failures {
				t.Errorf("after %d failures: trips %+v", failures, trips)
			}
		})
	}
}

func TestLastNumbersServeAsManyCallersAsPossible(t *testing.T) {
	for name, opts := range map[string][]sequence.Option{"coalesced": nil, "lease": {sequence.WithLease(50, 0)}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newSlow()
				s := sequence.New(existing(t, store, sequence.Plan{First: 1, Last: 5}), "k", sequence.Plan{First: 1, Last: 5}, opts...)
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
