package drivertest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// program returns one of the two programs.
func (p place) program(i int) driver.Driver {
	if i%2 == 0 {
		return p.a
	}
	return p.b
}

// together calls f(0) to f(n-1) at once.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func drawTakesTheGreaterOfXAndFloor(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	for i, d := range []driver.Draw{
		{N: 0, Most: 0}, {N: 1, Most: 1}, {N: 2, Most: 99},
		{N: 1, Floor: 2, Most: 99}, {N: 1, Floor: 4, Most: 99}, // below x, and x
		{N: 1, Floor: 6, Most: 99}, {N: 3, Floor: 9, Most: 99}, // above x
		{N: 0, Floor: 8, Most: 99}, {N: 0, Floor: 20, Most: 99}, // moves
		{N: 5, Floor: 25, Most: 30}, {N: 0, Floor: 30, Most: 30}, {N: 1, Floor: 0, Most: 31},
	} {
		if err := p.draws(p.program(i), &r, d); err != nil {
			return err
		}
		if err := p.rowIs(p.program(i+1), r); err != nil {
			return err
		}
	}
	return nil
}

func drawEndsAt64Bits(p place) error {
	const most = math.MaxInt64
	for name, steps := range map[string][]driver.Draw{
		"all at once": {{N: most, Most: most}, {N: 0, Most: most}, {N: 1, Most: most}, {N: most, Most: most}},
		"by floor":    {{N: 5, Floor: most - 5, Most: most}, {N: 1, Floor: most, Most: most}, {N: 0, Floor: most, Most: most}},
		"all but one": {{N: 1, Most: most}, {N: most, Most: most}, {N: most, Floor: most, Most: most}, {N: most - 1, Floor: 1, Most: most}},
		"past 2^53":   {{N: 1, Floor: 1 << 53, Most: most}, {N: 1, Most: most}, {N: 1, Floor: 1<<62 + 1, Most: most}, {N: 1, Most: most}},
	} {
		r, err := p.row(name)
		if err != nil {
			return err
		}
		for i, d := range steps {
			if err := errors.Join(p.draws(p.program(i), &r, d), p.rowIs(p.a, r)); err != nil {
				return fmt.Errorf("%s: %v", name, err)
			}
		}
	}
	return nil
}

func refusedDrawChangesNothing(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	if err := p.draws(p.a, &r, driver.Draw{N: 5, Most: 9}); err != nil {
		return err
	}
	for i, d := range []driver.Draw{
		{Key: r.Key, Version: r.Version + 1, N: 1, Most: 99},
		{Key: r.Key, Version: r.Version - 1, N: 1, Most: 99},
		{Key: r.Key, Version: r.Version + 1, N: 0, Floor: 50, Most: 99},
		{Key: p.key("none"), Version: r.Version, N: 1, Most: 99},
		{Key: p.key("none"), Version: r.Version, N: 0, Floor: 9, Most: 99},
		{Key: r.Key, Version: r.Version, N: 1, Most: 5},
		{Key: r.Key, Version: r.Version, N: 5, Most: 9},
		{Key: r.Key, Version: r.Version, N: 0, Most: 4},
		{Key: r.Key, Version: r.Version, N: 1, Floor: 5, Most: 5},
		{Key: r.Key, Version: r.Version, N: 3, Floor: 7, Most: 9},
		{Key: r.Key, Version: r.Version, N: math.MaxInt64, Most: math.MaxInt64},
	} {
		if s, ok, err := p.program(i).Draw(p.ctx, d); ok || err != nil {
			return fmt.Errorf("Draw(%+v) with %+v = %+v, %v, %v, want a refusal", d, r, s, ok, err)
		}
		if err := p.rowIs(p.program(i+1), r); err != nil {
			return fmt.Errorf("after the refused Draw(%+v): %v", d, err)
		}
		if _, ok, err := p.a.Read(p.ctx, p.key("none")); ok || err != nil {
			return fmt.Errorf("after the refused Draw(%+v): the row of another key: %v, %v", d, ok, err)
		}
	}
	return p.draws(p.a, &r, driver.Draw{N: 4, Most: 9})
}

// clock returns a clock near that of the store, in ticks of a microsecond. The clock of
// this machine shows another time if the store has its own.
func (p place) clock(r driver.Row) (c driver.Clock, storeNow time.Time, err error) {
	got, ok, err := p.a.Read(p.ctx, r.Key)
	if err != nil || !ok {
		return c, storeNow, errors.Join(errors.New("no row"), err)
	}
	if got.Now.IsZero() {
		now := time.Now()
		return driver.Clock{Now: now, Tick: time.Microsecond, MaxAhead: -1}, now, nil
	}
	return driver.Clock{Now: got.Now.Add(-30 * time.Hour), Tick: time.Microsecond, MaxAhead: -1}, got.Now, nil
}

func clockSetsTheFloor(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	c, now, err := p.clock(r)
	if err != nil {
		return err
	}
	own := !now.Equal(c.Now)
	for i, width := range []int64{0, 1, 100, 100, 0, 1000} {
		c.Width = width
		if i == 3 {
			c.Tick = time.Millisecond // far below the present x
		}
		d := driver.Draw{Key: r.Key, Version: r.Version, N: int64(i), Floor: int64(i), Most: math.MaxInt64, Clock: &c}
		s, ok, err := p.program(i).Draw(p.ctx, d)
		if err != nil || !ok || !own && !s.Now.IsZero() {
			return fmt.Errorf("Draw(%+v) with clock %+v = %+v, %v, %v", d, c, s, ok, err)
		}
		if own && s.Now.IsZero() { // it can't tell, but uses its clock
			if s.Now, err = p.nowOf(d, s, now); err != nil {
				return err
			}
		}
		if own && s.Now.Sub(now).Abs() > 20*time.Minute {
			return fmt.Errorf("Step.Now is %v, and Row.Now was %v", s.Now, now)
		}
		if want, _ := draw(&r, d, s.Now); s.After != want.After {
			return fmt.Errorf("Draw(%+v) with clock %+v = %+v, want After %d", d, c, s, want.After)
		}
		if err := p.rowIs(p.b, r); err != nil {
			return err
		}
	}
	s, ok, err := p.a.Draw(p.ctx, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: math.MaxInt64})
	if err != nil || !ok || !s.Now.IsZero() {
		return fmt.Errorf("Draw without a clock = %+v, %v, %v, want no Now", s, ok, err)
	}
	return nil
}

// nowOf returns a time at which the step s makes sense, no earlier than before and no
// later than the store's clock shows now.
func (p place) nowOf(d driver.Draw, s driver.Step, before time.Time) (time.Time, error) {
	r, ok, err := p.a.Read(p.ctx, d.Key)
	if err != nil || !ok {
		return time.Time{}, errors.Join(errors.New("no row"), err)
	}
	from, at := s.After-d.N, before
	if c := d.Clock; c.Floor(0, at) < from && c.Width > 0 {
		at = time.UnixMicro((from + 1) / c.Width * c.Tick.Microseconds())
	}
	if at.After(r.Now) {
		return r.Now, nil // x was ahead of the clock
	}
	return at, nil
}

func clockRefuses(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	c, now, err := p.clock(r)
	if err != nil {
		return err
	}
	stamps, ahead := c, c
	stamps.Width, ahead.Width = 100, 100
	inAnHour := ahead.Floor(0, now.Add(time.Hour))
	for _, tt := range []struct {
		name string
		made bool
		n    int64
		set  func(*driver.Clock)
	}{
		{"before NotBefore", false, 1, func(c *driver.Clock) { c.NotBefore = now.Add(time.Hour) }},
		{"after NotAfter", false, 1, func(c *driver.Clock) { c.NotAfter = now.Add(-time.Hour) }},
		{"between", true, 1, func(c *driver.Clock) { c.NotBefore, c.NotAfter = now.Add(-time.Hour), now.Add(time.Hour) }},
		{"before NotBefore, stamps", false, 1, func(c *driver.Clock) { *c = stamps; c.NotBefore = now.Add(time.Hour) }},
		{"after NotAfter, stamps", false, 1, func(c *driver.Clock) { *c = stamps; c.NotAfter = now.Add(-time.Hour) }},
		{"more than a tick", false, 101, func(c *driver.Clock) { *c = stamps; c.MaxAhead = 0 }},
		{"more than three more ticks", false, 401, func(c *driver.Clock) { *c = stamps; c.MaxAhead = 3 * time.Microsecond }},
		{"all of three more ticks", true, 400, func(c *driver.Clock) { *c = stamps; c.MaxAhead = 3 * time.Microsecond }},
		{"an hour ahead", true, inAnHour, nil},
		{"too far ahead", false, 1, func(c *driver.Clock) { *c = stamps; c.MaxAhead = 30 * time.Minute }},
		{"not too far ahead", true, 1, func(c *driver.Clock) { *c = stamps; c.MaxAhead = 90 * time.Minute }},
		{"a move too far ahead", false, 0, func(c *driver.Clock) { *c = stamps; c.MaxAhead = 30 * time.Minute }},
		{"any distance ahead", true, 1, func(c *driver.Clock) { *c = stamps }},
		{"a number, which has no tick", true, 1, func(c *driver.Clock) { c.MaxAhead = 0 }},
	} {
		d := driver.Draw{Key: r.Key, Version: r.Version, N: tt.n, Most: math.MaxInt64}
		if tt.set != nil {
			with := c
			tt.set(&with)
			d.Clock = &with
		} else {
			d.Floor, d.N = tt.n, 0
		}
		s, ok, err := p.a.Draw(p.ctx, d)
		if err != nil || ok != tt.made {
			return fmt.Errorf("%s: Draw(%+v), clock %+v, with x %d = %+v, %v, %v, want made %v", tt.name, d, d.Clock, r.X, s, ok, err, tt.made)
		}
		if ok {
			r.X = s.After
		}
		if err := p.rowIs(p.b, r); err != nil {
			return fmt.Errorf("%s: %v", tt.name, err)
		}
	}
	return nil
}

// A drawn is a step that was made.
type drawn struct {
	driver.Draw
	driver.Step
}

// A ledger has the steps of many goroutines.
type ledger struct {
	mu    sync.Mutex
	steps []drawn
}

func (l *ledger) add(d driver.Draw, s driver.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps = append(l.steps, drawn{d, s})
}

// check puts the steps one after the other. Each must begin where the one before ended,
// and they must lead from 0 to x. All of them add something.
func (l *ledger) check(x int64) error {
	slices.SortFunc(l.steps, func(a, b drawn) int { return int(min(1, max(-1, a.After-b.After))) })
	at, version := int64(0), map[int64]int{}
	for i, s := range l.steps {
		if want := max(at, s.Floor) + s.N; s.After != want || s.Before != at && s.Before != want-s.N {
			return fmt.Errorf("Draw(%+v) = %+v after x was %d, want After %d", s.Draw, s.Step, at, want)
		}
		if last, ok := version[s.Version]; ok && last != i-1 {
			return fmt.Errorf("Draw(%+v) = %+v, but the version before was another one", s.Draw, s.Step)
		}
		at, version[s.Version] = s.After, i
	}
	if at != x {
		return fmt.Errorf("the last draw led to %d, and x is %d", at, x)
	}
	return nil
}

// manyDrawWhileTheVersionChanges has 16 goroutines draw. Another one puts versions, which
// ends the draws with the version before.
func manyDrawWhileTheVersionChanges(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	var l ledger
	var version atomic.Int64
	version.Store(r.Version)
	err = together(17, func(i int) error {
		d := p.program(i)
		if i == 16 {
			for range 10 {
				was := r.Version
				r.Version += 11
				if ok, err := d.Put(p.ctx, r, was); err != nil || !ok {
					return fmt.Errorf("Put, was %d: %v, %v", was, ok, err)
				}
				version.Store(r.Version)
				time.Sleep(time.Millisecond)
			}
			return nil
		}
		for range 25 {
			step := driver.Draw{Key: r.Key, Version: version.Load(), N: int64(1 + i%3), Most: math.MaxInt64}
			s, ok, err := d.Draw(p.ctx, step)
			if err != nil {
				return fmt.Errorf("Draw(%+v): %v", step, err)
			}
			if ok {
				l.add(step, s)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.endsWell(&l, r)
}

// endsWell compares the steps with row r, whose x they led to.
func (p place) endsWell(l *ledger, r driver.Row) error {
	got, ok, err := p.b.Read(p.ctx, r.Key)
	if err != nil || !ok {
		return fmt.Errorf("Read at the end: %v, %v", ok, err)
	}
	r.X = got.X
	return errors.Join(p.rowIs(p.a, r), l.check(got.X))
}

func manyDrawWithOtherFloors(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	var l ledger
	err = together(16, func(i int) error {
		for j := range 25 {
			// Floors ascend by less than is drawn, so that x is now below and now above.
			step := driver.Draw{Key: r.Key, Version: r.Version, N: 1, Floor: int64(j*30 + i*(j%3)), Most: math.MaxInt64}
			s, ok, err := p.program(i).Draw(p.ctx, step)
			if err != nil || !ok {
				return fmt.Errorf("Draw(%+v) = %v, %v", step, ok, err)
			}
			l.add(step, s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.endsWell(&l, r)
}
