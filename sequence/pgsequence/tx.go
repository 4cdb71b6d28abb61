package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/sequence"
)

// Tx returns a Store for draws in the transaction tx. Pass this Store to
// [sequence.Sequence.NextIn], [sequence.Sequence.TakeIn] or [sequence.Numbering.NextIn].
// When tx commits, the numbers become durable. After a rollback, the next caller gets the
// same numbers. After an error, tx must be rolled back.
//
// A draw locks the row of its key until tx ends. Draw late in a transaction, and keep the
// transaction short.
func (s *Store) Tx(tx pgx.Tx) sequence.Store {
	bound := *s.table
	bound.tx, bound.inTx = tx, true
	if tx == nil && bound.err == nil {
		bound.err = errors.New("the transaction is nil")
	}
	return &Store{table: &bound}
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
	if s.table.err != nil {
		return fmt.Errorf("pgsequence.Store.InTx(): %w", s.table.err)
	}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.once(ctx, f)
		if !rolledBack(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pgsequence.Store.InTx(): %w, after the server rolled back: %w", ctx.Err(), err)
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// once runs f in a transaction.
func (s *Store) once(ctx context.Context, f func(tx pgx.Tx) error) error {
	tx, err := s.pool.BeginTx(ctx, s.table.level())
	if s.table.learnLevel(err) {
		tx, err = s.pool.BeginTx(ctx, s.table.level())
	}
	if err != nil {
		return fmt.Errorf("pgsequence.Store.InTx(): BEGIN: %w", err)
	}
	defer tx.Rollback(ctx) // does nothing after the commit
	if err := f(tx); err != nil {
		return err
	}
	err = tx.Commit(ctx)
	switch {
	case err == nil:
		return nil
	case said(err) || errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pgx.ErrTxClosed):
		return fmt.Errorf("pgsequence.Store.InTx(): COMMIT: %w", err)
	}
	return fmt.Errorf("pgsequence.Store.InTx(): the transaction may have been stored: COMMIT: %w", err)
}

// said reports whether the server refused a statement, and with it the transaction. It
// didn't if it ended the session.
func said(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.SeverityUnlocalized == "ERROR" && pgErr.Code != "40003"
}

// rolledBack reports whether the server rolled a transaction back because of another one,
// with serialization_failure or deadlock_detected.
func rolledBack(err error) bool {
	state := code(err)
	return said(err) && (state == "40001" || state == "40P01")
}
