package sequence

import (
	"context"
	"errors"
	"fmt"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// IsTransient reports whether a call that failed with err may succeed if the program makes the
// call again. Examples are a lost connection, a change of the primary server, a deadlock, and
// a transaction that the server rolled back because of another transaction. IsTransient knows
// the errors of this package, of pgx, lib/pq, go-sql-driver/mysql and SQLite's drivers, and
// those of MongoDB's drivers that have a label for retries, or found no server. The package
// retries a draw only after a transient error. IsTransient is also true for a
// context.DeadlineExceeded of your own context, so check this context first.
//
// If the connection is lost during a commit, the transaction may be committed or not.
// Before you run the transaction again, make sure that it isn't committed.
func IsTransient(err error) bool {
	if errors.Is(err, context.Canceled) { // the caller's own: a storeError hides the store's
		return false
	}
	var s *storeError
	if errors.As(err, &s) {
		return s.transient
	}
	return transient.Transient(err)
}

// A storeError is an error of a call of a store.
type storeError struct {
	err       error
	transient bool
}

func (e *storeError) Error() string {
	if e.transient {
		return "transient failure: " + e.err.Error()
	}
	return e.err.Error()
}

// Unwrap hides the error of a context if the store made this context. A caller who set no
// deadline must not see the deadline of the store.
func (e *storeError) Unwrap() error {
	if errors.Is(e.err, context.DeadlineExceeded) || errors.Is(e.err, context.Canceled) {
		return nil
	}
	return e.err
}

// errRaced means that others changed the row again and again, so that a loop gave up.
var errRaced = &storeError{errors.New("other callers changed the key at the same time"), true}

// An oldSnapshot is of a transaction of PostgreSQL that is above READ COMMITTED. It is a
// serialization failure that the server doesn't report: to read a row that isn't there is no
// conflict. InTx runs the transaction again.
type oldSnapshot struct{ key string }

func (oldSnapshot) Error() string {
	return "the transaction began before the key was added, and doesn't see it: run the transaction again, and if that doesn't help, look for row level security"
}

// SQLState returns the SQLSTATE of a serialization failure.
func (oldSnapshot) SQLState() string { return "40001" }

// fromStore returns the error of a call of a store as callers see it.
func fromStore(ctx context.Context, d driver.Driver, err error) error {
	if _, known := err.(*storeError); err == nil || known || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return &storeError{err, ctx.Err() == nil && d.Transient(err)}
}

// because returns the error for a context that ended, with the last failure before that,
// if there is one.
func because(ctx context.Context, failure error) error {
	if failure == nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w, last error: %w", ctx.Err(), failure)
}
