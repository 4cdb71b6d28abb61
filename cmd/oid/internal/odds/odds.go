// Package odds computes the chance that two processes make the same ObjectId. The
// command line prints it, and internal/evidence/uniqueness compares it with simulations.
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
	Rate      float64 // IDs per second in each process, at even intervals
	Seconds   float64 // how long they run

	ProcessBits, CounterBits int // zero: those of an ObjectId
}

// Result is what [Fleet.Odds] returns.
type Result struct {
	IDs   float64 // that the fleet makes in all
	Pairs float64 // of processes

	// SameProcess is the chance that any two processes draw the same value. An ID
	// can come twice only if they do. So SameProcess is an upper bound of Collision,
	// at any rate and for any time.
	SameProcess float64

	// Meet is the chance that a given pair makes the same counter value in the
	// same second, once or more often, over the whole time. It matters only for pairs
	// with the same process value.
	Meet float64

	// Collision is the chance that an ID comes twice in the fleet. Repeats is the
	// expected number of pairs of equal IDs. Repeats says less: usually there is no
	// collision, or many from the one pair of processes with the same value.
	Collision, Repeats float64
}

// Odds computes the chances of f.
//
// Take two processes with the same process value, each with n consecutive counters in a
// second. They overlap if their counters are less than n apart, which is true for 2n-1 of
// the 2^CounterBits distances. Below one ID per second, both must also make an ID in that
// second. The model draws the distance again for each second, because rates of real
// programs vary. A fleet whose rates never vary collides less often.
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

// Derived returns the chance that two IDs of oid.Derive are the same. There are n IDs in
// each second. Such an ID holds its second and 64 bits of a hash.
func Derived(n, seconds float64) float64 {
	return anyOf(seconds*n*(n-1)/2, math.Ldexp(1, -64))
}

// anyOf returns the chance that at least one of n independent events happens, if each has
// the chance p. It is precise for small p too.
func anyOf(n, p float64) float64 { return -math.Expm1(n * math.Log1p(-p)) }
