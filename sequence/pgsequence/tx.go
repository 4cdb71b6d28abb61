package pgsequence

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver/sqltable"
)

// Tx returns a Store for draws in the transaction tx. Pass this Store to
// the method NextIn or TakeIn of a [sequence.Sequence] or a [sequence.Numbering].
// When tx commits, the numbers become durable. After a rollback, the next caller gets the
// same numbers. After an error, tx must be rolled back.
//
// A draw locks the row of its key until tx ends. Draw late in a transaction, and keep the
// transaction short.
func (s *Store) Tx(tx pgx.Tx) sequence.Store {
	var err error
	if tx == nil {
		err = errors.New("the transaction is nil")
	}
	var known any
	if tx, ok := tx.(*pgxpool.Tx); ok { // savepoints have other types
		known = tx
	}
	return &Store{s.pool, s.table.Bound(conn{tx}, known, false, err)}
}

// InTx begins a transaction in the pool that was passed to [New], calls f with the
// transaction, and commits it. If f returns an error or panics, InTx rolls the
// transaction back. The isolation level of the transaction is READ COMMITTED. If the
// server has only one level, as Aurora DSQL does, the transaction has this level.
//
// If the server rolled the transaction back because of another transaction (SQLSTATE 40001
// or 40P01), InTx runs f again, until ctx ends. The pauses between the runs get longer.
// Because f may run several times, f must change nothing outside the database.
//
// InTx returns the error of f unchanged. If the connection is lost during the commit, the
// transaction may have been committed or not. InTx then returns an error that says so,
// and doesn't run f again.
func (s *Store) InTx(ctx context.Context, f func(tx pgx.Tx) error) error {
	return sqltable.InTx(ctx, s.table, s.begin, f)
}

// begin is a [sqltable.Begin].
func (s *Store) begin(ctx context.Context, readCommitted bool) (tx pgx.Tx, commit func() (unknown bool, err error), end func(), err error) {
	opts := pgx.TxOptions{}
	if readCommitted {
		opts.IsoLevel = pgx.ReadCommitted
	}
	tx, err = s.pool.theirs.BeginTx(ctx, opts)
	if st := s.pool.theirs.Stat(); err != nil && st.AcquiredConns() == st.MaxConns() {
		err = fmt.Errorf("all %d connections of the pool are in use, perhaps by callers that wait for this transaction: call InTx outside of other transactions, or let the pool have more connections: %w", st.MaxConns(), err)
	}
	commit = func() (unknown bool, err error) {
		err = tx.Commit(ctx)
		return err != nil && !said(err), err
	}
	return tx, commit, func() { tx.Rollback(ctx) }, err
}

// said reports whether err says that the transaction wasn't stored. A server that ended the
// session, or stopped, may have stored it.
func said(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.SeverityUnlocalized == "ERROR" && pgErr.Code != "40003" ||
		errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pgx.ErrTxClosed)
}
