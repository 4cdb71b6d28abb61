package main

import "math"

// The sizes of an ObjectId's parts.
const (
	processBits = 40
	counterBits = 24
)

// yearSeconds is the mean Gregorian year of 365.2425 days.
const yearSeconds = 365.2425 * 24 * 60 * 60

// A fleet is a number of processes that make IDs at the same time. Each draws a process
// value of so many random bits and starts its counter at random.
type fleet struct {
	processes float64
	rate      float64 // IDs per second in each process, at even intervals
	seconds   float64 // how long they run

	processBits, counterBits int // zero: those of an ObjectId
}

// chances are the odds of a fleet.
type chances struct {
	// sameProcess is the chance that any two processes draw the same value. An ID can
	// come twice only if they do. So it is an upper bound of collision, at any rate and
	// for any time.
	sameProcess float64

	// meet is the chance that a given pair makes the same counter value in the same
	// second, once or more often, over the whole time. It matters only for pairs with
	// the same process value.
	meet float64

	// collision is the chance that an ID comes twice in the fleet. repeats is the
	// expected number of pairs of equal IDs. It says less: usually there is no
	// collision, or many from the one pair of processes with the same value.
	collision, repeats float64
}

// odds computes the chances of f.
//
// Take two processes with the same process value, each with n consecutive counters in a
// second. They overlap if their counters are less than n apart, which is true for 2n-1 of
// the 2^counterBits distances. Below one ID per second, both must also make an ID in that
// second. The model draws the distance again for each second, because rates of real
// programs vary. A fleet whose rates never vary collides less often.
func (f fleet) odds() (c chances) {
	if f.processBits == 0 {
		f.processBits = processBits
	}
	if f.counterBits == 0 {
		f.counterBits = counterBits
	}
	values, counters := math.Ldexp(1, f.processBits), math.Ldexp(1, f.counterBits)
	pairs := f.processes * (f.processes - 1) / 2
	overlaps := 2*f.rate - 1
	if f.rate < 1 {
		overlaps = f.rate * f.rate
	}
	c.sameProcess = anyOf(pairs, 1/values)
	c.meet = anyOf(f.seconds, min(overlaps/counters, 1))
	c.collision = anyOf(pairs, c.meet/values)
	c.repeats = pairs / values * f.seconds * f.rate * f.rate / counters
	return c
}

// derivedOdds returns the chance that two IDs of oid.Derive are the same. There are n IDs
// in each second. Such an ID holds its second and 64 bits of a hash.
func derivedOdds(n, seconds float64) float64 {
	return anyOf(seconds*n*(n-1)/2, math.Ldexp(1, -64))
}

// backfillBits are the random bits of the number at which oid.NewAt begins in a process.
const backfillBits = 63

// backfillOdds returns an upper bound of the chance that two IDs of oid.NewAt are the same.
// So many processes make n of them each. A process numbers them from one of 2^bits starts,
// and two runs of numbers overlap if their starts are less than n apart. Equal numbers are
// equal IDs only if they have the same second, which is left out here.
func backfillOdds(processes, n float64, bits int) float64 {
	return anyOf(processes*(processes-1)/2, min((2*n-1)/math.Ldexp(1, bits), 1))
}

// anyOf returns the chance that at least one of n independent events happens, if each has
// the chance p. It is precise for small p too.
func anyOf(n, p float64) float64 { return -math.Expm1(n * math.Log1p(-p)) }
