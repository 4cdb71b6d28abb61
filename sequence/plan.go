package sequence

import (
	"errors"
	"fmt"
	"iter"
	"math"
)

// A Plan says which serials a key hands out: First, First+1, … Last, and then
// First again. {1, 99} is the wheel of 99 serials that never shows 0; {0, 99} is
// all that fits two digits.
type Plan struct{ First, Last int64 }

// Size returns how many serials a cycle of p has.
func (p Plan) Size() int64 { return p.Last - p.First + 1 }

// String returns p as 1..99.
func (p Plan) String() string { return fmt.Sprintf("%d..%d", p.First, p.Last) }

// Validate returns an error unless p.Last is at least p.First and a cycle of p
// has fewer than 2^63 serials.
func (p Plan) Validate() error {
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
	// Serial goes round in the plan of the key.
	Serial int64

	// Cycle grows by one each time that the serials start over: it is 0 for
	// the first cycle of a key. A resize begins a new cycle too, whose number
	// is greater than all before, but need not be the next. No two numbers of
	// a key have the same Serial and Cycle.
	Cycle int64

	// Ordinal counts the numbers of the key from 1 and never comes twice.
	// Where it skips, numbers were lost on the way: a gap.
	Ordinal int64
}

// A Block is a run of consecutive numbers of one key. The zero value is empty.
type Block struct {
	plan  Plan
	base  int64 // the last ordinal before plan took effect
	first int64 // the first ordinal of the block
	n     int64
}

// NewBlock returns the n numbers whose last has the ordinal last, under the plan p
// that took effect after the ordinal base. It is for stores, which pass what
// their own atomic operation returned: a block that can't be is an error.
func NewBlock(p Plan, base, last, n int64) (Block, error) {
	if err := p.Validate(); err != nil {
		return Block{}, err
	}
	switch {
	case n < 1 || n > math.MaxInt:
		return Block{}, fmt.Errorf("a block of %d numbers", n)
	case base < 0:
		return Block{}, fmt.Errorf("plan %v in effect after the number %d", p, base)
	case last < n || base > last-n: // the first keeps the second from wrapping
		return Block{}, fmt.Errorf("%d numbers up to %d, with a plan in effect only after %d", n, last, base)
	}
	return Block{plan: p, base: base, first: last - n + 1, n: n}, nil
}

// Len returns how many numbers b holds.
func (b Block) Len() int { return int(b.n) }

// At returns the number i of b, counted from 0. Like the index of a slice, an i
// outside b panics: a number made up for it would be someone else's.
func (b Block) At(i int) Number {
	if i < 0 || int64(i) >= b.n {
		panic(fmt.Sprintf("sequence: Block.At(%d) of %d numbers", i, b.n))
	}
	ordinal := b.first + int64(i)
	// How many numbers the plan has handed out before this one. The count of
	// the store never wraps; serial and cycle are arithmetic on it. A cycle
	// takes one ordinal at least, so that the cycles before base had numbers
	// less than base, and counting on from base repeats none of them.
	before := ordinal - b.base - 1
	return Number{
		Serial:  b.plan.First + before%b.plan.Size(),
		Cycle:   b.base + before/b.plan.Size(),
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

// Wraps yields the numbers of b with which the serials started over. The first
// number of a key, or after a resize, is not one.
func (b Block) Wraps() iter.Seq[Number] {
	return func(yield func(Number) bool) {
		if b.n == 0 {
			return
		}
		size, before := b.plan.Size(), b.first-b.base-1
		i := (size - before%size) % size
		if before == 0 {
			i = size
		}
		for i < b.n {
			if !yield(b.At(int(i))) || i > b.n-size {
				return
			}
			i += size
		}
	}
}

// cut returns the first n numbers of b and the others.
func (b Block) cut(n int64) (head, tail Block) {
	head, tail = b, b
	head.n = n
	tail.first += n
	tail.n -= n
	return head, tail
}

// CheckDraw returns an error if nobody can draw n numbers at once: a store that
// added a negative n would hand out its numbers again.
func CheckDraw(n int64) error {
	if n < 1 {
		return errors.New("fewer than 1 number asked for")
	}
	if n > math.MaxInt {
		return fmt.Errorf("more than %d numbers asked for", math.MaxInt)
	}
	return nil
}
