package sequence_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func stampStore(t *testing.T) *sequence.Memory {
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 0, Last: 99})
	return m
}

// TestStampsAreUniqueAndAscendForAnyClock draws from several stampers whose clocks
// differ by seconds and step back, and compares every stamp with all before.
func TestStampsAreUniqueAndAscendForAnyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := stampStore(t)
		var stampers [8]*sequence.Stamper
		for i := range stampers {
			stampers[i] = sequence.NewStamper(m, "k", sequence.WithClock(func() time.Time {
				return time.Now().Add(time.Duration(rand.N(10*time.Second)) - 5*time.Second)
			}))
		}
		var last sequence.Stamp
		var lastText string
		for range 20000 {
			st, err := stampers[rand.IntN(len(stampers))].Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if st.Compare(last) <= 0 || st.String() <= lastText {
				t.Fatalf("%v after %v", st, lastText)
			}
			last, lastText = st, st.String()
			time.Sleep(rand.N(time.Millisecond))
		}
	})
}

func TestStampsOfManyCallersNeverComeTwice(t *testing.T) {
	m := stampStore(t)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 4 { // 4 stampers, with 10 callers each
		s := sequence.NewStamper(m, "k")
		for range 10 {
			wg.Go(func() {
				var last sequence.Stamp
				for range 500 {
					st, err := s.Next(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if seen[st.String()] || st.Compare(last) <= 0 {
						t.Errorf("%v after %v", st, last)
					}
					seen[st.String()], last = true, st
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
}

func TestStampIsTheClocksTimeAndThenRunsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands still here
		m := stampStore(t)
		s := sequence.NewStamper(m, "k")
		begin := time.Now().UTC()
		for i := range 250 {
			st, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := sequence.Stamp{Tick: begin.Add(time.Duration(i/100) * time.Microsecond), Serial: i % 100}
			if st != want {
				t.Fatalf("stamp %d is %v, want %v", i, st, want)
			}
		}
		time.Sleep(time.Second)
		st, err := s.Next(t.Context())
		if err != nil || st != (sequence.Stamp{Tick: begin.Add(time.Second)}) {
			t.Errorf("a second later: %v, %v", st, err)
		}
	})
}

func TestClockTooFarAheadIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := stampStore(t)
		ahead := func(d time.Duration) sequence.Option {
			return sequence.WithClock(func() time.Time { return time.Now().Add(d) })
		}
		for _, tt := range []struct {
			opts []sequence.Option
			ok   bool
		}{
			{[]sequence.Option{ahead(time.Minute)}, false},
			{[]sequence.Option{ahead(10*time.Second + 1)}, false},
			{[]sequence.Option{ahead(10 * time.Second)}, true},
			{[]sequence.Option{ahead(-time.Hour)}, true},
			{[]sequence.Option{ahead(time.Minute), sequence.WithMaxLead(time.Hour)}, true},
			{[]sequence.Option{ahead(1), sequence.WithMaxLead(0)}, false},
		} {
			_, err := sequence.NewStamper(m, "k", tt.opts...).Next(t.Context())
			if tt.ok && err != nil || !tt.ok && !errors.Is(err, sequence.ErrClockLead) {
				t.Errorf("error %v, want ok %v", err, tt.ok)
			}
		}
		st, err := sequence.NewStamper(m, "k").Next(t.Context())
		if lead := time.Until(st.Tick); err != nil || lead != time.Minute {
			t.Errorf("ahead by %v, %v", lead, err)
		}
	})
}

// TestStampIsDrawnAfterTheCallBegan has a caller leave a number in a draw. Nobody gets
// it, because another machine may have drawn a greater one since.
func TestStampIsDrawnAfterTheCallBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(99))
		var dropped []int64
		s := sequence.NewStamper(store, "k", sequence.WithObserver(func(trip sequence.Trip) {
			dropped = append(dropped, trip.Dropped)
		}))
		brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Next(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		begin := time.Now()
		st, err := s.Next(t.Context())
		if err != nil || st.Tick.Before(begin) {
			t.Errorf("%v is from before %v, %v", st, begin, err)
		}
		synctest.Wait() // the observer is told after the caller is served
		if !slices.Equal(dropped, []int64{1, 0}) {
			t.Errorf("told of %d dropped, want the stamp that the caller left", dropped)
		}
		wantDraws(t, store, 1, 1)
	})
}

func TestStampersOfAKeyMustAgree(t *testing.T) {
	m := stampStore(t)
	if _, err := sequence.NewStamper(m, "k").Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, o := range []sequence.Option{sequence.WithWidth(1000), sequence.WithLayout("20060102150405000")} {
		if _, err := sequence.NewStamper(m, "k", o).Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("%v", err)
		}
	}
	if _, err := sequence.New(m, "k").Next(t.Context()); err != nil {
		t.Errorf("its numbers: %v", err)
	}
}

func TestStampsNeverOverflow(t *testing.T) {
	needs64Bits(t)
	draw := sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, MaxLead: math.MaxInt64}
	far := time.Unix(math.MaxInt64-62167219200, 0) // 292 billion years, which an int of 32 bits can't hold
	for _, now := range []time.Time{time.Date(4893, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), far} {
		m := stampStore(t)
		draw.Now = now
		if last, err := m.TakeStamps(t.Context(), "k", draw); err == nil {
			t.Errorf("%v: stamp %d", now, last.Last)
		}
	}
	m := stampStore(t)
	draw.Now = time.Now()
	draw.N = math.MaxInt64 / 2
	if _, err := m.TakeStamps(t.Context(), "k", draw); err != nil {
		t.Fatal(err)
	}
	if _, err := m.TakeStamps(t.Context(), "k", draw); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("%v", err)
	}
	draw.N, draw.Now = 1, time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
	m = stampStore(t)
	if last, err := m.TakeStamps(t.Context(), "k", draw); err != nil || last.Last != 1 {
		t.Errorf("before 1970: %d, %v", last.Last, err)
	}
}

func TestBadStampDrawIsRefused(t *testing.T) {
	m := stampStore(t)
	for want, d := range map[string]sequence.StampDraw{
		`sequence.Memory.TakeStamps("k", 0): fewer than 1 number asked for`: {Width: 100, Tick: time.Microsecond},
		`sequence.Memory.TakeStamps("k", 1): width 0 is less than 1`:        {N: 1, Tick: time.Microsecond},
		`sequence.Memory.TakeStamps("k", 1): invalid tick 0s`:               {N: 1, Width: 1},
		`sequence.Memory.TakeStamps("k", 1): invalid tick 300ms`:            {N: 1, Width: 1, Tick: 300 * time.Millisecond},
	} {
		if _, err := m.TakeStamps(t.Context(), "k", d); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestBadStampOptionIsReportedByTheFirstCall(t *testing.T) {
	_, err := sequence.NewNumbering(sequence.NewMemory(), "n", "{0}", sequence.WithZone(nil)).Next(t.Context())
	if want := `sequence.Numbering.Next("n"): WithZone: the time zone is nil`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for want, o := range map[string]sequence.Option{
		`sequence.Stamper.Next("k"): WithMaxLead(-1ns): must not be negative`: sequence.WithMaxLead(-1),
		`sequence.Stamper.Next("k"): WithRetry(-1): must not be negative`:     sequence.WithRetry(-1),
		`sequence.Stamper.Next("k"): WithClock: the clock is nil`:             sequence.WithClock(nil),
		`sequence.Stamper.Next("k"): WithMaxStampLead(0s): must be positive`:  sequence.WithMaxStampLead(0),
		`sequence.Stamper.Next("k"): WithLease(1, 0s) is not for a Stamper`:   sequence.WithLease(1, 0),
	} {
		s := sequence.NewStamper(stampStore(t), "k", o)
		if _, err := s.Next(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := s.Parse("2026112009311512345607"); err == nil {
			t.Errorf("Parse with %s", want)
		}
	}
}

// few is a store whose last stamp is too low for the stamps that were asked for.
type few struct{ *sequence.Memory }

func (few) TakeStamps(context.Context, string, sequence.StampDraw) (sequence.Stamps, error) {
	return sequence.Stamps{Last: -1}, nil
}

func TestStoreThatReturnsNoStampIsAnError(t *testing.T) {
	st, err := sequence.NewStamper(few{stampStore(t)}, "k").Next(t.Context())
	if want := `sequence.Stamper.Next("k"): the store drew 1 up to -1`; err == nil || err.Error() != want {
		t.Errorf("got %v, %v, want %s", st, err, want)
	}
}
