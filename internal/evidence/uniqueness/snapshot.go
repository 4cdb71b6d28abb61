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

// snapshot prints how many IDs come twice after a running virtual machine was
// copied: both copies have the generator's process value and counter.
func snapshot(w io.Writer, random *rand.Rand) error {
	const rate, seconds, trials = 100, 300, 100
	fmt.Fprintf(w, "Two copies at 0 to %d IDs a second for %d s; the second one starts later\n", 2*rate, seconds)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "starts later by\truns with a repeat\tIDs that came twice\tafter Reseed\t")
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

// clones runs a machine and a copy of it, and returns how many of
// the copy's IDs the original made too. The copy starts lag seconds later, and
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
// snapshot leaves them. In Reseed they draw from the system.
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

// thousandMillion prints how many IDs two copies both make, at the same seconds and
// from the same counter.
func thousandMillion(w io.Writer, random *rand.Rand) error {
	const each = 500_000_000
	fmt.Fprintf(w, "Two copies of a generator make %d IDs each, at the same seconds\n", each)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "Reseed in\tIDs that both made\t")
	for _, reseed := range []struct {
		name          string
		first, second bool
	}{{"neither", false, false}, {"one", false, true}, {"both", true, true}} {
		fmt.Fprintf(table, "%s\t%d\t\n", reseed.name, equalIDs(each, reseed.first, reseed.second, random))
	}
	return table.Flush()
}

// equalIDs returns how many of each IDs two copies both make.
func equalIDs(each int, reseedFirst, reseedSecond bool, random *rand.Rand) (equal int) {
	now := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	first, second := copies(func() time.Time { return now }, random)
	if reseedFirst {
		first.Reseed()
	}
	if reseedSecond {
		second.Reseed()
	}
	a, b := make([]oid.ID, 1_000_000), make([]oid.ID, 1_000_000)
	for done := 0; done < each; done += len(a) {
		now = now.Add(10 * time.Second) // no batch has IDs of the second of another
		a, b = a[:min(len(a), each-done)], b[:min(len(b), each-done)]
		first.Fill(a)
		second.Fill(b)
		for i, j := 0, 0; i < len(a) && j < len(b); { // both are sorted
			switch c := a[i].Compare(b[j]); {
			case c < 0:
				i++
			case c > 0:
				j++
			default:
				equal++
				i++
				j++
			}
		}
	}
	return equal
}
