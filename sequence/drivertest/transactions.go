package drivertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// manyTransactionsDraw has transactions draw from a key that none of them knows. As package
// sequence does, each puts it, reads it and draws. A third of them are rolled back. Draws
// outside of transactions come between.
func manyTransactionsDraw(p *place) error {
	key := p.key("k")
	var l ledger
	err := together(8, func(i int) error {
		for j := range 10 {
			if i == 7 {
				r, _, err := p.by(i).Read(p.ctx, key)
				step := driver.Draw{Key: key, Version: r.Version, N: 3, Most: 1000}
				s, ok, drew := p.by(i).Draw(p.ctx, step)
				if ok {
					l.add(step, s)
				}
				if err := errors.Join(err, drew); err != nil {
					return err
				}
				continue
			}
			version := int64(1 + i*10 + j)
			if err := p.transaction(&l, driver.Row{Key: key, Meaning: "m", Version: version}, (i+j)%3 > 0); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, l.check(p, key))
}

// transaction draws two times in a transaction, which it runs again if the store says so.
func (p *place) transaction(l *ledger, fresh driver.Row, commit bool) error {
	for {
		var steps []drawn
		d, end, err := p.begin(p.ctx)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		if steps, err = p.putAndDraw(d, fresh); err != nil {
			err = errors.Join(err, end(false))
		} else {
			err = end(commit)
		}
		if err != nil && p.by(0).Transient(err) && p.ctx.Err() == nil {
			continue
		}
		for _, s := range steps {
			if err == nil && commit {
				l.add(s.Draw, s.Step)
			}
		}
		return err
	}
}

func (p *place) putAndDraw(d driver.Driver, fresh driver.Row) (steps []drawn, err error) {
	if _, err := d.Put(p.ctx, fresh, 0); err != nil {
		return nil, err
	}
	r, ok, err := d.Read(p.ctx, fresh.Key)
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("Read after Put in a transaction: ok is %v, want true", ok), err)
	}
	for range 2 {
		time.Sleep(time.Millisecond) // for others, who must wait
		step := driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 1000}
		s, ok, err := d.Draw(p.ctx, step)
		if err != nil || !ok || s.Before != r.X {
			return nil, errors.Join(fmt.Errorf("Draw(%+v) in a transaction = %+v, %v, want true, and Before = %d, the x that the transaction last read or drew", step, s, ok, r.X), err)
		}
		r.X = s.After
		steps = append(steps, drawn{step, s})
	}
	return steps, nil
}

// lockedRowKeepsNobodyLonger has a transaction hold a row for longer than others may wait.
func lockedRowKeepsNobodyLonger(p *place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	tx, end, err := p.begin(p.ctx)
	if err != nil {
		return err
	}
	step := driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 99}
	if _, ok, err := tx.Draw(p.ctx, step); err != nil || !ok {
		return errors.Join(fmt.Errorf("a Draw in a transaction: ok is %v, want true", ok), err, end(false))
	}
	limited := step
	limited.Limit = 100 * time.Millisecond
	short, cancel := context.WithTimeout(p.ctx, limited.Limit)
	defer cancel()
	_, _, late := p.by(0).Draw(short, step)
	_, _, cut := p.by(1).Draw(p.ctx, limited)
	if err := end(true); err != nil || late == nil || cut == nil || !p.by(1).Transient(cut) {
		return fmt.Errorf("a Draw of a row that a transaction has locked: %v with a deadline, want an error; %v with a Limit, want a transient error. Commit: %v, want nil", late, cut, err)
	}
	// A draw that was given up may have been made once the row was free.
	s, ok, err := p.by(0).Draw(p.ctx, step)
	if err != nil || !ok || s.After < 2 || s.After > 4 {
		return fmt.Errorf("a Draw after the transaction = %+v, %v, %v, want After from 2 to 4", s, ok, err)
	}
	return nil
}
