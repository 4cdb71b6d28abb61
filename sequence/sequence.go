// Package sequence hands out running numbers that many machines share: serials
// that go round in a fixed range, such as 1..99, and stamps, which are a time and
// a serial in one, such as 2026112009311512345607.
//
// It is for numbers that people read: an order number, a ticket, a slot. Where a
// key need only be unique, use an oid.ID: that asks no server. A number here
// costs a round trip, and everyone who draws waits in one line.
//
// The count lives in a [Store]. Packages mongosequence and pgsequence keep it in
// MongoDB and PostgreSQL, [Memory] in the program:
//
//	store := pgsequence.New(pool, "counters")
//	err := store.Create(ctx, "orders", sequence.Plan{First: 1, Last: 99})
//	orders := sequence.New(store, "orders")
//	n, err := orders.Next(ctx) // n.Serial is 1, then 2, … 99, then 1 again
//
//	stamps := sequence.NewStamper(store, "orders") // of the same key, or another
//	st, err := stamps.Next(ctx) // prints as 2026112009311512345607
//
// A [Sequence] hands out numbers, a [Stamper] stamps. Use a stamp wherever a
// serial would be put behind a time: a clock read on one machine and a serial
// drawn from another do not make a unique text, not even with perfect clocks,
// as time passes between the two.
//
// # Guarantees
//
//   - No two callers get the same number of a key, whatever process or machine
//     they are in, and whatever fails: an ordinal never comes twice, nor a serial
//     in one cycle.
//   - In one process, [Sequence.Next] hands out ascending ordinals in the order of
//     the calls.
//   - Every serial lies within the plan of its time, also while the plan changes.
//   - Stamps never come twice and ascend, for clocks that differ, step back or
//     stand still.
//   - A caller waits for as long as its context holds, and no longer.
//
// # Not guaranteed
//
//   - Numbers without gaps. A draw whose outcome never arrived, a program that
//     ends with numbers at hand: they are skipped, and never handed out again.
//   - An order across processes: 8 may be in use in one before 7 is in another.
//   - That a stamp's time is the clock's: it runs ahead when more stamps than fit
//     are drawn in a tick, and after the clock stepped back.
//   - Numbers that survive the loss of the store's own data: a restored backup, a
//     failover to a copy that lags, a server with fsync off. A stamp survives
//     these too, if the clock has passed what was lost.
package sequence

import (
	"context"
	"fmt"
	"time"
)

// A Sequence draws the numbers of one key. It is safe for concurrent use.
type Sequence struct {
	key  string
	c    *coalescer
	wrap func(Number)
	err  error // what is wrong with the options
}

// New returns a sequence that draws the numbers of key, which [Store.Create] must
// have made, from store. A program should have one Sequence a key: callers of the
// same one share their trips to the store. What is wrong with an option, the
// first call reports.
func New(store Store, key string, opts ...Option) *Sequence {
	cfg := config{retries: defaultRetries, lease: 1}
	for _, o := range opts {
		o.sequence(&cfg)
	}
	s := &Sequence{key: key, wrap: cfg.wrap, err: cfg.err}
	s.c = newCoalescer(drawer{
		key:     key,
		take:    func(ctx context.Context, n int64) (Block, error) { return store.Take(ctx, key, n) },
		retries: cfg.retries,
		observe: cfg.observe,
	})
	s.c.lease, s.c.maxAge = cfg.lease, cfg.maxAge
	return s
}

// Next draws a number. Callers who arrive while a draw is under way share the
// next one, which draws as many numbers as there are callers waiting. A caller
// whose ctx ends gets ctx's error at once, and leaves its number to another.
func (s *Sequence) Next(ctx context.Context) (Number, error) {
	if s.err != nil {
		return Number{}, fmt.Errorf("sequence.Next(%q): %w", s.key, s.err)
	}
	got, dropped, err := s.c.next(ctx)
	s.announce(dropped)
	if err != nil {
		return Number{}, fmt.Errorf("sequence.Next(%q): %w", s.key, err)
	}
	s.announce(got)
	return got.At(0), nil
}

// Take draws the next n numbers in one trip of its own. Nobody else's number lies
// between them.
func (s *Sequence) Take(ctx context.Context, n int64) (Block, error) {
	err := s.err
	if err == nil {
		err = CheckDraw(n)
	}
	if err == nil {
		err = s.c.open()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Block{}, fmt.Errorf("sequence.Take(%q, %d): %w", s.key, n, err)
	}
	begin := time.Now()
	b, retries, err := s.c.draws.draw(ctx, func() int64 { return n })
	t := Trip{Numbers: b.n, Took: time.Since(begin), Retries: retries, Err: err}
	if err == nil {
		t.Waits = []time.Duration{t.Took}
	}
	s.c.draws.tell(t)
	if err != nil {
		return Block{}, fmt.Errorf("sequence.Take(%q, %d): %w", s.key, n, err)
	}
	s.announce(b)
	return b, nil
}

// Close ends the sequence and returns how many numbers it had drawn that nobody
// took: the rest of a lease, and what callers left whose contexts ended. They
// are a gap. Calls of Next that began before Close still get their numbers, and
// Close waits for them; later ones get [ErrClosed]. Take, under way, is not
// waited for.
func (s *Sequence) Close() (unused int64) {
	left := s.c.close()
	s.announce(left)
	return left.n
}

// announce tells of the wraps in b. Each block is announced by the one call that
// takes it out of the coalescer, on the caller's goroutine and without a lock
// held, so that the function may draw.
func (s *Sequence) announce(b Block) {
	if s.wrap == nil {
		return
	}
	for n := range b.Wraps() {
		s.wrap(n)
	}
}
