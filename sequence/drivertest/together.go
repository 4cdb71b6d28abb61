package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

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

// oneOfManyPuts has many put a row with versions of their own. Exactly one of them may,
// whether the row is new or not.
func oneOfManyPuts(p *place) error {
	r := driver.Row{Key: p.key("k"), Meaning: "m"}
	for range 5 {
		was := r.Version
		var made atomic.Int64
		err := together(8, func(i int) error {
			r := r
			r.Version = was + 1 + int64(i)
			ok, err := p.by(i).Put(p.ctx, r, was)
			if ok {
				made.Add(r.Version)
			}
			return err
		})
		if err != nil {
			return err
		}
		r.Version = made.Load() // of the only one
		p.model[r.Key] = r
		if err := p.read(0, r.Key); err != nil {
			return fmt.Errorf("after 8 calls of Put at once with was = %d: %w", was, err)
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
// with the same version or one that is new. They must lead from 0 to the x of the row. All
// of them add something.
func (l *ledger) check(p *place, key string) error {
	slices.SortFunc(l.steps, func(a, b drawn) int { return int(min(1, max(-1, a.After-b.After))) })
	at, version := int64(0), map[int64]int{}
	for i, s := range l.steps {
		if want := max(at, s.Floor) + s.N; s.After != want || s.Before != at && s.Before != want-s.N {
			return fmt.Errorf("Draw(%+v) = %+v after x was %d, want Before %[3]d or %d, and After %d", s.Draw, s.Step, at, want-s.N, want)
		}
		if last, ok := version[s.Version]; ok && last != i-1 {
			return fmt.Errorf("Draw(%+v) = %+v, want ok = false: a later version had replaced this version", s.Draw, s.Step)
		}
		at, version[s.Version] = s.After, i
	}
	r, ok, err := p.by(0).Read(p.ctx, key)
	if err != nil || !ok || r.X != at {
		return fmt.Errorf("Read = %+v, %v, %v, want X = %d, the After of the last Draw", r, ok, err, at)
	}
	return nil
}

// manyDrawWhileTheVersionChanges has 16 goroutines draw, with floors that differ. Another
// one puts versions, each of which ends the draws with the version before.
func manyDrawWhileTheVersionChanges(p *place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	var l ledger
	var version atomic.Int64
	version.Store(r.Version)
	err = together(17, func(i int) error {
		if i == 16 {
			for range 10 {
				was := r.Version
				r.Version += 11
				if ok, err := p.by(i).Put(p.ctx, r, was); err != nil || !ok {
					return fmt.Errorf("Put(%+v, %d) = %v, %v, want true", r, was, ok, err)
				}
				version.Store(r.Version)
				time.Sleep(time.Millisecond)
			}
			return nil
		}
		var s driver.Step
		for j := range 25 {
			// Now below x, and now above it.
			step := driver.Draw{Key: r.Key, Version: version.Load(), N: int64(1 + i%3), Floor: s.After + int64(j%4*10), Most: math.MaxInt64}
			got, ok, err := p.by(i).Draw(p.ctx, step)
			if err != nil {
				return fmt.Errorf("Draw(%+v): %w", step, err)
			}
			if s = got; ok {
				l.add(step, s)
			}
		}
		return nil
	})
	return errors.Join(err, l.check(p, r.Key))
}

func endedContextIsAnError(p *place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(p.ctx)
	cancel()
	for range 20 { // more than a pool has connections
		d := p.by(0)
		_, _, read := d.Read(ended, r.Key)
		_, list := d.List(ended)
		_, put := d.Put(ended, driver.Row{Key: r.Key, Meaning: "m", Version: 9}, r.Version)
		_, _, drew := d.Draw(ended, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 9})
		for name, err := range map[string]error{"Read": read, "List": list, "Put": put, "Draw": drew, "Migrate": d.Migrate(ended)} {
			if err == nil {
				return fmt.Errorf("%s with an ended context returns no error, want one", name)
			}
		}
	}
	return p.draw(0, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 9})
}

// limitIsTransient makes draws whose time is over at once. A store that is fast enough
// may make them.
func limitIsTransient(p *place) error {
	r, err := p.row("k")
	for range 20 {
		step := driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 99, Limit: 1}
		if _, _, late := p.by(0).Draw(p.ctx, step); late != nil && !p.by(0).Transient(late) {
			return fmt.Errorf("Draw(%+v): %w, want a transient error", step, late)
		}
	}
	_, ok, late := p.by(1).Draw(p.ctx, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 99, Limit: time.Minute})
	if err != nil || late != nil || !ok {
		return fmt.Errorf("after draws that ran out of time, a Draw has the result %v, %v, want true and no error", ok, errors.Join(err, late))
	}
	return nil
}
