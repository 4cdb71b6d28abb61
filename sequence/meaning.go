package sequence

import (
	"context"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A planned is the Meaning of the key of a [Sequence], in the form
//
//	1..199 cycling, gap-free, was 1..99
//
// While a resize is under way, "was" is "becoming", the plan that comes next. Nobody
// draws then, so the count stands still.
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

// parsePlanned reads what String returns. ok is false for the meanings of other kinds.
func parsePlanned(meaning string) (p planned, ok bool) {
	for i, part := range strings.Split(meaning, ", ") {
		was, isWas := strings.CutPrefix(part, "was ")
		becoming, isBecoming := strings.CutPrefix(part, "becoming ")
		switch {
		case i == 0:
			p.plan = parsePlan(part)
		case part == "gap-free":
			p.gapFree = true
		case isWas:
			p.was = parsePlan(was)
		case isBecoming:
			p.becoming = parsePlan(becoming)
		}
	}
	return p, p.plan.Validate() == nil && p.String() == meaning
}

// parsePlan reads what [Plan.String] returns. It returns the zero Plan for other texts.
func parsePlan(s string) (p Plan) {
	var end string
	fmt.Sscanf(s, "%d..%d %s", &p.First, &p.Last, &end)
	p.Cycle = end == "cycling"
	if p.Validate() != nil || p.String() != s {
		return Plan{}
	}
	return p
}

// resized returns the base of plan next, which follows old when x numbers were drawn.
// The serials go on after the last one if they can. Otherwise they start over, in a new
// cycle. A plan that doesn't cycle never hands out a serial again, so there they start
// over only above all serials so far.
func resized(old Plan, base, x int64, next Plan) (int64, error) {
	drawn := x - base
	used := int64(0) // of the cycle that runs
	greatest := old.First - 1
	if drawn > 0 {
		used = (drawn-1)%old.Size() + 1
		greatest += min(drawn, old.Size())
	}
	repeats := old.Cycle && (base > 0 || drawn > old.Size()) // serials above used were handed out too
	if next.First == old.First && used <= next.Size() && (next.Cycle || !repeats) {
		return x - used, nil
	}
	if !next.Cycle && repeats && base > 0 {
		return 0, fmt.Errorf("%w: plan %v cycles, and nobody knows which serials plans before it have handed out: plan %v needs another key",
			ErrConflict, old, next)
	}
	if !next.Cycle && x > 0 && next.First <= greatest {
		return 0, fmt.Errorf("%w: plan %v has handed out serials up to %d, and plan %v would hand out some of them again: use another key, or a plan that begins at %d or above %d",
			ErrConflict, old, greatest, next, old.First, greatest)
	}
	return x, nil
}

// finish completes the resize that row is in the middle of. If the draws since it began
// made it impossible, finish takes it back: the program that began it finds out when it looks
// again. It returns false if somebody else was faster.
func finish(ctx context.Context, d driver.Driver, row driver.Row, p planned) (done bool, err error) {
	base, refused := resized(p.plan, row.Base, row.X, p.becoming)
	next, was := row, row.Version
	next.Version = newVersion(was)
	if refused == nil {
		next.Meaning, next.Base = planned{plan: p.becoming, gapFree: p.gapFree, was: p.plan}.String(), base
	} else {
		next.Meaning = planned{plan: p.plan, gapFree: p.gapFree, was: p.was}.String()
	}
	return d.Put(ctx, next, was)
}
