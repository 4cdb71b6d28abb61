// Package sqlsequence keeps the counts of package sequence in a table of MySQL, MariaDB,
// SQLite or PostgreSQL, through database/sql.
//
//	store := sqlsequence.New(db, "sequences", sqlsequence.MySQL)
//	err := store.Migrate(ctx)
//	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//
// With GORM, pass the result of gormDB.DB() as db. With a *pgxpool.Pool of pgx, use package
// pgsequence. For Next and Take, a store of pgsequence opens its own connections instead of
// taking them from the pool of the program. Programs with pgsequence and programs with
// sqlsequence can share a table.
//
// # Transactions
//
// A draw is usually one UPDATE of one row. The first draw of a program from a key also
// reads the row, and inserts it if it is missing. A draw of Next or Take is committed at
// once on a connection of db, and is not part of the caller's transaction. To draw gap-free
// numbers in the caller's transaction, use [Store.Tx]. [Store.InTx] begins that transaction
// for you, and runs it again after a deadlock.
//
// A caller who calls Next inside a transaction needs a second connection. If
// db.SetMaxOpenConns limits the connections, and callers who wait for a number hold all of
// them, Next waits until the context of the caller ends. If that takes more than 5
// seconds, the error says that all connections are in use. Meanwhile, the function of
// sequence.WithObserver is called every few seconds. Without a deadline, Next waits
// forever. Call Next before the transaction begins, or give the store a separate *sql.DB.
// On SQLite, always call Next before the transaction, because Next waits for every
// transaction that has the write lock.
//
// # What survives a crash
//
// With the settings below, a draw is on disk when Next or Take returns, or when the
// transaction of NextIn has committed.
//
// On PostgreSQL, fsync must be on. With fsync off, numbers can repeat after a crash of the
// machine. The setting synchronous_commit may have any value, even off. The store refuses
// an UNLOGGED table.
//
// The store returns an error if the pool's connections don't commit each statement at
// once. Examples are autocommit = 0 on MySQL, and a hook of the pool that begins a
// transaction. Migrate and the first draw check this on one connection. On MySQL, every
// draw checks autocommit. The store can't see that the program left a transaction open on
// another connection of the pool.
//
// On MySQL and MariaDB, the engine of the table must be InnoDB. Migrate refuses tables
// of other engines. The safe value of innodb_flush_log_at_trx_commit is 1, the default. With
// the value 2, the numbers of the last second can repeat after a crash of the machine. With
// the value 0, these numbers can repeat even after a crash of the server process, so Migrate
// refuses 0. On MariaDB's Galera, Migrate accepts 0, because the other nodes have copies of
// the data. If the server writes a binary log, sync_binlog must be 1 too. With other values,
// the last numbers can repeat after a crash of the machine.
//
// On SQLite, synchronous must be FULL in WAL mode, and EXTRA in the default journal mode,
// DELETE. With less, such as mattn's default NORMAL, the last numbers can repeat after a
// crash of the machine.
//
// # Clocks
//
// Stamps take their time from the server's clock. On SQLite, they take it from the clock
// of the machine, as SQLite reads it, down to the millisecond. On MySQL and MariaDB, a
// stamp has the time at which the statement began. Without sequence.WithDates, this
// clock also checks document numbers, as sequence.NewNumbering explains.
package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/driver/sqltable"
)

// A Dialect is the kind of server that a store uses: [MySQL] (or MariaDB), [SQLite]
// or [PostgreSQL].
type Dialect int

const (
	MySQL      = Dialect(sqltable.MySQL)      // MySQL 8 and later, and MariaDB
	SQLite     = Dialect(sqltable.SQLite)     // SQLite 3.35 and later
	PostgreSQL = Dialect(sqltable.PostgreSQL) // PostgreSQL 12 and later
)

// String returns the name of d.
func (d Dialect) String() string { return sqltable.Dialect(d).String() }

// A Store keeps counts in a table. A Store is safe for concurrent use, unless [Store.Tx]
// returned it.
type Store struct {
	pool  *pool
	table *sqltable.Table
}

// New returns a store that keeps its counts in a table, which [Store.Migrate] makes. The
// argument name is the name of the table. It can include a schema: "billing.sequences".
// New itself returns no error: if an argument is invalid, Migrate and every draw return
// the error.
func New(db *sql.DB, name string, d Dialect) *Store {
	var err error
	if db == nil {
		err = errors.New("sqlsequence.New: the *sql.DB is nil")
	}
	p := &pool{db, sqltable.Dialect(d)}
	return &Store{p, sqltable.New("sqlsequence.Store", p, p.dialect, name, err)}
}

// Driver implements [sequence.Store].
func (s *Store) Driver() driver.Driver { return s.table }

// Migrate makes the table if it doesn't exist. Every program may call Migrate at each
// start. If the table exists, Migrate needs only the rights that a draw needs.
//
// On PostgreSQL, Migrate also makes a PostgreSQL sequence, such as sequences_flush for the
// table sequences. With this sequence, programs that draw from one key can share flushes
// to the disk. For this, the programs need the right UPDATE on the PostgreSQL sequence.
func (s *Store) Migrate(ctx context.Context) error {
	return s.table.Migrate(ctx)
}

// Tx returns a Store for draws in the transaction tx. Pass this Store to
// the method NextIn or TakeIn of a [sequence.Sequence] or a [sequence.Numbering].
// The argument tx is a transaction that also has the method QueryContext or
// QueryRowContext, such as one of these:
//
//   - a *sql.Tx
//   - a Tx of bun, of sqlx, or of ent with the feature sql/execquery
//   - tx.Statement.ConnPool of GORM, with or without PrepareStmt
//   - the transaction that you pass to the method WithTx of sqlc
//   - a *sql.Conn on which your program has begun a transaction by a statement. Each
//     statement of a draw then takes two more round trips, because the draw first asks the
//     server whether a transaction has begun
//
// If tx is a *sql.DB, or anything else that isn't a transaction, NextIn returns an error.
//
// Pass a transaction of the database that you gave to New. The store can't check this. In
// a transaction of another database, a draw uses the table of that database, if there is one.
//
// A draw locks the row of its key, and on SQLite the database, until the transaction ends.
// Draw late in a transaction, and keep the transaction short.
//
// On MySQL and MariaDB, a statement of a draw takes one round trip if tx is a *sql.Tx, or has
// a *sql.Tx in its field Tx, as the transactions of some libraries do. For any other tx except
// a *sql.Conn, the draw prepares the statement first. That takes a second round trip, unless
// tx keeps its prepared statements, or the DSN has interpolateParams=true.
func (s *Store) Tx(tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}) sequence.Store {
	c := conn{unwrapped(tx), s.pool.dialect == sqltable.MySQL}
	if known, ok := c.execer.(*sql.Tx); ok && known != nil {
		return &Store{s.pool, s.table.Bound(c, known, false, nil)}
	}
	maybe, err := notTx(tx)
	return &Store{s.pool, s.table.Bound(c, nil, maybe, err)}
}

// notTx returns nil if the type of tx is that of a transaction, which commits and rolls
// back. Otherwise each statement could be a transaction of its own, so the numbers would
// have gaps. If maybe is true, only the server knows.
func notTx(tx execer) (maybe bool, err error) {
	if v := reflect.ValueOf(tx); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return false, errors.New("the transaction is nil")
	}
	_, rows := tx.(queryer)
	if _, row := tx.(rowQueryer); !rows && !row {
		return false, fmt.Errorf("a %T has neither QueryContext nor QueryRowContext: pass a transaction, such as a *sql.Tx", tx)
	}
	has := func(method string) bool { _, ok := reflect.TypeOf(tx).MethodByName(method); return ok }
	if has("Commit") && has("Rollback") {
		return false, nil
	}
	_, conn := tx.(*sql.Conn)
	return conn || !has("BeginTx"), fmt.Errorf("a %T is not a transaction, or none has begun: begin one and pass it to Tx, or let InTx begin one", tx)
}

// unwrapped returns the *sql.Tx in the field Tx of a library's transaction, such as bun's,
// which would write the arguments into the statement in its own way. It returns any other
// transaction as it is.
func unwrapped(tx execer) execer {
	v := reflect.Indirect(reflect.ValueOf(tx))
	if v.Kind() != reflect.Struct {
		return tx
	}
	if f := v.FieldByName("Tx"); f.IsValid() && f.CanInterface() {
		if inner, ok := f.Interface().(*sql.Tx); ok && inner != nil {
			return inner
		}
	}
	return tx
}

// InTx begins a transaction, calls f with the transaction, and commits it. If f returns
// an error or panics, InTx rolls the transaction back. On MySQL and PostgreSQL, the
// isolation level of the transaction is READ COMMITTED. If the server has only one level,
// as Aurora DSQL does, the transaction has this level. On SQLite, the transaction holds
// the lock for writing from its start.
//
// If the server rolled the transaction back because of another transaction, as in a
// deadlock, or if SQLite was locked, InTx runs f again, until ctx ends. For this, f must
// return the error of the server, or wrap it with %w. Because f may run again, f must
// change nothing outside the database. If f returns an error for any other reason, InTx
// returns it unchanged. If no transaction can begin because of a transient error, such as
// a server that is down, InTx also tries again until ctx ends.
//
// If the connection is lost or ctx ends during the commit, the transaction may have been
// committed or not, or may still be committed. InTx then returns an error that says so, and
// doesn't run f again.
func (s *Store) InTx(ctx context.Context, f func(tx *sql.Tx) error) error {
	return sqltable.InTx(ctx, s.table, s.begin, f)
}

// begin is a [sqltable.Begin].
func (s *Store) begin(ctx context.Context, readCommitted bool) (tx *sql.Tx, commit func() (unknown bool, err error), end func(), err error) {
	conn, err := s.pool.db.Conn(ctx)
	if err != nil && !s.pool.Free() {
		err = fmt.Errorf("all %d connections are in use, perhaps by callers that wait for this transaction: call InTx outside of other transactions, or let the pool have more connections: %w", s.pool.db.Stats().MaxOpenConnections, err)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	opts, lite := &sql.TxOptions{}, s.pool.dialect == sqltable.SQLite
	if readCommitted && !lite { // SQLite has no such thing
		opts.Isolation = sql.LevelReadCommitted
	}
	tx, err = conn.BeginTx(ctx, opts)
	if err == nil && lite {
		// An UPDATE takes the lock for writing, even if it finds no row. If f read first,
		// the lock could fail for good later.
		if _, err = tx.ExecContext(ctx, s.table.SQL("touch")); err != nil {
			tx.Rollback()
		}
	}
	if err != nil {
		conn.Close()
		return nil, nil, nil, err
	}
	committing, run := false, await
	if lite {
		run = atOnce
	}
	commit = func() (unknown bool, err error) {
		committing = true
		err = run(ctx, tx.Commit, func(err error) {
			if err != nil {
				conn.Raw(bad) // its transaction may still be open, as glebarez's driver leaves it
			}
			conn.Close()
		})
		return errors.Is(err, errPanicked), err
	}
	end = func() {
		if !committing {
			run(ctx, tx.Rollback, func(error) { conn.Close() })
		}
	}
	return tx, commit, end, nil
}
