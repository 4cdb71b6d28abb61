package sequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// IsTransient reports whether a call that failed with err may succeed if it is made
// again. Examples are a lost connection, a change of the primary, a deadlock, and a
// transaction that the server rolled back because of another one. IsTransient knows the
// errors of this package, of pgx, lib/pq, go-sql-driver/mysql, MongoDB's drivers and
// SQLite's drivers. The package retries a draw only after a transient error.
//
// If the connection is lost during a commit, the transaction may be stored. Before you
// run the transaction again, make sure that it isn't stored.
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

// Unwrap hides the end of a context: a caller who has set no deadline must not see one
// that the store has set.
func (e *storeError) Unwrap() error {
	if errors.Is(e.err, context.DeadlineExceeded) || errors.Is(e.err, context.Canceled) {
		return nil
	}
	return e.err
}

// errRaced means that the row has another version by now, and is to be read again.
var errRaced = &storeError{errors.New("others changed the key at the same time"), true}

// fromStore returns the error of a call of a store as callers see it.
func fromStore(ctx context.Context, d driver.Driver, err error) error {
	if err == nil || err == errRaced || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return &storeError{err, ctx.Err() == nil && d.Transient(err)}
}

// call runs f, which calls a store, on a goroutine of its own. A panic in f, and
// runtime.Goexit, is an error of this call only. If ctx ends, call doesn't wait for f.
// While it waits, it calls remind at each of ticks.
func call[T any](ctx context.Context, d driver.Driver, ticks <-chan time.Time, remind func(), f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errors.New("the store ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				r.err = panicked(p)
			}
			done <- r
		}()
		r.v, r.err = f(ctx)
		r.err = fromStore(ctx, d, r.err)
	}()
	for {
		select {
		case r := <-done:
			return r.v, r.err
		case <-ticks:
			remind()
		case <-ctx.Done():
			return *new(T), ctx.Err()
		}
	}
}

// panicked returns the error of a call in which the store panicked.
func panicked(p any) error { return fmt.Errorf("the store panicked: %v\n%s", p, debug.Stack()) }

// pause waits before the retry after so many retries. It doesn't wait before the first,
// and then waits from 10 ms up to a second. A random part makes the pause shorter, so that
// programs that failed together don't come back together.
func pause(ctx context.Context, retries int) {
	if retries == 0 {
		return
	}
	most := min(10*time.Millisecond<<min(retries-1, 10), time.Second)
	t := time.NewTimer(most/2 + rand.N(most/2))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// because returns the error for a context that ended, with the last failure before that,
// if there is one.
func because(ctx context.Context, failure error) error {
	if failure == nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w, after: %w", ctx.Err(), failure)
}
