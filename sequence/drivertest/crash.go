package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// RunCrashes tests that a change survives a crash once the driver has reported the
// change as made. Each call of open must return a driver of the same store, as for [Run]. The
// store must have no rows of an earlier RunCrashes. The function crash, which is called
// several times, must kill the store without a warning, as a power failure would, and start
// it again.
func RunCrashes(t *testing.T, open func(testing.TB) driver.Driver, crash func(testing.TB)) {
	p := place{ctx: t.Context(), law: "WhatWasToldSurvivesACrash", model: model{}, programs: [2]driver.Driver{open(t), open(t)}}
	if err := whatWasToldSurvivesACrash(&p, func() { crash(t) }); err != nil {
		t.Error(err)
	}
}

// whatWasToldSurvivesACrash has 8 goroutines draw, half of them as if others drew too, while
// the store crashes. Another goroutine puts versions. Afterwards, the row must have the last
// version that a Put told, and no step may begin below one that was told before.
func whatWasToldSurvivesACrash(p *place, crash func()) error {
	if err := p.by(0).Migrate(p.ctx); err != nil {
		return err
	}
	for i := range 4 {
		ctx, stop := context.WithCancel(p.ctx)
		r, err := p.row(fmt.Sprint(i))
		if err != nil {
			stop()
			return err
		}
		var told, drawn, version atomic.Int64
		version.Store(r.Version)
		ended := make(chan error, 1)
		go func() {
			ended <- together(9, func(i int) error {
				if i == 8 {
					return p.putUntil(ctx, r, &version)
				}
				return p.drawUntil(ctx, i, r.Key, &version, &told, &drawn)
			})
		}()
		for before := drawn.Load(); drawn.Load() < before+50 && len(ended) == 0; {
			time.Sleep(time.Millisecond)
		}
		crash()
		stop()
		if err := <-ended; err != nil {
			return err
		}
		after, _, err := retry(p.ctx, p.by(0), func() (driver.Row, bool, error) { return p.by(0).Read(p.ctx, r.Key) })
		if err != nil || after.X < told.Load() || after.Version < version.Load() {
			return fmt.Errorf("after a crash, Read = %+v, %v, want X >= %d and Version >= %d, as reported before the crash", after, err, told.Load(), version.Load())
		}
	}
	return nil
}

// drawUntil draws until ctx ends.
func (p *place) drawUntil(ctx context.Context, i int, key string, version, told, drawn *atomic.Int64) error {
	for ctx.Err() == nil {
		least := told.Load()
		d := driver.Draw{Key: key, Version: version.Load(), N: 1, Most: math.MaxInt64, Others: i%2 == 0, Limit: 5 * time.Second}
		s, ok, err := p.by(i).Draw(ctx, d)
		switch {
		case err != nil && ctx.Err() == nil && !p.by(i).Transient(err):
			return fmt.Errorf("Draw(%+v): %w", d, err)
		case err != nil || !ok:
			time.Sleep(time.Millisecond)
			continue
		case s.After <= least:
			return fmt.Errorf("Draw(%+v) = %+v, want After > %d, the After of an earlier Draw", d, s, least)
		}
		drawn.Add(1)
		for was := told.Load(); was < s.After && !told.CompareAndSwap(was, s.After); was = told.Load() {
		}
	}
	return nil
}

// putUntil puts versions until ctx ends. A Put whose answer is lost may have been made.
func (p *place) putUntil(ctx context.Context, r driver.Row, version *atomic.Int64) error {
	was := r.Version
	for ctx.Err() == nil {
		r.Version++
		ok, err := p.by(1).Put(ctx, r, was)
		switch {
		case err == nil && ok:
			was = r.Version
			version.Store(was)
		case err != nil && ctx.Err() == nil && !p.by(1).Transient(err):
			return fmt.Errorf("Put(%+v, %d): %w", r, was, err)
		default:
			row, _, err := retry(ctx, p.by(1), func() (driver.Row, bool, error) { return p.by(1).Read(ctx, r.Key) })
			if err == nil && (row.Version < was || row.Version > r.Version) {
				return fmt.Errorf("Read = %+v, want a Version from %d, which a Put stored, to %d, which a later Put may have stored", row, was, r.Version)
			}
			if err == nil {
				was = row.Version
				version.Store(was)
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// retry calls f until it doesn't fail with a transient error.
func retry(ctx context.Context, d driver.Driver, f func() (driver.Row, bool, error)) (r driver.Row, ok bool, err error) {
	for {
		if r, ok, err = f(); err == nil || !d.Transient(err) || ctx.Err() != nil {
			return r, ok, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// rollbackTakesBackEverything makes steps of each kind in transactions, and Puts between
// them. Rollbacks take all of it back, and commits keep it.
func rollbackTakesBackEverything(p *place) error {
	machine := time.Now()
	for i, step := range []driver.Draw{
		{N: 1, Most: math.MaxInt64}, {N: 50, Most: math.MaxInt64}, {N: 1 << 40, Most: math.MaxInt64},
		{N: 7, Floor: 1000, Most: math.MaxInt64}, {N: 0, Floor: 1 << 50, Most: math.MaxInt64},
		{N: 5, Most: math.MaxInt64, Clock: &driver.Clock{Now: machine, Tick: time.Microsecond, Width: 100, MaxAhead: -1}},
		{N: 9, Most: math.MaxInt64, Clock: &driver.Clock{Now: machine, MaxAhead: -1}},
	} {
		for _, commit := range []bool{false, true, false} {
			r, err := p.row(fmt.Sprint(i, commit, len(p.model)))
			if err == nil {
				err = p.draw(0, driver.Draw{Key: r.Key, Version: r.Version, N: 3, Most: 9})
			}
			if err == nil {
				err = p.stepsAndPut(r, step, commit)
			}
			if err != nil {
				return fmt.Errorf("the step %+v in a transaction, with commit = %v: %w", step, commit, err)
			}
		}
	}
	return nil
}

// stepsAndPut makes a step, puts a version and makes another step, in one transaction.
func (p *place) stepsAndPut(r driver.Row, step driver.Draw, commit bool) error {
	d, end, err := p.begin(p.ctx)
	if err != nil {
		return err
	}
	step.Key, step.Version = r.Key, r.Version
	_, first, err1 := d.Draw(p.ctx, step)
	next := r
	next.Meaning, next.Base, next.Version = "another", 1, r.Version+1<<32
	put, err2 := d.Put(p.ctx, next, r.Version)
	step.Version = next.Version
	s, second, err3 := d.Draw(p.ctx, step)
	if err := errors.Join(err1, err2, err3); err != nil || !first || !put || !second {
		return errors.Join(fmt.Errorf("a Draw, a Put and a Draw in a transaction: ok is %v, %v and %v, want true for each", first, put, second), err, end(false))
	}
	if commit {
		next.X, next.Now = s.After, time.Time{}
		p.model[r.Key] = next
	}
	if err := end(commit); err != nil {
		return err
	}
	return p.read(1, r.Key)
}

// versionsHave64Bits tries versions that differ in one bit.
func versionsHave64Bits(p *place) error {
	const version = 0x55aa55aa_33cc33cc
	r := driver.Row{Key: p.key("k"), Meaning: "m", Version: version}
	if err := p.put(0, r, 0); err != nil {
		return err
	}
	for bit := range 63 {
		other := int64(version ^ 1<<bit)
		err := p.draw(bit, driver.Draw{Key: r.Key, Version: other, N: 1, Most: 99})
		if err == nil {
			err = p.put(bit, driver.Row{Key: r.Key, Meaning: "wrong", Version: 1}, other)
		}
		if err != nil {
			return err
		}
	}
	return p.draw(0, driver.Draw{Key: r.Key, Version: version, N: 1, Most: 99})
}
