package sequence

import (
	"container/list"
	"context"
	"runtime"
	"sync"
	"time"
)

// grace is how long a trip may still take after everyone whom it was for has
// gone. Within it, its numbers come home and serve the next callers; a trip that
// is cut off leaves a gap, and costs some drivers their connection.
const grace = time.Second

// A coalescer turns many callers into few trips to the store. While one trip is
// under way, callers queue; the next trip draws as many numbers as there are
// callers in the queue. There is one trip at a time.
//
// Nothing is held back: a caller who finds no trip under way starts one at once,
// and one who finds a trip under way waits for at most the rest of it and for one
// more.
//
// Nothing is handed out twice: a block that a trip brings home is cut under mu
// into parts that go to one caller each and a rest, spare, that is cut in the
// same way. A trip whose outcome is unknown has no block: its numbers, if the
// store counted them, are a gap.
//
// Nothing is wasted: a caller whose context ends leaves the queue under mu. If a
// number was put down for it before that, it returns this number, not the
// context's error. If not, the number that was on its way is in the block
// without a taker, and goes to the next in the queue or into spare.
//
// Callers get ascending ordinals in the order in which they queued: parts are cut
// from the low end, first for those whom the trip was for, then for those who
// came since; whoever comes later draws from spare, the high end, or from a later
// trip, whose ordinals are greater as the store's count only grows. And spare is
// empty while anyone waits, so that nobody overtakes.
//
// Trips run on a goroutine of their own, which ends when nobody waits: no
// caller's context may cut off what others wait for, and no caller may be kept
// after its context has ended.
type coalescer struct {
	draws drawer

	lease  int64         // least draw
	maxAge time.Duration // of a lease; 0: no limit
	fresh  bool          // a number serves only who was there before it was drawn

	mu      sync.Mutex
	trip    *list.List // of *waiter: whom the trip under way is for
	queue   *list.List // of *waiter: who came since
	cancel  context.CancelFunc
	running bool
	idle    chan struct{} // closed when running ends
	spare   Block
	drawn   time.Time // when the trip that brought spare set out
	dropped int64     // numbers thrown away that no Trip has told of
	closed  bool
}

// A waiter is a caller in the queue.
type waiter struct {
	since time.Time
	done  chan struct{} // closed once block or err is set, under mu
	block Block
	err   error
}

func newCoalescer(d drawer) *coalescer {
	return &coalescer{draws: d, lease: 1, trip: list.New(), queue: list.New()}
}

// next returns a block of one number. If it threw away a lease that was too old,
// it returns that as well.
func (c *coalescer) next(ctx context.Context) (got, dropped Block, err error) {
	if err := ctx.Err(); err != nil {
		return Block{}, Block{}, err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return Block{}, Block{}, ErrClosed
	}
	if c.spare.n > 0 && c.maxAge > 0 && time.Since(c.drawn) > c.maxAge {
		dropped = c.spare
		c.dropped += dropped.n
		c.spare = Block{}
	}
	if c.spare.n > 0 {
		got, c.spare = c.spare.cut(1)
		c.mu.Unlock()
		return got, dropped, nil
	}
	w := &waiter{since: time.Now(), done: make(chan struct{})}
	place := c.queue.PushBack(w)
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
	select {
	case <-w.done: // it came in the meantime
		return w.block, dropped, w.err
	default:
	}
	c.leave(place)
	return Block{}, dropped, ctx.Err()
}

// leave takes a waiter who gives up out of the lists. It is called with mu held.
func (c *coalescer) leave(place *list.Element) {
	c.queue.Remove(place) // no-ops on a list that doesn't hold it
	travelling := c.trip.Len()
	c.trip.Remove(place)
	if travelling == 1 && c.trip.Len() == 0 {
		time.AfterFunc(grace, c.cancel)
	}
}

// run makes trips until nobody waits.
func (c *coalescer) run() {
	for {
		c.mu.Lock()
		if c.queue.Len() == 0 {
			c.running = false
			close(c.idle)
			c.mu.Unlock()
			return
		}
		c.trip, c.queue = c.queue, c.trip
		// No value of a caller's context goes along: a session or a
		// transaction in there is not the others'.
		ctx, cancel := context.WithCancel(context.Background())
		c.cancel = cancel
		c.mu.Unlock()

		begin := time.Now()
		block, retries, err := c.draws.draw(ctx, c.wanted)
		cancel()
		if block.n == 0 && err == nil {
			continue // everyone had gone before it set out
		}
		c.land(Trip{Numbers: block.n, Took: time.Since(begin), Retries: retries, Err: err}, begin, block)
		// Those who were served run first. Where they come straight back,
		// the next trip is for them too, and not for the other half alone.
		runtime.Gosched()
	}
}

// wanted returns how many numbers the trip under way should draw: none if nobody
// waits for it any more.
func (c *coalescer) wanted() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trip.Len() == 0 {
		return 0
	}
	return max(c.lease, int64(c.trip.Len()))
}

// land hands out what a trip brought home.
func (c *coalescer) land(t Trip, begin time.Time, block Block) {
	c.mu.Lock()
	serve := func(l *list.List) {
		for l.Len() > 0 && (t.Err != nil || block.n > 0) {
			w := l.Remove(l.Front()).(*waiter)
			if t.Err != nil {
				w.err = t.Err
			} else {
				w.block, block = block.cut(1)
				if c.draws.observe != nil {
					t.Waits = append(t.Waits, time.Since(w.since))
				}
			}
			close(w.done)
		}
	}
	serve(c.trip)
	switch {
	case t.Err != nil:
		// Who came since has not failed yet.
	case c.fresh:
		c.dropped += block.n
	default:
		serve(c.queue)
		c.spare, c.drawn = block, begin
	}
	t.Dropped, c.dropped = c.dropped, 0
	c.mu.Unlock()
	c.draws.tell(t)
}

// close lets those who wait have their numbers, refuses all who come later, and
// returns what is left.
func (c *coalescer) close() Block {
	c.mu.Lock()
	c.closed = true
	running, idle := c.running, c.idle
	c.mu.Unlock()
	if running {
		<-idle
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.spare
	c.spare = Block{}
	return left
}

// open returns ErrClosed after close.
func (c *coalescer) open() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	return nil
}
