package oid_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

func TestMinAtAndMaxAtEncloseTheirSecond(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		newYork = time.FixedZone("UTC-5", -5*60*60)
	}
	for _, test := range []struct {
		at       time.Time
		min, max string
	}{
		{time.Unix(0x65b3f7a1, 0), "65b3f7a10000000000000000", "65b3f7a1ffffffffffffffff"},
		{time.Unix(0x65b3f7a1, 999_999_999).In(newYork), "65b3f7a10000000000000000", "65b3f7a1ffffffffffffffff"},
		{time.Unix(0, 0), "000000000000000000000000", "00000000ffffffffffffffff"},
		{time.Unix(0x7fffffff, 0), "7fffffff0000000000000000", "7fffffffffffffffffffffff"},
		{time.Unix(0x80000000, 0), "800000000000000000000000", "80000000ffffffffffffffff"},
		{time.Unix(0xffffffff, 0), "ffffffff0000000000000000", "ffffffffffffffffffffffff"},
		{time.Unix(0xffffffff, 999_999_999), "ffffffff0000000000000000", "ffffffffffffffffffffffff"},
		// No second of an ID is outside, so the bounds are those that nothing reaches.
		{time.Unix(0, -1), "000000000000000000000000", "000000000000000000000000"},
		{time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), "000000000000000000000000", "000000000000000000000000"},
		{time.Time{}, "000000000000000000000000", "000000000000000000000000"},
		{time.Unix(1<<32, 0), "ffffffffffffffffffffffff", "ffffffffffffffffffffffff"},
		{time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), "ffffffffffffffffffffffff", "ffffffffffffffffffffffff"},
		{time.Unix(math.MaxInt64, 0), "ffffffffffffffffffffffff", "ffffffffffffffffffffffff"},
	} {
		if got := oid.MinAt(test.at); got.Hex() != test.min {
			t.Errorf("MinAt(%v) = %v, want %v", test.at, got, test.min)
		}
		if got := oid.MaxAt(test.at); got.Hex() != test.max {
			t.Errorf("MaxAt(%v) = %v, want %v", test.at, got, test.max)
		}
	}
}

// in reports whether id lies in Range(from, to).
func in(id oid.ID, from, to time.Time) bool {
	lo, hi := oid.Range(from, to)
	return lo.Compare(id) <= 0 && id.Compare(hi) < 0
}

func TestRangeHoldsEveryIDMadeInIt(t *testing.T) {
	base := time.Unix(1_750_000_000, 0)
	for range 20_000 {
		from := base.Add(time.Duration(rand.Int64N(10 * int64(time.Second))))
		to := from.Add(1 + time.Duration(rand.Int64N(10*int64(time.Second))))
		made := from.Add(time.Duration(rand.Int64N(int64(to.Sub(from)))))
		for _, id := range []oid.ID{oid.MinAt(made), oid.MaxAt(made), newAt(t, new(oid.Generator), made)} {
			if !in(id, from, to) {
				t.Fatalf("%v, made %v, is not in Range(%v, %v)", id, made, from, to)
			}
		}
	}
}

func TestRangeIsHalfOpenAndExactInWholeSeconds(t *testing.T) {
	from := time.Date(2025, 3, 1, 0, 0, 0, 0, time.FixedZone("", 2*60*60))
	to := from.AddDate(0, 1, 0)
	lo, hi := oid.Range(from, to)
	if lo != oid.MinAt(from) || hi != oid.MinAt(to) {
		t.Errorf("Range = %v, %v", lo, hi)
	}
	for _, test := range []struct {
		id   oid.ID
		want bool
	}{
		{oid.MinAt(from).Prev(), false},
		{oid.MaxAt(from.Add(-time.Second)), false},
		{oid.MinAt(from), true},
		{oid.MaxAt(to.Add(-time.Second)), true},
		{oid.MinAt(to), false},
		{oid.MinAt(to).Next(), false},
	} {
		if got := in(test.id, from, to); got != test.want {
			t.Errorf("%v, of %v, in the range: %v", test.id, test.id.Timestamp(), got)
		}
	}
}

func TestRangeRoundsPartsOfSecondsOutward(t *testing.T) {
	second := time.Unix(1_750_000_000, 0)
	lo, hi := oid.Range(second.Add(300*time.Millisecond), second.Add(301*time.Millisecond))
	if lo != oid.MinAt(second) || hi != oid.MinAt(second.Add(time.Second)) {
		t.Errorf("Range = %v, %v, want the whole second", lo, hi)
	}
	if lo, hi := oid.Range(second, second.Add(1)); lo != oid.MinAt(second) || hi != oid.MinAt(second.Add(time.Second)) {
		t.Errorf("Range of a nanosecond = %v, %v, want the whole second", lo, hi)
	}
}

func TestRangeOfNothingIsEmpty(t *testing.T) {
	second := time.Unix(1_750_000_000, 0)
	for _, test := range []struct{ from, to time.Time }{
		{second, second},
		{second.Add(time.Millisecond), second.Add(time.Millisecond)},
		{second.Add(500 * time.Millisecond), second.Add(200 * time.Millisecond)},
		{second.Add(time.Hour), second},
	} {
		if lo, hi := oid.Range(test.from, test.to); lo != hi {
			t.Errorf("Range(%v, %v) = %v, %v", test.from, test.to, lo, hi)
		}
	}
}

func TestRangeSaturates(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	zero := oid.ID{}
	for _, test := range []struct {
		from, to int
		lo, hi   oid.ID
	}{
		{1900, 2200, zero, maxID},
		{1900, 1950, zero, zero},
		{1900, 2000, zero, oid.MinAt(year(2000))},
		{2000, 2200, oid.MinAt(year(2000)), maxID},
		{2150, 2200, maxID, maxID},
	} {
		if lo, hi := oid.Range(year(test.from), year(test.to)); lo != test.lo || hi != test.hi {
			t.Errorf("Range(%d, %d) = %v, %v, want %v, %v", test.from, test.to, lo, hi, test.lo, test.hi)
		}
	}
	// So do single bounds, up to the last time that there is.
	for _, sec := range []int64{math.MaxUint32 + 1, math.MaxInt64 - 1, math.MaxInt64} {
		for _, ns := range []int64{0, 1} {
			if got := oid.Until(time.Unix(sec, ns)); got != maxID {
				t.Errorf("Until(%d s, %d ns) = %v, want %v", sec, ns, got, maxID)
			}
		}
	}
	// The last second has an end too.
	last := time.Unix(0xffffffff, 0)
	if lo, hi := oid.Range(last, last.Add(time.Second)); lo != oid.MinAt(last) || hi != maxID {
		t.Errorf("Range of the last second = %v, %v", lo, hi)
	}
}

// A bound never matches an ID of a second outside, also where no ID can be inside.
func TestBoundsNeverMatchAnIDOutside(t *testing.T) {
	first, last := time.Unix(0, 0), time.Unix(math.MaxUint32, 0)
	var ids []oid.ID
	for _, second := range []time.Time{first, first.Add(time.Second), time.Unix(1_750_000_000, 0), last.Add(-time.Second), last} {
		ids = append(ids, newAt(t, new(oid.Generator), second), oid.MinAt(second).Next(), oid.MaxAt(second).Prev())
	}
	for _, at := range []time.Time{
		{}, time.Unix(math.MinInt64, 0), first.Add(-time.Second), first.Add(-1), first, first.Add(1), first.Add(time.Second),
		time.Unix(1_750_000_000, 5), last.Add(-1), last, last.Add(1), last.Add(time.Second), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		second := time.Unix(at.Unix(), 0)
		for _, id := range ids {
			for _, tt := range []struct {
				name      string
				got, want bool
			}{
				{"id >= MinAt", id.Compare(oid.MinAt(at)) >= 0, !id.Timestamp().Before(second)},
				{"id < MinAt", id.Compare(oid.MinAt(at)) < 0, id.Timestamp().Before(second)},
				{"id <= MaxAt", id.Compare(oid.MaxAt(at)) <= 0, !id.Timestamp().After(second)},
				{"id > MaxAt", id.Compare(oid.MaxAt(at)) > 0, id.Timestamp().After(second)},
				{"id < Until", id.Compare(oid.Until(at)) < 0, id.Timestamp().Before(at)},
			} {
				if tt.got != tt.want {
					t.Errorf("%s(%v) for the ID %v = %v, want %v", tt.name, at, id, tt.got, tt.want)
				}
			}
		}
	}
}

// MinAt and Until are the bounds of Range.
func TestMinAtAndUntilAreTheBoundsOfRange(t *testing.T) {
	second := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	times := []time.Time{
		{}, time.Unix(math.MinInt64, 0), time.Unix(-1, 0), time.Unix(-1, 5), time.Unix(0, 0), time.Unix(0, 1), second, second.Add(1), second.Add(time.Second - 1),
		time.Unix(math.MaxUint32, 0), time.Unix(math.MaxUint32, 1), time.Unix(math.MaxUint32+1, 0), time.Unix(math.MaxInt64, 999999999),
	}
	for _, from := range times {
		for _, to := range times {
			if !from.Before(to) {
				continue
			}
			lo, hi := oid.Range(from, to)
			if min, until := oid.MinAt(from), oid.Until(to); min != lo || until != hi {
				t.Errorf("MinAt(%v), Until(%v) = %v, %v, want those of Range, %v, %v", from, to, min, until, lo, hi)
			}
		}
	}
	for _, tt := range []struct {
		t          time.Time
		min, until string
	}{
		{second, "69a381800000000000000000", "69a381800000000000000000"},
		{second.Add(1), "69a381800000000000000000", "69a381810000000000000000"},
		{time.Unix(-1, 5), "000000000000000000000000", "000000000000000000000000"},
		{time.Unix(math.MaxUint32, 1), "ffffffff0000000000000000", "ffffffffffffffffffffffff"},
		{time.Unix(math.MaxUint32+1, 0), "ffffffffffffffffffffffff", "ffffffffffffffffffffffff"},
	} {
		if min, until := oid.MinAt(tt.t).Hex(), oid.Until(tt.t).Hex(); min != tt.min || until != tt.until {
			t.Errorf("MinAt(%v), Until = %v, %v, want %v, %v", tt.t, min, until, tt.min, tt.until)
		}
	}
}
