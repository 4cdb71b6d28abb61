package mongosequence

import (
	"math"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/sequence"
)

// field returns a value of a document that anybody may have changed: an integer of
// either size, or something that no store writes.
func field(n int64, kind byte) any {
	switch kind % 8 {
	case 0, 1, 2:
		return n
	case 3:
		return int32(n)
	case 4:
		return float64(n) / 2
	case 5:
		return n%2 == 0
	case 6:
		return "7"
	}
	return nil
}

// A document that no draw can have left is an error, whatever it holds. Of any other,
// the numbers that are left can be computed.
func FuzzState(f *testing.F) {
	f.Add(false, "", uint16(0), int64(7), int64(9992), int64(1), int64(9999), int64(1), int64(1), int64(99), []byte{0, 0, 0, 0, 5, 0, 0, 5, 0, 0, 0})
	f.Add(true, "", uint16(0), int64(7), int64(99), int64(0), int64(0), int64(0), int64(0), int64(0), []byte{3, 4})
	f.Add(false, "year", uint16(0xff), int64(57)<<40+3, int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), []byte{0})
	f.Add(false, "", uint16(0), int64(math.MaxInt64), int64(0), int64(math.MinInt64), int64(math.MaxInt64), int64(0), int64(177236640012345607), int64(100), []byte{0, 0, 0, 0, 5})
	f.Add(false, "", uint16(0), int64(7), int64(20), int64(1), int64(9), int64(1), int64(1), int64(99), []byte{0, 0, 0, 0, 5, 0, 0, 5, 0, 0, 0})
	f.Fuzz(func(t *testing.T, older bool, numbering string, missing uint16, count, left, first, last, cycle, stamp, width int64, kinds []byte) {
		kind := func(i int) byte {
			if i < len(kinds) {
				return kinds[i]
			}
			return 0
		}
		doc := bson.D{{Key: "_id", Value: "k"}}
		add := func(name string, n int64) {
			i := len(doc) - 1
			if i < 16 && missing>>i&1 == 0 {
				doc = append(doc, bson.E{Key: name, Value: field(n, kind(i))})
			} else {
				doc = append(doc, bson.E{Key: "without " + name})
			}
		}
		var store Store
		if older {
			add("val", count)
			add("maxval", last)
			store.layout = legacy{}
		} else {
			store.layout = counts{collection{}}
			add("count", count)
			add("left", left)
			add("first", first)
			add("last", last)
			add("cycle", cycle)
			add("wasFirst", first)
			add("wasLast", stamp)
			add("wasCycle", cycle)
			add("x", count)
		}
		add("stamp", stamp)
		add("width", width)
		add("tick", cycle)
		if numbering != "" {
			doc = append(doc, bson.E{Key: "numbering", Value: numbering})
		}
		raw, err := bson.Marshal(doc)
		if err != nil {
			return // such as text that isn't UTF-8
		}
		s, err := store.read(raw)
		if err != nil {
			if s != (sequence.State{}) {
				t.Fatalf("%v: %+v with the error %v", bson.Raw(raw), s, err)
			}
			return
		}
		if s.Key != "k" || s.Left() < 0 {
			t.Fatalf("%v: %+v, %d left", bson.Raw(raw), s, s.Left())
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("%v: %+v, %v", bson.Raw(raw), s, err)
		}
		if s.Numbering != "" {
			return
		}
		if n, err := s.Next(); err == nil && (n.Serial < s.Plan.First || n.Serial > s.Plan.Last || n.Ordinal != s.Last+1) {
			t.Fatalf("%v: next %+v", bson.Raw(raw), n)
		}
		if s.Width != 0 && (s.Stamp.Serial < 0 || int64(s.Stamp.Serial) >= s.Width) {
			t.Fatalf("%v: stamp %v, width %d, tick %v", bson.Raw(raw), s.Stamp, s.Width, s.Tick)
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
		if got := new(Store).mostStamp(d, tt.start); got != tt.want {
			t.Errorf("mostStamp(%v, %d) = %d, want %d", tt.limit, tt.start, got, tt.want)
		}
	}
}
