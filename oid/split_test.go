package oid_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

type idRange struct{ from, to oid.ID }

// split collects the ranges of Split, at most 100,000 of them.
func split(lo, hi oid.ID, n int) (ranges []idRange) {
	for from, to := range oid.Split(lo, hi, n) {
		if ranges = append(ranges, idRange{from, to}); len(ranges) == 100_000 {
			break
		}
	}
	return ranges
}

func toInt(id oid.ID) *big.Int { return new(big.Int).SetBytes(id[:]) }

// checkSplit holds Split(lo, hi, n) against bounds computed with big numbers.
func checkSplit(t *testing.T, lo, hi oid.ID, n int) {
	t.Helper()
	var want []idRange
	width := new(big.Int).Sub(toInt(hi), toInt(lo))
	parts := int64(max(n, 1))
	from := lo
	for i := int64(1); i <= parts && len(want) < 100_000 && width.Sign() > 0; i++ {
		bound := new(big.Int).Mul(width, big.NewInt(i))
		bound.Add(bound.Div(bound, big.NewInt(parts)), toInt(lo))
		var to oid.ID
		bound.FillBytes(to[:])
		if to != from {
			want = append(want, idRange{from, to})
		}
		from = to
	}
	got := split(lo, hi, n)
	if len(got) != len(want) {
		t.Fatalf("Split(%v, %v, %d) gives %d ranges, want %d", lo, hi, n, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("Split(%v, %v, %d): range %d is %v, want %v", lo, hi, n, i, got[i], want[i])
		}
	}
}

func TestSplitIsExact(t *testing.T) {
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(march, march.AddDate(0, 1, 0))
	for _, tt := range []struct {
		lo, hi oid.ID
		n      int
	}{
		{lo, hi, 1}, {lo, hi, 2}, {lo, hi, 31}, {lo, hi, 1000}, {lo, hi, 99_999},
		{oid.ID{}, maxID, 1}, {oid.ID{}, maxID, 7}, {oid.ID{}, maxID, 65536},
		{lo, lo.Next(), 1}, {lo, lo.Next(), 10},
		{lo.Prev(), lo.Next(), 2}, {lo.Prev(), lo.Next(), 3},
		{lo, hi, 0}, {lo, hi, -5}, {lo, hi, math.MinInt},
	} {
		checkSplit(t, tt.lo, tt.hi, tt.n)
	}
	// More parts than there are IDs, in number and in width.
	for _, n := range []int{2, 1 << 20, math.MaxInt} {
		if got := split(lo, lo.Next(), n); len(got) != 1 {
			t.Errorf("Split of one ID in %d gives %v", n, got)
		}
	}
	for _, tt := range []struct{ lo, hi oid.ID }{{lo, lo}, {hi, lo}, {maxID, oid.ID{}}} {
		if got := split(tt.lo, tt.hi, 4); got != nil {
			t.Errorf("Split(%v, %v, 4) = %v, want no range", tt.lo, tt.hi, got)
		}
	}
}

func TestSplitOfRandomRangesIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		var a, b oid.ID
		for i := range a {
			a[i], b[i] = byte(random.Uint32()), byte(random.Uint32())
		}
		copy(b[:random.IntN(13)], a[:]) // often close to each other
		if a.Compare(b) > 0 {
			a, b = b, a
		}
		checkSplit(t, a, b, 1+random.IntN(1<<random.IntN(8)))
	}
}

// Every ID of a small range is in one range of the split, and no other ID is in any.
func TestSplitCoversEveryIDOnce(t *testing.T) {
	lo := oid.MustParse("65b3f7a1fffffffffffffff0") // across a carry
	for n := 1; n <= 70; n++ {
		hi := lo
		for range 64 {
			hi = hi.Next()
		}
		ranges := split(lo, hi, n)
		id := lo.Prev()
		for i := -1; i <= 64; i++ {
			holders := 0
			for _, r := range ranges {
				if r.from.Compare(id) <= 0 && id.Compare(r.to) < 0 {
					holders++
				}
			}
			want := 1
			if i < 0 || i >= 64 {
				want = 0
			}
			if holders != want {
				t.Fatalf("n = %d: %d ranges hold ID %d, want %d", n, holders, i, want)
			}
			id = id.Next()
		}
	}
}

func TestSplitOfTheLargestNumber(t *testing.T) {
	ranges := 0
	for from, to := range oid.Split(oid.ID{}, maxID, math.MaxInt) {
		if from.Compare(to) >= 0 {
			t.Fatalf("range %v to %v", from, to)
		}
		if ranges++; ranges == 1000 {
			break
		}
	}
	if ranges != 1000 {
		t.Errorf("%d ranges", ranges)
	}
}
