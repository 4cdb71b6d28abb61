package main

import (
	"bytes"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"text/tabwriter"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// snapshot prints how many ids come twice after a running virtual machine was
// copied: both copies have the generator's process value and counter.
func snapshot(w io.Writer, random *rand.Rand) error {
	const rate, seconds, trials = 100, 300, 100
	fmt.Fprintf(w, "Two copies at 0 to %d ids a second for %d s; the second one starts later\n", 2*rate, seconds)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "starts later by\truns with a repeat\tids that came twice\tafter Reseed\t")
	for _, lag := range []int{0, 1, 10, 60} {
		runs, share := 0, 0.0
		renewed := 0
		for range trials {
			n, of := clones(rate, seconds, lag, false, random)
			if n > 0 {
				runs++
			}
			share += float64(n) / float64(of) / trials
			n, _ = clones(rate, seconds, lag, true, random)
			renewed += n
		}
		fmt.Fprintf(table, "%d s\t%d %%\t%.2f %%\t%d\t\n", lag, runs*100/trials, 100*share, renewed)
	}
	return table.Flush()
}

// clones runs a copy of a machine beside the original, and returns how many of
// the copy's ids the original made too. The copy starts lag seconds later, and
// calls Reseed first if renew is set.
func clones(rate, seconds, lag int, renew bool, random *rand.Rand) (repeats, of int) {
	start := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	now := start
	clock := func() time.Time { return now }
	original, restored := copies(clock, random)
	if renew {
		restored.Reseed()
	}
	ids := make([]oid.ID, 2*rate+1)
	for second := range seconds {
		now = start.Add(time.Duration(second) * time.Second)
		a := ids[:random.IntN(2*rate+1)]
		original.Fill(a)
		var first, last oid.ID
		if len(a) > 0 {
			first, last = a[0], a[len(a)-1]
		}
		n := random.IntN(2*rate + 1)
		if second < lag {
			continue
		}
		b := ids[:n]
		restored.Fill(b)
		of += n
		for _, id := range b {
			if first.Compare(id) <= 0 && id.Compare(last) <= 0 {
				repeats++
			}
		}
	}
	return repeats, of
}

// copies returns two generators with the same process value and counter, as a
// snapshot leaves them. What they draw in Reseed comes from the system.
func copies(clock func() time.Time, random *rand.Rand) (original, restored *oid.Generator) {
	var first [16]byte // what a generator draws at first use
	binary.BigEndian.PutUint64(first[:8], random.Uint64())
	first[5] &= 0x3f // the counter far from its wrap
	binary.BigEndian.PutUint64(first[8:], random.Uint64())
	generator := func() *oid.Generator {
		g := &oid.Generator{Now: clock, Rand: io.MultiReader(bytes.NewReader(first[:]), crand.Reader)}
		g.New()
		return g
	}
	return generator(), generator()
}
