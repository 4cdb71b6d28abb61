package drivertest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A model is a store in its simplest form. Its methods are the contract, in words of Go.
type model map[string]driver.Row

func (m model) put(r driver.Row, was int64) bool {
	have := m[r.Key]
	if have.Version != was {
		return false
	}
	r.X, r.Now = have.X, time.Time{}
	m[r.Key] = r
	return true
}

// draw makes a step when the clock of the store shows now, which is zero if it has none.
func (m model) draw(d driver.Draw, now time.Time) (s driver.Step, ok bool) {
	r := m[d.Key]
	d = d.At(now)
	x := max(r.X, d.Floor)
	if r.Version == 0 || r.Version != d.Version || d.N > d.Most || x > d.Most-d.N {
		return driver.Step{}, false
	}
	s = driver.Step{Before: r.X, After: x + d.N}
	r.X = s.After
	m[d.Key] = r
	return s, true
}

// A place is where a law is tried. Two programs share its rows. The model has what the
// rows of the law must be.
type place struct {
	model
	ctx      context.Context
	law      string
	programs [2]driver.Driver
	begin    func(context.Context) (driver.Driver, func(commit bool) error, error)
	tx       driver.Driver // in place of the programs, if it isn't nil
}

// key returns a key that no other law uses.
func (p *place) key(name string) string { return p.law + "/" + name }

// by returns the driver of program i.
func (p *place) by(i int) driver.Driver {
	if p.tx != nil {
		return p.tx
	}
	return p.programs[i%2]
}

// A patient driver repeats a Read or Put that failed with a transient error, as package
// sequence does. A store may give up after some seconds, and slow machines aren't its
// fault. A Draw isn't made again: nobody knows whether it was made.
type patient struct{ driver.Driver }

// Read implements [driver.Driver].
func (d patient) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	return retry(ctx, d, func() (driver.Row, bool, error) { return d.Driver.Read(ctx, key) })
}

// Put implements [driver.Driver]. A try that failed may have made the change all the same,
// so the next try reads the row first.
func (d patient) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	var unsure bool
	_, ok, err := retry(ctx, d, func() (driver.Row, bool, error) {
		if unsure {
			now, _, err := d.Driver.Read(ctx, r.Key)
			if made := now.Version == r.Version && now.Base == r.Base && now.Meaning == r.Meaning; made || err != nil {
				return now, made, err
			}
		}
		ok, err := d.Driver.Put(ctx, r, was)
		unsure = err != nil
		return r, ok, err
	})
	return ok, err
}

// read has program i read a row, and compares it with the model.
func (p *place) read(i int, key string) error {
	got, ok, err := p.by(i).Read(p.ctx, key)
	got.Now = time.Time{}
	if want, there := p.model[key]; err != nil || ok != there || ok && got != want {
		return fmt.Errorf("Read(%q) = %+v, %v, %v, want %+v, %v", key, got, ok, err, want, there)
	}
	return nil
}

// put has program i put a row, and the other one read it.
func (p *place) put(i int, r driver.Row, was int64) error {
	ok, err := p.by(i).Put(p.ctx, r, was)
	if want := p.model.put(r, was); err != nil || ok != want {
		return fmt.Errorf("Put(%+v, %d) = %v, %v, want %v", r, was, ok, err, want)
	}
	return p.read(i+1, r.Key)
}

// row has a program put the first row of a key.
func (p *place) row(name string) (driver.Row, error) {
	r := driver.Row{Key: p.key(name), Meaning: "1..99 cycling", Base: 7, Version: 5_000_000_000}
	return r, p.put(0, r, 0)
}

// draw has program i make a step, and the other one read the row.
func (p *place) draw(i int, d driver.Draw) error {
	had, ok, err := p.by(i).Read(p.ctx, d.Key)
	if err != nil {
		return err
	}
	x, now := p.model[d.Key].X, had.Now
	got, made, err := p.by(i).Draw(p.ctx, d)
	if !got.Now.IsZero() && (now.IsZero() || d.Clock == nil) {
		return fmt.Errorf("Draw(%+v).Now = %v, want the zero Time for the Clock %v and the Row.Now %v", d, got.Now, d.Clock, now)
	}
	if made && d.Clock != nil && !now.IsZero() {
		if now, err = p.nowOf(i, d, got, now); err != nil {
			return err
		}
	}
	want, may := p.model.draw(d, now)
	if may && !made && ok && p.refusedLater(i, d, x) {
		return nil
	}
	exact := got.Before == want.Before || got.Before == max(want.Before, want.After-d.N)
	if err != nil || made != may || made && (got.After != want.After || !exact) {
		return fmt.Errorf("Draw(%+v), clock %+v, with x %d = %+v, %v, %v, want %+v, %v", d, d.Clock, x, got, made, err, want, may)
	}
	return p.read(i+1, d.Key)
}

// nowOf returns what the clock of the store showed at step s. If the store can't tell, it
// is a time at which s makes sense, from before, when the row was read, up to now.
func (p *place) nowOf(i int, d driver.Draw, s driver.Step, before time.Time) (time.Time, error) {
	if !s.Now.IsZero() {
		return s.Now, nil
	}
	if from := s.After - d.N; d.Clock.Width > 0 && (driver.Draw{Clock: d.Clock}).At(before).Floor < from {
		before = time.UnixMicro((from + 1) / d.Clock.Width * d.Clock.Tick.Microseconds())
	}
	r, _, err := p.by(i).Read(p.ctx, d.Key)
	if before.After(r.Now) {
		return r.Now, err // x was ahead of the clock
	}
	return before, err
}

// refusedLater reports whether the clock of the store, which goes on, refuses by now what
// it allowed when the row was read. Then it takes the step back in the model.
func (p *place) refusedLater(i int, d driver.Draw, x int64) bool {
	r := p.model[d.Key]
	r.X = x
	p.model[d.Key] = r
	later, _, err := p.by(i).Read(p.ctx, d.Key)
	_, may := model{d.Key: r}.draw(d, later.Now)
	if err != nil || may {
		p.model.draw(d, later.Now)
		return false
	}
	return true
}

// list compares all rows of the law with the model.
func (p *place) list(i int) error {
	all, err := p.by(i).List(p.ctx)
	if err != nil {
		return fmt.Errorf("List(): %w", err)
	}
	seen := 0
	for _, got := range all {
		got.Now = time.Time{}
		if !strings.HasPrefix(got.Key, p.law) {
			continue
		}
		if seen++; got != p.model[got.Key] {
			return fmt.Errorf("List() has %+v, want %+v", got, p.model[got.Key])
		}
	}
	if seen != len(p.model) {
		return fmt.Errorf("List() has %d rows of this test, want %d", seen, len(p.model))
	}
	return nil
}
