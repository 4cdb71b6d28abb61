package sequence

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// IsTransient reports whether what failed with err may succeed if it is tried again.
// Examples are a lost connection, a change of the primary, a deadlock and a transaction
// that had to give way. It knows the errors of this package, and those of pgx, lib/pq,
// go-sql-driver/mysql, MongoDB's drivers and SQLite's. A draw is only made again after
// such an error.
//
// A transaction that failed to commit with a lost connection may be stored. Before you
// run it again, make sure that it isn't.
func IsTransient(err error) bool {
	if errors.Is(err, context.Canceled) { // the caller's own: a storeError hides the store's
		return false
	}
	var s *storeError
	if errors.As(err, &s) {
		return s.transient
	}
	return errors.Is(err, errTransient) || transient.Transient(err)
}

// errTransient is found in the failures of this package that may pass.
var errTransient = errors.New("transient failure")

// A storeError is an error of a store. It isn't a context's error, whatever the store
// says: a limit of the store's own is no concern of a caller who has set none.
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

func (e *storeError) Is(target error) bool {
	return target != context.DeadlineExceeded && target != context.Canceled && errors.Is(e.err, target)
}

func (e *storeError) As(target any) bool { return errors.As(e.err, target) }

// Hidden is for package transient. Unwrap would show the store's deadlines to errors.Is.
func (e *storeError) Hidden() error { return e.err }

// own are the errors that this package makes, among those that pass through a store.
var own = []error{ErrNotFound, ErrConflict, ErrExhausted, ErrClockLead, ErrClockLag, errTransient}

// fromStore returns the error of a call of a store as callers see it.
func fromStore(ctx context.Context, d driver.Driver, err error) error {
	if err == nil {
		return nil
	}
	for _, e := range own {
		if errors.Is(err, e) {
			return err
		}
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return &storeError{err, ctx.Err() == nil && d.Transient(err)}
}

// call runs f, which calls a store, on a goroutine of its own. A panic in f, and
// runtime.Goexit, is an error of this call only. If ctx ends, call doesn't wait for f.
func call[T any](ctx context.Context, d driver.Driver, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errors.New("the store ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("the store panicked: %v\n%s", p, debug.Stack())
			}
			done <- r
		}()
		r.v, r.err = f(ctx)
		r.err = fromStore(ctx, d, r.err)
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done: // at the same moment
		return r.v, r.err
	default:
		var none T
		return none, ctx.Err()
	}
}

// ended returns the error for a context that ended, with the last failure before that,
// if there is one.
func ended(ctx context.Context, failure error) error {
	if failure == nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w, after: %w", ctx.Err(), failure)
}

// errRaced means that the row has another version by now, and is to be read again.
var errRaced = fmt.Errorf("%w: others changed the key at the same time", errTransient)

// again returns errRaced, unless a step failed.
func again(_ bool, err error) error {
	if err != nil {
		return err
	}
	return errRaced
}
