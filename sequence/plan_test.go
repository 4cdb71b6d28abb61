package sequence_test

import (
	"math"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

// TestSerialsGoRoundInThePlan compares the arithmetic with a counter that really
// goes round.
func TestSerialsGoRoundInThePlan(t *testing.T) {
	for _, p := range []sequence.Plan{{1, 99, true}, {0, 99, true}, {1, 1, true}, {0, 0, true}, {-3, 4, true}, {1, 2000, true}} {
		for _, base := range []int64{0, 7} {
			want := sequence.Number{Serial: p.First, Cycle: base, Ordinal: base + 1}
			for _, n := range sequence.NumbersOf(p, base, base+1, 5000) {
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

func TestArithmeticHoldsUpToTheLastNumber(t *testing.T) {
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
		if got := sequence.NumbersOf(tt.plan, tt.base, top, 1)[0]; got != tt.want {
			t.Errorf("plan %v after %d: got %+v, want %+v", tt.plan, tt.base, got, tt.want)
		}
	}
}
