package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func TestTakeIsAllOrNothing(t *testing.T) {
	store := newSlow(t, sequence.Plan{First: 1, Last: 5})
	s := sequence.New(store, "k")
	if _, err := s.Take(t.Context(), 6); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("Take(6) of 5 = %v", err)
	}
	if len(store.draws) != 1 {
		t.Errorf("%d draws, want 1", len(store.draws))
	}
	if b, err := s.Take(t.Context(), 5); err != nil || b.Len() != 5 {
		t.Errorf("Take(5) of 5 = %v, %v", b, err)
	}
}

// TestNobodyDrawsForCallersWhoLeft has the only caller leave while its draw is retried.
func TestNobodyDrawsForCallersWhoLeft(t *testing.T) {
	nobodyDrawsForCallersWhoLeft(t)
	nobodyDrawsForCallersWhoLeft(t, sequence.WithLease(5, 0))
}

func nobodyDrawsForCallersWhoLeft(t *testing.T, opts ...sequence.Option) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		store.fail = func(int) (before, after error) { return sequence.ErrTransient, nil }
		store.trip = func(int) time.Duration { return 0 }
		var mu sync.Mutex
		var trips []sequence.Trip
		s := sequence.New(store, "k", append(opts, sequence.WithObserver(func(t sequence.Trip) {
			mu.Lock()
			defer mu.Unlock()
			trips = append(trips, t)
		}))...)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next = %v", err)
		}
		draws := len(store.draws)
		time.Sleep(time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(store.draws) != draws || draws < 3 {
			t.Errorf("%d draws, of which %d after the caller had left", len(store.draws), len(store.draws)-draws)
		}
		if len(trips) != 1 || !errors.Is(trips[0].Err, sequence.ErrTransient) || trips[0].Retries != draws-1 {
			t.Errorf("the observer was told of %+v, after %d draws", trips, draws)
		}
	})
}

// TestNumberThatAnObserverLosesIsUnused has the observer panic after a good trip and after
// a bad one.
func TestNumberThatAnObserverLosesIsUnused(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 1})
	observer := sequence.WithObserver(func(sequence.Trip) { panic("oops") })
	s := sequence.New(m, "k", observer)
	if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "the observer panicked: oops") {
		t.Errorf("after a good trip: %v", err)
	}
	if unused := closed(t, s); unused != 1 {
		t.Errorf("%d unused numbers, want 1", unused)
	}
	s = sequence.New(m, "k", observer)
	if _, err := s.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("after a bad trip: %v", err)
	}
	if unused := closed(t, s); unused != 0 {
		t.Errorf("%d unused numbers, want 0", unused)
	}
}

func TestKeyIsCheckedBeforeTheStoreIsAsked(t *testing.T) {
	m := sequence.NewMemory()
	_, nextErr := sequence.New(m, "").Next(t.Context())
	_, stampErr := sequence.NewStamper(m, "").Next(t.Context())
	_, numberErr := sequence.NewNumbering(m, "", "{0}").Next(t.Context())
	_, scopeErr := sequence.NewNumbering(m, "", "{0}").For("x").Next(t.Context())
	_, emptyErr := sequence.NewNumbering(m, "n", "{0}").For("").Next(t.Context())
	_, longErr := sequence.NewNumbering(m, "n", "{0}").For(strings.Repeat("x", 254)).Next(t.Context())
	for want, err := range map[string]error{
		`sequence.Sequence.Next(""): the key is empty`:                                                        nextErr,
		`sequence.Stamper.Next(""): the key is empty`:                                                         stampErr,
		`sequence.Numbering.Next(""): the key is empty`:                                                       numberErr,
		`sequence.Numbering.Next("/x"): the key is empty`:                                                     scopeErr,
		`sequence.Numbering.Next("n/"): the scope is empty`:                                                   emptyErr,
		`sequence.Numbering.Next("n/` + strings.Repeat("x", 30) + `"…): the key has 256 bytes, more than 255`: longErr,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestQuoteKeyCutsAt32Bytes(t *testing.T) {
	k32 := strings.Repeat("k", 32)
	for key, want := range map[string]string{"": `""`, "a\n": `"a\n"`, k32: `"` + k32 + `"`, k32 + "k": `"` + k32 + `"…`} {
		if got := sequence.QuoteKey(key); got != want {
			t.Errorf("QuoteKey(%q) = %s, want %s", key, got, want)
		}
	}
}

// TestOptionsKnowTheirUsers tries each option with each user.
func TestOptionsKnowTheirUsers(t *testing.T) {
	const forSequence, forStamper, forNumbering = 1, 2, 4
	m := sequence.NewMemory()
	create(t, m, "k", plan(9))
	for _, tt := range []struct {
		option sequence.Option
		users  int
	}{
		{sequence.WithRetry(0), forSequence | forStamper | forNumbering},
		{sequence.WithTripTimeout(0), forSequence | forStamper | forNumbering},
		{sequence.WithObserver(func(sequence.Trip) {}), forSequence | forStamper | forNumbering},
		{sequence.WithWrap(func(sequence.Number) {}), forSequence},
		{sequence.WithLease(1, 0), forSequence},
		{sequence.WithWidth(100), forStamper},
		{sequence.WithLayout("20060102150405000000"), forStamper},
		{sequence.WithMaxStampLead(time.Hour), forStamper},
		{sequence.WithMaxLead(time.Hour), forStamper | forNumbering},
		{sequence.WithClock(time.Now), forStamper | forNumbering},
		{sequence.WithZone(time.UTC), forNumbering},
		{sequence.WithGapFree(), forNumbering},
	} {
		_, nextErr := sequence.New(m, "k", tt.option).Next(t.Context())
		_, stampErr := sequence.NewStamper(m, "k", tt.option).Next(t.Context())
		_, parseErr := sequence.NewNumbering(m, "n", "{0+}", tt.option).Parse("7")
		for user, err := range map[int]error{forSequence: nextErr, forStamper: stampErr, forNumbering: parseErr} {
			if (err == nil) != (tt.users&user != 0) {
				t.Errorf("%+v with user %d: %v", tt.option, user, err)
			}
		}
	}
}

// TestStampsEndAtTheLimitOfTheirLead draws stamps of whole seconds from a clock that
// stands still.
func TestStampsEndAtTheLimitOfTheirLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := stampStore(t)
		var leads []time.Duration
		s := sequence.NewStamper(m, "k", sequence.WithLayout("20060102150405"), sequence.WithWidth(1), sequence.WithMaxStampLead(3*time.Second),
			sequence.WithObserver(func(t sequence.Trip) { leads = append(leads, t.Lead) }))
		for i := range 4 {
			if _, err := s.Next(t.Context()); err != nil || leads[i] != time.Duration(i)*time.Second {
				t.Errorf("stamp %d: lead %v, %v", i, leads[i], err)
			}
		}
		want := `sequence.Stamper.Next("k"): sequence.Memory.TakeStamps("k", 1): clock is ahead: the stamps are 4s ahead of it, which is more than 3s`
		if _, err := s.Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		time.Sleep(10 * time.Second)
		if _, err := s.Next(t.Context()); err != nil || leads[5] != 0 {
			t.Errorf("10 seconds later: lead %v, %v", leads[5], err)
		}
	})
}

func TestLeadSaturates(t *testing.T) {
	for _, tt := range []struct {
		ticks int64
		tick  time.Duration
		want  time.Duration
	}{
		{0, time.Second, 0}, {3, time.Second, 3 * time.Second}, {7, time.Microsecond, 7 * time.Microsecond},
		{math.MaxInt64 / 1_000_000_000, time.Second, math.MaxInt64 / 1_000_000_000 * time.Second},
		{math.MaxInt64/1_000_000_000 + 1, time.Second, math.MaxInt64}, {math.MaxInt64, time.Second, math.MaxInt64},
	} {
		if got := sequence.Lead(tt.ticks, tt.tick); got != tt.want {
			t.Errorf("Lead(%d, %v) = %d, want %d", tt.ticks, tt.tick, got, tt.want)
		}
	}
}

// first is a store whose stamps begin at 0.
type first struct{ *sequence.Memory }

func (first) TakeStamps(_ context.Context, _ string, d sequence.StampDraw) (sequence.Stamps, error) {
	return sequence.Stamps{Last: d.N - 1}, nil
}

func TestFirstStampOfAllIsAStamp(t *testing.T) {
	st, err := sequence.NewStamper(first{stampStore(t)}, "k").Next(t.Context())
	if err != nil || st.String() != "1970010100000000000000" {
		t.Errorf("got %v, %v", st, err)
	}
}

func TestBadNumberDrawIsRefused(t *testing.T) {
	good := sequence.NumberDraw{N: 1<<40 - 1, Floor: 0, Kind: "year", Now: time.Now(), MaxLead: time.Hour}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(d *sequence.NumberDraw){
		"-1 numbers":          func(d *sequence.NumberDraw) { d.N = -1 },
		"2^40 numbers":        func(d *sequence.NumberDraw) { d.N = 1 << 40 },
		"a floor of -1":       func(d *sequence.NumberDraw) { d.Floor = -1 },
		"no kind":             func(d *sequence.NumberDraw) { d.Kind = "" },
		"a clock far too far": func(d *sequence.NumberDraw) { d.Now = d.Now.Add(2 * time.Hour) },
	} {
		d := good
		change(&d)
		m := sequence.NewMemory()
		if x, err := m.TakeNumbers(t.Context(), "n", d); x != 0 || err == nil {
			t.Errorf("%s: %d, %v", name, x, err)
		}
		if states, err := m.List(t.Context()); err != nil || len(states) != 0 {
			t.Errorf("%s made the key: %v, %v", name, states, err)
		}
	}
}

func TestStatesThatNoDrawCanHaveLeftAreInvalid(t *testing.T) {
	wheel := sequence.Plan{First: 1, Last: 9, Cycle: true}
	line := sequence.Plan{First: 1, Last: 9}
	stamp := sequence.Stamp{Tick: time.Unix(0, 0)}
	for _, tt := range []struct {
		name  string
		state sequence.State
		valid bool
	}{
		{"new", sequence.State{Plan: line}, true},
		{"used up", sequence.State{Plan: line, Base: 5, Last: 14}, true},
		{"drawn too often", sequence.State{Plan: line, Base: 5, Last: 15}, false},
		{"gone round", sequence.State{Plan: wheel, Base: 5, Last: 15}, true},
		{"base is last", sequence.State{Plan: wheel, Base: 5, Last: 5}, true},
		{"base after last", sequence.State{Plan: wheel, Base: 6, Last: 5}, false},
		{"negative base", sequence.State{Plan: wheel, Base: -1, Last: 5}, false},
		{"no plan", sequence.State{Plan: sequence.Plan{First: 2, Last: 1}}, false},
		{"stamps of 1970", sequence.State{Plan: wheel, Stamp: stamp, Width: 1, Tick: time.Second}, true},
		{"stamps before 1970", sequence.State{Plan: wheel, Stamp: sequence.Stamp{Tick: time.Unix(-1, 0)}, Width: 1, Tick: time.Second}, false},
		{"a negative serial", sequence.State{Plan: wheel, Stamp: sequence.Stamp{Tick: time.Unix(0, 0), Serial: -1}, Width: 1, Tick: time.Second}, false},
		{"no width", sequence.State{Plan: wheel, Stamp: stamp, Tick: time.Second}, false},
		{"no tick", sequence.State{Plan: wheel, Stamp: stamp, Width: 1}, false},
		{"a numbering", sequence.State{Numbering: "year", Last: 0}, true},
		{"a numbering that went back", sequence.State{Numbering: "year", Last: -1}, false},
	} {
		if err := tt.state.Validate(); (err == nil) != tt.valid {
			t.Errorf("%s: %v, want valid %v", tt.name, err, tt.valid)
		}
	}
}

func TestResizeThatCannotGoOnSaysWhy(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 9})
	if _, err := m.Take(t.Context(), "k", 5); err != nil {
		t.Fatal(err)
	}
	err := m.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 4}, sequence.GoOn)
	if want := `sequence.Memory.Resize("k", 1..4): key exists with another plan: 1..9, whose last serial is 5`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := m.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 5}, sequence.GoOn); err != nil {
		t.Error(err)
	}
	if err := m.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 9}, sequence.ResizeOption(2)); err == nil {
		t.Error("an unknown option was taken")
	}
}

// asked counts the calls of State.
type asked struct {
	*sequence.Memory
	states int
}

func (a *asked) State(ctx context.Context, key string) (sequence.State, error) {
	a.states++
	return a.Memory.State(ctx, key)
}

func TestStoreIsAskedWhatIsLeftOnlyAtTheEnd(t *testing.T) {
	store := &asked{Memory: sequence.NewMemory()}
	create(t, store.Memory, "k", sequence.Plan{First: 1, Last: 5})
	s := sequence.New(store, "k", sequence.WithLease(3, 0))
	for want := int64(1); want <= 5; want++ {
		if n, err := s.Next(t.Context()); n.Serial != want || err != nil {
			t.Errorf("Next() = %v, %v, want serial %d", n, err, want)
		}
		if want, got := int(want)/4, store.states; got != want {
			t.Errorf("%d calls of State, want %d", got, want)
		}
	}
	store.states = 0
	if n, err := sequence.New(store, "k").Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) || store.states != 0 {
		t.Errorf("Next() at the end = %v, %v, with %d calls of State, want 0", n, err, store.states)
	}
}

// leaver is a store with an answer of its own to the question how many numbers are left.
type leaver struct {
	*sequence.Memory
	left  []any // of the calls of State: how many, or an error
	draws int
}

func (l *leaver) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	l.draws++
	return l.Memory.Take(ctx, key, n)
}

func (l *leaver) State(ctx context.Context, key string) (sequence.State, error) {
	answer := l.left[0]
	l.left = l.left[1:]
	if err, failed := answer.(error); failed {
		return sequence.State{}, err
	}
	return sequence.State{Plan: sequence.Plan{First: 1, Last: int64(answer.(int))}}, nil
}

// TestNumbersLeftAreFoundAlthoughTheStoreFails asks for 3 numbers of which 2 are left.
func TestNumbersLeftAreFoundAlthoughTheStoreFails(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name    string
		left    []any
		want    error
		ordinal int64
		draws   int
	}{
		{"an answer", []any{2}, nil, 1, 2},
		{"a transient failure", []any{sequence.ErrTransient, 2}, nil, 1, 3},
		{"another failure", []any{broken}, broken, 0, 1},
		{"a plan that has grown since", []any{3}, sequence.ErrExhausted, 0, 1},
		{"none", []any{0}, sequence.ErrExhausted, 0, 1},
		{"one", []any{1}, nil, 1, 2},
	} {
		store := &leaver{Memory: sequence.NewMemory(), left: tt.left}
		create(t, store.Memory, "k", sequence.Plan{First: 1, Last: 2})
		n, err := sequence.New(store, "k", sequence.WithLease(3, 0)).Next(t.Context())
		if !errors.Is(err, tt.want) || n.Ordinal != tt.ordinal || store.draws != tt.draws || len(store.left) != 0 {
			t.Errorf("%s: Next() = %v, %v, after %d draws, want number %d, %v, %d draws", tt.name, n, err, store.draws, tt.ordinal, tt.want, tt.draws)
		}
	}
}

func TestNothingIsKeptOfTheObserversCalls(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", plan(9))
	s := sequence.New(m, "k", sequence.WithObserver(func(sequence.Trip) {}))
	for range 10 {
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if calls, kept := s.Observing(); calls != 0 || kept != 0 {
		t.Errorf("%d calls of the observer run, and %d are kept", calls, kept)
	}
}

func TestScopeThatCameBackIsNotForgotten(t *testing.T) {
	n := sequence.NewNumbering(sequence.NewMemory(), "n", "{0+}")
	shop := n.For("shop")
	n.Forget("shop")
	if again := n.For("shop"); again != shop {
		t.Error("For(shop) makes another Numbering while the first is in use")
	}
}

func TestDrawnTellsHowFarStampsAreAhead(t *testing.T) {
	d := sequence.StampDraw{N: 1, Width: 100, Tick: time.Millisecond}
	for _, tt := range []struct {
		last, start int64
		want        time.Duration
	}{
		{500, 500, 0}, {599, 500, 0}, {600, 500, time.Millisecond}, {750, 500, 2 * time.Millisecond}, {499, 500, 0}, {0, 500, 0},
	} {
		if got, err := d.Drawn(tt.last, tt.start); got != (sequence.Stamps{Last: tt.last, Lead: tt.want}) || err != nil {
			t.Errorf("Drawn(%d, %d) = %+v, %v, want a lead of %v", tt.last, tt.start, got, err, tt.want)
		}
	}
}

// gated is a store of numberings whose draws wait.
type gated struct {
	*sequence.Memory
	open chan struct{}
}

func (g gated) TakeNumbers(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
	<-g.open
	return g.Memory.TakeNumbers(ctx, key, d)
}

func TestNumberOfTheOldPeriodThatNobodyTookIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := gated{sequence.NewMemory(), make(chan struct{})}
		now := time.Now()
		n := sequence.NewNumbering(store, "n", "{2006}-{0}", sequence.WithClock(func() time.Time { return now }), sequence.WithMaxLead(math.MaxInt64))
		ctx, cancel := context.WithCancel(t.Context())
		go n.Next(ctx)
		synctest.Wait()
		cancel() // the draw goes on
		synctest.Wait()
		close(store.open)
		synctest.Wait()
		now = now.AddDate(1, 0, 0)
		want := now.Format("2006") + "-1"
		if text, err := n.Next(t.Context()); text != want || err != nil {
			t.Errorf("Next() = %q, %v, want %q", text, err, want)
		}
	})
}

func TestStampsReachTheLastInteger(t *testing.T) {
	needs64Bits(t)
	m := stampStore(t)
	d := sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, Now: time.Now()}
	start, err := d.Start()
	if err != nil {
		t.Fatal(err)
	}
	d.N = math.MaxInt64 - start
	for _, want := range []int64{math.MaxInt64 - 1, math.MaxInt64} {
		if got, err := m.TakeStamps(t.Context(), "k", d); got.Last != want || err != nil {
			t.Errorf("TakeStamps(%d) = %v, %v, want up to %d", d.N, got, err, want)
		}
		d.N = 1
	}
	if got, err := m.TakeStamps(t.Context(), "k", d); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("TakeStamps(1) after the last = %v, %v", got, err)
	}
}

func TestTextWithoutANumberIsNotOfThePattern(t *testing.T) {
	n := sequence.NewNumbering(sequence.NewMemory(), "n", "INV-{2006}-{0+}")
	for text, want := range map[string]string{
		"INV-2026-":                      `sequence.Numbering.Parse("INV-2026-"): not of the pattern "INV-{2006}-{0+}"`,
		"INV-2026-0100000000000000000":   `sequence.Numbering.Parse("INV-2026-0100000000000000000"): the number 100000000000000000 is out of range`,
		"INV-2026-1000000000000000000":   `sequence.Numbering.Parse("INV-2026-1000000000000000000"): not of the pattern "INV-{2006}-{0+}"`,
		"INV-2026-100000000000000000000": `sequence.Numbering.Parse("INV-2026-100000000000000000000"): not of the pattern "INV-{2006}-{0+}"`,
		"INV-2026":                       `sequence.Numbering.Parse("INV-2026"): not of the pattern "INV-{2006}-{0+}"`,
		"INV-2026-0":                     `sequence.Numbering.Parse("INV-2026-0"): the number 0 is out of range`,
	} {
		if d, err := n.Parse(text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q) = %v, %v, want %s", text, d, err, want)
		}
	}
}

func TestTakeFailsIfTheObserverPanics(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", plan(9))
	s := sequence.New(m, "k", sequence.WithObserver(func(sequence.Trip) { panic("oops") }))
	if b, err := s.Take(t.Context(), 2); err == nil || b.Len() != 0 || !strings.Contains(err.Error(), "the observer panicked: oops") {
		t.Errorf("Take(2) = %v, %v", b, err)
	}
	if _, err := s.Take(t.Context(), -1); err == nil || strings.Contains(err.Error(), "oops") {
		t.Errorf("Take(-1) = %v", err)
	}
}

// TestLastNumberServesOneOfTwo has two callers wait for a draw, with one number left.
func TestLastNumberServesOneOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, sequence.Plan{First: 1, Last: 2})
		s := sequence.New(store, "k")
		errs := make([]error, 3)
		var wg sync.WaitGroup
		for i := range errs { // the first draws while the others queue
			wg.Go(func() { _, errs[i] = s.Next(t.Context()) })
			synctest.Wait()
		}
		wg.Wait()
		if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], sequence.ErrExhausted) {
			t.Errorf("errors %v, want only the last to find none", errs)
		}
	})
}

// TestCallersOfTwoTripsFindNoNumber has one number for a trip of two, while a fourth
// caller queues.
func TestCallersOfTwoTripsFindNoNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, sequence.Plan{First: 1, Last: 2})
		s := sequence.New(store, "k")
		errs := make([]error, 4)
		var wg sync.WaitGroup
		for i := range errs {
			if i == 3 {
				time.Sleep(15 * time.Millisecond) // the second trip is under way
			}
			wg.Go(func() { _, errs[i] = s.Next(t.Context()) })
			synctest.Wait()
		}
		wg.Wait()
		if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], sequence.ErrExhausted) || !errors.Is(errs[3], sequence.ErrExhausted) {
			t.Errorf("errors %v, want only the last two to find none", errs)
		}
		wantDraws(t, store, 1, 2, 1, 2)
	})
}

// onlyNumbers is a store that keeps no numberings.
type onlyNumbers struct{ sequence.Store }

func TestNumberingNeedsANumberingStore(t *testing.T) {
	_, err := sequence.NewNumbering(onlyNumbers{sequence.NewMemory()}, "n", "{0}").Next(t.Context())
	if want := `sequence.Numbering.Next("n"): a sequence_test.onlyNumbers is not a sequence.NumberingStore`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLeftCountsFromTheLastResize(t *testing.T) {
	for _, tt := range []struct {
		state sequence.State
		want  int64
	}{
		{sequence.State{Plan: sequence.Plan{First: 1, Last: 10}}, 10},
		{sequence.State{Plan: sequence.Plan{First: 1, Last: 10}, Base: 5, Last: 7}, 8},
		{sequence.State{Plan: sequence.Plan{First: 1, Last: 10}, Base: 5, Last: 15}, 0},
		{sequence.State{Plan: sequence.Plan{First: 1, Last: 10}, Base: 5, Last: 20}, 0}, // changed by hand
		{sequence.State{Plan: sequence.Plan{First: 1, Last: 10, Cycle: true}, Base: 5, Last: 15}, math.MaxInt64 - 15},
	} {
		if got := tt.state.Left(); got != tt.want {
			t.Errorf("%+v: Left() = %d, want %d", tt.state, got, tt.want)
		}
	}
}

// A caller who drops an old lease announces its wrap, also if the caller gets no number.
func TestWrapInADroppedLeaseIsAnnouncedByACallerWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(3))
		store.trip = func(draw int) time.Duration { return time.Duration(draw) * time.Minute }
		var wraps []sequence.Number
		s := sequence.New(store, "k", sequence.WithLease(5, time.Second), sequence.WithWrap(func(n sequence.Number) { wraps = append(wraps, n) }))
		if n, err := s.Next(t.Context()); n.Serial != 1 || err != nil {
			t.Fatalf("Next() = %v, %v", n, err)
		}
		time.Sleep(2 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if n, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next() = %v, %v", n, err)
		}
		if len(wraps) != 1 || wraps[0].Ordinal != 4 {
			t.Errorf("wraps %v, want the number with the ordinal 4", wraps)
		}
		time.Sleep(time.Hour) // the trip ends
	})
}

func TestNumberingEndsWithTheYear9999(t *testing.T) {
	m := sequence.NewMemory()
	now := time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC)
	n := sequence.NewNumbering(m, "n", "{20060102}-{0}", sequence.WithMaxLead(math.MaxInt64), sequence.WithClock(func() time.Time { return now }))
	if text, err := n.Next(t.Context()); err != nil || text != "99991231-1" {
		t.Errorf("on the last day: %q, %v", text, err)
	}
	now = now.AddDate(0, 0, 1)
	if text, err := n.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) || !strings.Contains(err.Error(), "the year 10000 is too late") {
		t.Errorf("a day later: %q, %v", text, err)
	}
}

func TestStateOfANumberingShowsItsPeriod(t *testing.T) {
	for day, want := range map[int64]time.Time{0: {}, 1: time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)} {
		for _, serial := range []int64{7, 1<<40 - 1} {
			if s := sequence.NumberingState("n", "day", day<<40+serial); !s.Period.Equal(want) || s.Last != serial {
				t.Errorf("day %d: period %v, last %d, want %v, %d", day, s.Period, s.Last, want, serial)
			}
		}
	}
	m := sequence.NewMemory()
	clock := sequence.WithClock(at(2026, 11, 21))
	for pattern, want := range map[string]time.Time{
		"{2006}-{0}":     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		"{2006-01}-{0}":  time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		"{20060102}-{0}": time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		"{0}":            {},
	} {
		n := sequence.NewNumbering(m, pattern, pattern, ahead, clock)
		text, err := n.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if state, err := m.State(t.Context(), pattern); err != nil || !state.Period.Equal(want) || state.Last != 1 {
			t.Errorf("State(%q) = %+v, %v, want the period %v", pattern, state, err, want)
		}
		if d, err := n.Parse(text); err != nil || !d.Period.Equal(want) || d.Serial != 1 {
			t.Errorf("Parse(%q) = %+v, %v, want the period %v", text, d, err, want)
		}
	}
	if _, err := sequence.NewNumbering(m, "x", "R{000}").Parse("R000"); err == nil || !strings.HasSuffix(err.Error(), ": the number 0 is out of range") {
		t.Errorf("Parse of the number 0: %v", err)
	}
}

func TestResizeBeforeTheFirstDrawGoesOnWithTheFirst(t *testing.T) {
	for _, last := range []int64{9, 1} {
		m := sequence.NewMemory()
		create(t, m, "k", sequence.Plan{First: 1, Last: last})
		if err := m.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 5}, sequence.GoOn); err != nil {
			t.Fatal(err)
		}
		if b, err := m.Take(t.Context(), "k", 5); err != nil || b.At(0).Serial != 1 {
			t.Errorf("Take(5) after the plan 1..%d = %v, %v", last, b, err)
		}
	}
}

func TestStampLimitOfANanosecondIsALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := stampStore(t)
		d := sequence.StampDraw{N: 1, Width: 1, Tick: time.Microsecond, Now: time.Now(), MaxStampLead: 1}
		if _, err := m.TakeStamps(t.Context(), "k", d); err != nil {
			t.Error(err)
		}
		if _, err := m.TakeStamps(t.Context(), "k", d); !errors.Is(err, sequence.ErrClockLead) {
			t.Errorf("a tick ahead: %v", err)
		}
		d.MaxStampLead = time.Microsecond
		if got, err := m.TakeStamps(t.Context(), "k", d); err != nil || got.Lead != time.Microsecond {
			t.Errorf("a tick allowed: %+v, %v", got, err)
		}
		if st, err := sequence.NewStamper(stampStore(t), "k", sequence.WithMaxStampLead(1)).Next(t.Context()); err != nil {
			t.Errorf("the first stamp of a Stamper: %v, %v", st, err)
		}
	})
}

func TestStampsOfTheLastSeconds(t *testing.T) {
	const seconds = math.MaxInt64 / 7 // there is no rest
	d := sequence.StampDraw{N: 1, Width: 7, Tick: time.Second, Now: time.Unix(seconds-1, 0)}
	if start, err := d.Start(); start+7 != math.MaxInt64 || err != nil {
		t.Errorf("Start() = %d, %v, want 2^63-8", start, err)
	}
	d.Now = d.Now.Add(time.Second)
	if start, err := d.Start(); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("a second later: Start() = %d, %v", start, err)
	}
}

func TestClockBefore1970DatesNumbers1970(t *testing.T) {
	n := sequence.NewNumbering(sequence.NewMemory(), "n", "{20060102}-{0}", sequence.WithClock(at(1960, 5, 6)))
	if text, err := n.Next(t.Context()); text != "19700101-1" || err != nil {
		t.Errorf("Next() = %q, %v, want 19700101-1", text, err)
	}
}

func TestClockBefore1970DatesStamps1970(t *testing.T) {
	d := sequence.StampDraw{N: 1, Width: 1, Tick: time.Second, Now: time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)}
	if start, err := d.Start(); start != 0 || err != nil {
		t.Errorf("Start() = %d, %v, want 0", start, err)
	}
}

// TestNoNumberComesAgainAfterTheLastOfAPeriod draws over the end of a period's numbers.
func TestNoNumberComesAgainAfterTheLastOfAPeriod(t *testing.T) {
	const last int64 = 1<<40 - 1
	for _, pattern := range []string{"{0+}", "{2006}-{0+}", "{2006-01}-{0+}"} {
		m := sequence.NewMemory()
		n := sequence.NewNumbering(m, "n", pattern, sequence.WithClock(at(2026, 11, 21)), ahead)
		text, err := n.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		prefix := strings.TrimSuffix(text, "1")
		if err := n.Advance(t.Context(), fmt.Sprint(prefix, last-1)); err != nil {
			t.Error(err)
		}
		if text, err := n.Next(t.Context()); err != nil || text != fmt.Sprint(prefix, last) {
			t.Errorf("%s: the last number: %q, %v", pattern, text, err)
		} else if d, err := n.Parse(text); err != nil || d.Serial != last || d.Period.Day() != 1 {
			t.Errorf("%s: Parse(%q) = %v, %v", pattern, text, d, err)
		}
		if err := n.Advance(t.Context(), fmt.Sprint(prefix, last)); err != nil {
			t.Error(err)
		}
		for range 3 {
			if text, err := n.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
				t.Errorf("%s: after the last number: %q, %v", pattern, text, err)
			}
		}
	}
}

// fixed is a store whose numberings and stamps are at x, whatever is drawn.
type fixed struct {
	*sequence.Memory
	x int64
}

func (f fixed) TakeNumbers(context.Context, string, sequence.NumberDraw) (int64, error) {
	return f.x, nil
}

func (f fixed) TakeStamps(context.Context, string, sequence.StampDraw) (sequence.Stamps, error) {
	return sequence.Stamps{Last: f.x}, nil
}

func TestCountsThatHaveNoTextAreExhausted(t *testing.T) {
	const perPeriod, lastDay = 1 << 40, 2932896 // 9999-12-31
	for x, want := range map[int64]string{
		7*perPeriod + 1: "19700108-1", lastDay*perPeriod + 3: "99991231-3",
		7 * perPeriod: "", (lastDay + 1) * perPeriod: "", (lastDay+1)*perPeriod + 1: "",
	} {
		text, err := sequence.NewNumbering(fixed{sequence.NewMemory(), x}, "n", "{20060102}-{0}").Next(t.Context())
		if text != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("the count %d: %q, %v, want %q", x, text, err, want)
		}
	}
	for year, ok := range map[int]bool{9999: true, 10000: false} {
		x := time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC).Unix()
		s := sequence.NewStamper(fixed{sequence.NewMemory(), x}, "k", sequence.WithLayout("20060102150405"), sequence.WithWidth(1))
		if st, err := s.Next(t.Context()); (err == nil) != ok || err != nil && !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("a stamp of the year %d: %v, %v", year, st, err)
		}
	}
}

func TestInvalidNumberingDoesNothing(t *testing.T) {
	m := sequence.NewMemory()
	n := sequence.NewNumbering(m, "n", "{01}-{0}", sequence.WithGapFree())
	_, nextErr := n.Next(t.Context())
	_, parseErr := n.Parse("11-1")
	_, inErr := n.NextIn(t.Context(), func(context.Context, string, sequence.NumberDraw) (int64, error) {
		t.Error("the store was asked")
		return 1, nil
	})
	for call, err := range map[string]error{"Next": nextErr, "Parse": parseErr, "NextIn": inErr, "Advance": n.Advance(t.Context(), "11-1")} {
		if err == nil || !strings.HasSuffix(err.Error(), `pattern "{01}-{0}": a month without its year: add {2006}, or the numbers come again`) {
			t.Errorf("%s: %v", call, err)
		}
	}
	_, freeErr := sequence.NewNumbering(m, "n", "{0}").NextIn(t.Context(), func(context.Context, string, sequence.NumberDraw) (int64, error) {
		t.Error("the store was asked")
		return 1, nil
	})
	if freeErr == nil || freeErr.Error() != "its numbers are not gap-free: draw them with Next, or make it with WithGapFree" {
		t.Errorf("NextIn without WithGapFree: %v", freeErr)
	}
	late := sequence.NewNumbering(m, "n", "{2006}-{0}", sequence.WithGapFree(),
		sequence.WithClock(func() time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }))
	if err := late.Advance(t.Context(), "2026-1"); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("Advance in the year 10000: %v", err)
	}
	if text, err := late.NextIn(t.Context(), func(context.Context, string, sequence.NumberDraw) (int64, error) {
		t.Error("the store was asked")
		return 1, nil
	}); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("NextIn in the year 10000: %q, %v", text, err)
	}
	if text, err := sequence.NewNumbering(m, "n", "{0}", sequence.WithGapFree()).NextIn(t.Context(), func(context.Context, string, sequence.NumberDraw) (int64, error) {
		return 1, sequence.ErrConflict
	}); text != "" || !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("NextIn of a draw that fails: %q, %v", text, err)
	}
	if states, err := m.List(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("they made keys: %v, %v", states, err)
	}
}

func TestErrorsSayWhatTheKeyIs(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", plan(9))
	if _, err := sequence.NewNumbering(m, "n", "{2006}-{0}", sequence.WithClock(time.Now)).Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, isSequence := sequence.NewNumbering(m, "k", "{0+}").Next(t.Context())
	_, isYear := sequence.NewNumbering(m, "n", "{0+}").Next(t.Context())
	cannotAdvance := sequence.NewNumbering(m, "k", "{0+}").Advance(t.Context(), "7")
	_, isNumbering := sequence.New(m, "n").Next(t.Context())
	_, noState := m.State(t.Context(), "x")
	_, noNumber := sequence.NewNumbering(m, "n", "{0+}").Parse("1099511627776")
	_, longText := sequence.ParseStamp(strings.Repeat("1", 33))
	_, shortText := sequence.ParseStamp(strings.Repeat("1", 32))
	for want, err := range map[string]error{
		`sequence.Numbering.Next("k"): sequence.Memory.TakeNumbers("k", 1): key exists with another plan: it was made by Create: use another name`:           isSequence,
		`sequence.Numbering.Next("n"): sequence.Memory.TakeNumbers("n", 1): key exists with another plan: it is a numbering of the kind "year", not "never"`: isYear,
		`sequence.Numbering.Advance("7"): sequence.Memory.TakeNumbers("k", 0): key exists with another plan: it was made by Create: use another name`:        cannotAdvance,
		`sequence.Sequence.Next("n"): sequence.Memory.Take("n", 1): key exists with another plan: it is a numbering (year): use another key`:                 isNumbering,
		`sequence.Memory.State("x"): key not found: call Create once`:                                                                                        noState,
		`sequence.Numbering.Parse("1099511627776"): the number 1099511627776 is out of range`:                                                                noNumber,
		`sequence.ParseStamp("` + strings.Repeat("1", 32) + `"…): 33 bytes long, not 22`:                                                                     longText,
		`sequence.ParseStamp("` + strings.Repeat("1", 32) + `"): 32 bytes long, not 22`:                                                                      shortText,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestStampTextNeedsAYearOfFourDigits(t *testing.T) {
	for year, ok := range map[int]bool{-1: false, 0: true, 9999: true, 10000: false} {
		text, err := sequence.Stamp{Tick: time.Date(year, 2, 3, 4, 5, 6, 0, time.UTC)}.MarshalText()
		if (err == nil) != ok || ok && len(text) != 22 {
			t.Errorf("the year %d: %q, %v", year, text, err)
		}
	}
}

func TestParseAcceptsOnlyTextsOfNext(t *testing.T) {
	m := sequence.NewMemory()
	for pattern, texts := range map[string]map[string]bool{
		"{2006}-{0+}":     {"1970-1": true, "2026-10": true, "2026-01": false, "2026-": false, "2026": false, "1969-1": false},
		"{2006-01}.{00}":  {"2026-12.01": true, "2026-13.01": false, "2026-00.01": false, "2026-12.00": false, "2026-12.1": false},
		"{06}/{000+}":     {"26/001": true, "26/1000": true, "26/0001": false},
		"{2006}/{06}#{0}": {"2026/26#1": true, "2126/26#1": true, "2026/27#1": false},
		"{2006}/{0}{01}":  {"2026/111": true, "2026/100": false, "2026/113": false},
		"{2006}#{0+}":     {"2026#1099511627775": true, "2026#1099511627776": false},
	} {
		n := sequence.NewNumbering(m, "n", pattern)
		for text, ok := range texts {
			if d, err := n.Parse(text); (err == nil) != ok || ok && d.Period.Format("2006")[2:] != text[:2] && d.Period.Format("2006") != text[:4] {
				t.Errorf("%s: Parse(%q) = %+v, %v", pattern, text, d, err)
			}
		}
	}
	if key := sequence.NewNumbering(m, "n", "{0}").For("x").Key(); key != "n/x" {
		t.Errorf("Key() = %q, want n/x", key)
	}
	text, err := sequence.NewNumbering(fixed{m, 7<<40 + 1}, "n", "{20060102}-{0}").Next(t.Context())
	if err != nil || text != "19700108-1" {
		t.Errorf("day 7: %q, %v", text, err)
	}
}

func TestResizeThatGoesOnKeepsTheFirst(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 9})
	if err := m.Resize(t.Context(), "k", sequence.Plan{First: 0, Last: 9}, sequence.GoOn); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("Resize with another First: %v", err)
	}
}

// TestFailureOfAnEarlierTripIsForgotten has a trip fail and succeed, and a caller leave
// during the next one.
func TestFailureOfAnEarlierTripIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		store.fail = func(draw int) (before, after error) {
			if draw == 0 {
				return sequence.ErrTransient, nil
			}
			return nil, nil
		}
		s := sequence.New(store, "k")
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sequence.ErrTransient) {
			t.Errorf("Next = %v", err)
		}
		time.Sleep(time.Minute) // the trip, which nobody waits for any more, ends
	})
}

// TestNumberThatCameWhileItsCallerLeftIsTheCallers has the context of a caller end when
// its number is there and the observer still looks at the trip. If the observer then
// panics, the number is not lost, because the caller has it.
func TestNumberThatCameWhileItsCallerLeftIsTheCallers(t *testing.T) {
	for _, panics := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := sequence.NewMemory()
			create(t, m, "k", plan(9))
			ctx, cancel := context.WithCancel(t.Context())
			var trips []sequence.Trip
			s := sequence.New(m, "k", sequence.WithObserver(func(trip sequence.Trip) {
				if trips = append(trips, trip); len(trips) > 1 {
					return
				}
				cancel()
				time.Sleep(time.Second) // the caller leaves
				if panics {
					panic("oops")
				}
			}))
			if n, err := s.Next(ctx); n.Ordinal != 1 || err != nil {
				t.Errorf("Next() = %v, %v, want number 1", n, err)
			}
			if n, err := s.Next(t.Context()); n.Ordinal != 2 || err != nil {
				t.Errorf("the next caller: %v, %v, want number 2", n, err)
			}
			if unused := closed(t, s); len(trips) != 2 || trips[1].Dropped != 0 || unused != 0 {
				t.Errorf("told of %+v, and %d unused, want none dropped or unused", trips, unused)
			}
		})
	}
}

// punctual is a store that fails, and that nobody may ask in an ended context.
type punctual struct {
	*sequence.Memory
	t *testing.T
}

func (p punctual) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	if err := ctx.Err(); err != nil {
		p.t.Errorf("Take(%d): %v", n, err)
	}
	return sequence.Block{}, sequence.ErrTransient
}

func TestNoDrawSetsOutInAnEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := punctual{sequence.NewMemory(), t}
		create(t, m.Memory, "k", plan(9))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if b, err := sequence.New(m, "k").Take(ctx, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Take(2) = %v, %v", b, err)
		}
	})
}

func TestListIsInTheOrderOfTheKeys(t *testing.T) {
	m := sequence.NewMemory()
	for _, key := range []string{"b", "c", "a"} {
		create(t, m, key, plan(9))
		var keys []string
		states, err := m.List(t.Context())
		for _, s := range states {
			keys = append(keys, s.Key)
		}
		if err != nil || !slices.IsSorted(keys) || !slices.Contains(keys, key) {
			t.Errorf("List() = %v, %v, after %q was made", keys, err, key)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if states, err := m.List(ended); !errors.Is(err, context.Canceled) || states != nil {
		t.Errorf("List() in an ended context = %v, %v", states, err)
	}
}

func TestOnlyAStateThatWasResizedHadAnotherPlan(t *testing.T) {
	s := sequence.State{Plan: plan(9)}
	if err := s.Accepts(sequence.Plan{}); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("Accepts of the zero plan: %v", err)
	}
}

// TestPausesBetweenDrawsAreRandom looks at the times of many draws that fail.
func TestPausesBetweenDrawsAreRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		var times []time.Time
		store.trip = func(int) time.Duration { times = append(times, time.Now()); return 0 }
		store.fail = func(int) (before, after error) { return sequence.ErrTransient, nil }
		if _, err := sequence.New(store, "k", sequence.WithRetry(1000)).Next(t.Context()); !errors.Is(err, sequence.ErrTransient) {
			t.Fatal(err)
		}
		short, long := time.Hour, time.Duration(0)
		for i := 100; i < len(times); i++ {
			pause := times[i].Sub(times[i-1])
			short, long = min(short, pause), max(long, pause)
		}
		if short < time.Second/2 || short > 550*time.Millisecond || long < 950*time.Millisecond || long > time.Second {
			t.Errorf("pauses from %v to %v, want from half a second to a second", short, long)
		}
	})
}

func TestTripTimeoutOfANanosecondIsALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		n, err := sequence.New(store, "k", sequence.WithTripTimeout(1), sequence.WithRetry(0)).Next(t.Context())
		if !errors.Is(err, sequence.ErrTransient) {
			t.Errorf("Next() = %v, %v", n, err)
		}
	})
}

// TestLayoutsAreTriedWithEachValueOfEachField counts the values.
func TestLayoutsAreTriedWithEachValueOfEachField(t *testing.T) {
	values := map[string]map[string]bool{}
	last := ""
	for _, at := range sequence.Probes() {
		text := at.Format(time.RFC3339)
		if text <= last {
			t.Errorf("%s comes after %s", text, last)
		}
		last = text
		later := 0 // how many fields are not at their first value
		for _, is := range []bool{at.Year() > 1999, at.Month() > 1, at.Day() > 1, at.Hour() > 0, at.Minute() > 0, at.Second() > 0} {
			if is {
				later++
			}
		}
		if later > 1 {
			t.Errorf("%s changes %d fields", text, later)
		}
		for _, field := range []string{"2006", "06", "01", "Jan", "02", "Mon", "15", "03 PM", "04", "05"} {
			if values[field] == nil {
				values[field] = map[string]bool{}
			}
			values[field][at.Format(field)] = true
		}
	}
	if last != "2200-01-01T00:00:00Z" {
		t.Errorf("the last is %s", last)
	}
	for field, want := range map[string]int{
		"2006": 202, "06": 100, "01": 12, "Jan": 12, "02": 31, "Mon": 7, "15": 24, "03 PM": 24, "04": 60, "05": 60,
	} {
		if got := len(values[field]); got != want {
			t.Errorf("%d values of %s, want %d", got, field, want)
		}
	}
}

// TestNumberOfALeaseThatIsTooOldIsDropped has one number left, for one nanosecond.
func TestNumberOfALeaseThatIsTooOldIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		s := sequence.New(store, "k", sequence.WithLease(2, 1))
		for _, want := range []int64{1, 3, 5} {
			if n, err := s.Next(t.Context()); n.Ordinal != want || err != nil {
				t.Errorf("Next() = %v, %v, want number %d", n, err, want)
			}
		}
	})
}

// TestWrapInADroppedLeaseIsAnnouncedByACallerWhoseContextEnds has the context end when the
// next number is already there.
func TestWrapInADroppedLeaseIsAnnouncedByACallerWhoseContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := sequence.NewMemory()
		create(t, m, "k", plan(2))
		ctx, cancel := context.WithCancel(t.Context())
		var wraps []int64
		trips := 0
		s := sequence.New(m, "k", sequence.WithLease(3, time.Second), sequence.WithWrap(func(n sequence.Number) { wraps = append(wraps, n.Ordinal) }),
			sequence.WithObserver(func(sequence.Trip) {
				if trips++; trips == 2 {
					cancel()
					time.Sleep(time.Second) // the caller leaves
				}
			}))
		for _, want := range []int64{1, 4} { // 2 and 3 are too old
			if n, err := s.Next(ctx); n.Ordinal != want || err != nil {
				t.Errorf("Next() = %v, %v, want number %d", n, err, want)
			}
			time.Sleep(2 * time.Second)
		}
		if !slices.Equal(wraps, []int64{3}) {
			t.Errorf("wraps at the numbers %v, want 3", wraps)
		}
	})
}

// TestTripIsNotCutOffWhileAnybodyWaits has one of two callers leave a trip of 4 seconds.
func TestTripIsNotCutOffWhileAnybodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		store.trip = func(int) time.Duration { return 4 * time.Second }
		s := sequence.New(store, "k")
		var numbers [3]int64
		var errs [3]error
		var wg sync.WaitGroup
		for i, patience := range []time.Duration{time.Hour, 5 * time.Second, time.Hour} {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				var n sequence.Number
				n, errs[i] = s.Next(ctx)
				numbers[i] = n.Ordinal
			})
			synctest.Wait()
		}
		wg.Wait()
		if errs[0] != nil || !errors.Is(errs[1], context.DeadlineExceeded) || errs[2] != nil || numbers != [3]int64{1, 0, 2} {
			t.Errorf("numbers %v, errors %v", numbers, errs)
		}
		wantDraws(t, store, 1, 2)
	})
}

// over is a context that has ended, but tells so only those who ask.
type over struct {
	context.Context
	ended bool
}

func (o *over) Err() error {
	if o.ended {
		return context.Canceled
	}
	return nil
}

// ending is a store that ends the context of the caller in its last draw.
type ending struct {
	*sequence.Memory
	ctx  *over
	errs []error // of the draws
}

func (e *ending) Take(_ context.Context, key string, n int64) (sequence.Block, error) {
	err := e.errs[0]
	e.errs = e.errs[1:]
	e.ctx.ended = len(e.errs) == 0
	if err != nil {
		return sequence.Block{}, err
	}
	return e.Memory.Take(context.Background(), key, n)
}

// TestAnswerThatComesWhenTheContextEndsIsTheCallers has the context end during the last
// draw.
func TestAnswerThatComesWhenTheContextEndsIsTheCallers(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		errs    []error
		ordinal int64
		want    []error
	}{
		{[]error{nil}, 1, nil},
		{[]error{sequence.ErrTransient, nil}, 1, nil},
		{[]error{broken}, 0, []error{broken}},
		{[]error{sequence.ErrTransient, broken}, 0, []error{sequence.ErrTransient, context.Canceled}},
	} {
		store := &ending{sequence.NewMemory(), &over{Context: context.Background()}, tt.errs}
		create(t, store.Memory, "k", plan(9))
		b, err := sequence.New(store, "k").Take(store.ctx, 1)
		if (err == nil) != (tt.want == nil) || err == nil && b.At(0).Ordinal != tt.ordinal {
			t.Errorf("after the errors %v: Take(1) = %v, %v", tt.errs, b, err)
		}
		for _, want := range tt.want {
			if !errors.Is(err, want) {
				t.Errorf("after the errors %v: Take(1) = %v, want %v", tt.errs, err, want)
			}
		}
	}
}

func TestClockMayBeAheadByTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for lead, want := range map[time.Duration]error{10 * time.Second: nil, 10*time.Second + 1: sequence.ErrClockLead} {
			m := stampStore(t)
			clock := sequence.WithClock(func() time.Time { return time.Now().Add(lead) })
			_, stampErr := sequence.NewStamper(m, "k", clock).Next(t.Context())
			_, numberErr := sequence.NewNumbering(m, "n", "{0}", clock).Next(t.Context())
			if !errors.Is(stampErr, want) || !errors.Is(numberErr, want) {
				t.Errorf("a clock that is ahead by %v: %v, %v, want %v", lead, stampErr, numberErr, want)
			}
		}
	})
}

func TestStampsOfAnotherWidthOrTickAreAConflict(t *testing.T) {
	for _, width := range []int64{1, 2} {
		m := stampStore(t)
		d := sequence.StampDraw{N: 1, Width: width, Tick: time.Second, Now: time.Now(), MaxLead: time.Hour}
		if _, err := m.TakeStamps(t.Context(), "k", d); err != nil {
			t.Fatal(err)
		}
		wider, finer := d, d
		wider.Width++
		finer.Tick = time.Millisecond
		for _, other := range []sequence.StampDraw{wider, finer} {
			if _, err := m.TakeStamps(t.Context(), "k", other); !errors.Is(err, sequence.ErrConflict) {
				t.Errorf("TakeStamps(%+v) after %+v: %v", other, d, err)
			}
		}
	}
}

func TestPlanThatStartsOverHasAllItsNumbers(t *testing.T) {
	m := sequence.NewMemory()
	p := sequence.Plan{First: 1, Last: 9}
	create(t, m, "k", p)
	for range 3 {
		if b, err := m.Take(t.Context(), "k", 9); err != nil || b.At(8).Serial != 9 {
			t.Errorf("Take(9) = %v, %v", b, err)
		}
		if err := m.Resize(t.Context(), "k", p); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStampOfAnImpossibleWidthOrTickIsZero(t *testing.T) {
	for _, tt := range []struct {
		width int64
		tick  time.Duration
		want  sequence.Stamp
	}{
		{10, time.Second, sequence.Stamp{Tick: time.Unix(1, 0).UTC(), Serial: 2}},
		{1, time.Microsecond, sequence.Stamp{Tick: time.UnixMicro(12).UTC()}},
		{0, time.Second, sequence.Stamp{}}, {-1, time.Second, sequence.Stamp{}},
		{10, 0, sequence.Stamp{}}, {10, -time.Second, sequence.Stamp{}}, {10, 3 * time.Second, sequence.Stamp{}}, {10, time.Nanosecond, sequence.Stamp{}},
	} {
		if got := sequence.StampAt(12, tt.width, tt.tick); got != tt.want {
			t.Errorf("StampAt(12, %d, %v) = %+v, want %+v", tt.width, tt.tick, got, tt.want)
		}
	}
}

// senseless is a store whose stamps end before they begin.
type senseless struct{ *sequence.Memory }

func (senseless) TakeStamps(context.Context, string, sequence.StampDraw) (sequence.Stamps, error) {
	return sequence.Stamps{Last: -1, Lead: time.Hour}, nil
}

func TestTripThatFailedHasNoLead(t *testing.T) {
	var trips []sequence.Trip
	s := sequence.NewStamper(senseless{stampStore(t)}, "k", sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))
	if st, err := s.Next(t.Context()); err == nil || len(trips) != 1 || trips[0].Err == nil || trips[0].Lead != 0 || trips[0].Numbers != 0 {
		t.Errorf("Next() = %v, %v, and the observer was told of %+v", st, err, trips)
	}
}

func TestStampsDuringADrawShareTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow(t, plan(9))
		s := sequence.NewStamper(store, "k")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if st, err := s.Next(t.Context()); err != nil {
					t.Errorf("Next() = %v, %v", st, err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		wantDraws(t, store, 1, 3)
	})
}
