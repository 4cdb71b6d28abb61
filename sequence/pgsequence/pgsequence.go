// Package pgsequence keeps the counts of package sequence in a table of PostgreSQL,
// through pgx.
//
//	store := pgsequence.New(pool, "sequences")
//	defer store.Close()
//	err := store.Migrate(ctx)
//	err = store.Create(ctx, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//	tickets := sequence.New(store, "tickets")
//
// A draw is one UPDATE … RETURNING of one row, on one of the store's own connections. It
// is committed at once, and is never part of the caller's transaction. There, everyone
// would wait for the transaction to end, and a rollback would hand out the same numbers
// again. [Store.NextTx] is for numbers that need exactly that.
//
// The store doesn't draw on the pool that it is given. It connects in the same way, with
// up to 4 connections of its own. [WithMaxConns] changes that number. So callers may
// draw inside a transaction. They never wait for a connection that they hold themselves.
//
// A draw is on disk before anyone sees its numbers. If synchronous_commit is off or
// local, the statement turns it on for itself. An UNLOGGED table is refused. With fsync
// off, a crash of the machine can still make numbers repeat.
//
// Several programs that draw from one key release its row first, and then wait for the
// disk together. For that, Migrate makes a sequence next to the table.
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
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
)

// A Store keeps counts in a table. It is safe for concurrent use.
type Store struct {
	like     *pgxpool.Pool // the store's own pool has the same configuration
	maxConns int32
	table    string // quoted
	flusher  string // quoted, the sequence that drawEarly sets
	sql      statements
	err      error // an invalid table name or option

	mu     sync.Mutex
	own    *pgxpool.Pool // made at the first use
	closed bool
	others map[string]company
	flush  flushing
}

var (
	_ sequence.Store          = (*Store)(nil)
	_ sequence.StampStore     = (*Store)(nil)
	_ sequence.NumberingStore = (*Store)(nil)
)

// An Option is for [New].
type Option func(*Store)

// WithMaxConns sets how many connections the store may have. The default is 4. A
// Sequence, a Stamper and a Numbering use one each while they draw.
func WithMaxConns(n int) Option {
	return func(s *Store) {
		s.maxConns = int32(n)
		if n < 1 || n > 1<<20 {
			s.err = fmt.Errorf("WithMaxConns(%d): not a number of connections", n)
		}
	}
}

// New returns the store of a table, name or schema.name, as [Store.Migrate] makes it.
// Names keep their upper case. The store connects as pool does, with connections of its
// own. The first call reports an invalid name.
func New(pool *pgxpool.Pool, table string, opts ...Option) *Store {
	s := &Store{like: pool, maxConns: 4}
	for _, o := range opts {
		o(s)
	}
	name, flusher, err := quoted(table)
	if err != nil {
		s.err = fmt.Errorf("table %q: %w", table, err)
	}
	s.table, s.flusher, s.sql = name, flusher, statementsFor(name)
	return s
}

// Close closes the store's own connections. Later calls return an error.
func (s *Store) Close() {
	s.mu.Lock()
	own := s.own
	s.own, s.closed = nil, true
	s.mu.Unlock()
	if own != nil {
		own.Close()
	}
}

// pool returns the store's own pool.
func (s *Store) pool() (*pgxpool.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return nil, s.err
	case s.closed:
		return nil, errors.New("the store is closed")
	case s.own != nil:
		return s.own, nil
	case s.like == nil:
		return nil, errors.New("the pool is nil")
	}
	cfg := s.like.Config()
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = s.maxConns, 0, 0
	switch cfg.ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe:
		// Statements without a name work through every pgbouncer.
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	own, err := pgxpool.NewWithConfig(context.Background(), cfg)
	s.own = own
	return own, err
}

// Create implements [sequence.Store].
func (s *Store) Create(ctx context.Context, key string, p sequence.Plan) error {
	if err := s.create(ctx, key, p); err != nil {
		return failed(ctx, fmt.Sprintf("Create(%s, %v)", sequence.QuoteKey(key), p), err)
	}
	return nil
}

func (s *Store) create(ctx context.Context, key string, p sequence.Plan) error {
	if err := errors.Join(sequence.CheckKey(key), p.Validate()); err != nil {
		return err
	}
	pool, err := s.pool()
	if err != nil {
		return err
	}
	// In a transaction, so that a table that is refused stays as it was.
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		var l lasting
		row := tx.QueryRow(ctx, s.sql.create, key, p.First, p.Last, p.Cycle)
		if err := row.Scan(&l.setting, &l.persistence); err != nil {
			return err
		}
		return l.check(s.table)
	})
	if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	have, err := s.state(ctx, key)
	if err != nil {
		return err
	}
	return have.Accepts(p)
}

// Take implements [sequence.Store].
func (s *Store) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	b, err := s.take(ctx, key, n)
	if err != nil {
		return sequence.Block{}, failed(ctx, fmt.Sprintf("Take(%s, %d)", sequence.QuoteKey(key), n), err)
	}
	return b, nil
}

func (s *Store) take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	if err := errors.Join(sequence.CheckKey(key), sequence.CheckDraw(n)); err != nil {
		return sequence.Block{}, err
	}
	var count, base int64
	var p sequence.Plan
	err := s.draw(ctx, s.sql.take, []any{key, n}, &count, &base, &p.First, &p.Last, &p.Cycle)
	if errors.Is(err, pgx.ErrNoRows) {
		return sequence.Block{}, s.refused(ctx, key)
	}
	if err != nil {
		return sequence.Block{}, err
	}
	return sequence.NewBlock(p, base, count, n)
}

// refused returns why a draw changed no row.
func (s *Store) refused(ctx context.Context, key string) error {
	have, err := s.state(ctx, key)
	if err != nil {
		return err
	}
	if have.Numbering != "" {
		return have.Accepts(sequence.Plan{})
	}
	return fmt.Errorf("%w: plan %v has %d numbers left", sequence.ErrExhausted, have.Plan, have.Left())
}

// Resize implements [sequence.Store].
func (s *Store) Resize(ctx context.Context, key string, p sequence.Plan, opts ...sequence.ResizeOption) error {
	err := s.edit(ctx, key, func(have sequence.State) (sequence.State, error) { return have.Resized(p, opts...) })
	if err != nil {
		return failed(ctx, fmt.Sprintf("Resize(%s, %v)", sequence.QuoteKey(key), p), err)
	}
	return nil
}

// Advance implements [sequence.Store].
func (s *Store) Advance(ctx context.Context, key string, ordinal int64) error {
	err := s.edit(ctx, key, func(have sequence.State) (sequence.State, error) { return have.Advanced(ordinal) })
	if err != nil {
		return failed(ctx, fmt.Sprintf("Advance(%s, %d)", sequence.QuoteKey(key), ordinal), err)
	}
	return nil
}

// edit changes a key to what f returns, while nobody else can draw.
func (s *Store) edit(ctx context.Context, key string, f func(sequence.State) (sequence.State, error)) error {
	if err := sequence.CheckKey(key); err != nil {
		return err
	}
	pool, err := s.pool()
	if err != nil {
		return err
	}
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		have, err := scanState(tx.QueryRow(ctx, s.sql.state+" FOR UPDATE", key))
		if err != nil {
			return err
		}
		if have.Numbering != "" {
			return have.Accepts(sequence.Plan{})
		}
		next, err := f(have)
		if err != nil {
			return err
		}
		var was [3]any
		if (next.Was != sequence.Plan{}) {
			was = [3]any{next.Was.First, next.Was.Last, next.Was.Cycle}
		}
		var l lasting
		row := tx.QueryRow(ctx, s.sql.edit, key, next.Last, next.Base, next.Plan.First, next.Plan.Last, next.Plan.Cycle, was[0], was[1], was[2])
		if err := row.Scan(&l.setting, &l.persistence); err != nil {
			return err
		}
		return l.check(s.table)
	})
}

// State implements [sequence.Store].
func (s *Store) State(ctx context.Context, key string) (sequence.State, error) {
	st, err := s.state(ctx, key)
	if err != nil {
		return sequence.State{}, failed(ctx, fmt.Sprintf("State(%s)", sequence.QuoteKey(key)), err)
	}
	return st, nil
}

func (s *Store) state(ctx context.Context, key string) (sequence.State, error) {
	if err := sequence.CheckKey(key); err != nil {
		return sequence.State{}, err
	}
	pool, err := s.pool()
	if err != nil {
		return sequence.State{}, err
	}
	return scanState(pool.QueryRow(ctx, s.sql.state, key))
}

// List returns the states of all keys, sorted by key.
func (s *Store) List(ctx context.Context) ([]sequence.State, error) {
	all, err := s.list(ctx)
	if err != nil {
		return nil, failed(ctx, "List()", err)
	}
	return all, nil
}

func (s *Store) list(ctx context.Context) ([]sequence.State, error) {
	pool, err := s.pool()
	if err != nil {
		return nil, err
	}
	rows, _ := pool.Query(ctx, s.sql.list) // rows have its error too
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (sequence.State, error) { return scanState(row) })
}

// scanState reads a row of the statement state.
func scanState(row pgx.Row) (sequence.State, error) {
	var s sequence.State
	var numbering *string
	var wasFirst, wasLast, width, tick *int64
	var wasCycle *bool
	var stamp int64
	err := row.Scan(&s.Key, &numbering, &s.Last, &s.Base, &s.Plan.First, &s.Plan.Last, &s.Plan.Cycle,
		&wasFirst, &wasLast, &wasCycle, &stamp, &width, &tick)
	if err != nil {
		return sequence.State{}, err
	}
	if numbering != nil {
		return valid(sequence.NumberingState(s.Key, *numbering, s.Last))
	}
	if wasFirst != nil && wasLast != nil && wasCycle != nil {
		s.Was = sequence.Plan{First: *wasFirst, Last: *wasLast, Cycle: *wasCycle}
	}
	if width != nil && tick != nil {
		s.Width, s.Tick = *width, time.Duration(*tick)*time.Microsecond
		s.Stamp = sequence.StampAt(stamp, s.Width, s.Tick)
	}
	return valid(s)
}

// valid returns s, or an error if no draw can have left it. The table's CHECKs don't
// refuse all of it, and an older table may lack them.
func valid(s sequence.State) (sequence.State, error) {
	if err := s.Validate(); err != nil {
		return sequence.State{}, fmt.Errorf("the row was changed by hand: %w", err)
	}
	return s, nil
}

// change runs a statement that ends with onDisk, and scans the columns before onDisk.
func (s *Store) change(ctx context.Context, sql string, args []any, to ...any) error {
	pool, err := s.pool()
	if err != nil {
		return err
	}
	var l lasting
	to = append(to, &l.setting, &l.persistence)
	err = pool.QueryRow(ctx, sql, args...).Scan(to...)
	switch code(err) {
	case "40001":
		// The session's transactions are repeatable read or serializable. There, an
		// update that had to wait for another fails, and did nothing. In a read
		// committed transaction it waits and goes on.
		err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, sql, args...).Scan(to...)
		})
	case "25006":
		// The server is read-only. It was the primary until a failover. Other
		// connections may lead to the new primary.
		pool.Reset()
	}
	if err != nil {
		return err
	}
	return l.check(s.table)
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
func failed(ctx context.Context, call string, err error) error {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = sequence.ErrNotFound
	case errors.Is(err, sequence.ErrTransient): // drawEarly says so
	case code(err) == "42P01": // undefined_table
		err = fmt.Errorf("%w: call Migrate once", err)
	case code(err) == "22003": // numeric_value_out_of_range
		err = fmt.Errorf("%w: %w", sequence.ErrExhausted, err)
	case ctx.Err() == nil && transient(err):
		err = fmt.Errorf("%w: %w", sequence.ErrTransient, err)
	}
	return fmt.Errorf("pgsequence.Store.%s: %w", call, err)
}

// transientCodes are SQLSTATEs after which a draw may succeed if it is made again. Class
// 08 belongs to them too.
var transientCodes = []string{
	"25006", // read_only_sql_transaction, from a primary that a failover has demoted
	"40001", // serialization_failure
	"40P01", // deadlock_detected
	"53300", // too_many_connections
	"55P03", // lock_not_available, by lock_timeout
	"57014", // query_canceled, by statement_timeout or pg_cancel_backend
	"57P01", // admin_shutdown
	"57P02", // crash_shutdown
	"57P03", // cannot_connect_now
}

// transient reports whether a draw may succeed if it is made again. So it is if the
// connection was lost or can't be made, if the server shuts down or starts, or if a
// transaction had to give way. A deadline in err isn't the caller's, because failed has
// checked the caller's context.
func transient(err error) bool {
	if state := code(err); state != "" {
		return strings.HasPrefix(state, "08") || slices.Contains(transientCodes, state)
	}
	var connect *pgconn.ConnectError
	var network net.Error // also context.DeadlineExceeded and net.ErrClosed
	return pgconn.SafeToRetry(err) || errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
