package sqltable

import (
	"context"
	"time"
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
		err = t.pool.Run(ctx, limit, call)
	}
	if err != nil {
		return *new(T), t.explained(err)
	}
	return v, nil
}
