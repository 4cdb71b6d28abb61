package sequence_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func create(t *testing.T, s sequence.Store, key string, p sequence.Plan) {
	t.Helper()
	if err := s.Create(context.Background(), key, p); err != nil {
		t.Fatal(err)
	}
}

func TestZeroMemoryIsAStoreWithoutKeys(t *testing.T) {
	var m sequence.Memory
	if _, err := m.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("%v", err)
	}
	create(t, &m, "k", sequence.Plan{First: 1, Last: 9})
	if b, err := m.Take(t.Context(), "k", 1); err != nil || b.At(0).Serial != 1 {
		t.Errorf("%v, %v", b, err)
	}
}

func TestCreateNeverResets(t *testing.T) {
	ctx := context.Background()
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 99})
	if _, err := m.Take(ctx, "k", 7); err != nil {
		t.Fatal(err)
	}
	create(t, m, "k", sequence.Plan{First: 1, Last: 99})
	err := m.Create(ctx, "k", sequence.Plan{First: 0, Last: 99})
	if !errors.Is(err, sequence.ErrConflict) {
		t.Fatalf("another plan: %v", err)
	}
	if want := `sequence.Memory.Create("k", 0..99): key exists with another plan: 1..99: call Resize to change it`; err.Error() != want {
		t.Errorf("got %s, want %s", err, want)
	}
	b, err := m.Take(ctx, "k", 1)
	if err != nil || b.At(0) != (sequence.Number{Serial: 8, Ordinal: 8}) {
		t.Fatalf("after Create: %+v, %v", b.At(0), err)
	}
}

func TestMissingKeyIsNotFound(t *testing.T) {
	ctx := context.Background()
	m := sequence.NewMemory()
	_, takeErr := m.Take(ctx, "k", 1)
	_, stampErr := m.TakeStamps(ctx, "k", sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond})
	_, nextErr := sequence.New(m, "k").Next(ctx)
	_, stamperErr := sequence.NewStamper(m, "k").Next(ctx)
	for _, err := range []error{takeErr, stampErr, nextErr, stamperErr, m.Resize(ctx, "k", sequence.Plan{First: 1, Last: 2})} {
		if !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("%v", err)
		}
	}
	if want := `sequence.Sequence.Next("k"): sequence.Memory.Take("k", 1): key not found: call Create once`; nextErr.Error() != want {
		t.Errorf("got %s, want %s", nextErr, want)
	}
}

func TestExhaustedCountNeverOverflows(t *testing.T) {
	needs64Bits(t)
	ctx := context.Background()
	m := sequence.NewMemory()
	create(t, m, "k", plan(99))
	if _, err := m.Take(ctx, "k", math.MaxInt64-5); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{6, math.MaxInt64} {
		if _, err := m.Take(ctx, "k", n); !errors.Is(err, sequence.ErrExhausted) {
			t.Fatalf("Take(%d) with 5 left: %v", n, err)
		}
	}
	b, err := m.Take(ctx, "k", 5)
	if err != nil || b.At(4).Ordinal != math.MaxInt64 {
		t.Fatalf("the last 5: %v, %v", b, err)
	}
	if _, err := m.Take(ctx, "k", 1); !errors.Is(err, sequence.ErrExhausted) {
		t.Fatalf("with 0 left: %v", err)
	}
	if _, err := sequence.New(m, "k").Next(ctx); !errors.Is(err, sequence.ErrExhausted) {
		t.Fatalf("with 0 left: %v", err)
	}
}

func TestBadInputChangesNothing(t *testing.T) {
	ctx := context.Background()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	m := sequence.NewMemory()
	create(t, m, "k", sequence.Plan{First: 1, Last: 99})
	s := sequence.New(m, "k")
	fails := func(want string, _ any, err error) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	b, err := m.Take(ctx, "k", 0)
	fails(`sequence.Memory.Take("k", 0): fewer than 1 number asked for`, b, err)
	b, err = s.Take(ctx, -1)
	fails(`sequence.Sequence.Take("k", -1): fewer than 1 number asked for`, b, err)
	b, err = s.Take(ended, 1)
	fails(`sequence.Sequence.Take("k", 1): context canceled`, b, err)
	n, err := s.Next(ended)
	fails(`sequence.Sequence.Next("k"): context canceled`, n, err)
	b, err = m.Take(ended, "k", 1)
	fails(`sequence.Memory.Take("k", 1): context canceled`, b, err)
	fails(`sequence.Memory.Create("l", 2..1): plan 2..1 ends before it begins`, nil, m.Create(ctx, "l", sequence.Plan{First: 2, Last: 1}))
	fails(`sequence.Memory.Resize("k", 2..1): plan 2..1 ends before it begins`, nil, m.Resize(ctx, "k", sequence.Plan{First: 2, Last: 1}))
	fails(`sequence.Memory.Resize("k", 1..2): context canceled`, nil, m.Resize(ended, "k", sequence.Plan{First: 1, Last: 2}))
	all, err := m.List(ended)
	fails(`sequence.Memory.List(): context canceled`, all, err)
	before, err := m.State(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	fails(`sequence.Memory.Advance("k", 100): count exhausted: plan 1..99 has numbers up to 99`, nil, m.Advance(ctx, "k", 100))
	fails(`sequence.Memory.Advance("k", -1): negative ordinal -1`, nil, m.Advance(ctx, "k", -1))
	fails(`sequence.Memory.Resize("k", 2..9): key exists with another plan: 1..99, whose last serial is 0`, nil,
		m.Resize(ctx, "k", sequence.Plan{First: 2, Last: 9}, sequence.GoOn))
	fails(`sequence.Memory.Resize("k", 1..9): unknown option 9`, nil, m.Resize(ctx, "k", sequence.Plan{First: 1, Last: 9}, 9))
	if after, err := m.State(ctx, "k"); after != before || err != nil {
		t.Errorf("the state is %+v, %v after errors, and was %+v", after, err, before)
	}
	if b, err := s.Take(ctx, 1); err != nil || b.At(0) != (sequence.Number{Serial: 1, Ordinal: 1}) {
		t.Errorf("after all that: %v, %v", b, err)
	}
}

// TestTwentyCallersDrawEachSerialOnce is the first test of the original counter. 20
// callers draw 100 numbers each.
func TestTwentyCallersDrawEachSerialOnce(t *testing.T) { twentyCallers(t, 2000) }

// TestTwentyCallersDrawEachSerialOfACycleTwentyTimes is the second.
func TestTwentyCallersDrawEachSerialOfACycleTwentyTimes(t *testing.T) { twentyCallers(t, 100) }

func twentyCallers(t *testing.T, last int64) {
	ctx := context.Background()
	for name, opts := range map[string][]sequence.Option{
		"coalesced": nil,
		"lease":     {sequence.WithLease(10, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			m := sequence.NewMemory()
			create(t, m, "k", plan(last))
			s := sequence.New(m, "k", opts...)
			serials := make([]int, last+1)
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					for range 100 {
						n, err := s.Next(ctx)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						serials[n.Serial]++
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			for serial, times := range serials {
				if want := 2000 / int(last); serial > 0 && times != want {
					t.Errorf("serial %d came %d times, want %d", serial, times, want)
				}
			}
		})
	}
}
