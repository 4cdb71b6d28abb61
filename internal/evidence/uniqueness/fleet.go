package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
)

// fleets prints the odds of a collision between processes, and compares the formula
// with simulations of small IDs.
func fleets(w io.Writer, random *rand.Rand) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "processes\ttwo draw the same value\ta collision in a year, at 0.01/s\tat 1/s\tat 100/s\t")
	for _, n := range []float64{10, 1000, 100_000} {
		fmt.Fprintf(table, "%.0f\t", n)
		fmt.Fprintf(table, "%s\t", chance(fleet{processes: n}.odds().sameProcess))
		for _, rate := range []float64{0.01, 1, 100} {
			fmt.Fprintf(table, "%s\t", chance(fleet{processes: n, rate: rate, seconds: yearSeconds}.odds().collision))
		}
		fmt.Fprintln(table)
	}
	table.Flush()

	fmt.Fprintln(w, "\nThe formula and simulations of smaller IDs, chance of a collision in %")
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "bits\tprocesses\tIDs/s\tseconds\tformula\tcounters redrawn\tcounters run on\t")
	for _, f := range smallFleets {
		const trials = 20_000
		fmt.Fprintf(table, "%d + %d\t%.0f\t%.3g\t%.0f\t%.2f\t%.2f\t%.2f\t\n", f.processBits, f.counterBits, f.processes, f.rate, f.seconds,
			100*f.odds().collision, 100*simulate(f, redrawn, trials, random), 100*simulate(f, runningOn, trials, random))
	}
	return table.Flush()
}

// backfills prints the odds that two processes make the same ID with oid.NewAt.
func backfills(w io.Writer, _ *rand.Rand) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "processes\ta million IDs each\t100 million each\t10,000 million each\t")
	for _, processes := range []float64{2, 10, 100, 1000} {
		fmt.Fprintf(table, "%.0f\t", processes)
		for _, n := range []float64{1e6, 1e8, 1e10} {
			fmt.Fprintf(table, "%s\t", chance(backfillOdds(processes, n, backfillBits)))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// derived prints the odds that two IDs of oid.Derive are the same.
func derived(w io.Writer, _ *rand.Rand) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rows of one second\ttwo have the same ID\t")
	for _, n := range []float64{1000, 1e6, 1e8} {
		fmt.Fprintf(table, "%.0f\t%s\t\n", n, chance(derivedOdds(n, 1)))
	}
	return table.Flush()
}

// smallFleets are fleets with IDs so small that they collide often enough to count.
var smallFleets = []fleet{
	{processes: 2, rate: 4, seconds: 20, processBits: 2, counterBits: 8},
	{processes: 10, rate: 1, seconds: 100, processBits: 8, counterBits: 8},
	{processes: 10, rate: 0.25, seconds: 100, processBits: 6, counterBits: 4},
	{processes: 30, rate: 8, seconds: 30, processBits: 10, counterBits: 10},
	{processes: 30, rate: 100, seconds: 10, processBits: 12, counterBits: 8},
}

// chance prints a small chance as one in so many.
func chance(p float64) string {
	if p >= 0.001 {
		return fmt.Sprintf("%.2g %%", 100*p)
	}
	mantissa, exponent, _ := strings.Cut(fmt.Sprintf("%.1e", 1/p), "e+")
	if exponent == "03" || exponent == "04" || exponent == "05" {
		return fmt.Sprintf("1 in %.0f", math.Round(1/p))
	}
	return "1 in " + mantissa + " × 10^" + strings.TrimLeft(exponent, "0")
}

// A counting is how the counter of a process goes on from second to second.
type counting int

const (
	// redrawn starts each second at a random value, as the formula has it.
	redrawn counting = iota
	// runningOn goes on where the last second ended, and makes between half and
	// one and a half times as many IDs: closer to life.
	runningOn
)

// simulate returns how often a fleet with evenly spread IDs had a collision.
func simulate(f fleet, how counting, trials int, random *rand.Rand) float64 {
	collisions := 0
	for range trials {
		if collides(f, how, random) {
			collisions++
		}
	}
	return float64(collisions) / float64(trials)
}

// maker is a process of a simulated fleet.
type maker struct {
	value   uint64
	counter uint64
	owed    float64 // IDs not yet made
}

// collides simulates a fleet once.
func collides(f fleet, how counting, random *rand.Rand) bool {
	makers := make([]maker, int(f.processes))
	for i := range makers {
		makers[i] = maker{random.Uint64N(1 << f.processBits), random.Uint64N(1 << f.counterBits), random.Float64()}
	}
	slices.SortFunc(makers, func(a, b maker) int { return int(a.value) - int(b.value) })
	for i := 0; i < len(makers); {
		j := i + 1
		for j < len(makers) && makers[j].value == makers[i].value {
			j++
		}
		if j-i > 1 && meet(makers[i:j], f, how, random) {
			return true
		}
		i = j
	}
	return false
}

// meet reports whether makers of one process value make an ID twice.
func meet(makers []maker, f fleet, how counting, random *rand.Rand) bool {
	taken := make([]bool, 1<<f.counterBits)
	for range int(f.seconds) {
		clear(taken)
		for i := range makers {
			m := &makers[i]
			rate := f.rate
			if how == redrawn {
				m.counter = random.Uint64N(uint64(len(taken)))
				if rate < 1 {
					m.owed = random.Float64()
				}
			} else {
				rate *= 0.5 + random.Float64()
			}
			m.owed += rate
			for ; m.owed >= 1; m.owed-- {
				slot := &taken[m.counter%uint64(len(taken))]
				if *slot {
					return true
				}
				*slot = true
				m.counter++
			}
		}
	}
	return false
}
