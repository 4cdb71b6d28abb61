package sequence

import (
	"errors"
	"fmt"
	"iter"
	"math"
)

// A Plan says which serials a key hands out. They are First, First+1, and so on up to
// Last. {First: 1, Last: 9999} has 9999 serials, and then draws end with [ErrExhausted].
// With Cycle, First comes again after Last. So {First: 1, Last: 99, Cycle: true} is a
// wheel of 99 serials. {Last: 99} starts at 0.
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

// A Number is what a caller draws.
type Number struct {
	// Serial lies within the plan of the key.
	Serial int64

	// Cycle is 0 for the first cycle of a key and grows by one each time that
	// the serials start over. After a resize it may skip some values. No two
	// numbers of a key have the same Serial and Cycle.
	Cycle int64

	// Ordinal counts the numbers of the key from 1. No two numbers of a key have the
	// same Ordinal. Missing ordinals are gaps. They were drawn, and were lost on the
	// way.
	Ordinal int64
}

// A Block is a run of consecutive numbers of one key. The zero value is empty.
type Block struct {
	plan Plan
	base int64 // ordinals count from here in plan
	span span  // the ordinals
}

// Len returns how many numbers b holds.
func (b Block) Len() int { return int(b.span.n) }

// At returns number i of b, counted from 0. It panics if b has no number i, as indexing
// a slice does. Any other number would be another caller's.
func (b Block) At(i int) Number {
	if i < 0 || int64(i) >= b.span.n {
		panic(fmt.Sprintf("sequence: Block.At(%d) of %d numbers", i, b.span.n))
	}
	return numberAt(b.plan, b.base, b.span.first+int64(i))
}

// numberAt returns the number of an ordinal.
//
// The count of the store never wraps. Serial and cycle are computed from it. before is
// how many numbers the plan has handed out by then. A cycle takes at least one ordinal,
// so all cycles before base had numbers below base, and counting on from base repeats
// none of them.
func numberAt(p Plan, base, ordinal int64) Number {
	before := ordinal - base - 1
	return Number{
		Serial:  p.First + before%p.Size(),
		Cycle:   base + before/p.Size(),
		Ordinal: ordinal,
	}
}

// All yields the numbers of b in order.
func (b Block) All() iter.Seq[Number] {
	return func(yield func(Number) bool) {
		for i := range b.Len() {
			if !yield(b.At(i)) {
				return
			}
		}
	}
}

// Wraps yields the numbers of b with which the serials start over. The first
// number of a key, or after a resize, is not one of them.
func (b Block) Wraps() iter.Seq[Number] {
	return func(yield func(Number) bool) {
		n := b.span.n
		size, before := b.plan.Size(), b.span.first-b.base-1
		i := (size - before%size) % size
		if before == 0 {
			i = size
		}
		for i < n {
			if !yield(b.At(int(i))) || i > n-size {
				return
			}
			i += size
		}
	}
}

func (b Block) len() int64 { return b.span.n }

func (b Block) cut(n int64) (head, tail Block) {
	head, tail = b, b
	head.span, tail.span = b.span.cut(n)
	return head, tail
}

// A span is the run of n integers that starts with first.
type span struct{ first, n int64 }

func (s span) len() int64 { return s.n }

// cut returns the first n integers of s, and the rest.
func (s span) cut(n int64) (head, tail span) {
	return span{s.first, n}, span{s.first + n, s.n - n}
}

// spanUpTo returns the n integers that end with last, as a store returned it.
func spanUpTo(last, n int64) (span, error) {
	if last < n-1 {
		return span{}, fmt.Errorf("the store drew %d up to %d", n, last)
	}
	return span{last - n + 1, n}, nil
}

var errTooFew = errors.New("fewer than 1 number asked for")
