// Package processor measures the time of the processor in benchmarks. On a machine that
// does other work too, it differs little from run to run, and the elapsed time a lot.
package processor

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// warm gets memory from the system before the process measures. Otherwise, code that makes
// 20 kB in 5 µs mostly waits for memory, which a program that runs for long seldom does. The
// runtime returns free memory until a tenth of what is in use is left. So 512 MB stay in
// use. Nobody writes to them, so the system needs no memory for them.
var warm = sync.OnceValue(func() (inUse []byte) {
	inUse = make([]byte, 512<<20)
	for page := range slices.Chunk(make([]byte, 48<<20), 4096) {
		page[0] = 1
	}
	runtime.GC()
	return inUse
})

// Time makes a benchmark report the processor time of this process per operation, in
// place of the elapsed time. It includes the garbage collector's. Write it before the
// loop:
//
//	defer processor.Time(b)()
func Time(b *testing.B) (report func()) {
	warm()
	start := used()
	return func() { b.ReportMetric(float64(used()-start)/float64(b.N)/float64(time.Nanosecond), "ns/op") }
}
