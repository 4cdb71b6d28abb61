package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

func TestResizeGoesOnOrStartsOver(t *testing.T) {
	wide := func(first, last int64) sequence.Plan { return sequence.Plan{First: first, Last: last} }
	for _, tt := range []struct {
		from  sequence.Plan
		drawn int64
		to    sequence.Plan
		next  sequence.Number // the zero Number for ErrConflict
	}{
		{cycling(9), 5, cycling(99), sequence.Number{Serial: 6, Ordinal: 6}},
		{cycling(9), 9, cycling(99), sequence.Number{Serial: 10, Ordinal: 10}},
		{cycling(9), 14, cycling(99), sequence.Number{Serial: 6, Cycle: 9, Ordinal: 15}},
		{cycling(9), 5, cycling(5), sequence.Number{Serial: 1, Cycle: 1, Ordinal: 6}},
		{cycling(9), 5, cycling(3), sequence.Number{Serial: 1, Cycle: 5, Ordinal: 6}},
		{cycling(9), 5, sequence.Plan{First: 3, Last: 7, Cycle: true}, sequence.Number{Serial: 3, Cycle: 5, Ordinal: 6}},
		{cycling(9), 0, cycling(3), sequence.Number{Serial: 1, Ordinal: 1}},
		{wide(1, 9), 5, wide(1, 99), sequence.Number{Serial: 6, Ordinal: 6}},
		{wide(1, 9), 5, wide(1, 4), sequence.Number{}},
		{wide(1, 9), 5, wide(5, 99), sequence.Number{}},
		{wide(1, 9), 5, wide(6, 99), sequence.Number{Serial: 6, Cycle: 5, Ordinal: 6}},
		{wide(1, 9), 0, wide(-5, 3), sequence.Number{Serial: -5, Ordinal: 1}},
		{wide(1, 9), 5, cycling(3), sequence.Number{Serial: 1, Cycle: 5, Ordinal: 6}},
		{cycling(9), 5, wide(1, 99), sequence.Number{Serial: 6, Ordinal: 6}},
		{cycling(9), 9, wide(1, 99), sequence.Number{Serial: 10, Ordinal: 10}},
		{cycling(9), 12, wide(1, 99), sequence.Number{}}, // 4 to 9 were handed out too
		{cycling(9), 14, wide(9, 20), sequence.Number{}},
		{cycling(9), 14, wide(10, 20), sequence.Number{Serial: 10, Cycle: 14, Ordinal: 15}},
	} {
		m := new(sequence.Memory)
		old, next := sequence.New(m, "k", tt.from), sequence.New(m, "k", tt.to)
		if err := old.AdvanceToOrdinal(t.Context(), tt.drawn); err != nil {
			t.Fatal(err)
		}
		err := next.Resize(t.Context(), tt.from)
		if tt.next == (sequence.Number{}) {
			if !errors.Is(err, sequence.ErrConflict) {
				t.Errorf("%v after %d to %v: %v, want ErrConflict", tt.from, tt.drawn, tt.to, err)
			}
			if n, err := old.Next(t.Context()); err != nil || n.Ordinal != tt.drawn+1 {
				t.Errorf("%v after a Resize that was refused: %v, %v", tt.from, n, err)
			}
			continue
		}
		n, nextErr := next.Next(t.Context())
		if err != nil || nextErr != nil || n != tt.next {
			t.Errorf("%v after %d to %v: %v, then %+v, %v, want %+v", tt.from, tt.drawn, tt.to, err, n, nextErr, tt.next)
		}
		if err := next.Resize(t.Context(), tt.from); err != nil {
			t.Errorf("the second Resize: %v", err)
		}
		if n, err := old.Next(t.Context()); err != nil && !errors.Is(err, sequence.ErrExhausted) || err == nil && n.Ordinal != tt.drawn+2 {
			t.Errorf("the old program: %v, %v", n, err)
		}
	}
}

func TestResizeOfAnotherPlanIsAConflict(t *testing.T) {
	m := new(sequence.Memory)
	wantNext(t, sequence.New(m, "k", cycling(7)), sequence.Number{Serial: 1, Ordinal: 1})
	err := sequence.New(m, "k", cycling(9)).Resize(t.Context(), cycling(8))
	wantError(t, err, `sequence.Sequence.Resize("k", 1..8 cycling): conflict with the stored key: the meaning of the key is "1..7 cycling", and this program wants "1..9 cycling": call Resize to change the plan, or use another key`)
	if !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("%v is not ErrConflict", err)
	}
	if err := sequence.New(m, "k", cycling(9)).Resize(t.Context(), sequence.Plan{}); err == nil {
		t.Error("Resize from the empty plan is no error")
	}
	// A third plan is refused as soon as it is two resizes away.
	a, b, c := sequence.New(m, "k", cycling(7)), sequence.New(m, "k", cycling(8)), sequence.New(m, "k", cycling(9))
	if err := errors.Join(b.Resize(t.Context(), cycling(7)), c.Resize(t.Context(), cycling(8))); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("the program of two plans ago: %v", err)
	}
	if err := b.Resize(t.Context(), cycling(7)); err != nil {
		t.Errorf("the program of one plan ago starts again: %v", err)
	}
	if err := b.Resize(t.Context(), cycling(9)); err != nil { // a deployment that is taken back
		t.Errorf("back to the plan before: %v", err)
	}
	if st, err := b.State(t.Context()); err != nil || st.Plan != cycling(8) {
		t.Errorf("State() = %+v, %v", st, err)
	}
}

func TestResizeMakesAMissingKey(t *testing.T) {
	m := new(sequence.Memory)
	next := sequence.New(m, "k", cycling(9))
	if err := next.Resize(t.Context(), cycling(5)); err != nil {
		t.Fatal(err)
	}
	wantNext(t, next, sequence.Number{Serial: 1, Ordinal: 1})
	wantNext(t, sequence.New(m, "k", cycling(5)), sequence.Number{Serial: 2, Ordinal: 2})
	if err := sequence.New(m, "other", cycling(9), sequence.WithExisting()).Resize(t.Context(), cycling(5)); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("WithExisting: %v", err)
	}
}

// TestRollingDeployment starts old and new programs in random order, all at once, while
// they draw.
func TestRollingDeployment(t *testing.T) {
	for range 100 {
		m := new(sequence.Memory)
		from, to := cycling(1+rand.Int64N(20)), cycling(1+rand.Int64N(20))
		if from == to {
			continue
		}
		wantNext(t, sequence.New(m, "k", from), sequence.Number{Serial: 1, Ordinal: 1})
		seen := newSeen()
		var wg sync.WaitGroup
		for _, program := range rand.Perm(10) {
			wg.Go(func() {
				plan := from
				if program%2 == 1 {
					plan = to
				}
				s := sequence.New(m, "k", plan)
				if plan == to {
					if err := s.Resize(t.Context(), from); err != nil {
						t.Error(err)
					}
				}
				for range 20 {
					n, err := s.Next(t.Context())
					seen.add(t, n, err)
				}
			})
		}
		wg.Wait()
		st, err := sequence.New(m, "k", to).State(t.Context())
		if want := fmt.Sprintf("%v, was %v", to, from); err != nil || st.Meaning != want {
			t.Errorf("in the end the key is %q, %v, want %q", st.Meaning, err, want)
		}
	}
}

// seen are numbers that no one may get again.
type seen struct {
	mu       sync.Mutex
	numbers  map[[2]int64]bool
	ordinals map[int64]bool
}

func newSeen() *seen { return &seen{numbers: map[[2]int64]bool{}, ordinals: map[int64]bool{}} }

func (s *seen) add(t *testing.T, n sequence.Number, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number := [2]int64{n.Serial, n.Cycle}
	if s.numbers[number] || s.ordinals[n.Ordinal] {
		t.Errorf("%+v came twice", n)
	}
	s.numbers[number], s.ordinals[n.Ordinal] = true, true
}

// TestNoSerialComesTwiceInACycle resizes and draws 100,000 times. With OIDKIT_LONG it does so
// a million times.
func TestNoSerialComesTwiceInACycle(t *testing.T) {
	steps := 100_000
	if os.Getenv("OIDKIT_LONG") != "" {
		steps = 1_000_000
	}
	const history = 500
	for range steps / history {
		m := new(sequence.Memory)
		plan := randomPlan()
		s := sequence.New(m, "k", plan)
		seen := newSeen()
		for range history {
			if rand.IntN(4) > 0 {
				n, err := s.Next(context.Background())
				if errors.Is(err, sequence.ErrExhausted) {
					continue
				}
				seen.add(t, n, err)
				continue
			}
			to := randomPlan()
			next := sequence.New(m, "k", to)
			switch err := next.Resize(context.Background(), plan); {
			case err == nil:
				plan, s = to, next
			case !errors.Is(err, sequence.ErrConflict):
				t.Fatal(err)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func randomPlan() sequence.Plan {
	first := 1 + rand.Int64N(4)
	return sequence.Plan{First: first, Last: first + rand.Int64N(6), Cycle: rand.IntN(3) > 0}
}

// TestPlansWithoutCycleNeverRepeatASerial resizes among plans that don't cycle.
func TestPlansWithoutCycleNeverRepeatASerial(t *testing.T) {
	for range 500 {
		m := new(sequence.Memory)
		plan := sequence.Plan{First: 1, Last: 5}
		s := sequence.New(m, "k", plan)
		last := int64(-1)
		for range 50 {
			if rand.IntN(3) > 0 {
				if n, err := s.Next(t.Context()); err == nil && n.Serial <= last {
					t.Fatalf("serial %d after %d", n.Serial, last)
				} else if err == nil {
					last = n.Serial
				}
				continue
			}
			first := rand.Int64N(20)
			to := sequence.Plan{First: first, Last: first + rand.Int64N(20)}
			next := sequence.New(m, "k", to)
			if err := next.Resize(t.Context(), plan); err == nil {
				plan, s = to, next
			}
		}
	}
}

// TestNobodyKnowsWhatPlansBeforeACycleHandedOut resizes from 200..300 to 1..9 cycling, and
// to a plan that has 200 too.
func TestNobodyKnowsWhatPlansBeforeACycleHandedOut(t *testing.T) {
	m := new(sequence.Memory)
	first, second, third := sequence.Plan{First: 200, Last: 300}, cycling(9), sequence.Plan{First: 100, Last: 400}
	wantNext(t, sequence.New(m, "k", first), sequence.Number{Serial: 200, Ordinal: 1})
	if err := sequence.New(m, "k", second).Resize(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := sequence.New(m, "k", third).Resize(t.Context(), second); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("Resize to a plan that may repeat serials: %v, want ErrConflict", err)
	}
}

// TestProgramsSeeWhatOthersChanged has programs that were refused, or drew, before another
// program resized the key.
func TestProgramsSeeWhatOthersChanged(t *testing.T) {
	m := new(sequence.Memory)
	small, large := sequence.Plan{First: 1, Last: 99}, sequence.Plan{First: 1, Last: 999}
	old, early, web := sequence.New(m, "k", small), sequence.New(m, "k", small), sequence.New(m, "k", large)
	wantNext(t, old, sequence.Number{Serial: 1, Ordinal: 1})
	wantNext(t, early, sequence.Number{Serial: 2, Ordinal: 2})
	if _, err := web.Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("Next() before Resize: %v, want ErrConflict", err)
	}
	if err := sequence.New(m, "k", large).Resize(t.Context(), small); err != nil {
		t.Fatal(err)
	}
	wantNext(t, web, sequence.Number{Serial: 3, Ordinal: 3})
	if err := old.AdvanceTo(t.Context(), 500); err != nil {
		t.Error(err)
	}
	if err := early.AdvanceToOrdinal(t.Context(), 600); err != nil {
		t.Error(err)
	}
	wantNext(t, old, sequence.Number{Serial: 601, Ordinal: 601})
}

// TestStateInTheMiddleOfAResize is that of both programs. A resize is two steps.
func TestStateInTheMiddleOfAResize(t *testing.T) {
	m := new(sequence.Memory)
	small, large := sequence.Plan{First: 1, Last: 99}, sequence.Plan{First: 1, Last: 999}
	wantNext(t, sequence.New(m, "k", small), sequence.Number{Serial: 1, Ordinal: 1})
	beginResize(t, m, "1..99, becoming 1..999")
	for _, p := range []sequence.Plan{small, large} {
		if st, err := sequence.New(m, "k", p).State(t.Context()); err != nil || st.Plan != small {
			t.Errorf("State() with %v = %+v, %v, want %v", p, st, err, small)
		}
	}
}

// beginResize writes the meaning of a key that somebody has begun to resize.
func beginResize(t *testing.T, m *sequence.Memory, meaning string) {
	t.Helper()
	row, _, err := m.Driver().Read(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	was := row.Version
	row.Meaning, row.Version = meaning, was+1
	if ok, err := m.Driver().Put(t.Context(), row, was); !ok || err != nil {
		t.Fatal(ok, err)
	}
}

// TestImpossibleResizeHurtsOnlyItsProgram has a program that dies in the middle of a resize.
// A draw since then has made it impossible.
func TestImpossibleResizeHurtsOnlyItsProgram(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "k", sequence.Plan{First: 1, Last: 100})
	if _, err := s.Take(t.Context(), 6); err != nil {
		t.Fatal(err)
	}
	beginResize(t, m, "1..100, becoming 1..5")
	wantNext(t, s, sequence.Number{Serial: 7, Ordinal: 7})
	if st, err := s.State(t.Context()); err != nil || st.Meaning != "1..100" {
		t.Errorf("State() = %+v, %v, want 1..100", st, err)
	}
}
