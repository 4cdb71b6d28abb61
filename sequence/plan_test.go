package sequence_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

// TestSerialsGoRoundInThePlan compares the arithmetic with a counter that really
// goes round.
func TestSerialsGoRoundInThePlan(t *testing.T) {
	for _, p := range []sequence.Plan{{1, 99, true}, {0, 99, true}, {1, 1, true}, {0, 0, true}, {-3, 4, true}, {1, 2000, true}} {
		for _, base := range []int64{0, 7} {
			want := sequence.Number{Serial: p.First, Cycle: base, Ordinal: base + 1}
			for n := range sequence.NewBlock(p, base, base+5000, 5000).All() {
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
	for n := range sequence.NewBlock(sequence.Plan{First: 1, Last: 9}, 0, 5, 5).All() {
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
		b := sequence.NewBlock(tt.plan, tt.base, top, 1)
		if got := b.At(0); got != tt.want {
			t.Errorf("plan %v after %d: got %+v, want %+v", tt.plan, tt.base, got, tt.want)
		}
	}
	b := sequence.NewBlock(sequence.Plan{First: 1, Last: top}, 0, top, top)
	if got := b.At(0).Ordinal; got != 1 {
		t.Errorf("first of all numbers: %d", got)
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
			sequence.NewBlock(sequence.Plan{First: 1, Last: 9}, 0, 3, 3).At(i)
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
