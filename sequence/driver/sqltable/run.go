package sqltable

import (
	"context"
	"time"
)

// limit is how long a call may take that isn't a draw.
const limit = 5 * time.Second

// run has the pool call f. f may go on after run has returned.
func run[T any](ctx context.Context, t *Table, limit time.Duration, f func(context.Context, Conn) (T, error)) (T, error) {
	done := new(T)
	call := func(ctx context.Context, c Conn) error {
		v, err := f(ctx, c)
		*done = v
		return err
	}
	err := t.err
	switch {
	case t.InTx():
		if err = t.mustHaveBegun(ctx); err == nil {
			err = call(ctx, t.bound.conn) // it may wait for others for as long as ctx allows
		}
	case err == nil:
		err = t.pool.Run(ctx, limit, call)
	}
	if err != nil {
		return *new(T), t.Explained(err)
	}
	return *done, nil
}

// mustHaveBegun returns an error unless the table has a transaction.
func (t *Table) mustHaveBegun(ctx context.Context) error {
	if t.bound.maybe {
		if in, err := t.inTransaction(ctx, t.bound.conn); in || err != nil {
			return err
		}
	}
	return t.err
}
