package processor

import (
	"runtime"
	"testing"
	"time"
)

// A benchmark that sleeps takes hardly any time of the processor, one that computes does.
func TestTimeLeavesOutWaiting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the elapsed time is measured here")
	}
	asleep := testing.Benchmark(func(b *testing.B) {
		defer Time(b)()
		for b.Loop() {
			time.Sleep(10 * time.Millisecond)
		}
	})
	busy := testing.Benchmark(func(b *testing.B) {
		defer Time(b)()
		for b.Loop() {
			for start := used(); used()-start < 10*time.Millisecond; {
			}
		}
	})
	if s, c := asleep.Extra["ns/op"], busy.Extra["ns/op"]; s > 5e6 || c < 10e6 {
		t.Errorf("%v ns for a sleep of 10 ms, %v ns for 10 ms of work, want less than 5 ms and at least 10 ms", s, c)
	}
}
