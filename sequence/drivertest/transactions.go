package drivertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// meanwhile is long enough for a call to arrive at the store, and to wait there. If it
// arrives later, a law may hold by chance, but never fails by chance.
const meanwhile = 100 * time.Millisecond

// async calls f, and returns a function that waits for its end.
func async(f func() error) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return func() error { return <-done }
}

func noError() error { return nil }

// within calls f in a transaction.
func (p place) within(commit bool, f func(driver.Driver) error) error {
	d, end, err := p.begin(p.ctx)
	if err != nil {
		return fmt.Errorf("Begin: %w", err)
	}
	if err := f(d); err != nil {
		return errors.Join(err, end(false))
	}
	return end(commit)
}

func inTxReports(p place) error {
	if p.a.InTx() || p.b.InTx() {
		return errors.New("InTx of a driver of Open: true")
	}
	return p.within(true, func(d driver.Driver) error {
		if !d.InTx() {
			return errors.New("InTx of a driver of Begin: false")
		}
		return nil
	})
}

func rollbackGivesBack(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	fresh := driver.Row{Key: p.key("fresh"), Meaning: "m", Version: 9}
	for i, commit := range []bool{false, true, false, false, true} {
		after, made := r, fresh
		err := p.within(commit, func(d driver.Driver) error {
			if _, ok, err := d.Draw(p.ctx, driver.Draw{Key: r.Key, Version: 1, N: 1, Most: 99}); ok || err != nil {
				return fmt.Errorf("Draw with another version: %v, %v", ok, err)
			}
			after.Version++
			put, err := d.Put(p.ctx, after, r.Version)
			if err != nil || !put {
				return fmt.Errorf("Put, was %d: %v, %v", r.Version, put, err)
			}
			if _, err := d.Put(p.ctx, fresh, 0); err != nil {
				return err
			}
			return errors.Join(p.draws(d, &after, driver.Draw{N: 3, Floor: int64(4 * i), Most: 99}),
				p.draws(d, &after, driver.Draw{N: 2, Most: 99}), p.rowIs(d, after), p.rowIs(d, made))
		})
		if err != nil {
			return fmt.Errorf("transaction %d: %w", i, err)
		}
		if commit {
			r = after
		}
		if err := p.rowIs(p.program(i), r); err != nil {
			return fmt.Errorf("after transaction %d, commit %v: %w", i, commit, err)
		}
		if _, ok, err := p.a.Read(p.ctx, fresh.Key); err != nil || ok != (i >= 1) {
			return fmt.Errorf("after transaction %d, commit %v: the row that it made: %v, %v", i, commit, ok, err)
		}
	}
	return p.draws(p.b, &r, driver.Draw{N: 1, Most: 99})
}

// transactionsWaitForEachOther has a second transaction draw before the first one ends.
func transactionsWaitForEachOther(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	for i, commit := range []bool{true, false, true, false} {
		second := noError
		err := p.within(commit, func(d driver.Driver) error {
			after := r
			if err := p.draws(d, &after, driver.Draw{N: 3, Most: 99}); err != nil {
				return err
			}
			if commit {
				r = after
			}
			next := r // the second sees it after the first has ended
			second = async(func() error {
				step := driver.Draw{N: 2, Most: 99}
				if i >= 2 {
					return p.draws(p.b, &next, step)
				}
				return p.within(true, func(d driver.Driver) error { return p.draws(d, &next, step) })
			})
			time.Sleep(meanwhile)
			return nil
		})
		if err := errors.Join(err, second()); err != nil {
			return fmt.Errorf("the first commits: %v: %w", commit, err)
		}
		r.X += 2
		if err := p.rowIs(p.a, r); err != nil {
			return fmt.Errorf("after both, of which the first commits: %v: %w", commit, err)
		}
	}
	return nil
}

func readLocks(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	second := noError
	other := driver.Draw{Key: r.Key, Version: r.Version, N: 5, Most: 99}
	err = p.within(true, func(d driver.Driver) error {
		if err := p.rowIs(d, r); err != nil {
			return err
		}
		second = async(func() error {
			_, _, err := p.b.Draw(p.ctx, other)
			return err
		})
		time.Sleep(meanwhile)
		return p.draws(d, &r, driver.Draw{N: 1, Most: 99})
	})
	if err := errors.Join(err, second()); err != nil {
		return fmt.Errorf("a draw after Read in a transaction: %w", err)
	}
	r.X += other.N
	return p.rowIs(p.a, r)
}

// manyTransactionsDrawFirst has transactions draw from a key that none of them knows. As
// package sequence does, each puts it, reads it and draws.
func manyTransactionsDrawFirst(p place) error {
	key := p.key("k")
	var l ledger
	err := together(8, func(i int) error {
		for j := range 10 {
			version := int64(1 + i*10 + j)
			if err := p.drawFirst(&l, key, version, (i+j)%3 > 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r, ok, err := p.a.Read(p.ctx, key)
	if err != nil || !ok {
		return fmt.Errorf("Read at the end: %v, %v", ok, err)
	}
	return l.check(r.X)
}

// drawFirst runs a transaction, and runs it again if the store says so.
func (p place) drawFirst(l *ledger, key string, version int64, commit bool) error {
	for {
		var step driver.Draw
		var s driver.Step
		err := p.within(commit, func(d driver.Driver) error {
			if _, err := d.Put(p.ctx, driver.Row{Key: key, Meaning: "m", Version: version}, 0); err != nil {
				return err
			}
			r, ok, err := d.Read(p.ctx, key)
			if err != nil || !ok {
				return errors.Join(errors.New("Read after Put in a transaction"), err)
			}
			step = driver.Draw{Key: key, Version: r.Version, N: 1, Most: 1000}
			if s, ok, err = d.Draw(p.ctx, step); err == nil && !ok {
				err = errors.New("Draw after Read in a transaction was refused")
			}
			return err
		})
		if err != nil && p.a.Transient(err) && p.ctx.Err() == nil {
			continue
		}
		if err == nil && commit {
			l.add(step, s)
		}
		return err
	}
}

// lockedRowKeepsNobodyLonger has a transaction hold a row for longer than others may wait.
func lockedRowKeepsNobodyLonger(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	err = p.within(true, func(d driver.Driver) error {
		if err := p.draws(d, &r, driver.Draw{N: 1, Most: 99}); err != nil {
			return err
		}
		step := driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 99}
		short, cancel := context.WithTimeout(p.ctx, meanwhile)
		defer cancel()
		if s, ok, err := p.a.Draw(short, step); err == nil {
			return fmt.Errorf("Draw of a row that a transaction holds, with a context that ends: %+v, %v, want an error", s, ok)
		}
		step.Limit = meanwhile
		if s, ok, err := p.b.Draw(p.ctx, step); err == nil || !p.b.Transient(err) {
			return fmt.Errorf("Draw of a row that a transaction holds, with a limit: %+v, %v, %v, want a transient error", s, ok, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// A draw that was given up may have been made once the row was free.
	for _, d := range []driver.Driver{p.a, p.b} {
		got, ok, err := d.Read(p.ctx, r.Key)
		if err != nil || !ok || got.X < r.X || got.X > r.X+2 {
			return fmt.Errorf("Read = %+v, %v, %v, want x from %d to %d", got, ok, err, r.X, r.X+2)
		}
	}
	_, ok, err := p.a.Draw(p.ctx, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 99})
	if err != nil || !ok {
		return fmt.Errorf("Draw after the transaction: %v, %v", ok, err)
	}
	return nil
}
