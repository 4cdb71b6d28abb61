package public_test

import (
	"testing"

	"github.com/oidkit/oidkit/oid"
)

// The benchmarks and the allocation tests write to these, so that the compiler can't leave
// the calls out.
var (
	sinkID   oid.ID
	sinkText []byte
	sinkHex  string
	sinkErr  error
)

func TestAllocations(t *testing.T) {
	more := 0.0
	if raceEnabled {
		more = 2 // with -race, sync.Pool drops some of what it gets
	}
	buf, text := make([]byte, 0, 64), []byte(orderText)
	old := sealed("ord", key(2), key(1))
	oldText, prefix := sealed("ord", key(1)).Text(sample), prefixed("ord")
	id := order.ID
	for _, test := range []struct {
		name string
		want float64
		call func()
	}{
		{"AppendText", 0, func() { sinkText, sinkErr = orderForm.AppendText(buf, sample) }},
		{"Parse", 0, func() { sinkID, sinkErr = orderForm.Parse(orderText) }},
		{"Parse of an old key", 0, func() { sinkID, sinkErr = old.Parse(oldText) }},
		{"Text", 1, func() { sinkHex = orderForm.Text(sample) }},
		{"Prefixed: AppendText", 0, func() { sinkText, sinkErr = prefix.AppendText(buf, sample) }},
		{"Prefixed: Parse", 0, func() { sinkID, sinkErr = prefix.Parse("ord_01hn3fym6gfges75ytkvhjegrx") }},
		{"ID.AppendText", 0, func() { sinkText, sinkErr = id.AppendText(buf) }},
		{"ID.String", 1, func() { sinkHex = id.String() }},
		{"ID.UnmarshalText", 1, func() { sinkErr = id.UnmarshalText(text) }},
		{"ID.UnmarshalParam", 0, func() { sinkErr = id.UnmarshalParam(orderText) }},
	} {
		if got := testing.AllocsPerRun(1000, test.call); got < test.want || got > test.want+more {
			t.Errorf("%s makes %v allocations, want %v", test.name, got, test.want)
		}
		if sinkErr != nil {
			t.Errorf("%s: %v", test.name, sinkErr)
		}
	}
}
