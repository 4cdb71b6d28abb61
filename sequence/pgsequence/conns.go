package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence/driver"
)

// conns is the driver of a store. It has connections of its own.
type conns struct {
	*table
	err      error         // an invalid table name or option
	like     *pgxpool.Pool // the driver's own pool has the same configuration
	maxConns int
	others   others
	flush    finder

	mu     sync.Mutex
	own    *pgxpool.Pool // made at the first use
	closed bool
}

// limit is how long a call may take that isn't a draw, from when it has a connection.
const limit = 5 * time.Second

// Read implements [driver.Driver].
func (c *conns) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	err = c.call(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		r, ok, err = readBy(ctx, conn, c.read, key)
		return err
	})
	return r, ok, err
}

// List implements [driver.Driver].
func (c *conns) List(ctx context.Context) (rows []driver.Row, err error) {
	err = c.call(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err = c.all(ctx, conn)
		return err
	})
	return rows, err
}

// Put implements [driver.Driver].
func (c *conns) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	err = c.call(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		// Read committed, whatever the session's default is. Above it, a statement that had
		// to wait for another fails.
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			ok, err = c.put(ctx, tx, r, was)
			return err
		})
	})
	return ok && err == nil, err
}

// Migrate implements [driver.Driver].
func (c *conns) Migrate(ctx context.Context) error {
	for try := 1; ; try++ {
		err := c.call(ctx, c.migrate)
		if !raced(err) || try == 5 {
			return err
		}
		time.Sleep(rand.N(50 * time.Millisecond))
	}
}

// InTx implements [driver.Driver].
func (c *conns) InTx() bool { return false }

// Transient implements [driver.Driver].
func (c *conns) Transient(err error) bool { return transient(err) }

// call calls f with a connection.
func (c *conns) call(ctx context.Context, f func(context.Context, *pgx.Conn) error) error {
	conn, err := c.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	limited, cancel := within(ctx, limit)
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

// reset closes all connections, those in use when they are free.
func (c *conns) reset() {
	c.mu.Lock()
	own := c.own
	c.mu.Unlock()
	if own != nil {
		own.Reset()
	}
}

// shouldPing pings a connection that was idle, as pgx would, but with a limit. If there is
// no answer, other connections may be silent too. pgx closes this one when it pings again.
func (c *conns) shouldPing(ctx context.Context, p pgxpool.ShouldPingParams) bool {
	if p.IdleDuration < time.Second {
		return false
	}
	limited, cancel := within(ctx, time.Second)
	defer cancel()
	if p.Conn.Ping(limited) == nil {
		return false
	}
	if ctx.Err() == nil {
		c.reset()
	}
	return true
}

// failed returns the error of a call that the caller's ctx didn't end.
func (c *conns) failed(ctx context.Context, err error) error {
	state := code(err)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case state == readOnly:
		// The server was the primary until a failover. Other connections may lead to the
		// new primary.
		c.reset()
	case state == "":
		// The server gave no answer. The other connections may be silent too. With each of
		// them, a call would wait for its limit again.
		c.reset()
		if errors.Is(err, context.DeadlineExceeded) { // not the caller's
			return fmt.Errorf("%w: %v", errNoAnswer, err)
		}
	}
	return c.missing(err)
}
