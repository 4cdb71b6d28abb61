// Package drivertest has tests for stores of package sequence. The package is for authors
// of stores, and may change in any minor version.
package drivertest

import (
	"context"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Run tests whether a store keeps the rules of package driver. Run can't see whether a
// step is durable: [RunCrashes] tests that. Neither function tests failovers, full disks
// or clock steps. Both test only some of the possible orders of calls that run at the
// same time.
//
// Each call of open must return a driver of the same store, with separate connections.
// Run calls open twice, to act as two programs that share the store. Before Run, the
// store must have no rows. You don't have to call Migrate before Run.
//
// Each call of begin must return a driver that is bound to a new transaction on the store
// of open, and a function that ends the transaction. When a transaction has committed,
// every driver that open or begin has returned must see the change in its next call. This
// includes the drivers of transactions that began before the commit, as at the level READ
// COMMITTED. For a store without transactions, pass nil as begin. A call of begin may
// wait until other transactions end. Many goroutines call begin.
func Run(t *testing.T, open func(testing.TB) driver.Driver, begin func(context.Context) (d driver.Driver, end func(commit bool) error, err error)) {
	programs := [2]driver.Driver{open(t), open(t)}
	for _, l := range laws {
		if l.inTx && begin == nil {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			if err := l.holds(t.Context(), place{programs: programs, begin: begin}); err != nil {
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

// laws begins with the law that makes the table. The laws that leave many rows come last,
// because some stores look at all rows in each step.
var laws = []law{
	{"MigrateRunsTwiceAndByManyAtOnce", false, migrateRunsTwiceAndByManyAtOnce},
	{"ManyDrawWhileTheVersionChanges", false, manyDrawWhileTheVersionChanges},
	{"ManyTransactionsDraw", true, manyTransactionsDraw},
	{"OneOfManyPuts", false, oneOfManyPuts},
	{"EndedContextIsAnError", false, endedContextIsAnError},
	{"LimitIsTransient", false, limitIsTransient},
	{"LockedRowKeepsNobodyLonger", true, lockedRowKeepsNobodyLonger},
	{"RollbackTakesBackEverything", true, rollbackTakesBackEverything},
	{"VersionsHave64Bits", false, versionsHave64Bits},
	{"HistoriesAreThoseOfTheModel", false, historiesAreThoseOfTheModel},
	{"KeysAreToldApart", false, keysAreToldApart},
}

// holds tries l. A store that waits for ever gives an error in the end.
func (l law) holds(ctx context.Context, p place) error {
	ctx, cancel := context.WithTimeout(ctx, 8*time.Minute)
	defer cancel()
	p.ctx, p.law, p.model = ctx, l.name, model{}
	for i, d := range p.programs {
		p.programs[i] = patient{d}
	}
	return l.try(&p)
}
