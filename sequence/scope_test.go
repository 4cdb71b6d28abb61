package sequence_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

// floors is a store that takes no memory for its keys.
type floors struct{ sequence.Store }

func (floors) TakeNumbers(_ context.Context, _ string, d sequence.NumberDraw) (int64, error) {
	return d.Floor + d.N, nil
}

// BenchmarkScope prints the bytes of memory that a scope takes: one that nobody has drawn
// from, one that somebody has, and one that the program no longer uses.
func BenchmarkScope(b *testing.B) {
	heap := func() int64 {
		for range 3 { // the last cleanups run after the second
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	measure := func(draw, keep bool) func(b *testing.B) {
		return func(b *testing.B) {
			n := sequence.NewNumbering(floors{}, "n", "{2006}-{0}")
			scopes := make([]*sequence.Numbering, b.N)
			before := heap()
			for i := range scopes {
				scopes[i] = n.For(strconv.Itoa(i))
				if !draw {
					continue
				}
				if _, err := scopes[i].Next(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			if !keep {
				clear(scopes)
			}
			b.ReportMetric(float64(heap()-before)/float64(b.N), "B/scope")
			runtime.KeepAlive(scopes)
			runtime.KeepAlive(n)
		}
	}
	b.Run("new", measure(false, true))
	b.Run("drawn", measure(true, true))
	b.Run("unused", measure(true, false))
}
