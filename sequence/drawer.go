package sequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Trip is what an [Observer] learns about one draw from the store.
type Trip struct {
	Key     string
	Numbers int64           // how many were drawn, 0 if the trip failed
	Waits   []time.Duration // how long each caller who was served waited for its number
	Took    time.Duration   // including retries
	Retries int             // how many draws failed and were made again. Each may leave a gap
	Dropped int64           // how many unused numbers were dropped since the last Trip
	Lead    time.Duration   // how far stamps are ahead of the store's clock, 0 for numbers
	Err     error
}

// An Observer is called after each trip to the store. The callers who wait get their
// numbers after that, and only then the next trip sets out. So it must be quick. It may
// be called from several goroutines, and may keep t.
//
// It must not call Next, Take or Close, which return an error inside it. If it panics,
// the callers whom the trip was for get an error.
type Observer func(t Trip)

// cuttable are numbers that can be cut, such as a [Block].
type cuttable[B any] interface {
	len() int64
	cut(n int64) (head, tail B)
}

// A drawer draws from one key of a store.
type drawer[B cuttable[B]] struct {
	key     string
	take    func(ctx context.Context, n int64) (B, error)
	left    func(ctx context.Context) (int64, error) // returns how many are left after ErrExhausted. If nil, smaller draws are useless
	lead    func(B) time.Duration                    // for the observer; may be nil
	retries int                                      // negative means no limit
	limit   time.Duration                            // of the time of one call of the store
	observe *observing
}

// draw draws n numbers. After a transient failure, it draws wanted() numbers. These are
// always new numbers. The lost reply may have held some, but nobody can tell which.
// Reading the count would find those of others. So the lost ones are a gap. A guess
// could repeat a number.
//
// draw tells failed about each failure before it tries again. It gives up if wanted
// returns 0. It returns how many draws it made.
func (d *drawer[B]) draw(ctx context.Context, n int64, wanted func() int64, failed func(error)) (b B, draws int, err error) {
	var last error // the last transient failure
	for {
		b, err = d.fewer(ctx, n)
		draws++
		if last != nil && err != nil && ctx.Err() != nil {
			return b, draws, ended(ctx, last)
		}
		if err == nil || !errors.Is(err, ErrTransient) || d.retries >= 0 && draws > d.retries {
			return b, draws, err
		}
		last = err
		failed(err)
		pause(ctx, draws)
		if ctx.Err() != nil {
			return b, draws, ended(ctx, err)
		}
		if n = wanted(); n == 0 {
			return b, draws, err
		}
	}
}

// fewer draws n numbers, or as many as are left.
func (d *drawer[B]) fewer(ctx context.Context, n int64) (B, error) {
	for {
		b, err := guard(ctx, "the store", d.limit, func(ctx context.Context) (B, error) { return d.take(ctx, n) })
		if err == nil && b.len() != n {
			var none B
			return none, fmt.Errorf("the store was asked for %d numbers and returned %d", n, b.len())
		}
		if n == 1 || d.left == nil || !errors.Is(err, ErrExhausted) {
			return b, err
		}
		left, leftErr := guard(ctx, "the store", d.limit, d.left)
		if leftErr != nil {
			return b, leftErr // some may be left
		}
		if left < 1 || left >= n {
			return b, err
		}
		n = left
	}
}

// pause waits before draw number draws+1. It doesn't wait before the second draw, and
// then waits from 10 ms up to a second. A random part makes the pause shorter, so that
// programs that failed together don't come back together.
func pause(ctx context.Context, draws int) {
	if draws == 1 {
		return
	}
	most := min(10*time.Millisecond<<min(draws-2, 10), time.Second)
	t := time.NewTimer(most/2 + rand.N(most/2))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// ended returns the error for a context that ended, with the last failure before that,
// if there is one.
func ended(ctx context.Context, failure error) error {
	if failure == nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w, after: %w", ctx.Err(), failure)
}

// guard calls f, which is code of a store or an observer, on a goroutine of its own.
// After limit, unless it is 0, f has one more second to return, and then guard returns
// without it. That is a transient failure. A panic or runtime.Goexit in f is an error.
func guard[T any](ctx context.Context, who string, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	inner, cancel := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		inner, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	done := make(chan result, 1)
	go func() {
		r := result{err: fmt.Errorf("%s ended its goroutine", who)}
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("%s panicked: %v\n%s", who, p, debug.Stack())
			}
			done <- r
		}()
		r.v, r.err = f(inner)
	}()

	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		select {
		case r = <-done: // at the same moment
		default:
			r.err = ctx.Err()
		}
	case <-inner.Done():
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case r = <-done:
		case <-t.C:
			r.err = fmt.Errorf("%s doesn't return though its context has ended", who)
		}
	}
	if r.err != nil && inner.Err() != nil && ctx.Err() == nil {
		r.err = fmt.Errorf("%w: no answer within %v: %w", ErrTransient, limit, r.err)
	}
	return r.v, r.err
}

// observing calls an Observer, and knows whether the observer calls back.
type observing struct {
	observer Observer
	calls    atomic.Int32 // running
	ids      sync.Map     // the goroutines that they run on
}

// tell tells the observer, if there is one, about t.
func (o *observing) tell(t Trip, limit time.Duration) error {
	if o == nil {
		return nil
	}
	_, err := guard(context.Background(), "the observer", limit, func(context.Context) (struct{}, error) {
		id := goroutine()
		o.ids.Store(id, nil)
		o.calls.Add(1)
		defer func() {
			o.calls.Add(-1)
			o.ids.Delete(id)
		}()
		o.observer(t)
		return struct{}{}, nil
	})
	return err
}

var errCalledBack = errors.New("called inside the Observer")

// check returns an error if the observer itself is the caller. It would wait for its own
// end.
func (o *observing) check() error {
	if o == nil || o.calls.Load() == 0 {
		return nil
	}
	if _, ok := o.ids.Load(goroutine()); ok {
		return errCalledBack
	}
	return nil
}

// goroutine returns the number of the running goroutine, from the first line of its
// stack: "goroutine 7 [running]:".
func goroutine() string {
	stack := make([]byte, 32)
	_, rest, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " ")
	number, _, _ := strings.Cut(rest, " ")
	return number
}
