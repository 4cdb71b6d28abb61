// Package odds computes how likely it is that two processes make the same
// ObjectId. The command line prints it, and internal/bench/uniqueness compares
// what it prints with simulations.
package odds

import "math"

// The sizes of an ObjectId's parts.
const (
	ProcessBits = 40
	CounterBits = 24
)

// YearSeconds is the mean Gregorian year of 365.2425 days.
const YearSeconds = 365.2425 * 24 * 60 * 60

// A Fleet is a number of processes that make IDs at the same time. Each draws a
// process value of ProcessBits random bits and starts its counter at random.
type Fleet struct {
	Processes float64
	Rate      float64 // ids per second in each process, evenly spread
	Seconds   float64 // how long they run

	ProcessBits, CounterBits int // zero: those of an ObjectId
}

// Result is what [Fleet.Odds] returns.
type Result struct {
	IDs   float64 // that the fleet makes in all
	Pairs float64 // of processes

	// SameProcess is the chance that any two processes draw the same value. No
	// id comes twice without that: it bounds Collision however fast the
	// processes are and however long they run.
	SameProcess float64

	// Meet is the chance that a given pair makes the same counter value in the
	// same second, once or more often, over the whole time. It counts for pairs
	// with the same process value only.
	Meet float64

	// Collision is the chance that an ID comes twice in the fleet, Repeats how
	// many pairs of equal IDs to expect. Repeats says less: collisions come in
	// heaps, from the one pair of processes that share a value.
	Collision, Repeats float64
}

// Odds computes the chances of f.
//
// Two processes with one process value, each with n consecutive counters in a
// second, overlap if their counters are less than n apart: for 2n-1 of the
// 2^CounterBits distances. Below one ID a second they must also both make one.
// The distance is taken as drawn afresh each second, as rates of real programs
// vary; a fleet whose rates never vary collides less often.
func (f Fleet) Odds() Result {
	processBits, counterBits := f.ProcessBits, f.CounterBits
	if processBits == 0 {
		processBits = ProcessBits
	}
	if counterBits == 0 {
		counterBits = CounterBits
	}
	values := math.Ldexp(1, processBits)
	counters := math.Ldexp(1, counterBits)
	r := Result{
		IDs:   f.Processes * f.Rate * f.Seconds,
		Pairs: f.Processes * (f.Processes - 1) / 2,
	}
	r.SameProcess = anyOf(r.Pairs, 1/values)
	overlaps := 2*f.Rate - 1
	if f.Rate < 1 {
		overlaps = f.Rate * f.Rate
	}
	r.Meet = anyOf(f.Seconds, min(overlaps/counters, 1))
	r.Collision = anyOf(r.Pairs, r.Meet/values)
	r.Repeats = r.Pairs / values * f.Seconds * f.Rate * f.Rate / counters
	return r
}

// Derived returns the chance that two IDs of oid.Derive are the same, of n that have
// one second and of as many in each further second. Such an ID holds 64 bits of a
// hash besides its second.
func Derived(n, seconds float64) float64 {
	return anyOf(seconds*n*(n-1)/2, math.Ldexp(1, -64))
}

// anyOf returns the chance that one or more of n independent things happen that
// each have the chance p, precisely for small p too.
func anyOf(n, p float64) float64 { return -math.Expm1(n * math.Log1p(-p)) }
