package sequence_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

func TestPlanWithoutCycleEnds(t *testing.T) {
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 8, Last: 10})
	s := sequence.New(m, "k")
	for serial := int64(8); serial <= 10; serial++ {
		if n, err := s.Next(t.Context()); err != nil || n != (sequence.Number{Serial: serial, Ordinal: serial - 7}) {
			t.Errorf("%+v, %v", n, err)
		}
	}
	if n, err := s.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("%+v, %v", n, err)
	}
	if err := m.Resize(t.Context(), "k", sequence.Plan{First: 8, Last: 11}, sequence.GoOn); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Next(t.Context()); err != nil || n != (sequence.Number{Serial: 11, Ordinal: 4}) {
		t.Errorf("after the resize: %+v, %v", n, err)
	}
}

// TestSerialNeverComesTwiceInACycleWhenResizesGoOn resizes at random, and compares
// with a counter that goes on by itself.
func TestSerialNeverComesTwiceInACycleWhenResizesGoOn(t *testing.T) {
	ctx := t.Context()
	m := sequence.NewMemory()
	p := sequence.Plan{First: 3, Last: 12, Cycle: true}
	create(t, m, "k", p)
	type place struct{ serial, cycle int64 }
	seen := map[place]bool{}
	last := int64(2)
	refused := 0
	for range 20000 {
		if rand.IntN(5) == 0 {
			next := p
			next.Last = next.First + rand.Int64N(20)
			err := m.Resize(ctx, "k", next, sequence.GoOn)
			switch {
			case next.Last < last:
				if refused++; !errors.Is(err, sequence.ErrConflict) {
					t.Fatalf("plan %v after serial %d: %v", next, last, err)
				}
			case err != nil:
				t.Fatalf("plan %v after serial %d: %v", next, last, err)
			default:
				p = next
			}
		}
		b, err := m.Take(ctx, "k", 1)
		if err != nil {
			t.Fatal(err)
		}
		n := b.At(0)
		want := last + 1
		if want > p.Last {
			want = p.First
		}
		if n.Serial != want {
			t.Fatalf("serial %d after %d in plan %v", n.Serial, last, p)
		}
		if at := (place{n.Serial, n.Cycle}); seen[at] {
			t.Fatalf("serial %d came twice in cycle %d", n.Serial, n.Cycle)
		} else {
			seen[at] = true
		}
		last = n.Serial
	}
	if refused == 0 {
		t.Error("no resize was refused")
	}
}

func TestStateNextIsWhatTheNextDrawGets(t *testing.T) {
	ctx := t.Context()
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 7})
	for range 2000 {
		if rand.IntN(4) == 0 {
			p := sequence.Plan{First: rand.Int64N(3), Last: 5 + rand.Int64N(5), Cycle: rand.IntN(2) == 0}
			if err := m.Resize(ctx, "k", p); err != nil {
				t.Fatal(err)
			}
		}
		s, err := m.State(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := s.Next()
		b, err := m.Take(ctx, "k", 1)
		if (err == nil) != (wantErr == nil) || (err == nil) != (s.Left() > 0) {
			t.Fatalf("state %+v: %v, want %v", s, err, wantErr)
		}
		if err == nil && b.At(0) != want {
			t.Fatalf("state %+v: %v, want %v", s, b.At(0), want)
		}
	}
}

func TestAdvanceNeverGoesBack(t *testing.T) {
	ctx := t.Context()
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 5000})
	for _, tt := range []struct{ to, next int64 }{{4711, 4712}, {100, 4713}, {0, 4714}, {4999, 5000}} {
		if err := m.Advance(ctx, "k", tt.to); err != nil {
			t.Fatal(err)
		}
		if b, err := m.Take(ctx, "k", 1); err != nil || b.At(0).Serial != tt.next {
			t.Errorf("after Advance(%d): %v, %v, want %d", tt.to, b, err, tt.next)
		}
	}
	if err := m.Advance(ctx, "k", 5000); err != nil {
		t.Errorf("to the end: %v", err)
	}
	if err := m.Advance(ctx, "k", 5001); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("beyond the plan: %v", err)
	}
	if err := m.Advance(ctx, "k", -1); err == nil {
		t.Error("to a negative ordinal")
	}
}

func TestCreateAcceptsThePlanBeforeTheLastResize(t *testing.T) {
	ctx := t.Context()
	m := sequence.NewMemory()
	before, after := sequence.Plan{First: 1, Last: 99}, sequence.Plan{First: 1, Last: 999}
	create(t, m, "k", before)
	for range 2 { // each program of the new version resizes when it starts
		if err := m.Resize(ctx, "k", after, sequence.GoOn); err != nil {
			t.Fatal(err)
		}
	}
	create(t, m, "k", before)
	create(t, m, "k", after)
	for _, p := range []sequence.Plan{{First: 1, Last: 98}, {First: 1, Last: 99, Cycle: true}, {Cycle: true}} {
		if err := m.Create(ctx, "k", p); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("plan %v: %v", p, err)
		}
	}
}
