// Package pgsequence keeps the counts of package sequence in a table of PostgreSQL,
// through pgx.
//
//	store := pgsequence.New(pool, "sequences")
//	defer store.Close()
//	err := store.Migrate(ctx) // makes the table, once
//	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//
// A draw is one UPDATE … RETURNING of one row. A draw of Next or Take is committed at
// once, on one of the store's own connections, and is not part of the caller's transaction.
// If the draw were part of the caller's transaction, other callers that draw from the key
// would wait until the transaction ends, and a rollback would give the numbers back.
// Gap-free numbers need a draw in the caller's transaction: use [Store.InTx] and [Store.Tx].
//
// For Next and Take, the store doesn't use the pool that is passed to New. The store
// makes up to 4 connections of its own, with the configuration of the pool.
// [WithMaxConns] changes this limit. A caller may call Next inside a transaction on a
// connection of the pool, because the draw never waits for a connection of the pool.
//
// With fsync on, a draw is on disk when Next or Take returns, or when the transaction of
// NextIn has committed, even if synchronous_commit is off or local. With fsync off, numbers
// can repeat after a crash of the machine. The store refuses an UNLOGGED table.
//
// If several programs draw from one key, a Next or Take can unlock the key's row first,
// and then wait until the draw is on disk. Meanwhile another program can draw. For this,
// Migrate makes a PostgreSQL sequence next to the table. If a role lacks the right
// UPDATE on this sequence, such draws are slower, and the field Warning of [sequence.Trip]
// says so.
//
// Stamps take their time from the server's clock. Without [sequence.WithDates], this clock
// also checks the period of each document number, as [sequence.NewNumbering] explains.
//
// # pgbouncer
//
// The store uses the QueryExecMode of the pool that is passed to New. Without pgbouncer, the
// store works with every mode. In pgbouncer's transaction mode, pgx's default mode needs
// pgbouncer 1.21 or later with max_prepared_statements > 0. With an older pgbouncer, change
// pgx's mode for the whole pool:
//
//	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
//
// The store doesn't work in pgbouncer's statement mode, because it needs transactions.
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

// A Store keeps counts in a table. A Store is safe for concurrent use, unless [Store.Tx]
// returned it.
type Store struct {
	pool  *pool
	table *sqltable.Table
}

// An Option changes the store that [New] returns.
type Option func(*pool)

// WithMaxConns sets how many connections the store may have. The default is 4. Calls of
// Next of one Sequence, Stamper or Numbering share a connection. Each call of Take needs
// its own. A program that draws from many keys at once may need more than 4.
func WithMaxConns(n int) Option {
	return func(p *pool) {
		p.maxConns = n
		if n < 1 || n > 1<<20 {
			p.err = fmt.Errorf("WithMaxConns(%d): want from 1 to 1048576 connections", n)
		}
	}
}

// New returns a store that keeps its counts in a table, which [Store.Migrate] makes. The
// argument name is the name of the table. It can include a schema: "billing.sequences".
// Upper-case letters stay upper case. The store makes its own connections, with the
// configuration of the pool. [Store.Close] closes these connections. New itself returns
// no error: if an argument is invalid, Migrate and every draw return the error.
func New(pool *pgxpool.Pool, name string, opts ...Option) *Store {
	p := newPool(pool)
	for _, o := range opts {
		if o == nil {
			p.err = errors.New("an Option is nil: call a function such as WithMaxConns")
			continue
		}
		o(p)
	}
	if p.err == nil {
		p.err = p.connect()
	}
	return &Store{p, sqltable.New("pgsequence.Store", p, sqltable.PostgreSQL, name, p.err)}
}

// Migrate makes the table and its PostgreSQL sequence if they don't exist. Every program
// may call Migrate at each start. If the table exists, Migrate needs only the rights that
// a draw needs.
func (s *Store) Migrate(ctx context.Context) error {
	return s.table.Migrate(ctx)
}

// Close closes the store's own connections. Later calls of Next fail.
func (s *Store) Close() {
	if s.pool.own != nil {
		s.pool.own.Close()
	}
}

// Driver implements [sequence.Store].
func (s *Store) Driver() driver.Driver { return s.table }

// Tx returns a Store for draws in the transaction tx. Pass this Store to
// the method NextIn or TakeIn of a [sequence.Sequence] or a [sequence.Numbering].
// When the transaction commits, the numbers become durable. After a rollback, the next
// caller gets the same numbers. After an error, tx must be rolled back.
//
// A draw locks the row of its key until the transaction ends. Draw late in a transaction,
// and keep the transaction short.
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
// or 40P01), InTx runs f again, until ctx ends. For this, f must return the error of the
// server, or wrap it with %w. Because f may run again, f must change nothing outside the
// database. If f returns an error for any other reason, InTx returns it unchanged. If no
// transaction can begin because of a transient error, such as a server that is down, InTx
// also tries again until ctx ends.
//
// If the connection is lost or ctx ends during the commit, the transaction may have been
// committed or not, or may still be committed. InTx then returns an error that says so, and
// doesn't run f again.
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
