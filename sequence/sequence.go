// Package sequence hands out running numbers that many machines share. There are serials
// in a range, such as 1..99. There are stamps, which are a time and a serial in one, such
// as 2026112009311512345607. And there are document numbers, such as INV-2026-00001.
//
// Use it for numbers that people read, such as an order number, a ticket or a slot. If a
// key only needs to be unique, use an oid.ID, which asks no server. A number costs a
// round trip. All callers of a program who wait share it.
//
// The count lives in a [Store]. Package pgsequence keeps it in PostgreSQL, sqlsequence
// in MySQL, MariaDB, SQLite or PostgreSQL through database/sql, mongosequence in
// MongoDB, and [Memory] in the program:
//
//	store := pgsequence.New(pool, "sequences")
//	err := store.Migrate(ctx) // makes the table, once
//	err = store.Create(ctx, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//	tickets := sequence.New(store, "tickets")
//	n, err := tickets.Next(ctx) // n.Serial is 1, then 2, … 99, then 1 again
//
//	orders := sequence.NewStamper(store, "tickets") // the same key, or another one
//	stamp, err := orders.Next(ctx)                  // prints as 2026112009311512345607
//
//	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}")
//	text, err := invoices.Next(ctx) // INV-2026-00001
//
// A [Sequence] hands out numbers, a [Stamper] stamps, a [Numbering] document numbers.
// Use a stamp where you would otherwise append a serial to a time. A time and a serial
// that are read apart don't make a unique text, not even with perfect clocks. Time
// passes between the two readings.
//
// # Guarantees
//
//   - No two callers get the same number of a key, in any process and on any machine,
//     whatever fails. No ordinal comes twice, and no serial comes twice in one cycle.
//   - In one process, [Sequence.Next] hands out ascending ordinals in the order of the
//     calls.
//   - Every serial lies within the plan that was in force when it was drawn, also while
//     the plan changes.
//   - Stamps are unique and always ascend, even if clocks differ, step back or stand
//     still.
//   - A period of a [Numbering] starts at 1 and never opens again after the next has
//     begun.
//   - A caller waits for as long as its context holds, and no longer. While it waits,
//     transient failures are retried.
//
// # Not guaranteed
//
//   - Numbers without gaps. A draw whose outcome never arrived is skipped, and so are
//     numbers at hand when a program ends. See [WithGapFree] where the law asks for
//     more.
//   - An order across processes. One process may use 8 before another uses 7.
//   - The exact time of a stamp. It runs ahead of the clock when a tick has no serials
//     left, and after the clock stepped back.
//   - Unique numbers after the store lost data. Examples are a restored backup, a
//     failover to a copy that lags, and a server with fsync off. See [Store].Advance.
//     Stamps stay unique even then, once the clock has passed the last stamp that was
//     lost.
package sequence

import (
	"context"
	"errors"
	"fmt"
)

// A Sequence draws the numbers of one key. It is safe for concurrent use.
type Sequence struct {
	key  string
	c    *coalescer[Block]
	wrap func(Number)
	err  error // a nil store, an invalid key or option
}

// New returns a sequence that draws the numbers of key from store. [Store].Create must
// have made the key. A program should have one Sequence per key, because its callers
// share their trips to the store. The first call reports a nil store, an invalid key or an
// invalid option.
func New(store Store, key string, opts ...Option) *Sequence {
	cfg, err := configure(bySequence, opts)
	if err == nil {
		err = CheckKey(key)
	}
	if store == nil {
		err = errNilStore
	}
	d := drawer[Block]{
		key:  key,
		take: func(ctx context.Context, n int64) (Block, error) { return store.Take(ctx, key, n) },
		left: func(ctx context.Context) (int64, error) {
			s, err := store.State(ctx, key)
			return s.Left(), err
		},
		retries: cfg.retries,
		limit:   cfg.timeout,
		observe: cfg.observing(),
	}
	return &Sequence{
		key:  key,
		c:    newCoalescer(d, keeping{least: cfg.lease, maxAge: cfg.maxAge}),
		wrap: cfg.wrap,
		err:  err,
	}
}

var errNilStore = errors.New("the store is nil")

// Next draws a number. Callers who arrive while a draw is under way share the next
// one, which draws as many numbers as there are callers waiting. A caller whose ctx
// ends gets ctx's error at once, and leaves its number to another.
func (s *Sequence) Next(ctx context.Context) (Number, error) {
	n, err := s.next(ctx)
	if err != nil {
		return Number{}, fmt.Errorf("sequence.Sequence.Next(%s): %w", QuoteKey(s.key), err)
	}
	return n, nil
}

func (s *Sequence) next(ctx context.Context) (Number, error) {
	if s.err != nil {
		return Number{}, s.err
	}
	got, dropped, err := s.c.next(ctx)
	s.announce(ctx, dropped)
	if err != nil {
		return Number{}, err
	}
	s.announce(ctx, got)
	return got.At(0), nil
}

// Take draws the next n numbers in one trip of its own. Nobody else's number lies
// between them.
func (s *Sequence) Take(ctx context.Context, n int64) (Block, error) {
	b, err := s.take(ctx, n)
	if err != nil {
		return Block{}, fmt.Errorf("sequence.Sequence.Take(%s, %d): %w", QuoteKey(s.key), n, err)
	}
	return b, nil
}

func (s *Sequence) take(ctx context.Context, n int64) (Block, error) {
	if s.err != nil {
		return Block{}, s.err
	}
	if err := CheckDraw(n); err != nil {
		return Block{}, err
	}
	b, err := s.c.take(ctx, n)
	if err != nil {
		return Block{}, err
	}
	s.announce(ctx, b)
	return b, nil
}

// Close ends the sequence. It returns how many numbers the sequence had drawn that
// nobody took. They are the rest of a lease, and the numbers of callers whose contexts
// ended. They are a gap. Calls of Next that began before Close still get their numbers,
// and Close waits for them, until ctx ends. Later calls get [ErrClosed]. Close doesn't
// wait for calls of Take. It doesn't count numbers that a [Trip] reported as dropped.
func (s *Sequence) Close(ctx context.Context) (unused int64, err error) {
	left, dropped, err := s.c.close(ctx)
	if err != nil {
		return 0, fmt.Errorf("sequence.Sequence.Close(%s): %w", QuoteKey(s.key), err)
	}
	s.announce(ctx, left)
	return left.len() + dropped, nil
}

// announce calls the wrap function for the wraps in b. The one call that takes a block
// out of the coalescer announces it. It does so on the caller's goroutine and without a
// lock, so that the function may draw.
func (s *Sequence) announce(ctx context.Context, b Block) {
	if s.wrap == nil {
		return
	}
	for n := range b.Wraps() {
		s.wrap(n)
		if ctx.Err() != nil {
			return
		}
	}
}
