package sqlsequence

import (
	"cmp"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/driver/sqltable"
)

// waitForConn is how long Run waits for a connection at most, if its limit is 0.
const waitForConn = 5 * time.Second

// A pool has the caller's connections. It is a [sqltable.Pool].
type pool struct {
	db      *sql.DB
	dialect sqltable.Dialect
}

// Place implements [sqltable.Pool].
func (p *pool) Place() driver.Place {
	return driver.Place{Server: p.db, Name: fmt.Sprintf("%v through the *sql.DB %p", p.dialect, p.db)}
}

// Run implements [sqltable.Pool].
func (p *pool) Run(ctx context.Context, limit time.Duration, f func(context.Context, sqltable.Conn) error) error {
	c, err := p.connect(ctx, cmp.Or(limit, waitForConn))
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(limit, 1<<62))
	defer cancel()
	return await(limited, func() error {
		err := f(limited, conn{c, p.dialect == sqltable.MySQL})
		if errors.Is(err, sql.ErrConnDone) { // it was lost in an earlier statement of f
			err = sqldriver.ErrBadConn
		}
		return err
	}, func(error) {
		if limited.Err() != nil {
			c.Raw(bad)
		}
		c.Close()
	})
}

var errPanicked = errors.New("the driver panicked")

// await calls f, then calls after with the error of f, and returns this error. A driver may
// wait for an answer for longer than ctx allows: lib/pq and SQLite's do so, and MySQL's does
// when it commits or rolls back. Then await returns the error of ctx while f still runs.
func await(ctx context.Context, f func() error, after func(error)) error {
	answer, done := make(chan error, 2), make(chan error, 3)
	panicked := func() {
		if p := recover(); p != nil {
			err := fmt.Errorf("%w: %v", errPanicked, p)
			answer <- err
			done <- err // at once, because after a panic in a query, Close never returns
		}
	}
	go func() {
		err := errPanicked
		defer panicked() // of after
		defer func() {
			after(err)
			done <- err
		}()
		defer panicked() // of f
		err = f()
		answer <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // at the same moment, or the driver heeds the context
		return err
	case <-time.After(100 * time.Millisecond):
	}
	select {
	case err := <-answer: // after takes long
		return err
	default:
		return ctx.Err()
	}
}

// atOnce is await for SQLite, whose transactions end in time, as no server can fall silent.
func atOnce(_ context.Context, f func() error, after func(error)) error {
	err := f()
	after(err)
	return err
}

// connect returns a connection of the pool. If there is none in time, that may be because
// all are in use by callers who wait for this very draw. So connect doesn't wait for as
// long as ctx allows. The ctx of a trip for several callers has no deadline.
func (p *pool) connect(ctx context.Context, most time.Duration) (*sql.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/2)
	}
	wait, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	conn, err := p.db.Conn(wait)
	if err != nil && wait.Err() != nil && !p.Free() {
		return nil, sqltable.Timeout(fmt.Sprintf("all %d connections are in use, perhaps by transactions that wait for this draw: draw before these transactions begin, or give the store a *sql.DB of its own", p.db.Stats().MaxOpenConnections))
	}
	return conn, err
}

// Free implements [sqltable.Pool].
func (p *pool) Free() bool {
	st := p.db.Stats()
	return st.MaxOpenConnections == 0 || st.InUse < st.MaxOpenConnections
}

// Reset implements [sqltable.Pool].
func (p *pool) Reset() {
	for range p.db.Stats().Idle {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		idle, err := p.db.Conn(ctx) // one that is asked and doesn't answer is dropped already
		cancel()
		if err == nil {
			idle.Raw(bad)
			idle.Close()
		}
	}
}

// bad has the pool drop a connection.
func bad(any) error { return sqldriver.ErrBadConn }

// An execer is what Tx takes. It also has QueryContext or QueryRowContext.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// These two read rows.
type (
	queryer interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
	rowQueryer interface {
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
)

// A conn is a [sqltable.Conn] on a connection or in a transaction.
type conn struct {
	execer
	mysql bool
}

// Exec implements [sqltable.Conn]. A result without a row count is an error.
func (c conn) Exec(ctx context.Context, query string, args ...any) (rows, last int64, err error) {
	query, args = c.statement(query, args)
	res, err := c.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, 0, err
	}
	if rows, err = res.RowsAffected(); err == nil && c.mysql {
		last, err = res.LastInsertId()
	}
	return rows, last, err
}

// Query implements [sqltable.Conn].
func (c conn) Query(ctx context.Context, s sqltable.Statement) (n int, err error) {
	query, args := c.statement(s.Query, s.Args)
	q, ok := c.execer.(queryer)
	if !ok {
		err := s.Row(c.execer.(rowQueryer).QueryRowContext(ctx, query, args...).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, nil
		}
		return 1, err
	}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	return s.Read(rows)
}

// statement returns a statement and its arguments as c should get them. MySQL's driver
// prepares a statement that has arguments, which costs a second round trip. So they stand
// in the statement. But a transaction of another type may remember each text that it has
// prepared, as GORM's does. There they stay arguments.
func (c conn) statement(query string, args []any) (string, []any) {
	_, own := c.execer.(*sql.Conn)
	if _, tx := c.execer.(*sql.Tx); c.mysql && (own || tx) {
		return literal(query, args), nil
	}
	return query, args
}

// literal returns a statement of MySQL with its arguments in place of the question marks.
// Text is written as hexadecimal digits, so a key can't change the statement.
func literal(query string, args []any) string {
	var b strings.Builder
	for _, arg := range args {
		before, after, _ := strings.Cut(query, "?")
		b.WriteString(before)
		if text, ok := arg.(string); ok {
			fmt.Fprintf(&b, "X'%x'", text)
		} else { // an integer
			fmt.Fprint(&b, arg)
		}
		query = after
	}
	b.WriteString(query)
	return b.String()
}
