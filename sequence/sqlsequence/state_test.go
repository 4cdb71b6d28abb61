package sqlsequence

import (
	"database/sql"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// A fakeRow is a row of a table that anybody may have changed.
type fakeRow []any

func (r fakeRow) Scan(to ...any) error {
	if len(to) != len(r) {
		return errors.New("another number of columns")
	}
	for i, v := range r {
		var err error
		switch to := to[i].(type) {
		case sql.Scanner:
			err = to.Scan(v)
		case *string:
			*to = v.(string)
		case *int64:
			*to = v.(int64)
		case *bool:
			*to = v.(bool)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// orNull returns v, or NULL.
func orNull[T any](v T, null bool) any {
	if null {
		return nil
	}
	return v
}

// A row that no draw can have left is an error, whatever it holds. Of any other, the
// numbers that are left can be computed.
func FuzzScanState(f *testing.F) {
	f.Add("", int64(7), int64(0), int64(1), int64(9999), false, int64(0), int64(0), int64(0), int64(0), byte(15))
	f.Add("", int64(7), int64(0), int64(1), int64(9999), true, int64(1), int64(99), int64(177236640012345607), int64(100), byte(1))
	f.Add("year", int64(57)<<40+3, int64(0), int64(0), int64(0), false, int64(0), int64(0), int64(0), int64(1), byte(14))
	f.Add("", int64(math.MaxInt64), int64(0), int64(math.MinInt64), int64(math.MaxInt64), true, int64(1), int64(1), int64(1), int64(0), byte(1))
	f.Add("", int64(7), int64(0), int64(1), int64(9), true, int64(1), int64(99), int64(100), int64(2_000_000), byte(1)) // a tick of two seconds
	f.Add("", int64(7), int64(8), int64(1), int64(9), true, int64(1), int64(99), int64(100), int64(1), byte(1))
	f.Add("", int64(7), int64(0), int64(1), int64(9), true, int64(1), int64(99), int64(100), int64(1), byte(1|4)) // a tick without a width
	f.Add("", int64(7), int64(0), int64(1), int64(9), true, int64(1), int64(99), int64(100), int64(1), byte(1|8))
	f.Fuzz(func(t *testing.T, numbering string, count, base, first, last int64, cycle bool, was, stamp, width, tick int64, nulls byte) {
		row := fakeRow{"k", orNull(numbering, nulls&1 != 0), count, base, first, last, cycle,
			orNull(was, nulls&2 != 0), orNull(last, nulls&2 != 0), orNull(cycle, nulls&2 != 0), stamp, orNull(width, nulls&4 != 0), orNull(tick, nulls&8 != 0)}
		s, err := scanState(row)
		if err != nil {
			if s != (sequence.State{}) {
				t.Fatalf("%v: %+v with the error %v", row, s, err)
			}
			return
		}
		if s.Key != "k" || s.Left() < 0 {
			t.Fatalf("%v: %+v, %d left", row, s, s.Left())
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("%v: %+v, %v", row, s, err)
		}
		if nulls&1 == 0 {
			return
		}
		if n, err := s.Next(); err == nil && (n.Serial < first || n.Serial > last || n.Ordinal != count+1) {
			t.Fatalf("%v: next %+v", row, n)
		}
		if nulls&12 != 0 && (s.Width != 0 || s.Tick != 0) || nulls&2 != 0 && s.Was != (sequence.Plan{}) {
			t.Fatalf("%v: %+v of NULL", row, s)
		}
		if s.Width != 0 && (s.Width != width || s.Tick != time.Duration(tick)*time.Microsecond || s.Stamp.Serial < 0 || int64(s.Stamp.Serial) >= width) {
			t.Fatalf("%v: stamp %v, width %d, tick %v", row, s.Stamp, s.Width, s.Tick)
		}
	})
}

func TestMostStampIsTheLastWithinTheLimit(t *testing.T) {
	for _, tt := range []struct {
		limit       time.Duration
		start, want int64
	}{
		{0, 500, math.MaxInt64},
		{1, 500, 599},
		{time.Microsecond, 500, 699},
		{3 * time.Microsecond, 500, 899},
		{3 * time.Microsecond, math.MaxInt64 - 401, math.MaxInt64 - 2},
		{3 * time.Microsecond, math.MaxInt64 - 400, math.MaxInt64 - 1},
		{3 * time.Microsecond, math.MaxInt64 - 399, math.MaxInt64},
	} {
		d := sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, MaxStampLead: tt.limit}
		if got := mostStamp(d, tt.start); got != tt.want {
			t.Errorf("mostStamp(%v, %d) = %d, want %d", tt.limit, tt.start, got, tt.want)
		}
	}
}
