package sequence

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// grace is how long a trip may still take after all its callers have left. Within it,
// its numbers arrive and serve the next callers. A trip that is cut off leaves a gap, and
// costs some drivers their connection.
const grace = time.Second

// A coalescer turns many callers into few trips to the store. While one trip is
// under way, callers queue. The next trip draws as many numbers as there are
// callers in the queue. There is one trip at a time.
//
// Nobody is held back. A caller who finds no trip under way starts one at once. A
// caller who finds one under way waits for the rest of it and for one more, at most.
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
// the low end. The callers whom the trip was for come first, and then those who came
// since. Later callers draw from spare, which is the high end, or from a later trip.
// Ordinals of later trips are greater because the store's count only grows. No caller
// overtakes another, because spare is empty while anyone waits.
//
// Trips run on a goroutine of their own, which ends when nobody waits. So no caller's
// context cuts off a trip that others wait for. And no caller waits longer than its own
// context allows.
type coalescer struct {
	puller
	keep keeping

	mu      sync.Mutex
	trip    *line // callers whom the trip under way is for
	queue   *line // callers who came since
	cancel  context.CancelFunc
	running bool
	idle    chan struct{} // closed when running ends
	failure error         // the last of the trip under way
	spare   span
	drawn   time.Time // when the trip that brought spare set out
	dropped int64     // numbers dropped that no Trip has reported
	closed  bool
}

// keeping says what happens to numbers that nobody waits for.
type keeping struct {
	none   bool          // they are dropped at once. Callers only get numbers that were drawn after they came
	least  int64         // a trip draws at least so many, and one for each caller
	maxAge time.Duration // of the numbers, before they are dropped; 0 means no limit
}

func newCoalescer(p puller, k keeping) *coalescer {
	return &coalescer{puller: p, keep: k, trip: new(line), queue: new(line)}
}

// A waiter is a caller in a line.
type waiter struct {
	line       *line // nil once got or err is set
	prev, next *waiter

	since time.Time
	done  chan struct{}
	got   span
	err   error
}

// A line is a list of waiters, in the order in which they came.
type line struct {
	first, last *waiter
	n           int64
}

func (l *line) push(w *waiter) {
	w.line, w.prev = l, l.last
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	l.n++
}

func (l *line) remove(w *waiter) {
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

// next returns a span of one number.
func (c *coalescer) next(ctx context.Context) (span, error) {
	if err := ctx.Err(); err != nil {
		return span{}, err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return span{}, errClosed
	}
	if c.keep.maxAge > 0 && time.Since(c.drawn) > c.keep.maxAge {
		c.dropped += c.spare.n
		c.spare.n = 0
	}
	if c.spare.n > 0 {
		var got span
		got, c.spare = c.spare.cut(1)
		c.mu.Unlock()
		return got, nil
	}
	w := &waiter{since: time.Now(), done: make(chan struct{})}
	c.queue.push(w)
	if !c.running {
		c.running = true
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
	if w.line == nil { // the number came in the meantime
		return w.got, w.err
	}
	c.leave(w)
	return span{}, ended(ctx, c.failure)
}

// leave takes a waiter who gives up out of its line. It is called with mu held.
func (c *coalescer) leave(w *waiter) {
	line := w.line
	line.remove(w)
	if line == c.trip && line.n == 0 {
		time.AfterFunc(grace, c.cancel)
	}
}

// run makes trips until nobody waits.
func (c *coalescer) run() {
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
		stop := c.reportWaits(begin)
		s, retries, err := c.pull(ctx, draw{n: n}, c.wanted)
		stop()
		cancel()
		t := Trip{Key: c.counter.key, Numbers: s.n, Took: time.Since(begin), Retries: retries, Lost: s.lost, Lead: s.lead, Warning: s.warning, Err: err}
		c.deliver(t, begin, s)
		// Let the callers who were served run first. If they come straight back, the
		// next trip serves them too.
		runtime.Gosched()
	}
}

// reportWaits tells the observer every few seconds of a trip that goes on, until the
// returned function is called.
func (c *coalescer) reportWaits(begin time.Time) (stop func()) {
	if c.observe == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(waitTold)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			c.mu.Lock()
			t := Trip{Key: c.counter.key, Waiting: int(c.trip.n), Took: time.Since(begin), Err: c.failure}
			c.mu.Unlock()
			if t.Waiting > 0 {
				c.observe.tell(t)
			}
		}
	}()
	return func() { close(done) }
}

// wanted keeps a failure of the trip under way for callers who leave. It returns how
// many numbers the trip should draw now, or -1 if nobody waits for it any more.
func (c *coalescer) wanted(failure error) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = failure
	if c.trip.n == 0 {
		return -1
	}
	return max(c.keep.least, c.trip.n)
}

// deliver hands out the numbers of a trip, and then tells the observer.
func (c *coalescer) deliver(t Trip, begin time.Time, s span) {
	c.mu.Lock()
	c.failure = nil
	served := c.serve(c.trip, &s, t.Err)
	switch {
	case t.Err != nil:
		// The callers who came since have not failed yet.
	case c.trip.n > 0:
		c.requeue()
	case c.keep.none:
		c.dropped += s.n
	default:
		served = append(served, c.serve(c.queue, &s, nil)...)
		c.spare, c.drawn = s, begin
	}
	t.Dropped, c.dropped = c.dropped, 0
	c.mu.Unlock()

	for _, w := range served {
		if t.Err == nil {
			t.Waits = append(t.Waits, time.Since(w.since))
		}
		close(w.done)
	}
	c.observe.tell(t)
}

// serve gives each caller in l a number of s, or err. It stops when s is empty. It is
// called with mu held.
func (c *coalescer) serve(l *line, s *span, err error) (served []*waiter) {
	for l.n > 0 && (err != nil || s.n > 0) {
		w := l.first
		l.remove(w)
		if w.err = err; err == nil {
			w.got, *s = s.cut(1)
		}
		served = append(served, w)
	}
	return served
}

// requeue puts callers back at the head of the queue. The trip brought no number for them
// because only a few were left. It is called with mu held.
func (c *coalescer) requeue() {
	for c.queue.n > 0 {
		w := c.queue.first
		c.queue.remove(w)
		c.trip.push(w)
	}
	c.trip, c.queue = c.queue, c.trip
}

// close waits until the callers who wait have their numbers. It refuses later callers,
// and returns how many numbers were drawn for nobody.
func (c *coalescer) close(ctx context.Context) (unused int64, err error) {
	c.mu.Lock()
	c.closed = true
	running, idle := c.running, c.idle
	c.mu.Unlock()
	if running {
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

var errClosed = errors.New("the sequence is closed")

// open returns an error if the coalescer was closed.
func (c *coalescer) open() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	return nil
}
