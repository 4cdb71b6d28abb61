package drivertest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// draw is the contract of a draw, in words of Go. It changes r, whose version is the
// draw's. The clock of the store shows now, or the store has none.
func draw(r *driver.Row, d driver.Draw, now time.Time) (s driver.Step, ok bool) {
	if d.Clock != nil && now.IsZero() {
		now = d.Clock.Now
	}
	floor := d.Clock.Floor(d.Floor, now)
	x := max(r.X, floor)
	if d.N > d.Most || x > d.Most-d.N || !d.Clock.Allows(x+d.N, now) {
		return driver.Step{}, false
	}
	s = driver.Step{Before: r.X, After: x + d.N}
	r.X = s.After
	return s, true
}

// A model is a store in its simplest form.
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

func (m model) draw(d driver.Draw) (driver.Step, bool) {
	r, ok := m[d.Key]
	if !ok || r.Version != d.Version {
		return driver.Step{}, false
	}
	s, ok := draw(&r, d, time.Time{})
	m[d.Key] = r
	return s, ok
}

// historiesAreThoseOfTheModel compares random calls with those of a model. Two programs
// make them one after the other, some of them in transactions.
func historiesAreThoseOfTheModel(p place) error {
	for seed := range uint64(8) {
		h := history{p, rand.New(rand.NewPCG(seed, 25)), model{}, fmt.Sprint(seed)}
		for i := range 25 {
			if err := h.some(); err != nil {
				return fmt.Errorf("history %d, part %d: %v", seed, i, err)
			}
		}
	}
	return nil
}

type history struct {
	place
	*rand.Rand
	model
	prefix string
}

// some makes some calls.
func (h *history) some() error {
	if h.begin == nil || h.IntN(3) > 0 {
		for range 8 {
			if err := h.call([]driver.Driver{h.a, h.b}[h.IntN(2)]); err != nil {
				return err
			}
		}
		return nil
	}
	d, end, err := h.begin(h.ctx)
	if err != nil {
		return err
	}
	before, commit := maps.Clone(h.model), h.IntN(2) == 0
	for range 1 + h.IntN(4) {
		if err := h.call(d); err != nil {
			return errors.Join(fmt.Errorf("in a transaction: %v", err), end(false))
		}
	}
	if !commit {
		h.model = before
	}
	return end(commit)
}

// call makes a random call of d.
func (h *history) call(d driver.Driver) error {
	key := h.key(h.prefix + string(rune('a'+h.IntN(3))))
	version := int64(1 + h.IntN(2))
	if have := h.model[key].Version; h.IntN(8) > 0 {
		version = have
	}
	switch kind := h.IntN(10); {
	case kind < 2:
		r := driver.Row{Key: key, Meaning: fmt.Sprint("m", h.IntN(9)), Base: h.Int64() - 1<<62, Version: int64(1 + h.IntN(3))}
		got, err := d.Put(h.ctx, r, version)
		if want := h.model.put(r, version); err != nil || got != want {
			return fmt.Errorf("Put(%+v, %d) = %v, %v, want %v", r, version, got, err, want)
		}
	case kind < 4:
		if want, there := h.model[key]; there {
			return h.rowIs(d, want)
		}
		if r, ok, err := d.Read(h.ctx, key); err != nil || ok {
			return fmt.Errorf("Read(%q) = %+v, %v, %v, want no row", key, r, ok, err)
		}
	default:
		return h.drawSome(d, key, version)
	}
	return nil
}

// drawSome makes a draw whose bounds are near x.
func (h *history) drawSome(d driver.Driver, key string, version int64) error {
	x := h.model[key].X
	step := driver.Draw{Key: key, Version: version, N: h.Int64N(4), Most: max(0, x+h.Int64N(30)-5)}
	step.Floor = min(step.Most, max(0, x+h.Int64N(9)-4))
	got, ok, err := d.Draw(h.ctx, step)
	want, made := h.model.draw(step)
	exact := got.Before == want.Before || got.Before == max(want.Before, step.Floor)
	if err != nil || ok != made || ok && (got.After != want.After || !exact) {
		return fmt.Errorf("Draw(%+v) with x %d = %+v, %v, %v, want %+v, %v", step, x, got, ok, err, want, made)
	}
	return nil
}
