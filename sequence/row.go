package sequence

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/oidkit/oidkit/sequence/driver"
)

// read returns the row in d. It makes a key that is missing, with the Meaning fresh, and
// completes a resize that somebody else began.
func (c *counter) read(ctx context.Context, d driver.Driver, fresh string) (driver.Row, error) {
	_, seen := c.last()
	var mayMake error
	switch {
	case seen.version != 0:
		mayMake = fmt.Errorf("%w: it was deleted after this program drew from it: %s", ErrNotFound, restart)
	case c.cfg.existing:
		mayMake = fmt.Errorf("%w: WithExisting forbids to make it", ErrNotFound)
	}
	// The first statement of a transaction on this row locks it, or makes it. On MySQL, a
	// statement that finds no row would lock a gap, in which nobody else could then make the
	// row.
	missing := d.InTx() && mayMake == nil
	for range attempts {
		if missing {
			if _, err := d.Put(ctx, driver.Row{Key: c.key, Meaning: fresh, Version: newLife()}, 0); err != nil {
				return driver.Row{}, err
			}
		}
		row, ok, err := d.Read(ctx, c.key)
		switch {
		case err != nil:
			return driver.Row{}, err
		case !ok && mayMake != nil:
			return driver.Row{}, mayMake
		case !ok:
			missing = true
			continue
		case row.Version <= 0 || row.X < 0 || row.Base < 0 || row.Base > row.X:
			return driver.Row{}, fmt.Errorf("the row was changed by hand: base %d, x %d, version %d", row.Base, row.X, row.Version)
		}
		missing = false
		if changed, err := finish(ctx, d, row); err != nil {
			return driver.Row{}, err
		} else if changed {
			continue
		}
		if seen.version != 0 && life(row.Version) != life(seen.version) {
			return driver.Row{}, fmt.Errorf("%w: it was deleted and made again after this program drew from it: %s", ErrNotFound, restart)
		}
		if !d.InTx() {
			c.seen.mu.Lock()
			c.row = row
			c.seen.mu.Unlock()
		}
		return row, nil
	}
	return driver.Row{}, errRaced
}

const restart = "if that was meant, start the program again"

// finish completes a resize that row is in the middle of. changed is false if there is
// none. If the draws since it began made it impossible, finish takes it back: the program
// that began it finds out when it looks again.
func finish(ctx context.Context, d driver.Driver, row driver.Row) (changed bool, err error) {
	p, ok := parsePlanned(row.Meaning)
	if !ok || p.becoming == (Plan{}) {
		return false, nil
	}
	next := row
	next.Version = newVersion(row.Version)
	base, refused := resized(p.plan, row.Base, row.X, p.becoming)
	if refused == nil {
		next.Base = base
		p.plan, p.was = p.becoming, p.plan
	}
	p.becoming = Plan{}
	next.Meaning = p.String()
	_, err = d.Put(ctx, next, row.Version) // somebody else may be faster
	return true, err
}

// A version has 32 random bits that name this life of a key, and 31 that each Put draws
// anew. A key that was deleted and made again has another life.

func life(version int64) int64 { return version >> 31 }

func newLife() int64 { return newVersion((1 + rand.Int64N(1<<32-1)) << 31) }

// newVersion returns another version of the same life.
func newVersion(was int64) int64 {
	return life(was)<<31 | (was+1+rand.Int64N(1<<31-1))&(1<<31-1)
}
