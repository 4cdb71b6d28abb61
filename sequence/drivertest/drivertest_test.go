package drivertest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A reference is a correct store in memory. Its tests break one part of it at a time.
type reference struct {
	rows  model
	clock time.Duration // of the store, ahead of this machine's; 0 for none of its own
	free  chan struct{} // has a value while nobody works on the rows
	broken
}

// A broken says what a store does wrong.
type broken struct {
	put    func(m model, r driver.Row, was int64) bool
	draw   func(m model, d driver.Draw, now time.Time) (driver.Step, bool)
	read   func(s *reference, key string) (driver.Row, bool)
	list   func([]driver.Row) []driver.Row
	key    func(string) string // what the store makes of a key
	open   func(rows model)    // at Migrate
	end    func(s *reference, before model, commit bool)
	race   bool // works on rows that others work on
	inTx   bool // says so of a driver that isn't
	tx     bool // doesn't lock in transactions
	reads  bool // doesn't lock for Read in transactions
	patch  func(driver.Step) driver.Step
	deaf   bool          // looks at no context
	strict bool          // its own limit isn't transient
	fails  string        // the method that returns an error
	late   *atomic.Int64 // counts calls outside of transactions, of which it leaves each third unanswered
}

// unanswered reports whether the answer of a call is lost.
func (c conn) unanswered() bool { return c.late != nil && c.tx == nil && c.late.Add(1)%3 == 0 }

func newReference(b broken) *reference {
	s := &reference{rows: model{}, free: make(chan struct{}, 1), broken: b}
	s.free <- struct{}{}
	return s
}

func (s *reference) place(ctx context.Context) place {
	return place{ctx: ctx, programs: [2]driver.Driver{conn{s, nil}, conn{s, nil}}, begin: func(context.Context) (driver.Driver, func(bool) error, error) {
		t := &transaction{}
		return conn{s, t}, func(commit bool) error { s.finish(t, commit); return nil }, nil
	}}
}

type transaction struct {
	locked bool
	before model
}

type conn struct {
	*reference
	tx *transaction
}

var errBusy = errors.New("busy")

// lock waits for the rows. A transaction keeps them until its end.
func (c conn) lock(ctx context.Context, limit time.Duration) (func(), error) {
	if ctx.Err() != nil && !c.deaf {
		return nil, ctx.Err()
	}
	if c.race {
		sleepy.Lock()
		return sleepy.Unlock, nil
	}
	if c.tx != nil && c.tx.locked {
		return func() {}, nil
	}
	var over <-chan time.Time
	if limit > 0 {
		over = time.After(limit)
	}
	select {
	case <-c.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-over:
		return nil, errBusy
	}
	if c.tx == nil {
		return func() { c.free <- struct{}{} }, nil
	}
	if c.tx.before == nil {
		c.tx.before = maps.Clone(c.rows)
	}
	if c.broken.tx {
		return func() { c.free <- struct{}{} }, nil
	}
	c.tx.locked = true
	return func() {}, nil
}

func (s *reference) finish(t *transaction, commit bool) {
	if t.before == nil {
		return
	}
	if !t.locked {
		<-s.free
	}
	defer func() { s.free <- struct{}{} }()
	switch {
	case s.end != nil:
		s.end(s, t.before, commit)
	case !commit:
		s.rows = t.before
	}
}

func (s *reference) now() time.Time {
	if s.clock == 0 {
		return time.Time{}
	}
	return time.Now().Add(s.clock).Truncate(time.Microsecond)
}

func (s *reference) own(key string) string {
	if s.key != nil {
		return s.key(key)
	}
	return key
}

func (c conn) Migrate(ctx context.Context) error {
	unlock, err := c.lock(ctx, 0)
	if err != nil {
		return err
	}
	defer unlock()
	if c.fails == "Migrate" {
		return errors.New("no table")
	}
	if c.open != nil {
		c.open(c.rows)
	}
	return nil
}

func (c conn) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	unlock, err := c.lock(ctx, 0)
	if err != nil {
		return driver.Row{}, false, err
	}
	if c.tx != nil && c.reads {
		c.tx.locked = false
		defer func() { c.free <- struct{}{} }()
	}
	defer unlock()
	r, ok := c.rows[c.own(key)]
	if c.read != nil {
		r, ok = c.read(c.reference, key)
	}
	r.Now = c.now()
	if c.unanswered() {
		return driver.Row{}, false, errBusy
	}
	return r, ok, nil
}

func (c conn) List(ctx context.Context) ([]driver.Row, error) {
	unlock, err := c.lock(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if c.fails == "List" {
		return nil, errors.New("no list")
	}
	var all []driver.Row
	for _, r := range c.rows {
		all = append(all, r)
	}
	if c.list != nil {
		all = c.list(all)
	}
	return all, nil
}

func (c conn) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	unlock, err := c.lock(ctx, 0)
	if err != nil {
		return false, err
	}
	defer unlock()
	r.Key = c.own(r.Key)
	put := model.put
	if c.put != nil {
		put = c.put
	}
	if ok := put(c.rows, r, was); !c.unanswered() {
		return ok, nil
	}
	return false, errBusy
}

func (c conn) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	unlock, err := c.lock(ctx, d.Limit)
	if err != nil {
		return driver.Step{}, false, err
	}
	if c.race { // racing locks each of its steps
		unlock()
	} else {
		defer unlock()
	}
	now := c.now()
	d.Key = c.own(d.Key)
	f := drawAt
	if c.draw != nil {
		f = c.draw
	}
	s, ok := f(c.rows, d, now)
	if ok && d.Clock != nil {
		s.Now = now
	}
	if c.patch != nil {
		s = c.patch(s)
	}
	return s, ok, nil
}

func drawAt(m model, d driver.Draw, now time.Time) (driver.Step, bool) { return m.draw(d, now) }

func (c conn) Transient(err error) bool { return errors.Is(err, errBusy) && !c.strict }
func (c conn) InTx() bool               { return c.tx != nil || c.broken.inTx }
func (c conn) Place() driver.Place      { return driver.Place{Server: c.reference} }

func TestReferencePasses(t *testing.T) {
	for name, clock := range map[string]time.Duration{"no clock": 0, "clock ahead": 26 * time.Hour, "clock behind": -26 * time.Hour, "clock that it can't tell": time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newReference(broken{})
			s.clock = clock
			if name == "clock that it can't tell" {
				s.patch = func(s driver.Step) driver.Step { s.Now = time.Time{}; return s }
			}
			p := s.place(t.Context())
			Run(t, func(testing.TB) driver.Driver { return p.programs[0] }, p.begin)
		})
	}
}

// TestStoreThatGivesUpPasses has a store that is busy at times, as one on a slow machine. The
// pauses after its errors last no time here.
func TestStoreThatGivesUpPasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newReference(broken{late: new(atomic.Int64)}).place(t.Context())
		for _, l := range laws {
			if err := l.holds(t.Context(), p); err != nil {
				t.Errorf("%s: %v", l.name, err)
			}
		}
	})
}

func TestStoreWithoutTransactionsPasses(t *testing.T) {
	d := conn{newReference(broken{}), nil}
	Run(t, func(testing.TB) driver.Driver { return d }, nil)
}

// sleepy guards the rows of stores that race, step by step.
var sleepy sync.Mutex

// changed returns a draw that a store makes of another one.
func changed(f func(r driver.Row, d *driver.Draw)) func(model, driver.Draw, time.Time) (driver.Step, bool) {
	return func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		f(m[d.Key], &d)
		return drawAt(m, d, now)
	}
}

// withClock is changed, for draws with a clock.
func withClock(f func(c *driver.Clock)) func(model, driver.Draw, time.Time) (driver.Step, bool) {
	return changed(func(_ driver.Row, d *driver.Draw) {
		if d.Clock != nil {
			c := *d.Clock
			f(&c)
			d.Clock = &c
		}
	})
}

// refusing changes the row of a draw that it refuses.
func refusing(f func(r *driver.Row, d driver.Draw)) func(model, driver.Draw, time.Time) (driver.Step, bool) {
	return func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		s, ok := drawAt(m, d, now)
		if r := m[d.Key]; !ok && r.Version == d.Version {
			f(&r, d)
			m[d.Key] = r
		}
		return s, ok
	}
}

// racing makes a draw in two steps, between which others work.
func racing(f func(m model, d driver.Draw, had driver.Row) (driver.Step, bool)) func(model, driver.Draw, time.Time) (driver.Step, bool) {
	return func(m model, d driver.Draw, _ time.Time) (driver.Step, bool) {
		sleepy.Lock()
		had := m[d.Key]
		sleepy.Unlock()
		time.Sleep(100 * time.Microsecond)
		sleepy.Lock()
		defer sleepy.Unlock()
		return f(m, d, had)
	}
}

// brokenStores are caught by the laws of these names, and perhaps by others.
var brokenStores = []struct {
	name, law string
	broken
}{
	{"ignores the version", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(r driver.Row, d *driver.Draw) { d.Version = r.Version })}},
	{"ignores a lower version", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(r driver.Row, d *driver.Draw) {
		if d.Version < r.Version && d.Version > 0 {
			d.Version = r.Version
		}
	})}},
	{"makes a missing row", "HistoriesAreThoseOfTheModel", broken{draw: func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		m.put(driver.Row{Key: d.Key, Version: d.Version}, 0)
		return drawAt(m, d, now)
	}}},
	{"ignores Most", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(_ driver.Row, d *driver.Draw) { d.Most = 1<<63 - 1 })}},
	{"ends before Most", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(_ driver.Row, d *driver.Draw) { d.Most = max(0, d.Most-1) })}},
	{"overflows", "HistoriesAreThoseOfTheModel", broken{draw: func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		r := m[d.Key]
		if x := max(r.X, d.Floor) + d.N; d.Clock == nil && r.Version == d.Version && x < 0 && d.N <= d.Most {
			return driver.Step{Before: r.X, After: x}, true
		}
		return drawAt(m, d, now)
	}}},
	{"counts in doubles", "HistoriesAreThoseOfTheModel", broken{draw: func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		s, ok := drawAt(m, d, now)
		if r := m[d.Key]; ok {
			s.After = int64(min(float64(s.After), 1<<63-1024))
			r.X = s.After
			m[d.Key] = r
		}
		return s, ok
	}}},
	{"ignores the floor", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(_ driver.Row, d *driver.Draw) { d.Floor = 0 })}},
	{"adds to the floor", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(r driver.Row, d *driver.Draw) { d.Floor = min(d.Most, r.X+d.Floor) })}},
	{"starts from the floor", "HistoriesAreThoseOfTheModel", broken{draw: func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		if r := m[d.Key]; d.Clock == nil && r.Version == d.Version && d.Floor > 0 && d.Floor < r.X {
			r.X = d.Floor
			m[d.Key] = r
		}
		return drawAt(m, d, now)
	}}},
	{"doesn't move by 0", "HistoriesAreThoseOfTheModel", broken{draw: changed(func(r driver.Row, d *driver.Draw) {
		if d.N == 0 && d.Clock == nil {
			d.Floor = min(r.X, d.Most)
		}
	})}},
	{"reports x after the step as Before", "HistoriesAreThoseOfTheModel", broken{patch: func(s driver.Step) driver.Step { s.Before = s.After; return s }}},
	{"a refusal by Most raises x", "HistoriesAreThoseOfTheModel", broken{draw: refusing(func(r *driver.Row, d driver.Draw) { r.X = max(r.X, d.Floor) })}},
	{"a refusal by Most takes the rest", "HistoriesAreThoseOfTheModel", broken{draw: refusing(func(r *driver.Row, d driver.Draw) { r.X = max(r.X, d.Most) })}},
	{"a refusal by the clock raises x", "HistoriesAreThoseOfTheModel", broken{draw: refusing(func(r *driver.Row, d driver.Draw) {
		if d.Clock != nil {
			r.X++
		}
	})}},
	{"ignores the clock", "HistoriesAreThoseOfTheModel", broken{draw: withClock(func(c *driver.Clock) { c.Width = 0 })}},
	{"ignores MaxAhead", "HistoriesAreThoseOfTheModel", broken{draw: withClock(func(c *driver.Clock) { c.MaxAhead = -1 })}},
	{"allows a tick more", "HistoriesAreThoseOfTheModel", broken{draw: withClock(func(c *driver.Clock) {
		if c.MaxAhead > 0 {
			c.MaxAhead += c.Tick
		}
	})}},
	{"always looks at MaxAhead", "HistoriesAreThoseOfTheModel", broken{draw: withClock(func(c *driver.Clock) { c.MaxAhead = max(0, c.MaxAhead) })}},
	{"ignores NotBefore", "HistoriesAreThoseOfTheModel", broken{draw: withClock(func(c *driver.Clock) { c.NotBefore = time.Time{} })}},
	{"ignores NotAfter", "HistoriesAreThoseOfTheModel", broken{draw: withClock(func(c *driver.Clock) { c.NotAfter = time.Time{} })}},
	{"looks at its clock without being asked", "HistoriesAreThoseOfTheModel", broken{patch: func(s driver.Step) driver.Step { s.Now = time.Now(); return s }}},
	{"takes the floor of a wrong clock", "HistoriesAreThoseOfTheModel", broken{draw: func(m model, d driver.Draw, now time.Time) (driver.Step, bool) {
		if d.Clock != nil && d.Clock.NotBefore.IsZero() && d.Clock.NotAfter.IsZero() {
			now = time.Now().Add(time.Second)
		}
		return drawAt(m, d, now)
	}}},

	{"Put resets X", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		ok := m.put(r, was)
		if ok {
			r.X = 0
			m[r.Key] = r
		}
		return ok
	}}},
	{"Put sets X", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		ok := m.put(r, was)
		if ok && was != 0 {
			m[r.Key] = r
		}
		return ok
	}}},
	{"Put ignores was", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		if m[r.Key].Version != 0 && was != 0 {
			was = m[r.Key].Version
		}
		return m.put(r, was)
	}}},
	{"Put of 0 replaces a row", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		if was == 0 {
			was = m[r.Key].Version
		}
		return m.put(r, was)
	}}},
	{"Put inserts a row that was", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		if m[r.Key].Version == 0 {
			was = 0
		}
		return m.put(r, was)
	}}},
	{"Put says false", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool { return m.put(r, was) && was == 0 }}},
	{"Put forgets the base", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool { r.Base = 0; return m.put(r, was) }}},
	{"Put keeps the version", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		if was != 0 && m[r.Key].Version == was {
			r.Version = was
		}
		return m.put(r, was)
	}}},
	{"Put cuts a long meaning", "HistoriesAreThoseOfTheModel", broken{put: func(m model, r driver.Row, was int64) bool {
		r.Meaning = r.Meaning[:min(len(r.Meaning), 200)]
		return m.put(r, was)
	}}},
	{"Migrate empties the table", "MigrateRunsTwiceAndByManyAtOnce", broken{open: func(rows model) { clear(rows) }}},
	{"List forgets a row", "HistoriesAreThoseOfTheModel", broken{list: func(all []driver.Row) []driver.Row { return all[1:] }}},
	{"List has a row twice", "HistoriesAreThoseOfTheModel", broken{list: func(all []driver.Row) []driver.Row { return append(all, all...) }}},

	{"keys in lower case", "KeysAreToldApart", broken{key: strings.ToLower}},
	{"keys without spaces at the end", "KeysAreToldApart", broken{key: func(k string) string { return strings.TrimRight(k, " ") }}},
	{"keys in a normal form", "KeysAreToldApart", broken{key: func(k string) string { return strings.ReplaceAll(k, "e\u0301", "\u00e9") }}},
	{"keys of 250 bytes", "KeysAreToldApart", broken{key: func(k string) string { return k[:min(len(k), 250)] }}},
	{"keys end at a newline", "KeysAreToldApart", broken{key: func(k string) string { before, _, _ := strings.Cut(k, "\n"); return before }}},

	{"max in two steps", "ManyDrawWhileTheVersionChanges", broken{race: true, draw: racing(func(m model, d driver.Draw, had driver.Row) (driver.Step, bool) {
		r := m[d.Key]
		r.X = max(had.X, d.Floor) // read before
		m[d.Key] = r
		return m.draw(d, time.Time{})
	})}},
	{"raises to the floor in a step of its own, and lets x go back", "ManyDrawWhileTheVersionChanges", broken{race: true, draw: racing(func(m model, d driver.Draw, had driver.Row) (driver.Step, bool) {
		r := m[d.Key]
		if had.X < d.Floor {
			r.X = d.Floor // which others have passed
			m[d.Key] = r
		}
		return m.draw(d, time.Time{})
	})}},
	{"compares the version in a step of its own", "ManyDrawWhileTheVersionChanges", broken{race: true,
		draw: racing(func(m model, d driver.Draw, had driver.Row) (driver.Step, bool) {
			if had.Version != d.Version {
				return driver.Step{}, false
			}
			d.Version = m[d.Key].Version
			return m.draw(d, time.Time{})
		})}},

	{"a rollback takes nothing back", "HistoriesAreThoseOfTheModel", broken{end: func(*reference, model, bool) {}}},
	{"a commit is lost", "HistoriesAreThoseOfTheModel", broken{end: func(s *reference, before model, _ bool) { s.rows = before }}},
	{"a rollback keeps the version", "HistoriesAreThoseOfTheModel", broken{end: func(s *reference, before model, commit bool) {
		for k, r := range before {
			if !commit {
				r.Version = s.rows[k].Version
				before[k] = r
			}
		}
		if !commit {
			s.rows = before
		}
	}}},
	{"a rollback keeps steps of more than 3", "RollbackTakesBackEverything", broken{end: keeps(func(before, after driver.Row) bool { return after.X > before.X+3 })}},
	{"a rollback keeps what passes a floor", "RollbackTakesBackEverything", broken{end: keeps(func(before, after driver.Row) bool { return before.X > 0 && after.X > 1000 && after.X < 1<<20 })}},
	{"a rollback keeps what a clock raised", "RollbackTakesBackEverything", broken{end: keeps(func(before, after driver.Row) bool { return after.X > 1<<53 })}},
	{"a rollback keeps a Put", "RollbackTakesBackEverything", broken{end: keeps(func(before, after driver.Row) bool { return after.Version != before.Version })}},
	{"compares 32 bits of the version", "VersionsHave64Bits", broken{draw: changed(func(r driver.Row, d *driver.Draw) {
		if int32(d.Version) == int32(r.Version) {
			d.Version = r.Version
		}
	})}},
	{"compares the life of the version", "VersionsHave64Bits", broken{draw: changed(func(r driver.Row, d *driver.Draw) {
		if d.Version>>31 == r.Version>>31 {
			d.Version = r.Version
		}
	})}},
	{"Put compares 32 bits of the version", "VersionsHave64Bits", broken{put: func(m model, r driver.Row, was int64) bool {
		if have := m[r.Key].Version; int32(have) == int32(was) {
			was = have
		}
		return m.put(r, was)
	}}},
	{"repeats after a rollback, for it doesn't lock", "ManyTransactionsDraw", broken{tx: true}},
	{"Read doesn't lock", "ManyTransactionsDraw", broken{reads: true}},
	{"is in a transaction", "HistoriesAreThoseOfTheModel", broken{inTx: true}},
	{"looks at no context", "EndedContextIsAnError", broken{deaf: true}},
	{"doesn't migrate", "MigrateRunsTwiceAndByManyAtOnce", broken{fails: "Migrate"}},
	{"doesn't list", "HistoriesAreThoseOfTheModel", broken{fails: "List"}},
	{"its limit isn't transient", "LockedRowKeepsNobodyLonger", broken{strict: true}},
}

// keeps returns the end of transactions whose rollback keeps some rows.
func keeps(row func(before, after driver.Row) bool) func(*reference, model, bool) {
	return func(s *reference, before model, commit bool) {
		for key, was := range before {
			if after := s.rows[key]; !commit && row(was, after) {
				before[key] = after
			}
		}
		if !commit {
			s.rows = before
		}
	}
}

// TestCrashesAreSurvived has a store that keeps everything, stores that lose the last
// milliseconds, and one with versions that nobody put.
func TestCrashesAreSurvived(t *testing.T) {
	for name, lose := range map[string]func(now, old driver.Row) driver.Row{
		"nothing":               func(now, old driver.Row) driver.Row { return now },
		"steps":                 func(now, old driver.Row) driver.Row { now.X = old.X; return now },
		"versions":              func(now, old driver.Row) driver.Row { now.Version = old.Version; return now },
		"a few steps":           func(now, old driver.Row) driver.Row { now.X -= 20; return now },
		"the order of versions": func(now, old driver.Row) driver.Row { now.Version += 1000; return now },
	} {
		s := newReference(broken{})
		p := s.place(t.Context())
		p.law, p.model = "WhatWasToldSurvivesACrash", model{}
		old := model{}
		err := whatWasToldSurvivesACrash(&p, func() {
			<-s.free
			for key, now := range s.rows {
				if was, ok := old[key]; ok {
					s.rows[key] = lose(now, was)
				} else {
					s.rows[key] = lose(now, driver.Row{Key: key, Version: 5_000_000_000})
				}
				old[key] = s.rows[key]
			}
			s.free <- struct{}{}
			time.Sleep(20 * time.Millisecond) // a Put meets what is left
		})
		if (err == nil) != (name == "nothing") {
			t.Errorf("a store that loses %s: %v", name, err)
		}
	}
}

func TestBrokenStoresAreCaught(t *testing.T) {
	for _, tt := range brokenStores {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := laws[slices.IndexFunc(laws, func(l law) bool { return l.name == tt.law })]
			// A race of goroutines goes wrong sooner or later.
			for range 100 {
				if err := l.holds(t.Context(), newReference(tt.broken).place(t.Context())); err != nil {
					t.Log(err)
					return
				}
				if !tt.race {
					break
				}
			}
			t.Errorf("%s holds", l.name)
		})
	}
}

// An old copy is what Read shows if it asks another server than Draw.
func TestOldCopyIsCaught(t *testing.T) {
	old := model{}
	s := newReference(broken{read: func(s *reference, key string) (driver.Row, bool) {
		r, ok := old[key]
		if !ok {
			r, ok = s.rows[key]
		}
		old[key] = s.rows[key]
		return r, ok
	}})
	for _, l := range laws {
		if l.name == "HistoriesAreThoseOfTheModel" {
			if err := l.holds(t.Context(), s.place(t.Context())); err == nil {
				t.Errorf("%s holds", l.name)
			}
		}
	}
}
