package sequence

import (
	"errors"
	"fmt"
	"math"
)

// A Plan says which serials a key hands out. They are First, First+1, and so on up to
// Last. {First: 1, Last: 9999} has 9999 serials, and then draws end with [ErrExhausted].
// With Cycle, First comes again after Last: {First: 1, Last: 99, Cycle: true} has 99
// serials that come round and round. {Last: 99} starts at 0.
type Plan struct {
	First, Last int64
	Cycle       bool
}

// Size returns how many serials p has.
func (p Plan) Size() int64 { return p.Last - p.First + 1 }

// String returns p in the form 1..99, or "1..99 cycling".
func (p Plan) String() string {
	if p.Cycle {
		return fmt.Sprintf("%d..%d cycling", p.First, p.Last)
	}
	return fmt.Sprintf("%d..%d", p.First, p.Last)
}

// Validate returns an error unless p.Last is at least p.First and p has fewer than
// 2^63 serials. The zero Plan is an error too, because it is mostly a plan that nobody
// set.
func (p Plan) Validate() error {
	if p == (Plan{}) {
		return errors.New("the plan is empty: set Last, as in Plan{First: 1, Last: 99}")
	}
	if p.Last < p.First {
		return fmt.Errorf("plan %v ends before it begins", p)
	}
	// The difference is right as an unsigned number, whatever the signs.
	if uint64(p.Last)-uint64(p.First) >= math.MaxInt64 {
		return fmt.Errorf("plan %v has more than 2^63-1 serials", p)
	}
	return nil
}

// end returns the last ordinal of p, which counts from base.
func (p Plan) end(base int64) int64 {
	if p.Cycle || p.Size() > math.MaxInt64-base {
		return math.MaxInt64
	}
	return base + p.Size()
}

// A Number is what a caller draws.
type Number struct {
	// Serial lies within the plan of the key.
	Serial int64

	// Cycle is 0 for the first cycle of a key and grows each time that the serials start
	// over. After a resize it may skip some values. No two numbers of a key have the
	// same Serial and Cycle.
	Cycle int64

	// Ordinal counts the numbers of the key from 1. No two numbers of a key have the
	// same Ordinal. Missing ordinals are gaps.
	Ordinal int64
}

// numberAt returns the number of an ordinal.
//
// The count of the store never starts over. Serial and cycle are computed from it.
// before is how many numbers the plan has handed out by then. A cycle takes at least one
// ordinal, so all cycles before base had numbers below base, and counting on from base
// repeats none of them.
func numberAt(p Plan, base, ordinal int64) Number {
	before := ordinal - base - 1
	return Number{
		Serial:  p.First + before%p.Size(),
		Cycle:   base + before/p.Size(),
		Ordinal: ordinal,
	}
}

// numbersOf returns n numbers of p, which counts from base. The first has the ordinal
// first.
func numbersOf(p Plan, base, first, n int64) []Number {
	all := make([]Number, n)
	for i := range all {
		all[i] = numberAt(p, base, first+int64(i))
	}
	return all
}
