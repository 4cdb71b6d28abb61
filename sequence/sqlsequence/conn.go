package sqlsequence

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// A querier runs statements: a connection, or a transaction of the caller.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// tripLimit is how long a statement that is no draw may take, and how long it may take to
// get a connection.
const tripLimit = 5 * time.Second

// run calls f with the caller's transaction, or with a connection. Then the time limit
// begins. 0 means no limit.
//
// A driver may wait for an answer for longer than its context allows, as lib/pq and
// SQLite's do. Then run leaves f to itself.
func run[T any](ctx context.Context, t *table, limit time.Duration, f func(context.Context, querier) (T, error)) (T, error) {
	var none T
	if t.err != nil {
		return none, t.err
	}
	if t.inTx {
		v, err := f(ctx, t.tx) // it may wait for others for as long as ctx allows
		return v, t.explained(err)
	}
	conn, err := t.connect(ctx, limit)
	if err != nil {
		return none, t.explained(err)
	}
	limited, cancel := context.WithCancel(ctx)
	if limit > 0 {
		limited, cancel = context.WithTimeout(ctx, limit)
	}
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("the driver panicked: %v", p)
			}
			if limited.Err() != nil || isReadOnly(r.err) {
				conn.Raw(bad)
			}
			conn.Close()
			done <- r
			cancel() // after that, so that an answer isn't taken for a timeout
		}()
		r.v, r.err = f(limited, conn)
	}()
	var r result
	select {
	case r = <-done:
	case <-limited.Done():
		select {
		case r = <-done:
		case <-time.After(100 * time.Millisecond):
			r.err = limited.Err()
		}
	}
	if ctx.Err() == nil && (errors.Is(r.err, context.DeadlineExceeded) || isReadOnly(r.err)) {
		t.distrust()
	}
	return r.v, t.explained(withoutDeadline(ctx, r.err))
}

// connect returns a connection of the pool. If there is none in time, that may be because
// all are in use by callers who wait for this very draw. So connect doesn't wait for as
// long as ctx allows, and the caller hears of it before ctx ends.
func (t *table) connect(ctx context.Context, limit time.Duration) (*sql.Conn, error) {
	if limit <= 0 {
		limit = tripLimit
	}
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := t.db.Conn(wait)
	if err == nil || wait.Err() == nil || ctx.Err() != nil {
		return conn, withoutDeadline(ctx, err)
	}
	if st := t.db.Stats(); st.MaxOpenConnections > 0 && st.InUse >= st.MaxOpenConnections {
		return nil, &timeout{fmt.Sprintf("all %d connections are in use, perhaps by transactions that wait for this draw: draw before them, or give the store a *sql.DB of its own", st.MaxOpenConnections)}
	}
	t.distrust() // some drivers ask a connection first whether it is alive
	return nil, &timeout{fmt.Sprintf("no connection within %v: %v", limit, err)}
}

// distrust closes the connections that are idle. Another one got no answer, or leads to a
// server that is read-only by now. These may do so too, and each would cost the next draw
// as much time.
func (t *table) distrust() {
	for range t.db.Stats().Idle {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		idle, err := t.db.Conn(ctx) // one that is asked and doesn't answer is dropped already
		cancel()
		if err == nil {
			idle.Raw(bad)
			idle.Close()
		}
	}
}

// bad has the pool drop a connection.
func bad(any) error { return sqldriver.ErrBadConn }

// A timeout is a transient error, such as for a time limit that isn't the caller's. It
// wraps nothing, so a caller without a deadline never sees context.DeadlineExceeded.
type timeout struct{ text string }

func (e *timeout) Error() string { return e.text }

// Timeout makes it a transient error.
func (e *timeout) Timeout() bool { return true }

// withoutDeadline returns err, or a timeout for a deadline that isn't that of ctx.
func withoutDeadline(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return &timeout{"no answer in time: " + err.Error()}
	}
	return err
}

// explained returns err with its remedy, if there is one.
func (t *table) explained(err error) error {
	switch {
	case err == nil:
		return nil
	case isMissingTable(err):
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	case t.dialect == SQLite && isBusy(err) && t.inTx:
		return fmt.Errorf("%w: use InTx, or open the database with _txlock=immediate and a busy_timeout", err)
	case t.dialect == SQLite && isBusy(err):
		return fmt.Errorf("%w: perhaps your own transaction holds the lock: draw before it, or in it with NextIn", err)
	}
	return err
}

// isMissingTable reports whether err says that the table doesn't exist.
func isMissingTable(err error) bool {
	return sqlState(err) == "42P01" || missingTable.MatchString(err.Error())
}

var missingTable = regexp.MustCompile(`\bError 1146\b|\bno such table\b`) // of MySQL, of SQLite

// isReadOnly reports whether the server takes no writes. It was the primary until a
// failover. Other connections may lead to the new primary.
func isReadOnly(err error) bool {
	return err != nil && (sqlState(err) == "25006" || readOnly.MatchString(err.Error()))
}

var readOnly = regexp.MustCompile(`\bError (1290|1836)\b`) // of MySQL

// isBusy reports whether another connection holds a lock of SQLite.
func isBusy(err error) bool {
	return busy.MatchString(err.Error())
}

var busy = regexp.MustCompile(`\bdatabase (table )?is locked\b`)

// sqlState returns the SQLSTATE that drivers of PostgreSQL give their errors.
func sqlState(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState()
	}
	return ""
}
