// Package drivertest has the suite that every store of package sequence passes. It is for
// authors of stores, and may change in any minor version.
package drivertest

import (
	"context"
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
	programs := [2]driver.Driver{c.Open(t), c.Open(t)}
	for _, l := range laws {
		if l.inTx && c.Begin == nil {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			if err := l.holds(t.Context(), place{programs: programs, begin: c.Begin}); err != nil {
				t.Error(err)
			}
		})
	}
}

// A law is a part of the contract.
type law struct {
	name string
	inTx bool // needs transactions
	try  func(*place) error
}

// laws begins with the law that makes the table.
var laws = []law{
	{"MigrateRunsTwiceAndByManyAtOnce", false, migrateRunsTwiceAndByManyAtOnce},
	{"KeysAreToldApart", false, keysAreToldApart},
	{"HistoriesAreThoseOfTheModel", false, historiesAreThoseOfTheModel},
	{"OneOfManyPuts", false, oneOfManyPuts},
	{"ManyDrawWhileTheVersionChanges", false, manyDrawWhileTheVersionChanges},
	{"EndedContextIsAnError", false, endedContextIsAnError},
	{"LimitIsTransient", false, limitIsTransient},
	{"ManyTransactionsDraw", true, manyTransactionsDraw},
	{"LockedRowKeepsNobodyLonger", true, lockedRowKeepsNobodyLonger},
}

// holds tries l. A store that waits for ever gives an error in the end.
func (l law) holds(ctx context.Context, p place) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	p.ctx, p.law, p.model = ctx, l.name, model{}
	return l.try(&p)
}
