package sequence_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func TestPlanWithoutCycleEnds(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		short := sequence.Plan{First: 8, Last: 12}
		if err := s.Create(t.Context(), "k", short); err != nil {
			t.Fatal(err)
		}
		take(t, s, 1)
		if _, err := s.Take(t.Context(), "k", 5); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("5 of 4 left: %v", err)
		}
		seq := sequence.New(s, "k")
		var mu sync.Mutex
		var serials []int64
		exhausted := 0
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				n, err := seq.Next(t.Context())
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					serials = append(serials, n.Serial)
				case errors.Is(err, sequence.ErrExhausted):
					exhausted++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		slices.Sort(serials)
		if !slices.Equal(serials, []int64{9, 10, 11, 12}) || exhausted != 16 {
			t.Errorf("serials %v, and %d callers found none", serials, exhausted)
		}
		if err := s.Resize(t.Context(), "k", sequence.Plan{First: 8, Last: 20}, sequence.GoOn); err != nil {
			t.Fatal(err)
		}
		if got := take(t, s, 8); got[0].Serial != 13 || got[7].Serial != 20 {
			t.Errorf("after the resize: %v", got)
		}
		if _, err := s.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("at the end of the longer plan: %v", err)
		}
	})
}

// TestStateIsWhatMemorySays has each store and a Memory do the same, and compares what
// they know afterwards.
func TestStateIsWhatMemorySays(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s, m := p.mustOpen(t), sequence.NewMemory()
		both := func(what string, f func(s store) error) {
			t.Helper()
			got, want := f(s), f(m)
			for _, target := range []error{sequence.ErrConflict, sequence.ErrExhausted, sequence.ErrNotFound} {
				if errors.Is(got, target) != errors.Is(want, target) {
					t.Errorf("%s: %v, and in memory %v", what, got, want)
				}
			}
			if (got == nil) != (want == nil) {
				t.Errorf("%s: %v, and in memory %v", what, got, want)
			}
			for _, key := range []string{"k", "none"} {
				state, err := s.State(t.Context(), key)
				wantState, wantErr := m.State(t.Context(), key)
				if state != wantState || (err == nil) != (wantErr == nil) || err != nil && !errors.Is(err, sequence.ErrNotFound) {
					t.Errorf("after %s: %+v, %v, and in memory %+v, %v", what, state, err, wantState, wantErr)
				}
			}
		}
		draw := func(n int64) func(s store) error {
			return func(s store) error {
				_, err := s.Take(t.Context(), "k", n)
				return err
			}
		}
		resize := func(first, last int64, cycle bool, opts ...sequence.ResizeOption) func(s store) error {
			return func(s store) error {
				return s.Resize(t.Context(), "k", sequence.Plan{First: first, Last: last, Cycle: cycle}, opts...)
			}
		}
		advance := func(n int64) func(s store) error {
			return func(s store) error { return s.Advance(t.Context(), "k", n) }
		}
		create := func(first, last int64, cycle bool) func(s store) error {
			return func(s store) error {
				return s.Create(t.Context(), "k", sequence.Plan{First: first, Last: last, Cycle: cycle})
			}
		}
		both("nothing", func(store) error { return nil })
		both("Create", create(1, 9, true))
		both("resize before the first draw", resize(1, 10, true, sequence.GoOn))
		both("Create with the plan before", create(1, 9, true))
		both("25 numbers", draw(25))
		both("go on in more", resize(1, 99, true, sequence.GoOn))
		both("go on in less", resize(1, 5, true, sequence.GoOn))
		both("go on in fewer than drawn", resize(1, 4, true, sequence.GoOn))
		both("go on from another first", resize(2, 99, true, sequence.GoOn))
		both("go on without end", resize(1, 30, false, sequence.GoOn))
		both("too many", draw(26))
		both("advance", advance(40))
		both("advance back", advance(10))
		both("advance to where it is", advance(40))
		both("advance too far", advance(51))
		both("advance to the end", advance(50))
		both("one too many", draw(1))
		both("start over", resize(5, 6, true))
		both("start over again", resize(5, 6, true))
		both("3 numbers", draw(3))
		both("advance over cycles", advance(1<<60))
		both("Create with another plan", create(1, 9, true))
		both("Create with the plan", create(5, 6, true))

		list, err := s.List(t.Context())
		wantList, _ := m.List(t.Context())
		if err != nil || !slices.Equal(list, wantList) {
			t.Errorf("List: %+v, %v, want %+v", list, err, wantList)
		}
		if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := sequence.NewNumbering(s, "n", "{2006}-{0+}").Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		state, err := s.State(t.Context(), "k")
		if err != nil || time.Since(state.Stamp.Tick).Abs() > time.Minute || state.Width != 100 || state.Tick != time.Microsecond {
			t.Errorf("after a stamp: %+v, %v", state, err)
		}
		state, err = s.State(t.Context(), "n")
		if err != nil || state.Numbering != "year" || state.Last != 1 || state.Period.Year() != time.Now().UTC().Year() {
			t.Errorf("of a numbering: %+v, %v", state, err)
		}
	})
}

// TestAllNumbersOfACycleCanBeDrawn draws as many as a count can hold.
func TestAllNumbersOfACycleCanBeDrawn(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 9)
		b, err := s.Take(t.Context(), "k", math.MaxInt64)
		if err != nil || b.At(0).Ordinal != 1 || b.At(b.Len()-1).Ordinal != math.MaxInt64 {
			t.Errorf("%v, %v", b, err)
		}
		if _, err := s.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("one more: %v", err)
		}
	})
}

// TestAdvanceWhileOthersDraw advances to just ahead of where the drawers are.
func TestAdvanceWhileOthersDraw(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		if err := s.Create(t.Context(), "k", sequence.Plan{First: 1, Last: 1 << 40}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		seen := map[int64]bool{}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			seq := sequence.New(s, "k")
			for range 5 {
				wg.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						n, err := seq.Next(t.Context())
						mu.Lock()
						if err != nil || seen[n.Ordinal] || n.Serial != n.Ordinal {
							t.Errorf("%+v, %v", n, err)
						}
						seen[n.Ordinal] = true
						mu.Unlock()
						if err != nil {
							return
						}
					}
				})
			}
		}
		for i := range 30 {
			state, err := s.State(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			to := state.Last + int64(i*i)
			if err := s.Advance(t.Context(), "k", to); err != nil {
				t.Error(err)
			}
			b, err := s.Take(t.Context(), "k", 1)
			if err != nil || b.At(0).Ordinal <= to {
				t.Errorf("number %v after Advance(%d), %v", b, to, err)
				continue
			}
			mu.Lock()
			if seen[b.At(0).Ordinal] {
				t.Errorf("number %d came twice", b.At(0).Ordinal)
			}
			seen[b.At(0).Ordinal] = true
			target := len(seen) + 10
			mu.Unlock()
			for ; ; time.Sleep(100 * time.Microsecond) {
				mu.Lock()
				drawn := len(seen)
				mu.Unlock()
				if drawn >= target || t.Failed() {
					break
				}
			}
		}
		close(stop)
		wg.Wait()
	})
}

// TestResizeThatGoesOnWhileOthersDraw lengthens the plan step by step. No serial comes
// twice, and none is missing.
func TestResizeThatGoesOnWhileOthersDraw(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		plan := sequence.Plan{First: 1, Last: 100000}
		if err := s.Create(t.Context(), "k", plan); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		seen := map[int64]bool{}
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for range 2 {
			seq := sequence.New(s, "k")
			for range 5 {
				wg.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						n, err := seq.Next(t.Context())
						mu.Lock()
						if err != nil || seen[n.Serial] {
							t.Errorf("%+v, %v", n, err)
						}
						seen[n.Serial] = true
						mu.Unlock()
						if err != nil {
							return
						}
					}
				})
			}
		}
		for range 20 {
			plan.Last++
			if err := s.Resize(t.Context(), "k", plan, sequence.GoOn); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		wg.Wait()
		for serial := int64(1); serial <= int64(len(seen)); serial++ {
			if !seen[serial] {
				t.Errorf("serial %d is missing", serial)
			}
		}
	})
}

func TestStampsThatRunTooFarAheadAreRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 99)
		draw := sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, Now: time.Now(), MaxLead: time.Hour}
		if _, err := s.TakeStamps(t.Context(), "k", draw); err != nil {
			t.Fatal(err)
		}
		draw.N = 100 * 60e6 // a minute of stamps
		stamps, err := s.TakeStamps(t.Context(), "k", draw)
		if err != nil || stamps.Lead < 50*time.Second || stamps.Lead > 70*time.Second {
			t.Fatalf("%+v, %v", stamps, err)
		}
		var leads []time.Duration
		observe := sequence.WithObserver(func(t sequence.Trip) { leads = append(leads, t.Lead) })
		if st, err := sequence.NewStamper(s, "k", sequence.WithMaxStampLead(time.Second)).Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) {
			t.Errorf("a second at most: %v, %v", st, err)
		}
		last, err := s.State(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		st, err := sequence.NewStamper(s, "k", sequence.WithMaxStampLead(2*time.Minute), observe).Next(t.Context())
		if err != nil || st.Compare(last.Stamp) <= 0 || st.Tick.Sub(last.Stamp.Tick) > time.Microsecond {
			t.Errorf("two minutes at most: %v after %v, %v", st, last.Stamp, err)
		}
		if len(leads) != 1 || leads[0] < 30*time.Second || leads[0] > 70*time.Second {
			t.Errorf("the observer was told of %v", leads)
		}
	})
}
