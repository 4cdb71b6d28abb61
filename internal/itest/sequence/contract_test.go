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
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// These tests show the contract of package sequence on every store.

func take(t *testing.T, s sequence.Store, n int64) []sequence.Number {
	t.Helper()
	b, err := s.Take(t.Context(), "k", n)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(b.All())
}

func TestCreateNeverResets(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, -1, 3)
		want := []sequence.Number{{Serial: -1, Ordinal: 1}, {Serial: 0, Ordinal: 2}, {Serial: 1, Ordinal: 3},
			{Serial: 2, Ordinal: 4}, {Serial: 3, Ordinal: 5}, {Serial: -1, Cycle: 1, Ordinal: 6}}
		if got := take(t, s, 6); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		create(t, s, -1, 3)
		if err := s.Create(t.Context(), "k", sequence.Plan{First: 0, Last: 3}); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("another plan: %v", err)
		}
		if got := take(t, s, 1)[0]; got != (sequence.Number{Serial: 0, Cycle: 1, Ordinal: 7}) {
			t.Errorf("after Create: %v", got)
		}
	})
}

func TestMissingKeyIsNotFound(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		if err := s.Create(t.Context(), "other", sequence.Plan{First: 1, Last: 9}); err != nil {
			t.Fatal(err)
		}
		_, takeErr := s.Take(t.Context(), "k", 1)
		_, stampErr := sequence.NewStamper(s, "k").Next(t.Context())
		for _, err := range []error{takeErr, stampErr, s.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 2})} {
			if !errors.Is(err, sequence.ErrNotFound) {
				t.Errorf("%v", err)
			}
		}
	})
}

// TestEveryKeyHasItsOwnCount draws from keys that a careless statement would mix up, or run.
func TestEveryKeyHasItsOwnCount(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		keys := []string{"k", "K", "k ", " k", "ключ", `k'`, `k\`, `k\'; DROP TABLE sequences; --`, "k\"`", "?", "$1", ":k", "%s", "{table}",
			"k\n", "null", "0", "\u00e9", "e\u0301", strings.Repeat("k", sequence.MaxKey)}
		for i, key := range keys {
			if err := s.Create(t.Context(), key, sequence.Plan{First: int64(i), Last: 99}); err != nil {
				t.Fatal(err)
			}
		}
		for i, key := range keys {
			b, err := s.Take(t.Context(), key, 1)
			if err != nil || b.At(0).Serial != int64(i) {
				t.Errorf("Take(%q) = %v, %v", key, b, err)
			}
			if _, err := sequence.NewStamper(s, key).Next(t.Context()); err != nil {
				t.Errorf("the stamper of %q: %v", key, err)
			}
			if len(key) > 200 || strings.Contains(key, "/") {
				continue
			}
			if text, err := sequence.NewNumbering(s, "n"+key, "{0}").Next(t.Context()); err != nil || text != "1" {
				t.Errorf("the numbering n%q: %q, %v", key, text, err)
			}
		}
	})
}

func TestBadInputChangesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 9)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, n := range []int64{0, -1, math.MinInt64} {
			if _, err := s.Take(t.Context(), "k", n); err == nil {
				t.Errorf("Take(%d)", n)
			}
			if _, err := s.TakeStamps(t.Context(), "k", sequence.StampDraw{N: n, Width: 100, Tick: time.Microsecond}); err == nil {
				t.Errorf("TakeStamps(%d)", n)
			}
		}
		if _, err := s.Take(ended, "k", 1); !errors.Is(err, context.Canceled) {
			t.Errorf("Take in an ended context: %v", err)
		}
		for _, plan := range []sequence.Plan{{}, {First: 2, Last: 1}, {First: 0, Last: math.MaxInt64}} {
			if s.Create(t.Context(), "l", plan) == nil || s.Resize(t.Context(), "k", plan) == nil {
				t.Errorf("plan %v", plan)
			}
		}
		if got := take(t, s, 1)[0]; got != (sequence.Number{Serial: 1, Ordinal: 1}) {
			t.Errorf("after all that: %v", got)
		}
	})
}

func TestCountNear2To63IsExhausted(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 99)
		near := map[string]any{"count": int64(math.MaxInt64 - 5)}
		if p.kind == "mongo" {
			near["left"] = int64(5)
		}
		p.set(t, near)
		for _, n := range []int64{6, 1 << 40, math.MaxInt64} {
			if _, err := s.Take(t.Context(), "k", n); !errors.Is(err, sequence.ErrExhausted) {
				t.Errorf("Take(%d) with 5 left: %v", n, err)
			}
		}
		if got := take(t, s, 5); got[4].Ordinal != math.MaxInt64 {
			t.Errorf("the last 5: %v", got)
		}
		if _, err := sequence.New(s, "k").Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("with none left: %v", err)
		}
		if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
			t.Errorf("its stamps: %v", err)
		}
		p.set(t, map[string]any{"stamp": int64(math.MaxInt64 - 1)})
		if _, err := s.TakeStamps(t.Context(), "k", sequence.StampDraw{N: 2, Width: 100, Tick: time.Microsecond, Now: time.Now(), MaxLead: time.Hour}); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("its stamps, with 1 left: %v", err)
		}
	})
}

func TestStampersOfAKeyMustAgree(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 0, 99)
		if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, o := range []sequence.Option{sequence.WithWidth(1000), sequence.WithLayout("20060102150405000")} {
			if _, err := sequence.NewStamper(s, "k", o).Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
				t.Errorf("%v", err)
			}
		}
		if got := take(t, s, 1)[0].Ordinal; got != 1 {
			t.Errorf("stamps moved the count to %d", got)
		}
	})
}

// TestCreateRace has 20 callers create one key with two plans.
func TestCreateRace(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		plans := []sequence.Plan{{First: 1, Last: 99}, {First: 0, Last: 99}}
		for round := range 10 {
			key := fmt.Sprint(round)
			var errs [20]error
			var ordinals [20]int64
			var wg sync.WaitGroup
			for i := range errs {
				wg.Go(func() {
					errs[i] = s.Create(t.Context(), key, plans[i%2])
					b, err := s.Take(t.Context(), key, 1)
					if err != nil {
						t.Error(err)
						return
					}
					ordinals[i] = b.At(0).Ordinal
				})
			}
			wg.Wait()
			for i, err := range errs {
				if (err == nil) != (errs[i%2] == nil) || err != nil && !errors.Is(err, sequence.ErrConflict) {
					t.Errorf("plan %v: %v, and then %v", plans[i%2], errs[i%2], err)
				}
			}
			if (errs[0] == nil) == (errs[1] == nil) {
				t.Errorf("errors %v, %v: not one plan won", errs[0], errs[1])
			}
			slices.Sort(ordinals[:])
			for i, o := range ordinals {
				if o != int64(i)+1 {
					t.Fatalf("numbers %v: reset", ordinals)
				}
			}
		}
	})
}

// TestResizeWhileOthersDraw checks every number against the plans that there were,
// and that none is lost.
func TestResizeWhileOthersDraw(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 2000)
		// No two of these plans share a serial, so that a serial tells its plan.
		plans := []sequence.Plan{{First: 1, Last: 2000, Cycle: true}, {First: 10001, Last: 10010, Cycle: true}, {First: 20000, Last: 20499, Cycle: true},
			{First: 30001, Last: 30001, Cycle: true}, {First: -99, Last: -1, Cycle: true}, {First: 40000, Last: 40006, Cycle: true}}
		var mu sync.Mutex
		var numbers []sequence.Number
		drawn := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(numbers)
		}
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
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						numbers = append(numbers, n)
						mu.Unlock()
					}
				})
			}
		}
		for _, plan := range plans[1:] {
			for target := drawn() + 200; drawn() < target && !t.Failed(); {
				time.Sleep(100 * time.Microsecond)
			}
			if err := s.Resize(t.Context(), "k", plan); err != nil {
				t.Error(err)
			}
		}
		for target := drawn() + 200; drawn() < target && !t.Failed(); {
			time.Sleep(100 * time.Microsecond)
		}
		close(stop)
		wg.Wait()

		slices.SortFunc(numbers, func(a, b sequence.Number) int { return int(a.Ordinal - b.Ordinal) })
		at, used := 0, map[int]bool{0: true}
		var last sequence.Number
		for i, n := range numbers {
			if n.Ordinal != int64(i)+1 {
				t.Fatalf("number %d is %+v: a gap or a repeat", i+1, n)
			}
			for at < len(plans) && (n.Serial < plans[at].First || n.Serial > plans[at].Last) {
				at++
			}
			if at == len(plans) {
				t.Fatalf("%+v is in no plan from there on", n)
			}
			want := last.Serial + 1
			if !used[at] || i == 0 || want > plans[at].Last {
				want = plans[at].First
			}
			if n.Serial != want || n.Cycle < last.Cycle || n.Serial == plans[at].First && i > 0 && n.Cycle == last.Cycle {
				t.Fatalf("%+v after %+v in plan %v", n, last, plans[at])
			}
			used[at], last = true, n
		}
		if len(used) != len(plans) {
			t.Errorf("%d plans in use, not %d", len(used), len(plans))
		}
	})
}
