package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// A kind is what the count of a key means. Sequence, Stamper and Numbering are the kinds.
type kind interface {
	// bounds returns the Floor, Most and Clock of a draw from row, and the plan of a
	// Sequence. If the row is of another kind, bounds returns an error.
	bounds(row driver.Row) (driver.Draw, Plan, error)

	// exhausted returns the error of a draw from row if too few numbers after x are left.
	exhausted(row driver.Row, x int64) error
}

// A counter draws from one key of a store.
type counter struct {
	kind
	name string // of the type that users see, such as "Sequence"
	key  string
	d    driver.Driver
	cfg  config
	err  error // of the arguments of New. Each call returns it
	told *observing
	seen *seenKeys

	meaning string // the Meaning of a key that is made now

	above *counter // of a scope or a period: the counter of its numbering. Otherwise nil

	row driver.Row // as it was last drawn from or read, or with Version 0. seen.mu guards it
}

// seenKeys are what was drawn from keys outside of transactions. A Numbering and its scopes
// share them. So a scope that nobody holds is remembered.
type seenKeys struct {
	mu     sync.Mutex
	keys   map[string]seen
	failed time.Time // when prove last failed
}

// seen is what was drawn from a key.
type seen struct {
	x       int64 // the greatest number
	version int64 // of the committed row, when it was last seen, or 0
	others  int   // how many more draws expect that other programs draw too

	// Until version is known: the transaction of the last draw, and the version it found.
	tx   any
	inTx int64
}

// When a program sees that other programs draw from the key, it expects more of their draws
// during its own next othersFor draws.
const othersFor = 16

// newCounter returns the counter of a key. Its kind and meaning aren't set yet.
func newCounter(name string, by constructors, store Store, key string, opts []Option) *counter {
	cfg, err := configure(name, by, opts)
	d, storeErr := driverOf(store)
	err = cmp.Or(err, checkKey(key), storeErr,
		unless(d == nil || !d.InTx(), "the store is bound to a transaction: pass the store itself here, because store.Tx(tx) is only for NextIn"))
	told, seen := &observing{observe: cfg.observe}, &seenKeys{keys: map[string]seen{}}
	return &counter{name: name, key: key, d: d, cfg: cfg, err: err, told: told, seen: seen}
}

// like returns a counter of another key that shares all else with c. Its kind isn't set yet.
func (c *counter) like(key string) *counter {
	return &counter{name: c.name, key: key, d: c.d, cfg: c.cfg, err: c.err, told: c.told, seen: c.seen, meaning: c.meaning}
}

// fail returns err as the error of a method, or nil.
func (c *counter) fail(method string, err error, args ...any) error {
	return failed(c.name, method, c.key, err, args...)
}

// A draw says what to draw.
type draw struct {
	n     int64
	exact bool // n numbers or none. Otherwise up to n, as many as are left
	makes bool // makes a missing key, even with WithExisting

	// floor, if not nil, replaces the floor of the kind.
	floor func(driver.Row) (int64, error)

	err error // what is wrong with the arguments, or nil
}

// A span is n numbers that were drawn, from first on.
type span struct {
	first, n int64
	plan     Plan // of a Sequence, which counts from base
	base     int64
	trip     Trip // that brought them
}

// cut returns the first n numbers of s, and the rest.
func (s span) cut(n int64) (head, tail span) {
	head, tail = s, s
	head.n, tail.first, tail.n = n, s.first+n, s.n-n
	return head, tail
}

// tripLimit is how long one draw outside of transactions may take in the store. The stores
// of SQL databases count from when the draw has a connection. A draw that takes longer is cut
// off. So a connection that has gone silent stops the callers only for some seconds.
const tripLimit = 5 * time.Second

// mostTries is how often a step is tried at most. After pausedTries tries, each further try
// comes after a pause.
const mostTries, pausedTries = 20, 10

// until calls try until it has made its step. try returns the row that it last read, with
// Version 0 if the row is missing. If it didn't make the step, what was known of the row is
// old, the row is new, or the store refused the step: until tries again. If the row is the
// same again and again, and allows the step, then others aren't in the way: the server
// swallows the step.
func until(ctx context.Context, try func() (row driver.Row, made bool, err error)) error {
	var last driver.Row
	same := 0 // how often in a row it was read without a change
	for tries := range mostTries {
		if tries >= pausedTries && !transient.Pause(ctx, min(tries-pausedTries+1, 4), nil) {
			return ctx.Err()
		}
		row, made, err := try()
		if made || err != nil {
			return err
		}
		same++
		if row.Now = (time.Time{}); row != last {
			last, same = row, 0
		}
	}
	if same >= pausedTries {
		return errSwallowed
	}
	return errRaced
}

var errSwallowed = errors.New("the server reports no error, but the row of the key doesn't change: look for row level security, a trigger or a rule (CREATE RULE) that hides the row or stops the UPDATE")

// draw makes one step in d, which is the counter's own driver or one that is bound to a
// transaction of the caller.
//
// No number comes twice, because only the store makes a step, and it makes each step once:
//   - It adds to x in one statement, under the row's lock, and tells x after its own step.
//     Two steps that were made have different numbers, as long as x only grows.
//   - The step names the version of the row that its bounds were computed from. If somebody
//     has changed the meaning of x since, or has deleted the row and made it again, the
//     version is another one and the step is refused. So is a step beyond the end.
//   - A step that is refused changes nothing. Only then is another one tried. A step whose
//     answer is lost may have been made. It isn't tried here, and its numbers are a gap.
//   - Outside of transactions, what was seen is a floor. So x that went back is passed.
//
// The row that draw remembers or reads only decides which step draw tries. The remembered row
// comes first. If it leads to no step, draw reads the row, which tells whether a step is
// possible at all.
func (c *counter) draw(ctx context.Context, d driver.Driver, want draw) (s span, err error) {
	row, before, _ := c.last()
	var last *driver.Draw // that was refused
	err = until(ctx, func() (known driver.Row, ok bool, err error) {
		known, row = row, driver.Row{}
		remembered := known.Version != 0
		if !remembered {
			if known, ok, err = c.read(ctx, d, c.meaning, want); !ok {
				return known, false, err
			}
		}
		step, plan, err := c.step(d, known, want, before)
		if err == nil && last != nil {
			step.N, err = c.possible(known, step, *last, want.exact)
		}
		if err != nil && remembered { // others may have changed the row since
			return known, false, nil
		}
		if err != nil {
			return known, false, err
		}
		done, ok, err := d.Draw(ctx, step)
		if !ok || err != nil {
			last = &step
			return known, false, err
		}
		if done.After < step.N || done.After > step.Most || done.After-step.N < step.Floor {
			return known, false, fmt.Errorf("after a draw of %d numbers, the count is %d, want %d to %d", step.N, done.After, step.Floor+step.N, step.Most)
		}
		s = span{first: done.After - step.N + 1, n: step.N, plan: plan, base: known.Base}
		s.trip = Trip{Numbers: step.N, Lost: max(0, before.x-done.Before), Warning: done.Warning}
		if step.Clock != nil && step.Clock.Width > 0 {
			s.trip.Lead = leadOf(done.After, cmp.Or(done.Now, step.Clock.Now))
		}
		c.learn(d, known, done)
		return known, true, nil
	})
	return s, err
}

// read returns the row in d. It makes a key that is missing, with the Meaning fresh, and
// completes a resize that somebody else began. Then the row is to be read again, and ok is
// false. It is also false after an error. It makes no key for a draw whose floor is an error.
func (c *counter) read(ctx context.Context, d driver.Driver, fresh string, want draw) (row driver.Row, ok bool, err error) {
	_, seen, _ := c.last()
	free := seen.version == 0 && (want.makes || !c.cfg.existing) // to make the key
	put := func() (err error) {
		if want.floor != nil {
			_, err = want.floor(driver.Row{Meaning: fresh})
		}
		if err == nil && c.above != nil && (c.cfg.dates != "" || !free) {
			err = c.above.exists(ctx, d, want.makes)
		}
		if err == nil {
			_, err = d.Put(ctx, driver.Row{Key: c.key, Meaning: fresh, Version: newLife()}, 0)
		}
		return err
	}
	// The first statement of a transaction on this row locks it, or makes it. On MySQL, a
	// statement that finds no row would lock a gap, in which nobody else could then make the
	// row.
	if d.InTx() && free {
		if err := put(); err != nil {
			return row, false, err
		}
	}
	row, ok, err = d.Read(ctx, c.key)
	if err != nil {
		return row, false, err
	}
	switch p, isPlanned := parsePlanned(row.Meaning); {
	case !ok && seen.version != 0:
		if d.InTx() && c.free() {
			if now, err := c.outside(ctx); err != nil || now.Version != 0 && life(now.Version) == life(seen.version) {
				return row, false, cmp.Or(err, c.unseen(d))
			}
		}
		return row, false, fmt.Errorf("%w: it was deleted after this program drew from it: %s", ErrNotFound, restart)
	case !ok && !free && c.above == nil:
		return row, false, fmt.Errorf("%w: WithExisting forbids adding the key %s: to add it, draw once without this option, or call AdvanceTo, unless this is a Stamper", ErrNotFound, quoteKey(c.key))
	case !ok:
		return row, false, put()
	case row.Version <= 0 || row.X < 0 || row.Base < 0 || row.Base > row.X:
		return row, false, fmt.Errorf("somebody changed the row of the key, and it is invalid: it has base %d, x %d and version %d, want 0 <= base <= x and version > 0: repair the row, or use another key", row.Base, row.X, row.Version)
	case seen.version != 0 && life(row.Version) != life(seen.version):
		return row, false, fmt.Errorf("%w: the key that this program drew from was deleted, and a new key has its name: %s", ErrNotFound, restart)
	case isPlanned && p.becoming != (Plan{}):
		return row, false, finish(ctx, d, row, p)
	}
	if !d.InTx() {
		c.seen.mu.Lock()
		c.row = row
		c.seen.mu.Unlock()
	}
	return row, true, nil
}

// unseen returns why the transaction of d doesn't see the row, which is there. If InTx runs
// the transaction again for this reason, the new run began after the row was seen outside. So
// the server hides the row.
func (c *counter) unseen(d driver.Driver) error {
	if l, ok := d.(driver.Looker); ok {
		if runs := l.Runs(); runs != nil && errors.Is(runs.Failure, oldSnapshot{c.key}) {
			return errSwallowed
		}
	}
	return &storeError{oldSnapshot{c.key}, true}
}

const restart = "if this was on purpose, start the program again"

// exists returns an error unless the row of c exists. WithExisting lets a program make a scope
// or a period only while the key of its numbering does. If counts are by date, exists makes
// the row, which says so: nobody draws the same texts by the clock. A row that was committed
// isn't locked, because all draws of new scopes and periods would wait for each other.
func (c *counter) exists(ctx context.Context, d driver.Driver, makes bool) error {
	if _, seen, _ := c.last(); seen.version != 0 && c.free() {
		d = c.d
	}
	return until(ctx, func() (driver.Row, bool, error) {
		row, ok, err := c.read(ctx, d, c.meaning, draw{makes: makes})
		if ok && c.cfg.dates != "" {
			_, _, err = c.bounds(row)
			c.learn(d, row, driver.Step{})
		}
		return row, ok, err
	})
}

// last returns the row as it was last seen, what was drawn from it, and when prove failed.
func (c *counter) last() (row driver.Row, known seen, failed time.Time) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	return c.row, c.seen.keys[c.key], c.seen.failed
}

// look reads the row outside of transactions. The row has Version 0 if it is missing.
func (c *counter) look(ctx context.Context) (driver.Row, error) {
	row, ok, err := c.d.Read(ctx, c.key)
	if !ok {
		row = driver.Row{}
	}
	return row, err
}

// learn keeps what a step showed.
func (c *counter) learn(d driver.Driver, row driver.Row, made driver.Step) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	c.row, c.row.X = row, made.After
	s := c.seen.keys[c.key]
	if d.InTx() {
		c.row.X = 0 // a rollback may take it back
		if l, ok := d.(driver.Looker); ok && s.version == 0 {
			if tx := l.Transaction(); tx != nil && s.tx != nil && tx != s.tx && s.inTx == row.Version {
				s.version, s.tx = row.Version, nil
			} else {
				s.tx, s.inTx = tx, row.Version
			}
			c.seen.keys[c.key] = s
		}
		return
	}
	if s.others--; s.version != 0 && made.Before != s.x {
		s.others = othersFor
	}
	s.x, s.version = max(s.x, made.After), row.Version
	c.seen.keys[c.key] = s
}

// step returns the step for a row. Outside of transactions, no number that was seen comes
// again, also where the store has gone back to an older state. So seen is a floor too.
func (c *counter) step(d driver.Driver, row driver.Row, want draw, known seen) (driver.Draw, Plan, error) {
	step, plan, err := c.bounds(row)
	if err == nil && want.floor != nil {
		step.Floor, err = want.floor(row)
	}
	step.Key, step.Version, step.N = c.key, row.Version, want.n
	if !d.InTx() {
		step.Floor, step.Limit, step.Others = max(step.Floor, known.x), tripLimit, known.others > 0
	}
	if err == nil && step.Floor > step.Most {
		err = c.exhausted(row, step.Floor)
	}
	return step, plan, err
}

// possible returns how many numbers a step can draw from row, which was read after refused
// was. It is an error if it can draw none, or not all of them and exact is true.
//
// The store showed its clock at some time since refused was made, perhaps before a long
// wait for the row. So the clock of this machine is ahead if it was ahead before the wait,
// and behind if it is behind now.
func (c *counter) possible(row driver.Row, step, refused driver.Draw, exact bool) (n int64, err error) {
	now := row.Now
	if step.Clock != nil {
		clock := *step.Clock
		now = cmp.Or(now, clock.Now) // of a store that has a clock, or of this machine
		clock.NotBefore = refused.Clock.NotBefore
		switch ahead := refused.Clock.Now.Sub(now); {
		case now.Before(clock.NotBefore):
			return 0, fmt.Errorf("%w: the clock of this machine is %v ahead of the store's: set the clock, or allow more with WithMaxLead", ErrClockLead, ahead.Round(time.Millisecond))
		case !clock.NotAfter.IsZero() && now.After(clock.NotAfter):
			return 0, fmt.Errorf("%w: the clock of this machine is %v behind the store's, which shows a later period: set the clock, or allow more with WithMaxLead",
				ErrClockLead, now.Sub(clock.Now).Round(time.Millisecond))
		}
		step.Clock = &clock
	}
	at := step.At(now)
	x := max(row.X, at.Floor)
	tooFew := func(n int64) bool { return n < 0 || n < step.N && (exact || n == 0) }
	left, allowed := step.Most-x, at.Most-x
	switch {
	case tooFew(left):
		return 0, c.exhausted(row, x)
	case tooFew(allowed):
		return 0, fmt.Errorf("%w: the stamps are %v ahead of the store's clock: wait, or allow more with WithMaxLead", ErrClockLead, leadOf(x+step.N, now))
	}
	return min(step.N, allowed), nil
}

// drawIn draws n numbers in the transaction that tx is bound to. The transaction isn't safe for
// concurrent use. So drawIn uses it on one goroutine, and waits for that one even if ctx ends.
func (c *counter) drawIn(ctx context.Context, tx Store, n int64) (span, error) {
	d, err := driverOf(tx)
	if err := cmp.Or(c.err, checkDraw(n), err,
		unless(d == nil || d.InTx(), "the store is not bound to a transaction: pass store.Tx(tx), or use a store that has the method Tx"),
		unless(c.cfg.gapFree, "the numbers are not gap-free: draw them with Next, or add the option WithGapFree"),
	); err != nil {
		return span{}, err
	}
	begin := time.Now()
	remind := func() { c.told.tell(Trip{Key: c.key, Waiting: 1, Took: time.Since(begin)}) }
	s, err := call(ctx, d, nil, time.Tick(waitTold), remind, func(ctx context.Context) (span, error) {
		if theirs, ours := d.Place(), c.d.Place(); theirs != ours {
			return span{}, fmt.Errorf("the transaction belongs to another store: the transaction uses %s, and the key is in %s: call InTx and Tx of the store of the key", theirs.Name, ours.Name)
		}
		if l, ok := d.(driver.Looker); ok {
			if runs := l.Runs(); runs != nil && runs.Remind(waitTold) {
				c.told.tell(Trip{Key: c.key, Waiting: 1, Took: time.Since(runs.Begun), Retries: runs.Again, Err: runs.Failure})
			}
		}
		c.prove(ctx)
		return c.draw(ctx, d, draw{n: n, exact: true})
	})
	t := s.trip
	t.Key, t.Took, t.Err, t.Lost = c.key, time.Since(begin), err, 0
	return s, c.tellAlone(t)
}

// proof is how long a look at the row outside of the transaction may take. After a look has
// failed, prove looks again no sooner than notAgain later.
const proof, notAgain = 2 * time.Second, time.Minute

// prove remembers the life of the key, if a committed transaction has made it. A transaction
// may see a row that it has made itself, and that a rollback takes away. So prove looks from
// outside, until it has found the row once. From then on, an emptied table is an error. If
// no connection is free, learn waits until two transactions have found the row. It never
// learns from a transaction without an identity, such as a *sql.Conn.
func (c *counter) prove(ctx context.Context) {
	if c.above != nil && c.cfg.dates != "" {
		c.above.prove(ctx)
	}
	if _, seen, failed := c.last(); seen.version != 0 || time.Since(failed) < notAgain || !c.free() {
		return
	}
	row, err := c.outside(ctx)
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	if err != nil {
		c.seen.failed = time.Now()
	}
	s := c.seen.keys[c.key]
	s.version = cmp.Or(s.version, row.Version)
	c.seen.keys[c.key] = s
}

// pull draws from the store, and draws again after a transient failure. callers returns
// how many callers still wait, and hears of the last failure. If nobody waits, pull gives
// up.
//
// It draws new numbers then. The lost reply may have held some, but nobody can tell
// which: reading the count would find those of others. So the lost ones are a gap. A guess
// could repeat a number.
func (c *counter) pull(ctx context.Context, want draw, callers func(failure error) int64) (span, Trip) {
	begin := time.Now()
	waiting := func(failure error, late bool) bool {
		n := callers(failure)
		switch {
		case late && n > 0:
			c.told.tell(Trip{Key: c.key, Waiting: int(n), Took: time.Since(begin), Err: failure})
		case !late && !want.exact:
			want.n = max(c.cfg.lease, n)
		}
		return n > 0
	}
	s, retries, err := persist(ctx, c.d, waiting, func(ctx context.Context) (span, error) { return c.draw(ctx, c.d, want) })
	t := s.trip
	t.Key, t.Took, t.Retries, t.Err = c.key, time.Since(begin), retries, err
	return s, t
}

// persist is call, again and again while the failure is transient, and while somebody waits.
// waiting hears of the last failure before each call, and again every few seconds, when the
// call is late. persist returns how often it called again.
func persist[T any](ctx context.Context, d driver.Driver, waiting func(failure error, late bool) bool, f func(context.Context) (T, error)) (v T, retries int, err error) {
	ticks := time.Tick(waitTold)
	for failure := error(nil); waiting(failure, false); retries++ {
		v, err = call(ctx, d, ctx.Done(), ticks, func() { waiting(failure, true) }, f)
		switch {
		case err != nil && ctx.Err() != nil:
			return v, retries, because(ctx, failure)
		case err == nil || !IsTransient(err):
			return v, retries, err
		}
		failure = err
		transient.Pause(ctx, retries, failure)
	}
	return v, max(0, retries-1), err
}

// free reports whether a call outside of transactions gets a connection at once.
func (c *counter) free() bool {
	l, ok := c.d.(driver.Looker)
	return !ok || l.Free()
}

// outside is look, for a short time at most.
func (c *counter) outside(ctx context.Context) (driver.Row, error) {
	limited, cancel := context.WithTimeout(ctx, proof)
	defer cancel()
	return call(limited, c.d, limited.Done(), nil, nil, c.look)
}

// always is for calls that go on until their context ends.
func always(error, bool) bool { return true }

// call runs f, which calls a store, on a goroutine of its own. A panic in f, and
// runtime.Goexit, is an error of this call only. call doesn't wait for f any more when leave is
// closed, because ctx has ended. While it waits, it calls remind at each of ticks.
func call[T any](ctx context.Context, d driver.Driver, leave <-chan struct{}, ticks <-chan time.Time, remind func(), f func(context.Context) (T, error)) (T, error) {
	var v T // is read only after done
	done := make(chan error, 1)
	go func() {
		err := errors.New("the store called runtime.Goexit")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the store panicked: %v\n%s", p, debug.Stack())
			}
			done <- err
		}()
		v, err = f(ctx)
		err = fromStore(ctx, d, err)
	}()
	for {
		select {
		case err := <-done:
			return v, err
		case <-ticks:
			remind()
		case <-leave:
			return *new(T), ctx.Err()
		}
	}
}

// take makes a trip for one caller.
func (c *counter) take(ctx context.Context, want draw) (span, error) {
	if err := cmp.Or(want.err, c.err, ctx.Err()); err != nil {
		return span{}, err
	}
	s, t := c.pull(ctx, want, func(error) int64 { return 1 })
	return s, c.tellAlone(t)
}

// tellAlone tells of a trip for one caller, and returns its error.
func (c *counter) tellAlone(t Trip) error {
	if t.Err == nil {
		t.Waits = []time.Duration{t.Took}
	}
	c.told.tell(t)
	return t.Err
}
