package sequence

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// grace is how long a trip may still take after all its callers have left. If keeps is
// true, numbers that arrive in this time can serve later callers. A trip that is cut off can leave
// a gap, and costs some drivers their connection.
const grace = time.Second

// A coalescer turns many callers into few trips to the store. While one trip is
// under way, callers queue. The next trip draws as many numbers as there are
// callers in the queue. There is one such trip at a time. Those of Take come on top.
//
// Nobody is held back. A caller who finds no trip under way starts one at once. A
// caller who finds one under way waits for the rest of it and for one more, at most.
// Between the two, gather waits for a fiftieth of a trip at most.
//
// No number is handed out twice. The span that a trip brings is cut under mu. Each part
// goes to one caller. The rest becomes spare, which is cut in the same way. A trip whose
// outcome is unknown has no span. If the store counted its numbers, they are a gap.
//
// A number is rarely wasted. A caller whose context ends leaves the queue under mu. If a
// number was assigned to the caller before that, the caller returns it, and not the
// context's error. If not, the number that was on its way goes to the next caller in
// the queue, or into spare, which is dropped when it is too old.
//
// Callers get ascending ordinals in the order in which they queued. Parts are cut from
// the low end, for one caller of the queue after the other. Later callers draw from spare,
// which is the high end, or from a later trip. Ordinals of later trips are greater because
// the store's count only grows. No caller overtakes another, because spare is empty while
// anyone waits.
//
// Trips run on a goroutine of their own, which ends when nobody waits. So no caller's
// context cuts off a trip that others wait for. And no caller waits longer than its own
// context allows.
type coalescer struct {
	*counter

	// keeps is whether numbers that nobody waits for serve later callers, for cfg.maxAge.
	// If not, they are dropped, and callers only get numbers that were drawn after they
	// came.
	keeps bool

	mu      sync.Mutex
	queue   list.List // of *waiter, in the order in which they came
	trips   int       // how many trips have set out
	stale   int       // how many of them keep no number, because the count was advanced since
	served  int64     // how many callers of the trip under way still wait
	cancel  context.CancelFunc
	idle    chan struct{} // closed when nobody waits any more, and nil after that
	failure error         // the last failure of the trip under way
	spare   span
	drawn   time.Time // when the trip that brought spare set out
	dropped int64     // numbers dropped that no Trip has reported
	closed  bool
}

// A waiter is a caller in the queue.
type waiter struct {
	ctx   context.Context
	trip  int // the first trip that draws for it
	since time.Time
	done  chan struct{} // closed after got or err was set
	got   span
	err   error
}

// orZero returns c, or a coalescer that draws nothing, for a type that wasn't made by with.
func (c *coalescer) orZero(name, with string) *coalescer {
	if c == nil {
		c = &coalescer{counter: &counter{name: name, err: fmt.Errorf("the zero %s is invalid: call %s", name, with), told: &observing{}, seen: &seenKeys{}}}
	}
	return c
}

// next returns a span of one number.
func (c *coalescer) next(ctx context.Context) (got span, err error) {
	err = ctx.Err() // before the lock, because it panics if ctx is nil
	c.mu.Lock()
	if err = cmp.Or(err, c.ready()); err != nil {
		c.mu.Unlock()
		return span{}, err
	}
	if c.cfg.maxAge > 0 && time.Since(c.drawn) > c.cfg.maxAge {
		c.drop()
	}
	if c.spare.n > 0 {
		got, c.spare = c.spare.cut(1)
		c.mu.Unlock()
		return got, nil
	}
	w := &waiter{ctx: ctx, trip: c.trips + 1, since: time.Now(), done: make(chan struct{})}
	place := c.queue.PushBack(w)
	if c.idle == nil {
		c.idle = make(chan struct{})
		go c.run()
	}
	c.mu.Unlock()

	select {
	case <-w.done:
		return w.got, w.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.got.n > 0 || w.err != nil { // the number came in the meantime
		return w.got, w.err
	}
	c.queue.Remove(place)
	if w.trip <= c.trips {
		if c.served--; c.served == 0 {
			time.AfterFunc(grace, c.cancel)
		}
	}
	return span{}, because(ctx, c.failure)
}

// takeN returns a span of n numbers, which is drawn for no other caller.
func (c *coalescer) takeN(ctx context.Context, n int64) (span, error) {
	c.mu.Lock()
	err := cmp.Or(c.ready(), checkDraw(n))
	c.mu.Unlock()
	return c.take(ctx, draw{n: n, exact: true, err: err})
}

// run makes trips until nobody waits.
func (c *coalescer) run() {
	for {
		c.mu.Lock()
		if c.queue.Len() == 0 {
			close(c.idle)
			c.idle = nil
			c.mu.Unlock()
			return
		}
		// The trip has the values of its first caller's context, such as those that hooks of
		// a pool need. It doesn't end with that caller.
		first := c.queue.Front().Value.(*waiter)
		ctx, cancel := context.WithCancel(context.WithoutCancel(first.ctx))
		c.trips, c.served, c.cancel = c.trips+1, int64(c.queue.Len()), cancel
		c.mu.Unlock()

		begin := time.Now()
		s, t := c.pull(ctx, draw{}, c.waiting)
		cancel()
		c.mu.Lock()
		all := c.queue.Len()
		served := c.serve(&s, t.Err)
		if c.spare, c.drawn = s, begin; !c.kept() {
			c.drop()
		}
		c.failure = nil
		t.Dropped, c.dropped = c.dropped, 0
		c.mu.Unlock()

		for _, w := range served {
			if t.Err == nil {
				t.Waits = append(t.Waits, time.Since(w.since))
			}
			close(w.done)
		}
		if t.Numbers > 0 || t.Err != nil { // otherwise all callers left before it set out
			c.told.tell(t)
		}
		c.gather(all, time.Since(begin)/50)
	}
}

// gather waits until as many callers are in the queue as before the last trip served some,
// but no longer than most. Callers who were served often come straight back. The next trip
// then serves them too. Without gather, most of them would wait for the trip after it.
func (c *coalescer) gather(all int, most time.Duration) {
	begin := time.Now()
	for range 1000 { // a clock may stand still
		runtime.Gosched()
		c.mu.Lock()
		back := c.queue.Len()
		c.mu.Unlock()
		if back >= all || time.Since(begin) >= most {
			return
		}
	}
}

// waiting returns how many callers of the trip under way still wait. It keeps the trip's
// last failure for callers who leave.
func (c *coalescer) waiting(failure error) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = failure
	return c.served
}

// serve gives one caller after the other a number of s, or err. Callers who came since the
// trip set out don't fail with it. serve is called with mu held.
func (c *coalescer) serve(s *span, err error) (served []*waiter) {
	for c.queue.Len() > 0 && (err != nil || s.n > 0) {
		w := c.queue.Front().Value.(*waiter)
		if w.trip > c.trips && (err != nil || !c.kept()) {
			break
		}
		c.queue.Remove(c.queue.Front())
		if w.err = err; err == nil {
			w.got, *s = s.cut(1)
		}
		served = append(served, w)
	}
	return served
}

// kept reports whether numbers of the last trip that nobody waited for serve later callers.
func (c *coalescer) kept() bool { return c.keeps && c.trips > c.stale }

// drop drops the numbers that nobody waits for. It is called with mu held.
func (c *coalescer) drop() { c.dropped, c.spare.n = c.dropped+c.spare.n, 0 }

// outdate has later callers draw anew. The trip under way serves only those who wait for it.
func (c *coalescer) outdate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = c.trips
	c.drop()
}

// close waits until the callers who wait have their numbers. It refuses later callers,
// and returns how many numbers were drawn for nobody.
func (c *coalescer) close(ctx context.Context) (unused int64, err error) {
	c.mu.Lock()
	c.closed = true
	idle := c.idle
	c.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	unused = c.spare.n + c.dropped
	c.spare, c.dropped = span{}, 0
	return unused, nil
}

// ready returns an error unless c hands out numbers. It is called with mu held.
func (c *coalescer) ready() error {
	return cmp.Or(
		c.err,
		unless(!c.cfg.gapFree, "the numbers are gap-free: draw them in a transaction, with NextIn"),
		unless(!c.closed, "the sequence is closed"),
	)
}
