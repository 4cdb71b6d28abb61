package sequence

import (
	"context"
	"math/rand/v2"

	"github.com/oidkit/oidkit/sequence/driver"
)

// finish completes a resize that row is in the middle of. Its meaning is p. If the draws since
// the resize began made it impossible, finish takes it back: the program that began it finds
// out when it looks again.
func finish(ctx context.Context, d driver.Driver, row driver.Row, p planned) error {
	if base, impossible := resized(p.plan, row.Base, row.X, p.becoming); impossible == nil {
		row.Base, p.plan, p.was = base, p.becoming, p.plan
	}
	p.becoming = Plan{}
	return rewrite(ctx, d, row, p)
}

// rewrite puts row with the meaning p, unless somebody else was faster.
func rewrite(ctx context.Context, d driver.Driver, row driver.Row, p planned) error {
	was := row.Version
	row.Meaning, row.Version = p.String(), newVersion(was)
	_, err := d.Put(ctx, row, was)
	return err
}

// A version has 32 random bits that name this life of a key, and 31 that each Put draws
// anew. A key that was deleted and made again has another life.

func life(version int64) int64 { return version >> 31 }

func newLife() int64 { return newVersion((1 + rand.Int64N(1<<32-1)) << 31) }

// newVersion returns another version of the same life.
func newVersion(was int64) int64 {
	return life(was)<<31 | (was+1+rand.Int64N(1<<31-1))&(1<<31-1)
}
