// Package processor measures the time of the processor in benchmarks. On a machine that
// does other work too, it differs little from run to run, and the elapsed time a lot.
package processor

import (
	"testing"
	"time"
)

// Time makes a benchmark report the processor time of this process per operation, in
// place of the elapsed time. It includes the garbage collector's. Write it before the
// loop:
//
//	defer processor.Time(b)()
func Time(b *testing.B) (report func()) {
	start := used()
	return func() { b.ReportMetric(float64(used()-start)/float64(b.N)/float64(time.Nanosecond), "ns/op") }
}
