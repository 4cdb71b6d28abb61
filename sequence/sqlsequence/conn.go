package sqlsequence

import (
	"cmp"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// limit is how long a statement other than a draw may take, and how long it may take to get
// a connection.
const limit = 5 * time.Second

// run calls f with the caller's transaction, or with a connection. Then the time limit
// begins. 0 means no limit.
//
// A driver may wait for an answer for longer than its context allows, as lib/pq and
// SQLite's do. Then run leaves f to itself.
func run[T any](ctx context.Context, t *table, limit time.Duration, f func(context.Context, querier) (T, error)) (v T, err error) {
	if t.err != nil {
		return v, t.err
	}
	if t.inTx {
		v, err = f(ctx, t.tx) // it may wait for others for as long as ctx allows
		return v, t.explained(err)
	}
	conn, err := t.connect(ctx, limit)
	if err != nil {
		return v, t.failed(ctx, err)
	}
	type result struct {
		v   T
		err error
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(limit, 1<<62))
	done := make(chan result, 2)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("the driver panicked: %v", p)
				done <- r // at once, because after a panic in a query, Close never returns
			}
			if limited.Err() != nil || readOnly.is(r.err) {
				conn.Raw(bad)
			}
			conn.Close()
			done <- r
			cancel() // after that, so that an answer isn't taken for a timeout
		}()
		r.v, r.err = f(limited, conn)
	}()
	select {
	case r := <-done:
		return r.v, t.failed(ctx, r.err)
	case <-limited.Done():
	}
	select {
	case r := <-done: // at the same moment, or the driver heeds the context
		return r.v, t.failed(ctx, r.err)
	case <-time.After(100 * time.Millisecond):
		return v, t.failed(ctx, limited.Err())
	}
}

// connect returns a connection of the pool. If there is none in time, that may be because
// all are in use by callers who wait for this very draw. So connect doesn't wait for as
// long as ctx allows. The ctx of a trip for several callers has no deadline.
func (t *table) connect(ctx context.Context, most time.Duration) (*sql.Conn, error) {
	most = cmp.Or(most, limit)
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/2)
	}
	wait, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	conn, err := t.db.Conn(wait)
	if st := t.db.Stats(); err != nil && wait.Err() != nil && st.MaxOpenConnections > 0 && st.InUse >= st.MaxOpenConnections {
		return nil, timeout(fmt.Sprintf("all %d connections are in use, perhaps by transactions that wait for this draw: draw before them, or give the store a *sql.DB of its own", st.MaxOpenConnections))
	}
	return conn, err
}

// failed returns the error of a call that the caller's ctx didn't end. A server that is
// read-only was the primary until a failover. Idle connections may lead there too. If
// there was no answer, they may be silent too, and each would cost the next draw as much
// time.
func (t *table) failed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	late := errors.Is(err, context.DeadlineExceeded)
	if late || readOnly.is(err) {
		t.closeIdle()
	}
	if late {
		return timeout("no answer in time: " + err.Error())
	}
	return t.explained(err)
}

// closeIdle closes the connections that are idle.
func (t *table) closeIdle() {
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
type timeout string

func (e timeout) Error() string { return string(e) }

// Timeout returns true, which makes e a transient error.
func (e timeout) Timeout() bool { return true }

// explained returns err with its remedy, if there is one.
func (t *table) explained(err error) error {
	switch {
	case missingTable.is(err):
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	case busy.is(err) && t.inTx:
		return fmt.Errorf("%w: use InTx, or open the database with _txlock=immediate and a busy_timeout", err)
	case busy.is(err):
		return fmt.Errorf("%w: perhaps your own transaction holds the lock: draw before it, or in it with NextIn", err)
	case syntax.is(err):
		return fmt.Errorf("%w: is sqlsequence.%v the dialect of this server?", err, t.dialect)
	}
	return err
}

// A failure is known by its SQLSTATE on PostgreSQL, and by its text elsewhere.
type failure struct {
	states string
	text   *regexp.Regexp
}

var (
	missingTable = failure{"42P01", regexp.MustCompile(`\bError 1146\b|\bno such table\b`)}
	exists       = failure{"42P07 42710 23505", regexp.MustCompile(`\bError 1050\b`)} // the last is of a catalog
	readOnly     = failure{"25006", regexp.MustCompile(`\bError (1290|1836)\b`)}
	syntax       = failure{"42601", regexp.MustCompile(`\bError 1064\b|\bsyntax error\b|\bunrecognized token\b|\bno such column\b`)}
	busy         = failure{"", regexp.MustCompile(`\bdatabase (table )?is locked\b`)} // by another connection
)

func (f failure) is(err error) bool {
	if state := transient.SQLState(err); state != "" {
		return strings.Contains(f.states, state)
	}
	return err != nil && f.text.MatchString(err.Error())
}
