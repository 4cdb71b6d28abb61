package sequence

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A Plan says which serials a key hands out: First, First+1, and so on up to Last. The
// plan {First: 1, Last: 9999} has 9999 serials, and draws after the last one return
// [ErrExhausted]. With Cycle, the serials start again at First after Last, as in {First:
// 1, Last: 99, Cycle: true}. The plan {Last: 99} starts at 0.
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

// Validate returns an error if p.Last is less than p.First, or if p has more than 2^63-1
// serials. Validate returns an error for the zero Plan too, because a zero Plan is
// usually a field that the program forgot to set.
func (p Plan) Validate() error {
	return cmp.Or(
		unless(p != Plan{}, "the plan is empty: set Last, as in Plan{First: 1, Last: 99}"),
		unless(p.Last >= p.First, "plan %v ends before it begins", p),
		// The difference is right as an unsigned number, whatever the signs.
		unless(uint64(p.Last)-uint64(p.First) < math.MaxInt64, "plan %v has more than 2^63-1 serials", p),
	)
}

// end returns the last ordinal of p, which counts from base.
func (p Plan) end(base int64) int64 {
	if p.Cycle || p.Size() > math.MaxInt64-base {
		return math.MaxInt64
	}
	return base + p.Size()
}

// A Number is the result of a draw from a [Sequence]. With mongosequence.NewLegacy, two
// Sequences can get the same Cycle and Ordinal.
type Number struct {
	// Serial is the number that people see. Serial lies within the plan that the key had
	// when Serial was drawn.
	Serial int64

	// Cycle is 0 for the first cycle of a key, and grows each time that the serials start
	// again. After a resize, Cycle may skip some values. Serial and Cycle together
	// identify a number of the key.
	Cycle int64

	// Ordinal counts the numbers of the key from 1. Ordinal alone identifies a number of
	// the key. A drawn ordinal that no caller got is a gap.
	Ordinal int64
}

// numberAt returns the number of an ordinal. Of base, which no number of p has, only the
// Ordinal is set.
//
// The count of the store never starts over. Serial and cycle are computed from it.
// before is how many numbers the plan has handed out by then. A cycle takes at least one
// ordinal, so all cycles before base had numbers below base, and counting on from base
// repeats none of them.
func numberAt(p Plan, base, ordinal int64) Number {
	before := ordinal - base - 1
	if before < 0 {
		return Number{Ordinal: ordinal}
	}
	return Number{
		Serial:  p.First + before%p.Size(),
		Cycle:   base + before/p.Size(),
		Ordinal: ordinal,
	}
}

// numbersOf returns n numbers of p, which counts from base. The first has the ordinal
// first.
func numbersOf(p Plan, base, first, n int64) []Number {
	all := slices.Grow([]Number(nil), int(n)) // nil if n is 0
	for i := range n {
		all = append(all, numberAt(p, base, first+i))
	}
	return all
}

// A planned is the Meaning of the key of a [Sequence], in the form
//
//	1..199 cycling, gap-free, was 1..99
//
// While a resize is under way, "becoming" and the plan that comes next are at the end. Draws
// complete the resize first.
type planned struct {
	plan     Plan
	gapFree  bool
	was      Plan // the plan before, or the zero Plan
	becoming Plan // the plan that comes next, or the zero Plan
}

func (p planned) String() string {
	s := p.plan.String()
	if p.gapFree {
		s += ", gap-free"
	}
	if p.was != (Plan{}) {
		s += ", was " + p.was.String()
	}
	if p.becoming != (Plan{}) {
		s += ", becoming " + p.becoming.String()
	}
	return s
}

var plannedForm = regexp.MustCompile(`^([^,]*)(, gap-free)?(?:, was ([^,]*))?(?:, becoming ([^,]*))?$`)

// parsePlanned reads what String returns. ok is false for the meanings of other kinds.
func parsePlanned(meaning string) (p planned, ok bool) {
	m := plannedForm.FindStringSubmatch(meaning)
	if m == nil {
		return planned{}, false
	}
	p = planned{parsePlan(m[1]), m[2] != "", parsePlan(m[3]), parsePlan(m[4])}
	return p, p.plan.Validate() == nil && p.String() == meaning
}

// parsePlan reads what [Plan.String] returns. It returns another plan for other texts.
func parsePlan(s string) (p Plan) {
	s, p.Cycle = strings.CutSuffix(s, " cycling")
	fmt.Sscanf(s, "%d..%d", &p.First, &p.Last) // a text that isn't that of a plan shows in String
	return p
}

// resized returns the base of plan next, which follows old when x numbers were drawn.
// The serials go on after the last one if they can. Otherwise they start over, in a new
// cycle. A plan that doesn't cycle never hands out a serial again, so there they start
// over only above all serials so far.
func resized(old Plan, base, x int64, next Plan) (int64, error) {
	drawn := x - base
	used := drawn - max(0, drawn-1)/old.Size()*old.Size() // of the cycle that runs
	greatest := old.First - 1 + min(drawn, old.Size())
	repeats := old.Cycle && (base > 0 || drawn > old.Size()) // serials above used were handed out too
	if next.First == old.First && used <= next.Size() && (next.Cycle || !repeats) {
		return x - used, nil
	}
	return x, cmp.Or(
		unless(next.Cycle || !repeats || base == 0, "%w: the store doesn't know which serials were handed out before plan %v, and plan %v must not repeat any: use another key",
			ErrConflict, old, next),
		unless(next.Cycle || x == 0 || next.First > greatest, "%w: plan %v has handed out serials up to %d, and plan %v would hand out some of them again: use another key, or a plan that begins at %d or above %d",
			ErrConflict, old, greatest, next, old.First, greatest),
	)
}
