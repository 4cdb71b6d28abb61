package sequence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A kind says what the count of a key means: the numbers of a [Sequence], the stamps of a
// [Stamper] or the documents of a [Numbering].
type kind interface {
	// meaning returns the Meaning of a key that is made now.
	meaning() string

	// bounds returns what a draw from row must keep to. It is an error if the row is of
	// another kind.
	bounds(row driver.Row) (bounds, error)

	// exhausted returns the error of a draw of which no number is left.
	exhausted(row driver.Row) error
}

// bounds are what a draw must keep to.
type bounds struct {
	floor, most int64
	clock       *driver.Clock
}

// A counter draws from one key of a store.
type counter struct {
	d        driver.Driver
	key      string
	kind     kind
	existing bool // a missing key isn't made
	limit    time.Duration
	zone     *time.Location // of the periods, for the state

	mu    sync.Mutex
	row   driver.Row // the row as it was last drawn from or read; its Version is 0 before that
	seen  int64      // the greatest x that was drawn outside of transactions
	drawn bool       // outside of transactions
	hint  driver.Row // what a transaction saw of the row. It may have been rolled back
}

// like returns a counter of another key of the same store.
func (c *counter) like(key string) *counter {
	return &counter{d: c.d, key: key, existing: c.existing, limit: c.limit, zone: c.zone}
}

// A draw says what to draw.
type draw struct {
	n     int64
	exact bool // n numbers or none. Otherwise as many as are left

	// floor, if not nil, replaces the floor of the kind.
	floor func(driver.Row) (int64, error)
}

// A span is n numbers that were drawn, from first on.
type span struct {
	first, n int64
	row      driver.Row    // whose Meaning and Base were in force
	lost     int64         // how far the store had gone back
	lead     time.Duration // how far stamps are ahead of the clock
	warning  string
}

// cut returns the first n numbers of s, and the rest.
func (s span) cut(n int64) (head, tail span) {
	head, tail = s, s
	head.n, tail.first, tail.n = n, s.first+n, s.n-n
	return head, tail
}

// attempts is how often a draw is tried again because others changed the row.
const attempts = 1000

// draw makes one step in d, which is the counter's own driver or one that is bound to a
// transaction of the caller. It draws under the version that it knows, and reads the row
// only if the step is refused.
func (c *counter) draw(ctx context.Context, d driver.Driver, want draw) (span, error) {
	row := c.known(d)
	for range attempts {
		if row.Version == 0 {
			var err error
			if row, err = c.read(ctx, d); err == errRaced {
				continue
			} else if err != nil {
				return span{}, err
			}
		}
		step, seen, err := c.step(d, row, want)
		if err != nil {
			return span{}, err
		}
		made, ok, err := d.Draw(ctx, step)
		if err != nil {
			return span{}, err
		}
		if ok {
			return c.learn(d, row, step, made, seen)
		}
		// The step was refused. The row as it is now says whether it is possible at all.
		now, err := c.read(ctx, d)
		if err == errRaced {
			continue
		} else if err != nil {
			return span{}, err
		}
		if want.n, err = c.possible(d, now, want); err != nil {
			return span{}, err
		}
		row = now
	}
	return span{}, errRaced
}

// drawIn draws n numbers in the transaction that tx is bound to.
func (c *counter) drawIn(ctx context.Context, tx Store, cfg config, n int64) (span, error) {
	if tx == nil {
		return span{}, errNilStore
	}
	d := tx.Driver()
	if !d.InTx() {
		return span{}, errors.New("the store is not bound to a transaction: pass store.Tx(tx). A store without Tx has no transactions")
	}
	if err := cfg.mustBe(true); err != nil {
		return span{}, err
	}
	s, err := c.draw(ctx, d, draw{n: n, exact: true})
	return s, fromStore(ctx, d, err)
}

// known returns the row as it was last seen.
func (c *counter) known(d driver.Driver) driver.Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.InTx() {
		return c.hint
	}
	return c.row
}

// step returns the step for a row. Outside of transactions, no number that was seen comes
// again, also where the store has gone back to an older state. So seen is a floor too.
func (c *counter) step(d driver.Driver, row driver.Row, want draw) (step driver.Draw, seen int64, err error) {
	b, err := c.kind.bounds(row)
	if err == nil && want.floor != nil {
		b.floor, err = want.floor(row)
	}
	if err != nil {
		return driver.Draw{}, 0, err
	}
	step = driver.Draw{Key: c.key, Version: row.Version, N: want.n, Floor: b.floor, Most: b.most, Clock: b.clock}
	if !d.InTx() {
		c.mu.Lock()
		seen = c.seen
		c.mu.Unlock()
		step.Floor, step.Limit = max(step.Floor, seen), c.limit
	}
	if step.Floor > step.Most {
		row.X = step.Floor
		return driver.Draw{}, 0, c.kind.exhausted(row)
	}
	return step, seen, nil
}

// possible returns how many numbers can be drawn from row, which was read after a step
// was refused, and an error if none can.
func (c *counter) possible(d driver.Driver, row driver.Row, want draw) (int64, error) {
	step, _, err := c.step(d, row, want)
	if err != nil {
		return 0, err
	}
	now := row.Now
	if now.IsZero() && step.Clock != nil {
		now = step.Clock.Now
	}
	x := max(row.X, step.Clock.Floor(step.Floor, now))
	left := step.Most - x
	switch {
	case left < 0 || left < want.n && (want.exact || left == 0):
		row.X = x
		return 0, c.kind.exhausted(row)
	case left < want.n:
		return left, nil
	case !step.Clock.Allows(x+want.n, now):
		return 0, clockError(step.Clock, x+want.n, now)
	}
	return want.n, nil // it has become possible
}

// clockError returns why c refuses a step to x when the store's clock shows now.
func clockError(c *driver.Clock, x int64, now time.Time) error {
	behind := now.Sub(c.Now).Round(time.Millisecond)
	switch {
	case now.Before(c.NotBefore):
		return fmt.Errorf("%w: the clock of this machine is %v ahead of the store's", ErrClockLead, -behind)
	case !c.NotAfter.IsZero() && now.After(c.NotAfter):
		return fmt.Errorf("%w: the clock of this machine is %v behind the store's, which shows a later period", ErrClockLag, behind)
	}
	return fmt.Errorf("%w: the stamps are %v ahead of it", ErrClockLead, stampLead(c, x, now))
}

// stampLead returns how far the tick of x is ahead of the clock. It is 0 if it isn't.
func stampLead(c *driver.Clock, x int64, now time.Time) time.Duration {
	ahead := x/c.Width - now.UnixMicro()/c.Tick.Microseconds()
	return max(0, time.Duration(ahead)*c.Tick)
}

// learn keeps what a step showed, and returns the numbers.
func (c *counter) learn(d driver.Driver, row driver.Row, step driver.Draw, made driver.Step, seen int64) (span, error) {
	if made.After < step.N || made.After > step.Most || made.After-step.N < step.Floor {
		return span{}, fmt.Errorf("the store drew %d numbers up to %d, where %d to %d were allowed", step.N, made.After, step.Floor, step.Most)
	}
	s := span{first: made.After - step.N + 1, n: step.N, row: row, warning: made.Warning}
	if step.Clock != nil && step.Clock.Width > 0 {
		now := made.Now
		if now.IsZero() {
			now = step.Clock.Now
		}
		s.lead = stampLead(step.Clock, made.After, now)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.InTx() {
		c.hint = row
		c.hint.X = 0 // a rollback may take it back
		return s, nil
	}
	s.lost = max(0, seen-made.Before)
	c.row, c.drawn = row, true
	c.row.X = made.After
	c.seen = max(c.seen, made.After)
	return s, nil
}

// read returns the row in d. It makes a key that is missing, and completes a resize that
// somebody else began. errRaced means that it is to be called again.
func (c *counter) read(ctx context.Context, d driver.Driver) (driver.Row, error) {
	if d.InTx() && c.mayMake() == nil {
		// The first statement of the transaction on this row locks it, or makes it. On
		// MySQL, a statement that finds no row would lock a gap, in which nobody else could
		// then make the row.
		if _, err := c.make(ctx, d); err != nil {
			return driver.Row{}, err
		}
	}
	row, ok, err := d.Read(ctx, c.key)
	if err != nil {
		return driver.Row{}, err
	}
	if !ok {
		if err := c.mayMake(); err != nil {
			return driver.Row{}, err
		}
		return driver.Row{}, again(c.make(ctx, d))
	}
	if row.Version <= 0 || row.X < 0 || row.Base < 0 || row.Base > row.X {
		return driver.Row{}, fmt.Errorf("the row was changed by hand: base %d, x %d, version %d", row.Base, row.X, row.Version)
	}
	if p, ok := parsePlanned(row.Meaning); ok && p.becoming != (Plan{}) {
		return driver.Row{}, again(finish(ctx, d, row, p))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drawn && life(row.Version) != life(c.row.Version) {
		return driver.Row{}, fmt.Errorf("%w: it was deleted and made again since this program drew from it: %s", ErrNotFound, restart)
	}
	if !d.InTx() {
		c.row = row
	}
	return row, nil
}

const restart = "if that was meant, start the program again"

// make makes the row of the key, if there is none.
func (c *counter) make(ctx context.Context, d driver.Driver) (bool, error) {
	return d.Put(ctx, driver.Row{Key: c.key, Meaning: c.kind.meaning(), Version: newLife()}, 0)
}

// mayMake returns an error if a missing key must not be made.
func (c *counter) mayMake() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.drawn:
		return fmt.Errorf("%w: it was deleted since this program drew from it: %s", ErrNotFound, restart)
	case c.existing:
		return fmt.Errorf("%w: WithExisting forbids to make it", ErrNotFound)
	}
	return nil
}

// newCounter returns the counter of a key, and what opts set. Its kind isn't set yet.
func newCounter(store Store, key string, by user, opts []Option) (*counter, config, error) {
	cfg, err := configure(by, opts)
	if err == nil {
		err = checkKey(key)
	}
	c := &counter{key: key, existing: cfg.existing, limit: cfg.timeout, zone: cfg.zone}
	if store != nil {
		c.d = store.Driver()
	} else if err == nil {
		err = errNilStore
	}
	if err == nil && c.d.InTx() {
		err = errors.New("the store is bound to a transaction: pass the store itself, and the bound one to NextIn")
	}
	return c, cfg, err
}
