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

// Tx returns the store bound to tx. Numbers that are drawn from it become durable when tx
// commits, and a rollback takes them back. It is for [sequence.Sequence.NextIn] and
// [sequence.Numbering.NextIn]. After an error, tx must be rolled back.
//
// A draw locks the row of its key until tx ends. So draw late in a transaction, and keep it
// short.
func (s *Store) Tx(tx pgx.Tx) sequence.Store {
	bound := *s.table
	bound.tx, bound.inTx = tx, true
	if tx == nil && bound.err == nil {
		bound.err = errors.New("the transaction is nil")
	}
	return &Store{table: &bound}
}

// InTx calls f with a transaction of the caller's pool, at the level READ COMMITTED, and
// commits it. If f returns an error or panics, the transaction is rolled back.
//
// If the server rolled the transaction back because of another one (40001, 40P01), InTx
// runs f again, with longer and longer pauses, until ctx ends. So f may run several times,
// and must change nothing but the database.
//
// InTx returns the error of f as it is. If the answer to the commit was lost, the
// transaction may have been stored or not. The error says so, and f isn't run again.
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
	tx, err := s.pool.BeginTx(ctx, readCommitted)
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

// rolledBack reports whether the server rolled a transaction back because of another one.
func rolledBack(err error) bool {
	state := code(err)
	return said(err) && (state == serializationFailure || state == deadlockDetected)
}
