// Package sequence draws gap-free (gapless) invoice numbers, and other running numbers that
// many machines share. The package draws three kinds of numbers. Plain numbers lie in a
// range, such as 1..99. Document numbers have a format, such as INV-2026-00001. A stamp is a
// time and a serial in one number, such as 2026112009311512345607.
//
// Use the package for numbers that people read, such as an order number, a ticket or an
// invoice. If a primary key only needs to be unique, use an oid.ID, which needs no server.
// Drawing a number usually takes a round trip to the server. Callers of Next who wait
// together on one Sequence, Stamper or Numbering share one round trip.
//
// A [Store] keeps the counts. Package pgsequence keeps them in a table of PostgreSQL,
// through pgx. Package sqlsequence keeps them in a table of MySQL, MariaDB, SQLite or
// PostgreSQL, through database/sql. Package mongosequence keeps them in a collection of
// MongoDB. A [Memory] keeps the counts in the program:
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
// numbers. The first draw of a key adds the key to the store, unless [WithExisting] forbids
// it. Use a stamp where you would otherwise append a serial to a time. Suppose that a program
// reads the time first, and then draws a serial that cycles. Two callers can then get the
// same time and the same serial, even with perfect clocks, because other callers can draw
// a whole cycle of serials between the two steps.
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
//   - To draw is to take the next number of a key. A trip is one call of the store, with
//     its retries. It usually takes one server round trip. One trip of Next draws a number
//     for each waiting caller.
//   - The ordinal of a number is its position among all numbers of the key. Without
//     AdvanceTo, a key's first number has the ordinal 1.
//   - The serial is the number that people see. The plan is the first and the last serial
//     of a key, and whether the serials start again after the last one. Ordinals don't
//     start again. Without resizes, plan and ordinal determine the serial.
//   - A scope is a part of a [Numbering] with its own count, such as a tenant. A period
//     is a day, a month, a quarter or a year. In each new period, the count of a
//     Numbering or of its scope starts again at 1.
//   - A tick is the smallest unit of time in a stamp. The width is how many stamps can
//     share one tick.
//   - A lease is a block of numbers that a program draws in advance and keeps in memory.
//   - A gap is a number that was drawn, but is never used.
//
// # Guarantees
//
// All stores give these guarantees, except the store of mongosequence.NewLegacy. With
// MongoDB's stores, NextIn returns an error:
//
//   - While the store keeps its data, no two callers of Next and Take get the same number
//     of a key, in any process and on any machine. The key hands out no ordinal twice, and
//     no serial twice in one cycle. The same holds for NextIn, except that a rollback
//     gives the numbers of its transaction back.
//   - One Sequence's Next hands out ascending ordinals in the order of the calls.
//   - Every serial lies within the plan that the key had when the serial was drawn. This
//     is also true while programs change the plan.
//   - While the store keeps its data, the stamps of a key are unique and ascend, even if
//     clocks differ, step back or stand still.
//   - Without AdvanceTo, a [Numbering] counts from 1 in each period. Once a number of a
//     later period was drawn from a key, no number of an earlier period is drawn from it,
//     except with [WithDates].
//   - With [WithGapFree], numbers have no gaps if each transaction stores the numbers that
//     it draws. The numbers are in the order in which the transactions commit.
//   - If a key was deleted, the next trip of a Sequence, Stamper or Numbering that has
//     drawn from the key returns [ErrNotFound], even if the key was made again. A program
//     that draws only by NextIn may not notice, if it has drawn in only one transaction,
//     or if no other connection of the pool was free.
//   - A caller of Next or Take waits at most until its context ends. Meanwhile, draws that
//     failed with a transient error are retried.
//
// # Not guaranteed
//
//   - Without [WithGapFree], numbers can have gaps. If the server's answer to a draw is
//     lost, nobody gets the numbers of this draw. When a program ends, nobody gets the
//     numbers that the program has drawn and not handed out.
//   - Without [WithGapFree], the numbers of a Sequence or a Numbering have no order across
//     processes. One process may use the number 8 before another process uses the number 7.
//   - The time in a stamp is not exact. After all serials of a microsecond were drawn, or
//     after the clock stepped back, the time in a stamp can be ahead of the clock.
//   - Numbers can repeat after the store lost data. Examples are a restored backup, and a
//     failover to a copy that lags. Next and Take skip the numbers that the same Sequence,
//     Stamper or Numbering has drawn before. A [Trip] says how far the store went back,
//     except for stamps on MySQL and MariaDB, and for mongosequence.NewLegacy. Numbers that
//     only other programs have seen, or that NextIn returned, can repeat. After a restore or such a failover, call
//     AdvanceTo for each key of a Sequence or a Numbering, or AdvanceToOrdinal if the
//     plan cycles.
package sequence

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Sequence draws the numbers of one key. A Sequence is safe for concurrent use.
type Sequence struct {
	plan Plan
	made *coalescer
}

// New returns a sequence that draws the numbers of key from store. The first draw adds the
// key to the store, with plan p, except with [WithExisting]. If p is neither the plan of
// the key nor the plan before its last resize, draws return [ErrConflict]: see
// [Sequence.Resize]. Make one Sequence per key and program, because the callers of one
// Sequence share their trips to the store. New itself returns no error: if an argument is
// invalid, every draw returns the error.
func New(store Store, key string, p Plan, opts ...Option) *Sequence {
	s := &Sequence{plan: p, made: &coalescer{counter: newCounter("Sequence", forSequence, store, key, opts), keeps: true}}
	s.made.kind, s.made.meaning = s, planned{plan: p, gapFree: s.made.cfg.gapFree}.String()
	s.made.err = cmp.Or(s.made.err, p.Validate())
	return s
}

func (s *Sequence) c() *coalescer { return s.made.orZero("Sequence", "New") }

// Next draws a number. Callers who arrive while a draw is under way share the next draw,
// which draws a number for each waiting caller. A caller whose ctx ends gets the error of
// ctx at once. If a draw for this caller was under way, the number goes to another caller,
// or is dropped.
func (s *Sequence) Next(ctx context.Context) (Number, error) {
	got, err := s.c().next(ctx)
	return numberAt(got.plan, got.base, got.first), s.c().fail("Next", err)
}

// Take draws the next n numbers in one trip. The trip draws for no other caller. The
// greatest n is a million. The ordinals of the numbers are consecutive. If fewer than n
// numbers are left, Take draws none, and returns [ErrExhausted].
func (s *Sequence) Take(ctx context.Context, n int64) ([]Number, error) {
	got, err := s.c().takeN(ctx, n)
	return numbersOf(got.plan, got.base, got.first, got.n), s.c().fail("Take", err, n)
}

// NextIn draws a number in the caller's transaction. The sequence must have the option
// [WithGapFree]. Pass store.Tx(tx), where store is the store of the sequence, or another
// store with the same pool and table. If the transaction is rolled back, the next caller
// gets the same number. Therefore a rollback leaves no gap. The numbers are in the order
// in which the transactions commit.
//
// A caller of NextIn waits until the other transactions that drew from the key have
// ended. Draw late in a transaction, and keep the transaction short. After an error, roll
// the transaction back. If the function that you pass to the method InTx of a store returns
// the error, InTx rolls back, and runs the function again after a deadlock.
func (s *Sequence) NextIn(ctx context.Context, tx Store) (Number, error) {
	got, err := s.c().drawIn(ctx, tx, 1)
	return numberAt(got.plan, got.base, got.first), s.c().fail("NextIn", err)
}

// TakeIn draws the next n numbers in the caller's transaction. It needs no more round
// trips than NextIn. The rules of [Sequence.NextIn] hold for TakeIn too.
func (s *Sequence) TakeIn(ctx context.Context, tx Store, n int64) ([]Number, error) {
	got, err := s.c().drawIn(ctx, tx, n)
	return numbersOf(got.plan, got.base, got.first, got.n), s.c().fail("TakeIn", err, n)
}

// State returns what the store knows about the key of s. State draws no number. Like
// Next, State retries after a transient error until ctx ends.
func (s *Sequence) State(ctx context.Context) (State, error) {
	row, err := s.c().state(ctx)
	return stateOf(row, time.UTC), err
}

// AdvanceTo makes the next serial of s greater than the argument serial. AdvanceTo is for
// plans that don't cycle, and never moves a count back. Use AdvanceTo after an import, or
// after you restored a backup. If the store lacks the key, AdvanceTo adds it, even with
// the option [WithExisting]. But if s has drawn from the key before, AdvanceTo returns
// [ErrNotFound].
//
// Numbers that s has in memory are dropped. AdvanceTo can't drop the numbers that other
// programs have in memory, such as the rest of a lease. Therefore stop these programs
// first.
func (s *Sequence) AdvanceTo(ctx context.Context, serial int64) error {
	return s.c().fail("AdvanceTo", s.advance(ctx, func(p Plan, base int64) (int64, error) {
		return base + (serial - p.First + 1), cmp.Or(
			unless(!p.Cycle, "the plan %v hands out each serial many times: call AdvanceToOrdinal instead", p),
			unless(serial >= p.First || serial == p.First-1, "serial %d is below the plan %v: want at least %d", serial, p, p.First-1),
			unless(serial <= p.Last && serial-p.First < p.end(base)-base, "%w: the plan %v ends before %d", ErrExhausted, p, serial),
		)
	}), serial)
}

// AdvanceToOrdinal makes the next ordinal of s greater than the argument ordinal.
// AdvanceToOrdinal is [Sequence.AdvanceTo] for plans that cycle.
func (s *Sequence) AdvanceToOrdinal(ctx context.Context, ordinal int64) error {
	return s.c().fail("AdvanceToOrdinal", s.advance(ctx, func(p Plan, base int64) (int64, error) {
		return ordinal, cmp.Or(unless(ordinal >= 0, "the ordinal is negative"), unless(ordinal <= p.end(base), "%w: the plan %v ends before the ordinal %d", ErrExhausted, p, ordinal))
	}), ordinal)
}

// advance draws no number, with a floor that ordinal returns for the plan in force.
func (s *Sequence) advance(ctx context.Context, ordinal func(p Plan, base int64) (int64, error)) error {
	_, err := s.c().take(ctx, draw{exact: true, makes: true, floor: func(row driver.Row) (int64, error) {
		p, _ := s.planned(row) // bounds has read the row before, without an error
		return ordinal(p.plan, row.Base)
	}})
	if err == nil {
		s.c().outdate()
	}
	return err
}

// Close ends the sequence. Close returns how many numbers the sequence has drawn and not
// handed out, such as the rest of a lease. These numbers are a gap. Calls of Next that
// began before Close still get their numbers. Close waits until these calls have
// returned, or until ctx ends. Calls of Next and Take that begin after Close return an
// error. Close doesn't wait for calls of Take, and doesn't count numbers that a [Trip]
// reported as dropped. A sequence without a lease doesn't have to be closed.
func (s *Sequence) Close(ctx context.Context) (unused int64, err error) {
	unused, err = s.c().close(ctx)
	return unused, s.c().fail("Close", err)
}

// bounds is of [kind], as exhausted is. The count is an ordinal.
func (s *Sequence) bounds(row driver.Row) (driver.Draw, Plan, error) {
	p, err := s.planned(row)
	return driver.Draw{Most: p.plan.end(row.Base)}, p.plan, cmp.Or(err, s.accepts(p))
}

func (s *Sequence) exhausted(row driver.Row, x int64) error {
	p, _ := parsePlanned(row.Meaning)
	return fmt.Errorf("%w: plan %v has %d numbers left", ErrExhausted, p.plan, max(0, p.plan.end(row.Base)-x))
}

// planned returns the plan in force of a row, or an error if the row is of another kind.
func (s *Sequence) planned(row driver.Row) (planned, error) {
	if row.Meaning == s.c().meaning { // the common case, in less time
		return planned{plan: s.plan, gapFree: s.c().cfg.gapFree}, nil
	}
	p, ok := parsePlanned(row.Meaning)
	if !ok || p.gapFree != s.c().cfg.gapFree {
		return planned{}, conflict(row.Meaning, s.c().meaning)
	}
	return p, nil
}

// accepts returns an error unless the plan of s is in force, was before the last resize, or
// comes next.
func (s *Sequence) accepts(p planned) error {
	if p.plan == s.plan || p.was == s.plan || p.becoming == s.plan {
		return nil
	}
	return fmt.Errorf("%w: the meaning of the key is %q, and this program wants %q: call Resize to change the plan, or use another key", ErrConflict, p, s.c().meaning)
}
