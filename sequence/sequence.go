// Package sequence draws running numbers that many machines share: serials in a range,
// such as 1..99, document numbers, such as INV-2026-00001, and stamps, which are a time and
// a serial in one, such as 2026112009311512345607.
//
// Use it for numbers that people read, such as an order number, a ticket or an invoice. If
// a key only needs to be unique, use an oid.ID, which asks no server. A number costs a
// round trip. All callers of a program who wait share it.
//
// The count lives in a [Store]. Package pgsequence keeps it in PostgreSQL, sqlsequence
// in MySQL, MariaDB, SQLite or PostgreSQL through database/sql, mongosequence in
// MongoDB, and [Memory] in the program:
//
//	store := pgsequence.New(pool, "sequences")
//	err := store.Migrate(ctx) // makes the table, once
//
//	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//	n, err := tickets.Next(ctx) // n.Serial is 1, then 2, … 99, then 1 again
//
//	orders := sequence.NewStamper(store, "orders")
//	stamp, err := orders.Next(ctx) // prints as 2026112009311512345607
//
//	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}")
//	text, err := invoices.Next(ctx) // INV-2026-00001
//
// A [Sequence] draws plain numbers. A [Stamper] draws stamps. A [Numbering] draws document
// numbers. The first draw makes the key. Use a stamp where you would otherwise append a serial to a
// time. A time and a serial that are read apart don't make a unique text, not even with
// perfect clocks, because time passes between the two readings.
//
// With [WithGapFree], numbers are drawn in the caller's transaction:
//
//	err := store.InTx(ctx, func(tx pgx.Tx) error {
//		number, err := invoices.NextIn(ctx, store.Tx(tx))
//		…
//	})
//
// # Terms
//
//   - A key is the name of one count in a store.
//   - To draw is to take the next number of a key. One trip to the server draws for all
//     callers of a program who wait.
//   - The ordinal is how many numbers the key has given out. It only grows.
//   - The plan is the first and the last number, and whether the count starts again after
//     the last one. The serial is the number that people see. It follows from the ordinal
//     and the plan.
//   - A scope is a part of a [Numbering] with its own count, such as a tenant. A period is
//     a day, a month or a year. In each new period, the count of a scope starts again at 1.
//   - A tick is the smallest unit of time in a stamp. The width is how many stamps can
//     share one.
//   - A lease is a block of numbers that a program draws ahead and keeps in memory.
//   - A gap is a number that was drawn and that nobody got.
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
//   - Gap-free numbers have no gaps, and are in the order in which the transactions
//     commit.
//   - A caller waits at most until its context ends. While it waits,
//     transient failures are retried.
//
// # Not guaranteed
//
//   - Numbers without gaps, unless [WithGapFree] is set. If the answer
//     to a draw is lost, its numbers are skipped. When a program ends, so are the numbers
//     that it has drawn and not handed out.
//   - An order across processes. One process may use 8 before another uses 7.
//   - The exact time of a stamp. It runs ahead of the clock when a microsecond has no
//     serials left, and after the clock stepped back.
//   - Unique numbers after the store lost data, such as by a restored backup or a failover
//     to a copy that lags. A program that goes on jumps over what it has seen, and its
//     observer hears how much was lost. What only other programs have seen comes again.
//     See AdvanceTo.
package sequence

import (
	"cmp"
	"context"
	"fmt"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Sequence draws the numbers of one key. It is safe for concurrent use.
type Sequence struct {
	plan Plan
	c    *coalescer
}

// New returns a sequence that draws the numbers of key from store. The first draw makes
// the key, with plan p. If the key has another plan, and had another one before that,
// draws return [ErrConflict]: see [Sequence.Resize]. A program should have one Sequence
// per key, because its callers share their trips to the store. The first call reports a
// nil store, an invalid key, plan or option.
func New(store Store, key string, p Plan, opts ...Option) *Sequence {
	s := &Sequence{plan: p, c: &coalescer{counter: newCounter("Sequence", bySequence, store, key, opts), keeps: true}}
	s.c.kind = s
	s.c.err = cmp.Or(s.c.err, p.Validate())
	return s
}

// Next draws a number. Callers who arrive while a draw is under way share the next
// one, which draws as many numbers as there are callers waiting. A caller whose ctx
// ends gets ctx's error at once. Its number goes to another caller within a second, or is
// dropped.
func (s *Sequence) Next(ctx context.Context) (Number, error) {
	got, err := s.c.next(ctx)
	if err != nil {
		return Number{}, s.c.fail("Next", err)
	}
	return numberAt(got.plan, got.base, got.first), nil
}

// Take draws the next n numbers, up to a million, in one trip of its own. Nobody else's
// number lies between them. If fewer than n are left, it draws none.
func (s *Sequence) Take(ctx context.Context, n int64) ([]Number, error) {
	s.c.mu.Lock()
	err := cmp.Or(s.c.ready(), checkDraw(n))
	s.c.mu.Unlock()
	var got span
	if err == nil {
		got, err = s.c.take(ctx, draw{n: n, exact: true})
	}
	if err != nil {
		return nil, s.c.fail("Take", err, n)
	}
	return numbersOf(got.plan, got.base, got.first, n), nil
}

// NextIn draws a number of a sequence with [WithGapFree] in the caller's transaction. tx
// is store.Tx(…), the store bound to that transaction. If the transaction is rolled back,
// the next caller gets the same number. So no number is missing, and the numbers are in
// the order in which the transactions commit.
//
// The price is that callers of one key wait for each other's transactions. Draw late in a
// transaction, and keep it short. After an error, roll it back: store.InTx does, and runs it
// again where that helps.
func (s *Sequence) NextIn(ctx context.Context, tx Store) (Number, error) {
	got, err := s.c.drawIn(ctx, tx, 1)
	if err != nil {
		return Number{}, s.c.fail("NextIn", err)
	}
	return numberAt(got.plan, got.base, got.first), nil
}

// TakeIn draws the next n numbers in the caller's transaction, in one round trip, as
// [Sequence.NextIn] draws one.
func (s *Sequence) TakeIn(ctx context.Context, tx Store, n int64) ([]Number, error) {
	got, err := s.c.drawIn(ctx, tx, n)
	if err != nil {
		return nil, s.c.fail("TakeIn", err, n)
	}
	return numbersOf(got.plan, got.base, got.first, n), nil
}

// State returns what the store knows about the key. It draws nothing.
func (s *Sequence) State(ctx context.Context) (State, error) { return s.c.state(ctx) }

// AdvanceTo has s go on after a serial of a plan that doesn't cycle. It never goes back.
// Use it after an import, or after you restored a backup. It makes a missing key.
func (s *Sequence) AdvanceTo(ctx context.Context, serial int64) error {
	return s.c.fail("AdvanceTo", s.advance(ctx, func(p Plan, base int64) (int64, error) {
		switch {
		case p.Cycle:
			return 0, fmt.Errorf("the plan %v cycles, so a serial names no moment: use AdvanceToOrdinal", p)
		case serial < p.First && serial != p.First-1:
			return 0, fmt.Errorf("serial %d is below the plan %v", serial, p)
		case serial > p.Last, serial-p.First >= p.end(base)-base:
			return 0, fmt.Errorf("%w: the plan %v ends before it", ErrExhausted, p)
		}
		return base + (serial - p.First + 1), nil
	}), serial)
}

// AdvanceToOrdinal has s go on after an ordinal, as [Sequence.AdvanceTo] does after a
// serial. It is for plans that cycle.
func (s *Sequence) AdvanceToOrdinal(ctx context.Context, ordinal int64) error {
	return s.c.fail("AdvanceToOrdinal", s.advance(ctx, func(Plan, int64) (int64, error) {
		return ordinal, unless(ordinal >= 0, "the ordinal is negative")
	}), ordinal)
}

// advance draws no number, with a floor that ordinal returns for the plan in force.
func (s *Sequence) advance(ctx context.Context, ordinal func(p Plan, base int64) (int64, error)) error {
	_, err := s.c.take(ctx, draw{exact: true, floor: func(row driver.Row) (int64, error) {
		p, err := s.planned(row)
		if err != nil {
			return 0, err
		}
		return ordinal(p.plan, row.Base)
	}})
	return err
}

// Close ends the sequence. It returns how many numbers the sequence had drawn that
// nobody took, such as the rest of a lease. They are a gap. Calls of Next that began
// before Close still get their numbers, and Close waits for them, until ctx ends. Later
// calls get an error. Close doesn't wait for calls of Take. It doesn't count numbers
// that a [Trip] reported as dropped. A sequence without a lease needs no closing.
func (s *Sequence) Close(ctx context.Context) (unused int64, err error) {
	unused, err = s.c.close(ctx)
	return unused, s.c.fail("Close", err)
}

// meaning is of [kind], as bounds and exhausted are. The count is an ordinal.
func (s *Sequence) meaning() string { return planned{plan: s.plan, gapFree: s.c.cfg.gapFree}.String() }

func (s *Sequence) bounds(row driver.Row) (driver.Draw, Plan, error) {
	p, err := s.planned(row)
	if err == nil {
		err = s.accepts(p)
	}
	return driver.Draw{Most: p.plan.end(row.Base)}, p.plan, err
}

func (s *Sequence) exhausted(row driver.Row) error {
	p, _ := parsePlanned(row.Meaning)
	return fmt.Errorf("%w: plan %v has %d numbers left", ErrExhausted, p.plan, max(0, p.plan.end(row.Base)-row.X))
}

// planned returns the plan in force of a row, or an error if the row is of another kind.
func (s *Sequence) planned(row driver.Row) (planned, error) {
	p, ok := parsePlanned(row.Meaning)
	if !ok || p.gapFree != s.c.cfg.gapFree {
		return planned{}, conflict(row.Meaning, s.meaning())
	}
	return p, nil
}

// accepts returns an error unless the plan of s is in force or was before the last resize.
func (s *Sequence) accepts(p planned) error {
	if p.plan == s.plan || p.was == s.plan {
		return nil
	}
	return fmt.Errorf("%w: it is %q, and this program wants %q: Resize moves it, or use another key", ErrConflict, p, s.meaning())
}
