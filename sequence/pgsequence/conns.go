package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
)

// conns is the driver of a store. It has connections of its own.
type conns struct {
	rows
	err      error         // an invalid table name or option
	like     *pgxpool.Pool // the driver's own pool has the same configuration
	maxConns int
	others   others
	finder   finder

	mu     sync.Mutex
	own    *pgxpool.Pool // made at the first use
	closed bool
}

// limit is how long a call may take that isn't a draw, from when it has a connection. So
// long may a new connection take too, unless the caller's pool says otherwise.
const limit = 5 * time.Second

// InTx implements [driver.Driver].
func (c *conns) InTx() bool { return false }

// Transient implements [driver.Driver].
func (c *conns) Transient(err error) bool { return sequence.IsTransient(err) }

// Migrate implements [driver.Driver]. It runs again if another program's was in the way.
func (c *conns) Migrate(ctx context.Context) error {
	for try := 1; ; try++ {
		err := c.call(ctx, c.migrate)
		if !raced(err) || try == 5 {
			return err
		}
		time.Sleep(rand.N(50 * time.Millisecond))
	}
}

// transaction calls f with a transaction. It is READ COMMITTED, whatever the session's
// default is. Above it, a statement that had to wait for another fails.
func (c *conns) transaction(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	return c.call(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return f(ctx, tx) })
	})
}

// call calls f with a connection.
func (c *conns) call(ctx context.Context, f func(context.Context, *pgx.Conn) error) error {
	conn, err := c.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.failed(ctx, f(limited, conn.Conn()))
}

// acquire returns a connection, when one is free.
func (c *conns) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	pool, err := c.pool()
	if err != nil {
		return nil, err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil && ctx.Err() != nil && pool.Stat().AcquiredConns() == pool.Stat().MaxConns() {
		return nil, fmt.Errorf("all %d connections of the store are in use, see WithMaxConns: %w", c.maxConns, err)
	}
	return conn, c.failed(ctx, err)
}

// pool returns the driver's own pool.
func (c *conns) pool() (*pgxpool.Pool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return nil, c.err
	case c.closed:
		return nil, errors.New("the store is closed")
	case c.own != nil:
		return c.own, nil
	case c.like == nil:
		return nil, errors.New("the pool is nil")
	}
	cfg := c.like.Config()
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = int32(c.maxConns), 0, 0
	cfg.ShouldPing = c.shouldPing
	if cfg.ConnConfig.ConnectTimeout == 0 { // pgx would wait for ever for a server that is silent
		cfg.ConnConfig.ConnectTimeout = limit
	}
	own, err := pgxpool.NewWithConfig(context.Background(), cfg)
	c.own = own
	return own, err
}

// close closes the driver's own pool.
func (c *conns) close() {
	c.mu.Lock()
	own := c.own
	c.own, c.closed = nil, true
	c.mu.Unlock()
	if own != nil {
		own.Close()
	}
}

// shouldPing pings a connection that was idle, as pgx would, but with a limit. If there is
// no answer, other connections may be silent too. pgx closes this one when it pings again.
func (c *conns) shouldPing(ctx context.Context, p pgxpool.ShouldPingParams) bool {
	if p.IdleDuration < time.Second {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := c.failed(ctx, p.Conn.Ping(limited))
	return err != nil
}

// failed returns the error of a call that the caller's ctx didn't end.
func (c *conns) failed(ctx context.Context, err error) error {
	state := code(err)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// A server that is read-only was the primary until a failover. Other connections may
	// lead to the new primary. If the server gave no answer, the other connections may be
	// silent too. With each of them, a call would wait for its limit again.
	if state == readOnly || state == "" {
		if pool, err := c.pool(); err == nil {
			pool.Reset()
		}
	}
	if state == "" && errors.Is(err, context.DeadlineExceeded) { // not the caller's
		return transient{fmt.Errorf("no answer of the server: %w", err)}
	}
	return c.missing(err)
}

// A transient error is one of this package. [sequence.IsTransient] knows it by its method.
// errors.Is and errors.As don't look into it.
type transient struct{ error }

func (transient) Timeout() bool { return true }

// SQLSTATEs.
const (
	readOnly             = "25006"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	undefinedTable       = "42P01"
)

// code returns the SQLSTATE of an error that the server sent, "" for others.
func code(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}

// refused reports whether the server refused a statement, and will refuse it again.
func refused(err error) bool { return code(err) != "" && !sequence.IsTransient(err) }
