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
)

// limit is how long a call may take that isn't a draw, from when it has a connection. So
// long may a new connection take too, unless the caller's pool says otherwise.
const limit = 5 * time.Second

// connectLike makes the driver's own pool, which connects as the caller's does.
func (t *table) connectLike(pool *pgxpool.Pool) (err error) {
	if pool == nil {
		return errors.New("the pool is nil")
	}
	cfg := pool.Config()
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = int32(t.maxConns), 0, 0
	cfg.ShouldPing = t.shouldPing
	if cfg.ConnConfig.ConnectTimeout == 0 { // pgx would wait for ever for a server that is silent
		cfg.ConnConfig.ConnectTimeout = limit
	}
	t.own, err = pgxpool.NewWithConfig(context.Background(), cfg)
	return err
}

// A querier is a connection or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// run calls f with the caller's transaction, or with a connection, when one is free. Then
// the time limit begins. 0 means no limit.
func (t *table) run(ctx context.Context, limit time.Duration, f func(context.Context, querier) error) error {
	if t.err != nil {
		return t.err
	}
	if t.inTx {
		return t.explained(f(ctx, t.tx)) // it may wait for others for as long as ctx allows
	}
	conn, err := t.own.Acquire(ctx)
	if err != nil {
		if st := t.own.Stat(); ctx.Err() != nil && st.AcquiredConns() == st.MaxConns() {
			return fmt.Errorf("all %d connections of the store are in use, see WithMaxConns: %w", st.MaxConns(), err)
		}
		return t.failed(ctx, err)
	}
	defer release(conn)
	limited, cancel := context.WithTimeout(ctx, cmp.Or(limit, 1<<62))
	defer cancel()
	return t.failed(ctx, f(limited, conn.Conn()))
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

// failed returns the error of a call that the caller's ctx didn't end.
func (t *table) failed(ctx context.Context, err error) error {
	state := code(err)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// A server that is read-only, 25006, was the primary until a failover. Other connections
	// may lead to the new primary. If the server gave no answer, the other connections may be
	// silent too. With each of them, a call would wait for its limit again.
	if state == "25006" || state == "" {
		t.own.Reset()
	}
	if state == "" && errors.Is(err, context.DeadlineExceeded) { // not the caller's
		return transient{fmt.Errorf("no answer of the server: %w", err)}
	}
	return t.explained(err)
}

// explained returns err with its remedy, if there is one.
func (t *table) explained(err error) error {
	if code(err) == "42P01" {
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	}
	return err
}

// shouldPing pings a connection that was idle, as pgx would, but with a limit. If there is
// no answer, other connections may be silent too. pgx drops this one when it pings again,
// and then doesn't wait for the good-bye of the server.
func (t *table) shouldPing(ctx context.Context, p pgxpool.ShouldPingParams) bool {
	if p.IdleDuration < time.Second {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := t.failed(ctx, p.Conn.Ping(limited))
	if err != nil {
		p.Conn.PgConn().Conn().Close()
	}
	return err != nil
}

// A transient error is one of this package. [sequence.IsTransient] knows it by its method.
// errors.Is and errors.As don't look into it.
type transient struct{ error }

func (transient) Timeout() bool { return true }
