// Package drivertest has the suite that every store of package sequence passes. It is for
// authors of stores, and may change in any minor version.
package drivertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Config says how to reach a store.
type Config struct {
	// Open returns a driver of the rows, by connections of its own. Run calls it twice, to
	// play two programs that share the rows. There are no rows at first. Whatever holds
	// them needs no Migrate before.
	Open func(testing.TB) driver.Driver

	// Begin returns a driver that is bound to a new transaction on the same rows, and a
	// function that ends it. Other transactions must see what it committed at their next
	// step, as at the level READ COMMITTED. Begin is nil for a store without transactions.
	// It may wait for other transactions to end. Many goroutines call it.
	Begin func(context.Context) (d driver.Driver, end func(commit bool) error, err error)
}

// Run tries every law of the contract on a store.
func Run(t *testing.T, c Config) {
	p := place{a: c.Open(t), b: c.Open(t), begin: c.Begin}
	for _, l := range laws {
		if l.inTx && c.Begin == nil {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			if err := l.holds(t.Context(), p); err != nil {
				t.Error(err)
			}
		})
	}
}

// A law is a part of the contract.
type law struct {
	name string
	inTx bool // needs transactions
	try  func(place) error
}

// laws begins with the law that makes the table.
var laws = []law{
	{"MigrateRunsTwiceAndByManyAtOnce", false, migrateRunsTwiceAndByManyAtOnce},
	{"PutInsertsOnce", false, putInsertsOnce},
	{"PutComparesVersionsAndKeepsX", false, putComparesVersionsAndKeepsX},
	{"RowIsReadAsItWasPut", false, rowIsReadAsItWasPut},
	{"KeysAreToldApart", false, keysAreToldApart},
	{"DrawTakesTheGreaterOfXAndFloor", false, drawTakesTheGreaterOfXAndFloor},
	{"DrawEndsAt64Bits", false, drawEndsAt64Bits},
	{"RefusedDrawChangesNothing", false, refusedDrawChangesNothing},
	{"ClockSetsTheFloor", false, clockSetsTheFloor},
	{"ClockRefuses", false, clockRefuses},
	{"ManyDrawWhileTheVersionChanges", false, manyDrawWhileTheVersionChanges},
	{"ManyDrawWithOtherFloors", false, manyDrawWithOtherFloors},
	{"EndedContextIsAnError", false, endedContextIsAnError},
	{"LimitIsTransient", false, limitIsTransient},
	{"HistoriesAreThoseOfTheModel", false, historiesAreThoseOfTheModel},
	{"InTxReports", true, inTxReports},
	{"RollbackGivesBack", true, rollbackGivesBack},
	{"TransactionsWaitForEachOther", true, transactionsWaitForEachOther},
	{"ReadLocks", true, readLocks},
	{"ManyTransactionsDrawFirst", true, manyTransactionsDrawFirst},
	{"LockedRowKeepsNobodyLonger", true, lockedRowKeepsNobodyLonger},
}

// holds tries l. A store that waits for ever gives an error in the end.
func (l law) holds(ctx context.Context, p place) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	p.ctx, p.law = ctx, l.name
	return l.try(p)
}

// A place is where a law is tried. Two programs, a and b, share its rows.
type place struct {
	ctx   context.Context
	law   string
	a, b  driver.Driver
	begin func(context.Context) (driver.Driver, func(commit bool) error, error)
}

// key returns a key that no other law uses.
func (p place) key(name string) string { return p.law + "/" + name }

// firstVersion is greater than what a store might count by itself.
const firstVersion = 5_000_000_000

// row makes the row of p.key(name) by a.
func (p place) row(name string) (driver.Row, error) {
	r := driver.Row{Key: p.key(name), Meaning: "1..99 cycling", Base: 7, Version: firstVersion}
	ok, err := p.a.Put(p.ctx, r, 0)
	if err == nil && !ok {
		err = errors.New("there is such a row")
	}
	if err != nil {
		return r, fmt.Errorf("Put(%q) as the first: %v", r.Key, err)
	}
	return r, nil
}

// rowIs compares the row of want.Key, read by d, with want.
func (p place) rowIs(d driver.Driver, want driver.Row) error {
	got, ok, err := d.Read(p.ctx, want.Key)
	if err != nil || !ok {
		return fmt.Errorf("Read(%q) = %v, %v, want a row", want.Key, ok, err)
	}
	got.Now, want.Now = time.Time{}, time.Time{}
	if got != want {
		return fmt.Errorf("Read = %+v, want %+v", got, want)
	}
	return nil
}

// draws makes a step by d and compares it with what the contract says of it, from row r,
// which it brings up to date.
func (p place) draws(d driver.Driver, r *driver.Row, step driver.Draw) error {
	step.Key, step.Version = r.Key, r.Version
	got, ok, err := d.Draw(p.ctx, step)
	if err != nil {
		return fmt.Errorf("Draw(%+v) with x %d: %v", step, r.X, err)
	}
	want, made := draw(r, step, got.Now)
	if ok != made {
		return fmt.Errorf("Draw(%+v) with x %d: made %v, want %v", step, r.X, ok, made)
	}
	if ok && got.After != want.After {
		return fmt.Errorf("Draw(%+v) = %+v, want After %d", step, got, want.After)
	}
	if ok && got.Before != want.Before && got.Before != max(want.Before, want.After-step.N) {
		return fmt.Errorf("Draw(%+v) = %+v, want Before %d", step, got, want.Before)
	}
	return nil
}
