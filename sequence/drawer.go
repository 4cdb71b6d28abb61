package sequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Trip is what an [Observer] is told of one draw from the store.
type Trip struct {
	Key     string
	Numbers int64           // drawn; 0 if the trip failed
	Waits   []time.Duration // of the callers served, each from its call to its number
	Took    time.Duration   // with all retries
	Retries int             // draws that failed and were made again: a gap each, perhaps
	Dropped int64           // numbers thrown away unused since the Trip before
	Err     error
}

// An Observer is called after each trip to the store, before the next one sets
// out: it must be quick. It may be called from several goroutines, and keeps t
// if it likes.
type Observer func(t Trip)

// A drawer draws from one key of a store.
type drawer struct {
	key     string
	take    func(ctx context.Context, n int64) (Block, error)
	retries int
	observe Observer
}

// draw draws wanted() numbers, and again after a failure that the store calls
// passing. Again means new numbers, always: the reply that was lost may have held
// some, but which ones nobody can tell, as reading the count would find those of
// others. They are a gap, where guessing would be a repeat.
//
// If wanted returns 0, draw gives up.
func (d *drawer) draw(ctx context.Context, wanted func() int64) (b Block, retries int, err error) {
	for ; ; retries++ {
		n := wanted()
		if n == 0 {
			return Block{}, max(0, retries-1), err
		}
		b, err = d.take(ctx, n)
		if err == nil && b.n != n {
			err = fmt.Errorf("sequence: the store of %q was asked for %d numbers and returned %d", d.key, n, b.n)
		}
		if err == nil {
			return b, retries, nil
		}
		if retries >= d.retries || !errors.Is(err, ErrTransient) {
			return Block{}, retries, err
		}
		if !pause(ctx, retries) {
			return Block{}, retries, fmt.Errorf("%w, after: %w", ctx.Err(), err)
		}
	}
}

// pause waits before a draw is made again: not at all the first time, then from
// 10 ms up to a second, and a random part less, so that programs that failed
// together don't come back together. It reports whether ctx still holds.
func pause(ctx context.Context, retries int) bool {
	if retries == 0 {
		return ctx.Err() == nil
	}
	most := min(10*time.Millisecond<<min(retries-1, 10), time.Second)
	t := time.NewTimer(most/2 + rand.N(most/2))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// tell tells the observer of t.
func (d *drawer) tell(t Trip) {
	if d.observe == nil {
		return
	}
	t.Key = d.key
	d.observe(t)
}
