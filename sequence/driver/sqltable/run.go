package sqltable

import (
	"context"
	"errors"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// limit is how long a call may take that isn't a draw.
const limit = 5 * time.Second

// run has the pool or the transaction of the caller call f. f may go on after run has
// returned an error.
func run[T any](ctx context.Context, t *Table, limit time.Duration, f func(context.Context, Conn) (T, error)) (T, error) {
	var v T
	call := func(ctx context.Context, c Conn) (err error) {
		v, err = f(ctx, c)
		return err
	}
	err := t.err
	if t.bound.maybe {
		if in, unknown := t.inTransaction(ctx, t.bound.conn); in || unknown != nil {
			err = unknown
		}
	}
	switch {
	case err != nil:
	case t.InTx():
		err = call(ctx, t.bound.conn) // it may wait for others for as long as ctx allows
	default:
		if err = t.pool.Run(ctx, limit, call); err != nil && ctx.Err() == nil {
			err = t.failed(err)
		}
	}
	if err != nil {
		return *new(T), t.explained(err)
	}
	return v, nil
}

// failed returns the error of a call that the caller's ctx didn't end. A server that is
// read-only was the primary until a failover. Other connections may lead there too. If there
// was no answer, they may be silent too, and each would cost the next draw as much time.
func (t *Table) failed(err error) error {
	late := errors.Is(err, context.DeadlineExceeded)
	lost := t.dialect == PostgreSQL && transient.Transient(err) && transient.SQLState(err) == ""
	if late || lost || readOnly(err) {
		t.pool.Reset()
	}
	if late {
		return Timeout("no answer in time: " + err.Error())
	}
	return err
}
