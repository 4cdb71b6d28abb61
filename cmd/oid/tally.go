package main

import (
	"sort"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
)

// maxBins bounds the memory of a tally.
const maxBins = 1 << 16

// A tally counts IDs by creation time in constant memory. It doesn't know their span in
// advance. It counts by minutes first. If there are too many, it continues with quarters
// of an hour, and then with days. The 136 years that IDs can hold have fewer than maxBins
// days. For such long spans, a chart's units are no finer: 65,536 minutes are more than
// 45 days, and as many quarters are more than a year.
type tally struct {
	zone   *time.Location
	grain  int // index of grains
	most   int // bins
	bins   map[int64]*int64
	latest struct { // the bin that counted last: most IDs are next to each other
		start, end int64
		count      *int64
	}

	ids, zeros  int64
	first, last int64 // Unix seconds
}

// grains are the units by which a tally counts, one after the other.
var grains = []*times.Unit{times.UnitNamed("minute"), times.QuarterHour, times.UnitNamed("day")}

func newTally(zone *time.Location) *tally {
	return &tally{zone: zone, most: maxBins, bins: map[int64]*int64{}}
}

// add counts id. The zero ID means no ID, and is counted separately.
func (t *tally) add(id oid.ID) {
	if id.IsZero() {
		t.zeros++
		return
	}
	sec := id.Timestamp().Unix()
	if t.ids == 0 {
		t.first, t.last = sec, sec
	}
	t.ids++
	t.first, t.last = min(t.first, sec), max(t.last, sec)
	if sec < t.latest.start || sec >= t.latest.end {
		t.seek(sec)
	}
	*t.latest.count++
}

// seek makes the bin that contains sec the latest one.
func (t *tally) seek(sec int64) {
	grain := grains[t.grain]
	start := grain.Start(time.Unix(sec, 0).In(t.zone))
	t.latest.start, t.latest.end = start.Unix(), grain.Next(start).Unix()
	count, ok := t.bins[t.latest.start]
	if !ok {
		if len(t.bins) == t.most && t.grain < len(grains)-1 {
			t.coarsen()
			t.seek(sec)
			return
		}
		count = new(int64)
		t.bins[t.latest.start] = count
	}
	t.latest.count = count
}

// coarsen continues with the next grain.
func (t *tally) coarsen() {
	t.grain++
	fine := t.bins
	t.bins = map[int64]*int64{}
	for start, n := range fine {
		t.seek(start)
		*t.latest.count += *n
	}
}

// counts returns how many IDs lie between each of starts and the next one.
func (t *tally) counts(starts []time.Time) []int64 {
	counts := make([]int64, len(starts)-1)
	for bin, n := range t.bins {
		// The bin begins in the last unit that doesn't start after it.
		after := sort.Search(len(counts), func(i int) bool { return starts[i].Unix() > bin })
		counts[max(after-1, 0)] += *n
	}
	return counts
}
