package pgsequence

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
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
	bound := &pool{err: s.pool.err, inTx: true, tx: tx}
	if tx == nil && bound.err == nil {
		bound.err = errors.New("the transaction is nil")
	}
	if tx, ok := tx.(*pgxpool.Tx); ok {
		runs, _ := s.pool.running.Load(tx)
		bound.runs, _ = runs.(*driver.Runs)
	}
	return &Store{bound, s.table.Bound(bound)}
}

// InTx begins a transaction in the pool that was passed to [New], calls f with the
// transaction, and commits it. If f returns an error or panics, InTx rolls the
// transaction back. The isolation level of the transaction is READ COMMITTED. If the
// server has only one level, as Aurora DSQL does, the transaction has this level.
//
// If the server rolled the transaction back because of another transaction (SQLSTATE
// 40001 or 40P01), InTx runs f again, after pauses that get longer, until ctx ends.
// Because f may run several times, f must change nothing outside the database.
//
// InTx returns the error of f unchanged. If the connection is lost during the commit, the
// transaction may have been stored or not. InTx then returns an error that says so, and
// doesn't run f again.
func (s *Store) InTx(ctx context.Context, f func(tx pgx.Tx) error) error {
	if s.pool.err != nil {
		return fmt.Errorf("pgsequence.Store.InTx(): %w", s.pool.err)
	}
	return sqltable.Repeat(ctx, func(runs *driver.Runs) (bool, error) { return s.once(ctx, runs, f) }, rolledBack)
}

// once runs f in a transaction.
func (s *Store) once(ctx context.Context, runs *driver.Runs, f func(tx pgx.Tx) error) (begun bool, err error) {
	tx, err := s.begin(ctx)
	if err != nil && s.table.LearnLevel(err) {
		tx, err = s.begin(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("pgsequence.Store.InTx(): BEGIN: %w", err)
	}
	defer tx.Rollback(ctx) // does nothing after the commit
	s.pool.running.Store(tx, runs)
	defer s.pool.running.Delete(tx)
	if err := f(tx); err != nil {
		return true, err
	}
	err = tx.Commit(ctx)
	switch {
	case err == nil:
		return true, nil
	case said(err) || errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pgx.ErrTxClosed):
		return true, fmt.Errorf("pgsequence.Store.InTx(): COMMIT: %w", err)
	}
	return true, fmt.Errorf("pgsequence.Store.InTx(): the transaction may have been stored: COMMIT: %w", err)
}

// begin begins a transaction at READ COMMITTED, or at the level of a server that has only one.
func (s *Store) begin(ctx context.Context) (pgx.Tx, error) {
	if s.table.OneLevel() {
		return s.pool.theirs.BeginTx(ctx, pgx.TxOptions{})
	}
	return s.pool.theirs.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
}

// said reports whether the server refused a statement, and with it the transaction. It
// didn't if it ended the session.
func said(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.SeverityUnlocalized == "ERROR" && pgErr.Code != "40003"
}

// rolledBack reports whether a transaction that failed with err was surely taken back
// because of another one, with serialization_failure or deadlock_detected.
func rolledBack(err error) bool {
	state := sqltable.SQLState(err)
	return said(err) && (state == "40001" || state == "40P01")
}
