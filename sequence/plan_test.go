package sequence_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

func mustBlock(t *testing.T, p sequence.Plan, base, last, n int64) sequence.Block {
	t.Helper()
	b, err := sequence.NewBlock(p, base, last, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSerialsGoRoundInThePlan compares the arithmetic with a counter that really
// goes round.
func TestSerialsGoRoundInThePlan(t *testing.T) {
	for _, p := range []sequence.Plan{{1, 99, true}, {0, 99, true}, {1, 1, true}, {0, 0, true}, {-3, 4, true}, {1, 2000, true}} {
		for _, base := range []int64{0, 7} {
			want := sequence.Number{Serial: p.First, Cycle: base, Ordinal: base + 1}
			for n := range mustBlock(t, p, base, base+5000, 5000).All() {
				if n != want {
					t.Fatalf("plan %v after %d: got %+v, want %+v", p, base, n, want)
				}
				want.Ordinal++
				if want.Serial++; want.Serial > p.Last {
					want.Serial = p.First
					want.Cycle++
				}
			}
		}
	}
}

func TestAllOfABlockCanBeLeftEarly(t *testing.T) {
	for n := range mustBlock(t, sequence.Plan{First: 1, Last: 9}, 0, 5, 5).All() {
		if n.Serial != 1 {
			t.Errorf("the first is %v", n)
		}
		break
	}
}

func TestArithmeticHoldsUpToTheLastNumber(t *testing.T) {
	needs64Bits(t)
	const top = math.MaxInt64
	for _, tt := range []struct {
		plan sequence.Plan
		base int64
		want sequence.Number
	}{
		{sequence.Plan{First: 1, Last: top}, 0, sequence.Number{Serial: top, Cycle: 0, Ordinal: top}},
		{sequence.Plan{First: math.MinInt64, Last: -2}, 0, sequence.Number{Serial: -2, Cycle: 0, Ordinal: top}},
		{sequence.Plan{First: 1, Last: 1, Cycle: true}, 0, sequence.Number{Serial: 1, Cycle: top - 1, Ordinal: top}},
		{sequence.Plan{First: 5, Last: 5}, top - 1, sequence.Number{Serial: 5, Cycle: top - 1, Ordinal: top}},
		{sequence.Plan{First: 0, Last: 9}, top - 10, sequence.Number{Serial: 9, Cycle: top - 10, Ordinal: top}},
	} {
		b := mustBlock(t, tt.plan, tt.base, top, 1)
		if got := b.At(0); got != tt.want {
			t.Errorf("plan %v after %d: got %+v, want %+v", tt.plan, tt.base, got, tt.want)
		}
	}
	b := mustBlock(t, sequence.Plan{First: 1, Last: top}, 0, top, top)
	if got := b.At(0).Ordinal; got != 1 {
		t.Errorf("first of all numbers: %d", got)
	}
	if wraps := slices.Collect(b.Wraps()); wraps != nil {
		t.Errorf("wraps in one cycle of all numbers: %v", wraps)
	}
	for _, size := range []int64{1 << 62, 1 << 61} {
		b := mustBlock(t, sequence.Plan{First: 1, Last: size, Cycle: true}, 0, top, top)
		var got, want []int64
		for n := range b.Wraps() {
			got = append(got, n.Ordinal)
		}
		for i := range top / size {
			want = append(want, (i+1)*size+1)
		}
		if !slices.Equal(got, want) {
			t.Errorf("wraps of cycles of %d: %v, want %v", size, got, want)
		}
	}
}

func TestWrapsAreTheFirstNumbersOfLaterCycles(t *testing.T) {
	for range 2000 {
		p := sequence.Plan{First: rand.Int64N(3), Last: 2 + rand.Int64N(9), Cycle: true}
		base := rand.Int64N(5)
		n := 1 + rand.Int64N(30)
		b := mustBlock(t, p, base, base+n+rand.Int64N(30), n)
		var want []sequence.Number
		for n := range b.All() {
			if n.Serial == p.First && n.Ordinal > base+1 {
				want = append(want, n)
			}
		}
		if got := slices.Collect(b.Wraps()); !slices.Equal(got, want) {
			t.Fatalf("plan %v, base %d, %d numbers from %+v: wraps %v, want %v", p, base, n, b.At(0), got, want)
		}
	}
	for range (sequence.Block{}).Wraps() {
		t.Error("an empty block wraps")
	}
}

func TestSerialNeverComesTwiceInACycleAcrossResizes(t *testing.T) {
	ctx := context.Background()
	m := sequence.NewMemory()
	p := sequence.Plan{First: 1, Last: 10, Cycle: true}
	if err := m.Create(ctx, "k", p); err != nil {
		t.Fatal(err)
	}
	type place struct{ serial, cycle int64 }
	seen := map[place]bool{}
	var last sequence.Number
	for i := range 20000 {
		if rand.IntN(10) == 0 {
			p.First = rand.Int64N(3)
			p.Last = p.First + rand.Int64N(20)
			if err := m.Resize(ctx, "k", p); err != nil {
				t.Fatal(err)
			}
		}
		b, err := m.Take(ctx, "k", 1)
		if err != nil {
			t.Fatal(err)
		}
		n := b.At(0)
		if n.Serial < p.First || n.Serial > p.Last {
			t.Fatalf("serial %d outside %v", n.Serial, p)
		}
		if n.Ordinal != int64(i)+1 {
			t.Fatalf("ordinal %d of draw %d", n.Ordinal, i+1)
		}
		if n.Cycle < last.Cycle {
			t.Fatalf("cycle went back from %d to %d", last.Cycle, n.Cycle)
		}
		at := place{n.Serial, n.Cycle}
		if seen[at] {
			t.Fatalf("serial %d came twice in cycle %d", n.Serial, n.Cycle)
		}
		seen[at], last = true, n
	}
}

func TestNewBlockRefusesImpossibleBlocks(t *testing.T) {
	ok := sequence.Plan{First: 1, Last: 9}
	for _, tt := range []struct {
		plan          sequence.Plan
		base, last, n int64
		want          string
	}{
		{sequence.Plan{First: 2, Last: 1}, 0, 1, 1, "plan 2..1 ends before it begins"},
		{sequence.Plan{First: 2, Last: 1, Cycle: true}, 0, 1, 1, "plan 2..1 cycling ends before it begins"},
		{sequence.Plan{}, 0, 1, 1, "the plan is empty: set Last, as in Plan{First: 1, Last: 99}"},
		{sequence.Plan{First: 0, Last: math.MaxInt64}, 0, 1, 1, "plan 0..9223372036854775807 has more than 2^63-1 serials"},
		{sequence.Plan{First: math.MinInt64, Last: math.MaxInt64}, 0, 1, 1, "plan -9223372036854775808..9223372036854775807 has more than 2^63-1 serials"},
		{ok, 0, 1, 0, "invalid block of 0 numbers"},
		{ok, 0, 1, -1, "invalid block of -1 numbers"},
		{ok, -1, 1, 1, "plan 1..9 in effect after the number -1"},
		{ok, 0, 1, 2, "2 numbers up to 1, with a plan in effect only after 0"},
		{ok, 5, 5, 1, "1 numbers up to 5, with a plan in effect only after 5"},
		{ok, 5, 15, 1, "count exhausted: 10 numbers of plan 1..9"},
		{ok, 0, math.MinInt64, 1, "1 numbers up to -9223372036854775808, with a plan in effect only after 0"},
		{ok, 0, math.MinInt64 + 1, 1, "1 numbers up to -9223372036854775807, with a plan in effect only after 0"},
	} {
		b, err := sequence.NewBlock(tt.plan, tt.base, tt.last, tt.n)
		if err == nil || err.Error() != tt.want || b.Len() != 0 {
			t.Errorf("NewBlock(%v, %d, %d, %d): %v, want %s", tt.plan, tt.base, tt.last, tt.n, err, tt.want)
		}
	}
}

func TestBlockAtPanicsOutsideTheBlock(t *testing.T) {
	for _, i := range []int{-1, 3} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("At(%d) of 3 numbers didn't panic", i)
				}
			}()
			mustBlock(t, sequence.Plan{First: 1, Last: 9}, 0, 3, 3).At(i)
		}()
	}
}

// needs64Bits skips a test that asks for more numbers at once than an int of 32 bits
// counts. Such a draw is refused there.
func needs64Bits(t *testing.T) {
	t.Helper()
	if strconv.IntSize == 32 {
		t.Skip("a draw has at most 2^31-1 numbers where an int has 32 bits")
	}
}
