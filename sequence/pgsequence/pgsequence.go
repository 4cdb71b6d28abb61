// Package pgsequence keeps the counts of package sequence in a table of PostgreSQL,
// through pgx.
//
//	store := pgsequence.New(pool, "sequences")
//	defer store.Close()
//	err := store.Migrate(ctx) // makes the table, once
//	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//
// A draw is one UPDATE … RETURNING of one row, on one of the store's own connections. It
// is committed at once, and is never part of the caller's transaction. In a transaction,
// everyone would wait for its end, and a rollback would hand out the same numbers again.
// [Store.InTx] and [Store.Tx] are for numbers that need exactly that.
//
// The store doesn't draw on the pool that it is given. It connects in the same way, with
// up to 4 connections of its own. [WithMaxConns] changes that number. Callers may draw
// inside a transaction, because they never wait for a connection that they hold themselves.
//
// A draw is on disk before anyone sees its numbers. If synchronous_commit is off or
// local, the statement turns it on for itself. An UNLOGGED table is refused. With fsync
// off, a crash of the machine can still make numbers repeat.
//
// Several programs that draw from one key release its row first, and then wait for the
// disk together. For that, Migrate makes a sequence next to the table. If a role may not
// use it, the observer of package sequence hears what is missing.
//
// Stamps and the periods of document numbers follow the server's clock.
//
// # pgbouncer
//
// The store uses the QueryExecMode of the pool that it is given, and works with all of
// them. In pgbouncer's transaction mode, pgx's default needs pgbouncer 1.21 or later with
// max_prepared_statements. Before that, set the pool's mode, for all that the pool does:
//
//	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
//
// Its statement mode doesn't allow transactions, which the store needs.
package pgsequence

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// A Store keeps counts in a table. It is safe for concurrent use.
type Store struct {
	pool  *pgxpool.Pool // the caller's
	table *table
}

var _ sequence.Store = (*Store)(nil)

// An Option is for [New].
type Option func(*table)

// WithMaxConns sets how many connections the store may have. The default is 4. A
// Sequence, a Stamper and a Numbering use one each while they draw, and so does each
// scope of a Numbering. So a program with many keys that draw at once needs more.
func WithMaxConns(n int) Option {
	return func(t *table) {
		t.maxConns = n
		if n < 1 || n > 1<<20 {
			t.err = fmt.Errorf("WithMaxConns(%d): not a number of connections", n)
		}
	}
}

// New returns the store of a table, name or schema.name, as [Store.Migrate] makes it.
// Names keep their upper case. The store connects as pool does, with connections of its
// own, which [Store.Close] closes. The first call reports an invalid name.
func New(pool *pgxpool.Pool, name string, opts ...Option) *Store {
	t := newTable(name)
	for _, o := range opts {
		o(t)
	}
	if t.err == nil {
		t.err = t.connectLike(pool)
	}
	return &Store{pool, t}
}

// Migrate makes the table if it isn't there. Every program may call it at each start. If
// the table exists, Migrate needs only the rights to draw.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.table.Migrate(ctx); err != nil {
		return fmt.Errorf("pgsequence.Store.Migrate(): %w", err)
	}
	return nil
}

// Close closes the store's own connections. Later draws return an error.
func (s *Store) Close() {
	if s.table.own != nil {
		s.table.own.Close()
	}
}

// Driver implements [sequence.Store].
func (s *Store) Driver() driver.Driver { return s.table }
