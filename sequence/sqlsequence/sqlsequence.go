// Package sqlsequence keeps the counts of package sequence in a table of MySQL, MariaDB,
// SQLite or PostgreSQL, through database/sql.
//
//	store := sqlsequence.New(db, "sequences", sqlsequence.MySQL)
//	err := store.Migrate(ctx)
//	err = store.Create(ctx, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//	tickets := sequence.New(store, "tickets")
//
// With GORM, db is the result of gormDB.DB(). With PostgreSQL and pgx, use pgsequence,
// which has connections of its own. Both understand each other's tables.
//
// # Transactions
//
// A draw is one UPDATE of one row, committed at once on a connection of db. It is never
// part of the caller's transaction. [Store.NextTx] is for numbers that have to be.
//
// So a caller who draws inside a transaction needs a second connection. A pool may be
// limited by db.SetMaxOpenConns. If callers who wait for a number hold all its
// connections, the draw fails with an error that says so. Draw before the transaction
// begins, or give the store a *sql.DB of its own. On SQLite, always draw before the
// transaction, because a draw waits for every transaction that has written.
//
// # What survives a crash
//
// On PostgreSQL, a draw is on disk before anyone sees its numbers. If synchronous_commit
// is off or local, the statement turns it on for itself. An UNLOGGED table is refused.
//
// On MySQL and MariaDB, the table must belong to InnoDB. Others are refused. With
// innodb_flush_log_at_trx_commit at 1, its default, draws are on disk. With 2, a crash
// of the machine makes the numbers of the last second repeat. With 0, a crash of the
// server does.
//
// On SQLite, draws are on disk with synchronous at FULL, the default of SQLite. With
// NORMAL in WAL mode, a crash of the machine makes the last numbers repeat.
//
// Stamps take their time from the clock of this machine. The server's clock is compared
// with it, as [sequence.WithMaxLead] explains.
package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// A Store keeps counts in a table. It is safe for concurrent use.
type Store struct {
	db      *sql.DB
	dialect Dialect
	table   string // quoted
	name    string
	sql     statements
	err     error // an invalid table name or dialect

	mu    sync.Mutex
	plans map[string]wheel // the last known plan of each key
}

// A wheel is the plan that a draw names.
type wheel struct {
	plan sequence.Plan
	base int64
}

var (
	_ sequence.Store          = (*Store)(nil)
	_ sequence.StampStore     = (*Store)(nil)
	_ sequence.NumberingStore = (*Store)(nil)
)

// New returns the store of a table, name or schema.name, as [Store.Migrate] makes it. The
// first call reports an invalid name.
func New(db *sql.DB, table string, d Dialect) *Store {
	s := &Store{db: db, dialect: d, name: table, plans: map[string]wheel{}}
	if db == nil {
		s.err = errors.New("the *sql.DB is nil")
		return s
	}
	if s.table, s.err = d.quote(table); s.err != nil {
		s.err = fmt.Errorf("table %q: %w", table, s.err)
		return s
	}
	s.sql = d.statements(s.table)
	return s
}

// Create implements [sequence.Store].
func (s *Store) Create(ctx context.Context, key string, p sequence.Plan) error {
	if err := s.create(ctx, key, p); err != nil {
		return failed(ctx, fmt.Sprintf("Create(%s, %v)", sequence.QuoteKey(key), p), err)
	}
	return nil
}

func (s *Store) create(ctx context.Context, key string, p sequence.Plan) error {
	if err := errors.Join(s.err, sequence.CheckKey(key), p.Validate()); err != nil {
		return err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := s.insert(ctx, conn, s.sql.create, key, p.First, p.Last, p.Cycle); err != nil {
		return err
	}
	have, err := s.read(ctx, conn, key)
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

// tries is how often a draw is made again because the plan changed.
const tries = 1000

// take draws under the plan that was last read. The statement names that plan. If the
// plan is another by now, it changes nothing, and take reads the new plan. So a draw is
// one statement on every database, even where an UPDATE can return only a single
// integer.
func (s *Store) take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	if err := errors.Join(s.err, sequence.CheckKey(key), sequence.CheckDraw(n)); err != nil {
		return sequence.Block{}, err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return sequence.Block{}, err
	}
	defer conn.Close()
	s.mu.Lock()
	w, known := s.plans[key]
	s.mu.Unlock()
	for range tries {
		if known {
			count, ok, err := s.update(ctx, conn, s.sql.take, n, key, w.base, w.plan.First, w.plan.Last, w.plan.Cycle, w.end()-n)
			if err != nil {
				return sequence.Block{}, err
			}
			if ok {
				return sequence.NewBlock(w.plan, w.base, count, n)
			}
		}
		have, err := s.read(ctx, conn, key)
		if err != nil {
			return sequence.Block{}, err
		}
		if have.Numbering != "" {
			return sequence.Block{}, have.Accepts(sequence.Plan{})
		}
		if have.Left() < n {
			return sequence.Block{}, fmt.Errorf("%w: plan %v has %d numbers left", sequence.ErrExhausted, have.Plan, have.Left())
		}
		w, known = wheel{have.Plan, have.Base}, true
		s.remember(key, w)
	}
	return sequence.Block{}, fmt.Errorf("%w: the plan was changed %d times meanwhile", sequence.ErrTransient, tries)
}

// mostKeys is how many keys a store remembers.
const mostKeys = 10000

func (s *Store) remember(key string, w wheel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.plans) >= mostKeys {
		clear(s.plans) // later draws read them again
	}
	s.plans[key] = w
}

// end returns the last ordinal of the plan.
func (w wheel) end() int64 {
	if w.plan.Cycle || w.plan.Size() > math.MaxInt64-w.base {
		return math.MaxInt64
	}
	return w.base + w.plan.Size()
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

// edit changes a key to the result of f, while nobody else can draw.
func (s *Store) edit(ctx context.Context, key string, f func(sequence.State) (sequence.State, error)) error {
	if err := errors.Join(s.err, sequence.CheckKey(key)); err != nil {
		return err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, s.dialect.txOptions())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if s.dialect == SQLite { // the first change takes the lock of the whole database
		if _, err := tx.ExecContext(ctx, s.sql.touch, key); err != nil {
			return err
		}
	}
	have, err := scanState(tx.QueryRowContext(ctx, s.sql.lock, key))
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
	_, _, err = s.update(ctx, tx, s.sql.edit, next.Last, next.Base, next.Plan.First, next.Plan.Last, next.Plan.Cycle, was[0], was[1], was[2], key)
	if err != nil {
		return err
	}
	return tx.Commit()
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
	if err := errors.Join(s.err, sequence.CheckKey(key)); err != nil {
		return sequence.State{}, err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return sequence.State{}, err
	}
	defer conn.Close()
	return s.read(ctx, conn, key)
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
	if s.err != nil {
		return nil, s.err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	rows, err := conn.QueryContext(ctx, s.sql.list)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []sequence.State
	for rows.Next() {
		st, err := scanState(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	return all, rows.Err()
}

// A querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// conn returns a connection of db. It waits for at most half of the time that is left.
// If all connections are in use, they may belong to callers who wait for this very draw.
func (s *Store) conn(ctx context.Context) (*sql.Conn, error) {
	wait := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	conn, err := s.db.Conn(wait)
	if err == nil || wait.Err() == nil || ctx.Err() != nil {
		return conn, err
	}
	if st := s.db.Stats(); st.MaxOpenConnections > 0 && st.InUse >= st.MaxOpenConnections {
		return nil, fmt.Errorf("all %d connections are in use, perhaps by transactions that wait for this draw: draw before them, or give the store a *sql.DB of its own", st.MaxOpenConnections)
	}
	return nil, err
}

// read returns the state of a key.
func (s *Store) read(ctx context.Context, q querier, key string) (sequence.State, error) {
	return scanState(q.QueryRowContext(ctx, s.sql.state, key))
}

// scanState reads a row of the statement state.
func scanState(row interface{ Scan(...any) error }) (sequence.State, error) {
	var s sequence.State
	var numbering sql.NullString
	var wasFirst, wasLast, width, tick sql.NullInt64
	var wasCycle sql.NullBool
	var stamp int64
	err := row.Scan(&s.Key, &numbering, &s.Last, &s.Base, &s.Plan.First, &s.Plan.Last, &s.Plan.Cycle,
		&wasFirst, &wasLast, &wasCycle, &stamp, &width, &tick)
	if err != nil {
		return sequence.State{}, err
	}
	if numbering.Valid {
		return valid(sequence.NumberingState(s.Key, numbering.String, s.Last))
	}
	if wasFirst.Valid {
		s.Was = sequence.Plan{First: wasFirst.Int64, Last: wasLast.Int64, Cycle: wasCycle.Bool}
	}
	if width.Valid && tick.Valid {
		s.Width, s.Tick = width.Int64, time.Duration(tick.Int64)*time.Microsecond
		s.Stamp = sequence.StampAt(stamp, s.Width, s.Tick)
	}
	return valid(s)
}

// valid returns s, or an error if no draw can have left it. Not every table has CHECKs.
func valid(s sequence.State) (sequence.State, error) {
	if err := s.Validate(); err != nil {
		return sequence.State{}, fmt.Errorf("the row was changed by hand: %w", err)
	}
	return s, nil
}

// update runs a statement that changes one integer of a row, and returns the new value.
// ok is false if no row matched.
func (s *Store) update(ctx context.Context, q querier, query string, args ...any) (value int64, ok bool, err error) {
	if s.dialect == MySQL {
		res, err := q.ExecContext(ctx, literal(query, args))
		if err != nil {
			return 0, false, err
		}
		value, err = res.LastInsertId()
		return value, value != 0, err
	}
	to := []any{&value}
	var setting sql.NullString
	var persistence string
	if s.dialect == PostgreSQL {
		to = append(to, &setting, &persistence)
	}
	err = q.QueryRowContext(ctx, query, args...).Scan(to...)
	if conn, lone := q.(*sql.Conn); lone && sqlState(err) == "40001" {
		return s.updateReadCommitted(ctx, conn, query, args)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, false, nil
	case err == nil:
		err = s.lasting(persistence)
	}
	return value, true, err
}

// updateReadCommitted is update in a transaction at read committed. It is for sessions
// whose transactions are repeatable read or serializable. There, one of two updates that
// meet fails, and did nothing. At read committed it waits and goes on.
func (s *Store) updateReadCommitted(ctx context.Context, conn *sql.Conn, query string, args []any) (value int64, ok bool, err error) {
	tx, err := conn.BeginTx(ctx, s.dialect.txOptions())
	if err != nil {
		return 0, false, err
	}
	defer tx.Rollback()
	value, ok, err = s.update(ctx, tx, query, args...)
	if err != nil {
		return 0, false, err
	}
	return value, ok, tx.Commit()
}

// insert runs a statement that inserts a row unless the key exists.
func (s *Store) insert(ctx context.Context, conn *sql.Conn, query string, args ...any) error {
	if s.dialect == PostgreSQL {
		// In a transaction, so that a table that is refused stays as it was.
		_, _, err := s.updateReadCommitted(ctx, conn, query, args)
		return err
	}
	_, err := conn.ExecContext(ctx, query, args...)
	return err
}

// clock returns the time of the server, or of this machine for SQLite.
func (s *Store) clock(ctx context.Context, q querier) (time.Time, error) {
	if s.dialect == SQLite {
		return time.Now(), nil
	}
	var micro int64
	err := q.QueryRowContext(ctx, "SELECT "+s.dialect.clock()).Scan(&micro)
	return time.UnixMicro(micro), err
}
