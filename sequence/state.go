package sequence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A State is what a store knows about a key.
type State struct {
	Key string

	// Meaning says what the key counts, such as "1..99 cycling", "stamps of 100 per 1us"
	// or "yearly in UTC, gap-free".
	Meaning string

	// Plan is the current plan of the key of a Sequence. For a Stamper or a Numbering,
	// Plan is the zero Plan.
	Plan Plan

	// Last is the last number that a Sequence drew or AdvanceTo skipped, or the zero Number
	// if there is none. For a Numbering, only Last.Serial is set: it is the position of the
	// last number in Period. Text has the number itself. For a Stamper, Last is the zero
	// Number. If a resize made the serials start at the new First, only Last.Ordinal is
	// set until the next draw.
	Last Number

	// Left is how many numbers a Sequence can still draw before ErrExhausted. For a plan
	// that cycles, Left is how many of the 2^63-1 possible ordinals are left. For a
	// Numbering, Left is how many numbers are left in Period, or 0 in a result of List. For
	// a Stamper, Left is 0.
	Left int64

	// Text is the last number of a Numbering, such as INV-2026-00042. Text is "" if there is
	// none, and in a result of List.
	Text string

	// Period is when the period of the last number began, such as 2026-01-01 00:00. Only a
	// Numbering has a Period. Period is in the zone of the Numbering. In a result of List,
	// Period is 00:00 UTC on the first day of the period instead, whatever the zone is.
	// Before the first draw or AdvanceTo, and for a count that never restarts, Period is
	// the zero Time.
	Period time.Time

	// Stamp is the last stamp of a Stamper. For a Sequence or a Numbering, Stamp is the
	// zero Stamp.
	Stamp Stamp
}

// List returns the states of all keys of a store, sorted by key. List retries after a
// transient error until ctx ends.
func List(ctx context.Context, store Store) ([]State, error) {
	d, err := driverOf(store)
	var rows []driver.Row
	if err == nil {
		rows, _, err = persist(ctx, d, always, d.List)
	}
	if err != nil {
		return nil, fmt.Errorf("sequence.List(): %w", err)
	}
	all := make([]State, len(rows))
	for i, row := range rows {
		all[i] = stateOf(row, time.UTC)
	}
	slices.SortFunc(all, func(a, b State) int { return cmp.Compare(a.Key, b.Key) })
	return all, nil
}

// state returns the row of the key. It draws nothing.
func (c *counter) state(ctx context.Context) (row driver.Row, err error) {
	if err = c.err; err == nil {
		row, _, err = persist(ctx, c.d, always, c.look)
	}
	if err == nil {
		_, _, bad := c.bounds(row)
		err = cmp.Or(unless(row.Version != 0, "%w: nothing was drawn from the key, or the key was deleted", ErrNotFound), bad)
	}
	if err != nil {
		return driver.Row{}, c.fail("State", err)
	}
	return row, nil
}

// stateOf returns the state of a row, whose periods begin in zone.
func stateOf(row driver.Row, zone *time.Location) State {
	s := State{Key: row.Key, Meaning: row.Meaning}
	p, isPlanned := parsePlanned(row.Meaning)
	name, _, _ := strings.Cut(row.Meaning, " ")
	switch period := cadence(slices.Index(cadences[:], name)); {
	case isPlanned:
		s.Plan, s.Left = p.plan, max(0, p.plan.end(row.Base)-row.X)
		s.Last = numberAt(p.plan, row.Base, row.X)
	case row.X == 0:
	case row.Meaning == stampMeaning:
		s.Stamp = stampAt(row.X)
	case period >= never:
		s.Last.Serial = row.X % perPeriod
		if period != never {
			s.Period = calendar{cadence: daily}.begin(dayStart(row.X/perPeriod), zone, 0)
		}
	}
	return s
}
