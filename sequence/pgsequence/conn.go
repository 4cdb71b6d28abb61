package pgsequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/driver/sqltable"
)

// A pool has the driver's own connections. It is a [sqltable.Pool].
type pool struct {
	err      error // an invalid option
	maxConns int
	theirs   *pgxpool.Pool // the caller's
	own      *pgxpool.Pool
}

func newPool(theirs *pgxpool.Pool) *pool { return &pool{theirs: theirs, maxConns: 4} }

// connect makes the driver's own pool, which connects as the caller's does. A new connection
// may take 5 seconds, unless the caller's pool says otherwise.
func (p *pool) connect() (err error) {
	if p.theirs == nil {
		return errors.New("the pool is nil")
	}
	cfg := p.theirs.Config()
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = int32(p.maxConns), 0, 0
	cfg.ShouldPing = p.shouldPing
	if cfg.ConnConfig.ConnectTimeout == 0 { // pgx would wait for ever for a server that is silent
		cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	p.own, err = pgxpool.NewWithConfig(context.Background(), cfg)
	return err
}

// Free implements [sqltable.Pool]. Free returns true, because only the driver's own calls,
// which are short, hold its own connections.
func (p *pool) Free() bool { return true }

// Place implements [sqltable.Pool].
func (p *pool) Place() driver.Place {
	if p.theirs == nil {
		return driver.Place{}
	}
	cfg := p.theirs.Config().ConnConfig
	return driver.Place{Server: p.theirs, Name: fmt.Sprintf("database %s of %s:%d through the *pgxpool.Pool %p", cfg.Database, cfg.Host, cfg.Port, p.theirs)}
}

// Run implements [sqltable.Pool].
func (p *pool) Run(ctx context.Context, limit time.Duration, f func(context.Context, sqltable.Conn) error) error {
	c, err := p.own.Acquire(ctx)
	if err != nil {
		if st := p.own.Stat(); ctx.Err() != nil && st.AcquiredConns() == st.MaxConns() {
			return fmt.Errorf("all %d connections of the store are in use: allow more with WithMaxConns: %w", st.MaxConns(), err)
		}
		return err
	}
	defer release(c)
	if c.Conn().PgConn().TxStatus() != 'I' {
		return errors.New("a hook of the pool, such as PrepareConn, has begun a transaction, so no draw would be committed: remove the transaction from the hook")
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(limit, 1<<62))
	defer cancel()
	return f(limited, conn{c.Conn()})
}

// release gives a connection back, or drops it if it is closed. pgx waits 15 seconds for the
// good-bye of the server. In the pool, a connection has its place until then.
func release(conn *pgxpool.Conn) {
	if conn.Conn().IsClosed() {
		conn.Hijack()
		return
	}
	conn.Release()
}

// Reset implements [sqltable.Pool].
func (p *pool) Reset() { p.own.Reset() }

// shouldPing pings a connection that was idle, as pgx would, but with a limit. If there is
// no answer, other connections may be silent too. pgx drops this one when it pings again,
// and then doesn't wait for the good-bye of the server.
func (p *pool) shouldPing(ctx context.Context, params pgxpool.ShouldPingParams) bool {
	if params.IdleDuration < time.Second {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := params.Conn.Ping(limited)
	if err != nil {
		if ctx.Err() == nil {
			p.own.Reset()
		}
		params.Conn.PgConn().Conn().Close()
	}
	return err != nil
}

// A conn is a [sqltable.Conn]: a transaction of the caller, or a connection of the driver's
// own.
type conn struct {
	q interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
		SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	}
}

func (c conn) Exec(ctx context.Context, query string, args ...any) (rows, last int64, err error) {
	done, err := c.q.Exec(ctx, query, args...)
	return done.RowsAffected(), 0, err
}

func (c conn) Query(ctx context.Context, s sqltable.Statement) (n int, err error) {
	rows, err := c.q.Query(ctx, s.Query, s.Args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	return s.Read(rows)
}

// Batch implements [sqltable.Batcher]. If a transaction of the batch is still open after an
// error, the pool closes the connection.
func (c conn) Batch(ctx context.Context, all []sqltable.Statement) (rows []int, err error) {
	var b pgx.Batch
	for _, s := range all {
		b.Queue(s.Query, s.Args...).Query(func(result pgx.Rows) error {
			n, err := s.Read(result)
			if err == nil {
				rows = append(rows, n)
			}
			return err
		})
	}
	// The server answers a statement before it commits. A flush that fails is known only from
	// what comes after all answers.
	if err = c.q.SendBatch(ctx, &b).Close(); err != nil {
		rows = rows[:min(len(rows), len(all)-1)]
	}
	return rows, err
}
