package sequence

import (
	"context"
	"fmt"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Resize moves the key from the plan from to the plan of s, while others draw. The
// serials go on after the last one if both plans have the same First and the new one has
// room. Otherwise they start at the new First, in a new cycle. A plan that doesn't cycle
// never hands out a serial again: where it would, the error is [ErrConflict].
//
// Programs whose plan is in force, and programs with the plan before it, go on drawing,
// all by the plan in force. So the new version of a program may call Resize at each
// start, while the old version still runs. It is no error if the key has been moved
// already. If the key has another plan than these, the error is ErrConflict. A missing
// key is made.
func (s *Sequence) Resize(ctx context.Context, from Plan) error {
	err := s.err
	if err == nil {
		err = from.Validate()
	}
	if err == nil {
		err = s.resize(ctx, from)
	}
	if err != nil {
		return fmt.Errorf("sequence.Sequence.Resize(%s, %v): %w", quoteKey(s.key), from, err)
	}
	return nil
}

func (s *Sequence) resize(ctx context.Context, from Plan) error {
	for range attempts {
		_, err := call(ctx, s.c.counter.d, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.resizeOnce(ctx, from) })
		if err != errRaced {
			return err
		}
	}
	return errRaced
}

// resizeOnce does the next step of a resize. It returns errRaced until none is left.
func (s *Sequence) resizeOnce(ctx context.Context, from Plan) error {
	d := s.c.counter.d
	row, ok, err := d.Read(ctx, s.key)
	if err != nil {
		return err
	}
	if !ok {
		if err := s.c.counter.mayMake(); err != nil {
			return err
		}
		fresh := planned{plan: s.plan, gapFree: s.cfg.gapFree}
		if from != s.plan {
			fresh.was = from // whose programs may start after this one
		}
		return again(d.Put(ctx, driver.Row{Key: s.key, Meaning: fresh.String(), Version: newLife()}, 0))
	}
	p, err := s.planned(row)
	switch {
	case err != nil:
		return err
	case p.becoming != Plan{}:
		return again(finish(ctx, d, row, p))
	case p.plan == from && from != s.plan:
		if _, err := resized(p.plan, row.Base, row.X, s.plan); err != nil {
			return err
		}
		next := row
		next.Meaning, next.Version = planned{plan: p.plan, gapFree: p.gapFree, was: p.was, becoming: s.plan}.String(), newVersion(row.Version)
		return again(d.Put(ctx, next, row.Version))
	}
	return s.accepts(p)
}
