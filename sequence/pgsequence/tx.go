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
	"github.com/oidkit/oidkit/sequence/driver"
)

// Tx returns the store bound to tx. Numbers that are drawn from it become durable when tx
// commits, and a rollback takes them back. It is for [sequence.Sequence.NextIn] and
// [sequence.Numbering.NextIn]. After an error, tx must be rolled back.
//
// A draw locks the row of its key until tx ends. So draw late in a transaction, and keep it
// short.
func (s *Store) Tx(tx pgx.Tx) sequence.Store { return &inTx{s.conns.table, s.conns.err, tx} }

// inTx is a store and a driver that is bound to a transaction.
type inTx struct {
	*table
	err error
	tx  pgx.Tx
}

// Driver implements [sequence.Store].
func (b *inTx) Driver() driver.Driver { return b }

// InTx implements [driver.Driver].
func (b *inTx) InTx() bool { return true }

// Migrate implements [driver.Driver].
func (b *inTx) Migrate(context.Context) error {
	return errors.New("call Migrate on the store, before the transaction")
}

// Read implements [driver.Driver].
func (b *inTx) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	if b.err != nil {
		return driver.Row{}, false, b.err
	}
	r, ok, err := readBy(ctx, b.tx, b.lock, key)
	return r, ok, b.missing(err)
}

// List implements [driver.Driver].
func (b *inTx) List(ctx context.Context) ([]driver.Row, error) {
	if b.err != nil {
		return nil, b.err
	}
	rows, err := b.all(ctx, b.tx)
	return rows, b.missing(err)
}

// Put implements [driver.Driver].
func (b *inTx) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	if b.err != nil {
		return false, b.err
	}
	ok, err := b.put(ctx, b.tx, r, was)
	return ok, b.missing(err)
}

// Draw implements [driver.Driver].
func (b *inTx) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	if b.err != nil {
		return driver.Step{}, false, b.err
	}
	ctx, cancel := within(ctx, d.Limit)
	defer cancel()
	s, err := b.drawAlone(ctx, b.tx, d)
	if errors.Is(err, pgx.ErrNoRows) {
		return driver.Step{}, false, nil
	}
	return s.Step, err == nil, b.missing(err)
}

// Transient implements [driver.Driver].
func (b *inTx) Transient(err error) bool { return transient(err) }

// InTx calls f with a transaction of the caller's pool, at the level READ COMMITTED, and
// commits it. If f returns an error or panics, the transaction is rolled back.
//
// If the server rolled the transaction back because of another one (40001, 40P01), InTx
// runs f again, with longer and longer pauses, until ctx ends. So f may run several times.
// What it does elsewhere must be harmless then.
//
// InTx returns the error of f as it is. If the answer to the commit was lost, the
// transaction may have been stored or not. The error says so, and f isn't run again.
func (s *Store) InTx(ctx context.Context, f func(tx pgx.Tx) error) error {
	if s.pool == nil {
		return errors.New("pgsequence.Store.InTx(): the pool is nil")
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
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
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
