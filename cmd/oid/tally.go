package main

import (
	"math"
	"sort"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// The seconds of the bins by which a tally counts.
const (
	minute  = 60
	quarter = 15 * minute
)

// A tally counts IDs by creation time in constant memory. It doesn't know their span in
// advance, so it counts by quarters of an hour, by which the hours and days of every zone
// begin since 1980. A chart by minute has at most maxBars bars, so that more minutes aren't needed.
type tally struct {
	minutes  map[int64]int64 // by number since 1970; nil if there were more than maxBars
	quarters []int64         // all until 2106; the system has memory only for those that count

	ids, zeros  int64
	first, last int64 // Unix seconds
}

func newTally() *tally {
	return &tally{minutes: map[int64]int64{}, quarters: make([]int64, 1<<32/quarter+1), first: math.MaxInt64}
}

// add counts id. The zero ID means no ID, and is counted separately.
func (t *tally) add(id oid.ID) {
	if id.IsZero() {
		t.zeros++
		return
	}
	sec := id.Timestamp().Unix()
	t.ids++
	t.first, t.last = min(t.first, sec), max(t.last, sec)
	t.quarters[sec/quarter]++
	if t.minutes != nil {
		t.minutes[sec/minute]++
		if len(t.minutes) > maxBars {
			t.minutes = nil
		}
	}
}

// counts returns how many IDs lie between each of starts and the next one.
func (t *tally) counts(starts []time.Time) []int64 {
	counts := make([]int64, len(starts)-1)
	count := func(sec, n int64) {
		// The bin begins in the last unit that doesn't start after it.
		after := sort.Search(len(counts), func(i int) bool { return starts[i].Unix() > sec })
		counts[max(after-1, 0)] += n
	}
	for i, n := range t.minutes {
		count(i*minute, n)
	}
	for i := t.first / quarter; i <= t.last/quarter && t.minutes == nil; i++ {
		count(i*quarter, t.quarters[i])
	}
	return counts
}
