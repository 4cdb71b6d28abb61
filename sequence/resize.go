package sequence

import (
	"cmp"
	"context"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Resize replaces the plan of the key by the plan of s. Pass the old plan of the key as
// from. Programs with the old plan can go on drawing meanwhile. If both plans have the
// same First, and the new Last is at least the last serial drawn, the serials go on after
// this serial. Otherwise the serials start at the new First, in a new cycle. If the new
// plan doesn't cycle, and could hand out a serial for the second time, Resize returns
// [ErrConflict].
//
// After Resize, programs with the old plan can go on drawing. Numbers that are drawn
// afterwards follow the new plan. The new version of a program may therefore call Resize
// at each start, while the old version still runs. Draws of programs with a still older
// plan return ErrConflict.
//
// If the key already has the plan of s, Resize does nothing. If the plan of the key is
// neither from nor the plan of s, the result depends on the last Resize of the key. If that
// Resize replaced the plan of s, this Resize does nothing. Otherwise this Resize returns
// ErrConflict. If the store lacks the key, Resize adds it. If s has the option
// [WithExisting], or has drawn from the key before, Resize returns [ErrNotFound] instead.
func (s *Sequence) Resize(ctx context.Context, from Plan) error {
	err := cmp.Or(s.c().err, from.Validate())
	if err == nil {
		_, _, err = persist(ctx, s.c().d, always, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.resize(ctx, from) })
	}
	return s.c().fail("Resize", err, from)
}

// resize puts a row that says which plan comes next, and reads again: that finishes it.
func (s *Sequence) resize(ctx context.Context, from Plan) error {
	fresh := planned{plan: s.plan, gapFree: s.c().cfg.gapFree}
	if from != s.plan {
		fresh.was = from // whose programs may start after this one
	}
	return until(ctx, func() (row driver.Row, ok bool, err error) {
		if row, ok, err = s.c().read(ctx, s.c().d, fresh.String(), draw{}); !ok {
			return row, false, err
		}
		p, err := s.planned(row)
		if err != nil || p.plan != from || from == s.plan {
			return row, true, cmp.Or(err, s.accepts(p))
		}
		if _, err := resized(p.plan, row.Base, row.X, s.plan); err != nil {
			return row, false, err
		}
		p.becoming = s.plan
		return row, false, rewrite(ctx, s.c().d, row, p)
	})
}
