// Package pgsequence keeps the counts of package sequence in a table of
// PostgreSQL, through pgx.
//
//	store := pgsequence.New(pool, "counters")
//	err := store.Migrate(ctx)
//	err = store.Create(ctx, "orders", sequence.Plan{First: 1, Last: 99})
//	orders := sequence.New(store, "orders")
//
// A draw is one UPDATE … RETURNING of one row, on a connection of its own and
// committed at once. It must not be part of the caller's transaction: the lock on
// the row would keep everyone waiting for its end, and a rollback would hand the
// same numbers out again. For that reason the store takes a pool only.
//
// A draw is on disk before anyone sees its numbers, also where the session, the
// role or the database has synchronous_commit off: the statement turns it on for
// itself. An UNLOGGED table is refused. With fsync off, a crash of the machine can
// still make numbers repeat, as it can lose anything.
//
// Stamps take their time from the server's clock.
package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
)

// A Store keeps counts in a table. It is safe for concurrent use.
type Store struct {
	pool  *pgxpool.Pool
	table string // quoted
	err   error  // what is wrong with the table's name

	create, plan, take, resize, stamp, stampPlan string // statements
}

var (
	_ sequence.Store      = (*Store)(nil)
	_ sequence.StampStore = (*Store)(nil)
)

// onDisk, in the RETURNING of a statement, has the statement wait at its commit
// until it is on disk. It changes the setting for the running transaction alone,
// which is this one statement.
//
// The second column tells what becomes of the table in a crash.
const onDisk = `
	CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)`

// New returns the store of a table, name or schema.name, as [Store.Migrate] makes
// it. Names are taken as they are written, upper case too. What is wrong with the
// name, the first call reports.
func New(pool *pgxpool.Pool, table string) *Store {
	name, err := quoted(table)
	if err != nil {
		err = fmt.Errorf("table %q: %w", table, err)
	}
	return &Store{
		pool:  pool,
		table: name,
		err:   err,

		create: `INSERT INTO ` + name + ` AS t (key, first, last) VALUES ($1, $2, $3)
ON CONFLICT (key) DO NOTHING RETURNING` + onDisk,

		plan: `SELECT first, last FROM ` + name + ` WHERE key = $1`,

		take: `UPDATE ` + name + ` AS t SET count = t.count + $2 WHERE t.key = $1
RETURNING t.count, t.base, t.first, t.last,` + onDisk,

		resize: `UPDATE ` + name + ` AS t SET base = t.count, first = $2, last = $3 WHERE t.key = $1
RETURNING` + onDisk,

		// clock_timestamp is read when the row is ours, after all waiting:
		// now() is when the waiting began, before others drew. The draw that
		// comes first settles the width and the tick.
		stamp: `UPDATE ` + name + ` AS t SET width = $3, tick = $4, stamp = GREATEST(t.stamp + $2,
	floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $4 * $3 + $2 - 1)
WHERE t.key = $1 AND coalesce(t.width = $3 AND t.tick = $4, true)
RETURNING t.stamp,` + onDisk,

		stampPlan: `SELECT width, tick FROM ` + name + ` WHERE key = $1`,
	}
}

// Create implements [sequence.Store].
func (s *Store) Create(ctx context.Context, key string, p sequence.Plan) error {
	call := fmt.Sprintf("Create(%q, %v)", key, p)
	if err := p.Validate(); err != nil {
		return s.failed(call, err)
	}
	err := s.query(ctx, s.create, []any{key, p.First, p.Last})
	if errors.Is(err, pgx.ErrNoRows) { // it is there
		var have sequence.Plan
		err = s.pool.QueryRow(ctx, s.plan, key).Scan(&have.First, &have.Last)
		if err == nil && have != p {
			err = fmt.Errorf("%w: %v", sequence.ErrConflict, have)
		}
	}
	if err != nil {
		return s.failed(call, err)
	}
	return nil
}

// Take implements [sequence.Store].
func (s *Store) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	err := sequence.CheckDraw(n)
	var b sequence.Block
	if err == nil {
		var count, base int64
		var p sequence.Plan
		err = s.query(ctx, s.take, []any{key, n}, &count, &base, &p.First, &p.Last)
		if err == nil {
			b, err = sequence.NewBlock(p, base, count, n)
		}
	}
	if err != nil {
		return sequence.Block{}, s.failed(fmt.Sprintf("Take(%q, %d)", key, n), err)
	}
	return b, nil
}

// Resize implements [sequence.Store].
func (s *Store) Resize(ctx context.Context, key string, p sequence.Plan) error {
	err := p.Validate()
	if err == nil {
		err = s.query(ctx, s.resize, []any{key, p.First, p.Last})
	}
	if err != nil {
		return s.failed(fmt.Sprintf("Resize(%q, %v)", key, p), err)
	}
	return nil
}

// TakeStamps implements [sequence.StampStore]. The time is the server's; d.Now is
// not looked at.
func (s *Store) TakeStamps(ctx context.Context, key string, d sequence.StampDraw) (last int64, err error) {
	if err = d.Validate(); err == nil {
		err = s.query(ctx, s.stamp, []any{key, d.N, d.Width, d.Tick.Microseconds()}, &last)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		var width, tick int64
		err = s.pool.QueryRow(ctx, s.stampPlan, key).Scan(&width, &tick)
		if err == nil {
			err = d.Conflict(width, time.Duration(tick)*time.Microsecond)
		}
	}
	if err != nil {
		return 0, s.failed(fmt.Sprintf("TakeStamps(%q, %d)", key, d.N), err)
	}
	return last, nil
}

// query runs a statement that ends with onDisk and scans the columns before that.
func (s *Store) query(ctx context.Context, sql string, args []any, to ...any) error {
	if s.err != nil {
		return s.err
	}
	var setting *string
	var persistence string
	to = append(to, &setting, &persistence)
	err := s.pool.QueryRow(ctx, sql, args...).Scan(to...)
	if code(err) == "40001" {
		// The session's transactions are repeatable read or serializable,
		// where an update that had to wait for another fails. It did
		// nothing. As read committed it waits and goes on.
		err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, sql, args...).Scan(to...)
		})
	}
	if err != nil {
		return err
	}
	return s.lasting(persistence)
}

// code returns the SQLSTATE of an error that the server sent, "" for others.
func code(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}

// failed returns the error of a call.
func (s *Store) failed(call string, err error) error {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = sequence.ErrNotFound
	case code(err) == "22003": // numeric_value_out_of_range
		err = fmt.Errorf("%w: %w", sequence.ErrExhausted, err)
	case passing(err):
		err = fmt.Errorf("%w: %w", sequence.ErrTransient, err)
	}
	return fmt.Errorf("pgsequence.%s: %w", call, err)
}

// passing reports whether a draw may succeed if it is made again: the connection
// was lost or can't be made, the server shuts down or starts, or a transaction
// had to give way.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if state := code(err); state != "" {
		return strings.HasPrefix(state, "08") || slices.Contains([]string{"40001", "40P01", "57P01", "57P02", "57P03"}, state)
	}
	var connect *pgconn.ConnectError
	var op *net.OpError
	return pgconn.SafeToRetry(err) || errors.As(err, &connect) || errors.As(err, &op) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
