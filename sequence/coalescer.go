package sequence

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// grace is how long a trip may still take after all its callers have left. Within
// it, its numbers arrive and serve the next callers. A trip that is cut off leaves
// a gap, and costs some drivers their connection.
const grace = time.Second

// A coalescer turns many callers into few trips to the store. While one trip is
// under way, callers queue. The next trip draws as many numbers as there are
// callers in the queue. There is one trip at a time.
//
// Nobody is held back. A caller who finds no trip under way starts one at once. A
// caller who finds one under way waits for the rest of it and for one more, at most.
//
// No number is handed out twice. The block that a trip brings is cut under mu. Each part
// goes to one caller. The rest becomes spare, which is cut in the same way. A trip whose
// outcome is unknown has no block. If the store counted its numbers, they are a gap.
//
// No number is wasted. A caller whose context ends leaves the queue under mu. If a
// number was assigned to the caller before that, the caller returns it, and not the
// context's error. If not, the number that was on its way goes to the next caller in
// the queue, or into spare.
//
// Callers get ascending ordinals in the order in which they queued. Parts are cut from
// the low end. The callers whom the trip was for come first, and then those who came
// since. Later callers draw from spare, which is the high end, or from a later trip.
// Ordinals of later trips are greater because the store's count only grows. No caller
// overtakes another, because spare is empty while anyone waits.
//
// Trips run on a goroutine of their own, which ends when nobody waits. So no caller's
// context cuts off a trip that others wait for. And no caller waits longer than its own
// context allows. The store and the observer can't end or block that goroutine; guard
// sees to that.
type coalescer[B cuttable[B]] struct {
	draws drawer[B]
	keep  keeping

	mu      sync.Mutex
	trip    *line[B] // callers whom the trip under way is for
	queue   *line[B] // callers who came since
	cancel  context.CancelFunc
	running bool
	idle    chan struct{} // closed when running ends
	failure error         // the last of the trip under way
	spare   B
	drawn   time.Time // when the trip that brought spare set out
	dropped int64     // numbers dropped that no Trip has reported
	closed  bool
}

// keeping says what happens to numbers that nobody waits for.
type keeping struct {
	fresh  bool          // they are dropped. Callers only get numbers that were drawn after they came
	least  int64         // a trip draws at least so many, and one for each caller
	maxAge time.Duration // of the numbers, before they are dropped; 0 means no limit
}

func newCoalescer[B cuttable[B]](d drawer[B], k keeping) *coalescer[B] {
	return &coalescer[B]{draws: d, keep: k, trip: new(line[B]), queue: new(line[B])}
}

// A waiter is a caller in a line.
type waiter[B any] struct {
	line       *line[B] // nil once block or err is set
	prev, next *waiter[B]

	since time.Time
	done  chan struct{}
	block B
	err   error
	taken bool // the caller, who left at the same time, has taken it
}

// A line is a list of waiters, in the order in which they came.
type line[B any] struct {
	first, last *waiter[B]
	n           int64
}

func (l *line[B]) push(w *waiter[B]) {
	w.line, w.prev = l, l.last
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	l.n++
}

func (l *line[B]) remove(w *waiter[B]) {
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.line, w.prev, w.next = nil, nil, nil
	l.n--
}

// next returns a block of one number. If it dropped a lease that was too old, it also
// returns that.
func (c *coalescer[B]) next(ctx context.Context) (got, dropped B, err error) {
	if err := c.check(ctx); err != nil {
		return got, dropped, err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return got, dropped, ErrClosed
	}
	if c.spare.len() > 0 && c.keep.maxAge > 0 && time.Since(c.drawn) > c.keep.maxAge {
		dropped, c.spare = c.spare.cut(c.spare.len())
		c.dropped += dropped.len()
	}
	if c.spare.len() > 0 {
		got, c.spare = c.spare.cut(1)
		c.mu.Unlock()
		return got, dropped, nil
	}
	w := &waiter[B]{since: time.Now(), done: make(chan struct{})}
	c.queue.push(w)
	if !c.running {
		c.running = true
		c.idle = make(chan struct{})
		go c.run()
	}
	c.mu.Unlock()

	select {
	case <-w.done:
		return w.block, dropped, w.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.line == nil { // the number came in the meantime
		w.taken = true
		return w.block, dropped, w.err
	}
	c.leave(w)
	return got, dropped, ended(ctx, c.failure)
}

// check returns an error if no caller with ctx can draw.
func (c *coalescer[B]) check(ctx context.Context) error {
	if err := c.draws.observe.check(); err != nil {
		return err
	}
	return ctx.Err()
}

// leave takes a waiter who gives up out of its line. It is called with mu held.
func (c *coalescer[B]) leave(w *waiter[B]) {
	line := w.line
	line.remove(w)
	if line == c.trip && line.n == 0 {
		time.AfterFunc(grace, c.cancel)
	}
}

// run makes trips until nobody waits.
func (c *coalescer[B]) run() {
	for {
		c.mu.Lock()
		if c.queue.n == 0 {
			c.running = false
			close(c.idle)
			c.mu.Unlock()
			return
		}
		c.trip, c.queue = c.queue, c.trip
		// The trip gets no values of a caller's context. A session or a transaction in
		// there is not for the other callers.
		ctx, cancel := context.WithCancel(context.Background())
		c.cancel = cancel
		n := max(c.keep.least, c.trip.n)
		c.mu.Unlock()

		begin := time.Now()
		block, draws, err := c.draws.draw(ctx, n, c.wanted, c.failed)
		cancel()
		t := Trip{Numbers: block.len(), Took: time.Since(begin), Retries: draws - 1, Err: err}
		if err == nil && c.draws.lead != nil {
			t.Lead = c.draws.lead(block)
		}
		c.land(t, begin, block)
		// Let the callers who were served run first. If they come straight back, the
		// next trip serves them too.
		runtime.Gosched()
	}
}

// wanted returns how many numbers the trip under way should draw after a failure. It
// returns 0 if nobody waits for it any more.
func (c *coalescer[B]) wanted() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trip.n == 0 {
		return 0
	}
	return max(c.keep.least, c.trip.n)
}

// failed keeps a failure for callers who leave before the trip succeeds.
func (c *coalescer[B]) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = err
}

// land hands out the numbers of a trip.
func (c *coalescer[B]) land(t Trip, begin time.Time, block B) {
	c.mu.Lock()
	c.failure = nil
	served := c.serve(c.trip, &block, t.Err)
	switch {
	case t.Err != nil:
		// The callers who came since have not failed yet.
	case c.trip.n > 0:
		c.goBack()
	case c.keep.fresh:
		c.dropped += block.len()
	default:
		served = append(served, c.serve(c.queue, &block, nil)...)
		c.spare, c.drawn = block, begin
	}
	t.Dropped, c.dropped = c.dropped, 0
	c.mu.Unlock()

	if c.draws.observe != nil {
		c.tell(t, served)
	}
	for _, w := range served {
		close(w.done)
	}
}

// serve gives each caller in l a number of block, or err. It stops when block is empty.
// It is called with mu held.
func (c *coalescer[B]) serve(l *line[B], block *B, err error) (served []*waiter[B]) {
	for l.n > 0 && (err != nil || (*block).len() > 0) {
		w := l.first
		l.remove(w)
		if w.err = err; err == nil {
			w.block, *block = (*block).cut(1)
		}
		served = append(served, w)
	}
	return served
}

// goBack puts callers back at the head of the queue. The trip brought no number for them
// because only a few were left. It is called with mu held.
func (c *coalescer[B]) goBack() {
	for c.queue.n > 0 {
		w := c.queue.first
		c.queue.remove(w)
		c.trip.push(w)
	}
	c.trip, c.queue = c.queue, c.trip
}

// tell tells the observer about a trip. If that fails, the callers who were served and
// are still there get the error.
func (c *coalescer[B]) tell(t Trip, served []*waiter[B]) {
	t.Key = c.draws.key
	if t.Err == nil {
		for _, w := range served {
			t.Waits = append(t.Waits, time.Since(w.since))
		}
	}
	err := c.draws.observe.tell(t, c.draws.limit)
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range served {
		if w.taken || w.err != nil {
			continue
		}
		c.dropped += w.block.len()
		var none B
		w.block, w.err = none, err
	}
}

// close waits until the callers who wait have their numbers. It refuses later callers,
// and returns the numbers that are left. dropped counts the dropped numbers that no Trip
// has reported.
func (c *coalescer[B]) close(ctx context.Context) (left B, dropped int64, err error) {
	if err := c.draws.observe.check(); err != nil {
		return left, 0, err
	}
	c.mu.Lock()
	c.closed = true
	running, idle := c.running, c.idle
	c.mu.Unlock()
	if running {
		select {
		case <-idle:
		case <-ctx.Done():
			return left, 0, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	left, c.spare = c.spare.cut(c.spare.len())
	dropped, c.dropped = c.dropped, 0
	return left, dropped, nil
}

// open returns an error if no caller with ctx can draw.
func (c *coalescer[B]) open(ctx context.Context) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	return nil
}

// take makes a trip for one caller.
func (c *coalescer[B]) take(ctx context.Context, n int64) (B, error) {
	var none B
	if err := c.open(ctx); err != nil {
		return none, err
	}
	d := c.draws
	d.left = nil // all or nothing
	begin := time.Now()
	b, draws, err := d.draw(ctx, n, func() int64 { return n }, func(error) {})
	t := Trip{Key: d.key, Numbers: b.len(), Took: time.Since(begin), Retries: draws - 1, Err: err}
	if err == nil {
		t.Waits = []time.Duration{t.Took}
	}
	if told := d.observe.tell(t, d.limit); err == nil {
		err = told
	}
	if err != nil {
		return none, err
	}
	return b, nil
}
