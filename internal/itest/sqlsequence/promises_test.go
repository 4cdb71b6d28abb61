package sqlsequence_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestConnectionThatCommitsNothingIsRefused has autocommit = 0 on MySQL and MariaDB, and pools
// whose hook begins a transaction on each new connection.
func TestConnectionThatCommitsNothingIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, _ := s.store(t)
		hooked := sql.OpenDB(begins{s.open(t).Driver(), s.dsn})
		t.Cleanup(func() { hooked.Close() })
		pools := map[string]*sql.DB{"a hook that begins a transaction": hooked}
		if s.dialect == sqlsequence.MySQL {
			pools["autocommit = 0"] = s.with(t, "autocommit", "0").open(t)
		}
		for name, db := range pools {
			bad := sqlsequence.New(db, "sequences", s.dialect)
			_, next := tickets(bad, "k").Next(t.Context())
			_, state := tickets(bad, "k").State(t.Context())
			for call, err := range map[string]error{"Migrate": bad.Migrate(t.Context()), "Next": next, "State": state} {
				if err == nil || sequence.IsTransient(err) || !strings.Contains(err.Error(), "autocommit") {
					t.Errorf("%s with %s: %v", call, name, err)
				}
			}
		}
		hooked.Close() // and ends its transactions
		if n, err := tickets(store, "k").Next(t.Context()); n.Ordinal != 1 || err != nil {
			t.Errorf("Next() of another program = %v, %v", n, err)
		}
	})
}

// TestAutocommitThatIsTurnedOffIsRefused turns it off on a connection that has drawn.
func TestAutocommitThatIsTurnedOffIsRefused(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			store, db := on(e)(t).store(t)
			db.SetMaxOpenConns(1)
			seq := tickets(store, "k")
			if _, err := seq.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			execute(t, db, "SET autocommit = 0")
			if n, err := seq.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "autocommit = 0") {
				t.Errorf("Next() = %v, %v", n, err)
			}
		})
	}
}

// begins connects, and begins a transaction.
type begins struct {
	d   driver.Driver
	dsn string
}

func (b begins) Driver() driver.Driver { return b.d }

func (b begins) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := b.d.Open(b.dsn)
	if err == nil {
		_, err = conn.(driver.ExecerContext).ExecContext(ctx, "BEGIN", nil)
	}
	return conn, err
}

// entTx has the methods of the transactions that ent generates with the feature sql/execquery.
type entTx struct{ tx *sql.Tx }

func (e entTx) Commit() error   { return e.tx.Commit() }
func (e entTx) Rollback() error { return e.tx.Rollback() }
func (e entTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return e.tx.ExecContext(ctx, query, args...)
}
func (e entTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return e.tx.QueryContext(ctx, query, args...)
}

// dbtx is the interface that sqlc generates, but for what Tx doesn't need.
type dbtx interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// TestTransactionsOfLibrariesFit draws in those of sqlx, ent and sqlc.
func TestTransactionsOfLibrariesFit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		seq := positions(store, "k")
		want := int64(0)
		draw := func(what string, tx sequence.Store) {
			t.Helper()
			want++
			if n, err := seq.NextIn(t.Context(), tx); err != nil || n.Ordinal != want {
				t.Errorf("%s: %v, %v, want %d", what, n, err, want)
			}
		}
		begin := func() *sql.Tx {
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			return tx
		}
		tx := begin()
		draw("*sql.Tx", store.Tx(tx))
		draw("ent", store.Tx(entTx{tx}))
		draw("sqlc", store.Tx(dbtx(tx)))
		draw("a wrapper without Commit", store.Tx(struct{ dbtx }{tx}))
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}

		xtx, err := sqlx.NewDb(db, s.driver).Beginx()
		if err != nil {
			t.Fatal(err)
		}
		draw("sqlx", store.Tx(xtx))
		if err := xtx.Commit(); err != nil {
			t.Fatal(err)
		}

		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		execute(t, conn, "BEGIN")
		draw("*sql.Conn", store.Tx(conn))
		execute(t, conn, "COMMIT")
		last := begin()
		draw("again", store.Tx(last))
		last.Rollback() // or the database can't be dropped
	})
}

// TestWhatIsNoTransactionIsRefused passes pools, and connections on which none has begun.
func TestWhatIsNoTransactionIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		seq := positions(store, "k")
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		ended, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		ended.Rollback()
		for name, tx := range map[string]interface {
			ExecContext(context.Context, string, ...any) (sql.Result, error)
		}{
			"*sql.DB": db, "*sqlx.DB": sqlx.NewDb(db, s.driver), "*sql.Conn": conn,
			"a wrapper of a *sql.DB": struct{ dbtx }{db}, "only ExecContext": struct {
				execer
			}{db},
		} {
			n, err := seq.NextIn(t.Context(), store.Tx(tx))
			if err == nil || !strings.Contains(err.Error(), "InTx") && name != "only ExecContext" {
				t.Errorf("%s: %v, %v, want an error that names the way out", name, n, err)
			}
		}
		if n, err := seq.NextIn(t.Context(), store.Tx(ended)); !errors.Is(err, sql.ErrTxDone) {
			t.Errorf("a transaction that has ended: %v, %v", n, err)
		}
		execute(t, conn, "BEGIN")
		bound := store.Tx(conn)
		if _, err := seq.NextIn(t.Context(), bound); err != nil {
			t.Errorf("a *sql.Conn after BEGIN: %v", err)
		}
		execute(t, conn, "COMMIT")
		if n, err := seq.NextIn(t.Context(), bound); err == nil {
			t.Errorf("a *sql.Conn after COMMIT: %v", n)
		}
		if state, err := seq.State(t.Context()); err != nil || state.Last.Ordinal != 1 {
			t.Errorf("the key has %+v, %v, want 1 number", state, err)
		}
	})
}

type execer interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// TestInTxNamesThePoolWhoseConnectionsItWaitsFor begins a transaction in another one, which
// has the only connection.
func TestInTxNamesThePoolWhoseConnectionsItWaitsFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		db.SetMaxOpenConns(1)
		err := store.InTx(t.Context(), func(*sql.Tx) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return store.InTx(ctx, func(*sql.Tx) error { return nil })
		})
		if want := "all 1 connections are in use, perhaps by callers that wait for this transaction: call InTx outside of other transactions, or let the pool have more connections"; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("InTx() in InTx() = %v, want %q", err, want)
		}
	})
}

// TestOneConnectionIsEnoughForNextIn has a pool of one connection, as programs with SQLite do.
func TestOneConnectionIsEnoughForNextIn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		db.SetMaxOpenConns(1)
		n := sequence.NewNumbering(store, "n", "{0+}", sequence.WithGapFree())
		begin := time.Now()
		for i := range 20 {
			err := store.InTx(t.Context(), func(tx *sql.Tx) error {
				_, err := n.For(string(rune('a'+i))).NextIn(t.Context(), store.Tx(tx))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("20 draws took %v", took)
		}
		draw := func() (text string, err error) {
			err = store.InTx(t.Context(), func(tx *sql.Tx) error {
				text, err = n.NextIn(t.Context(), store.Tx(tx))
				return err
			})
			return text, err
		}
		for range 2 {
			if _, err := draw(); err != nil {
				t.Fatal(err)
			}
		}
		twice := sequence.NewNumbering(store, "twice", "{0+}", sequence.WithGapFree())
		for range 2 { // two draws of one transaction don't show that it committed
			err := store.InTx(t.Context(), func(tx *sql.Tx) error {
				for _, want := range []string{"1", "2"} {
					if text, err := twice.NextIn(t.Context(), store.Tx(tx)); text != want || err != nil {
						t.Errorf("NextIn after a rollback = %q, %v, want %s", text, err, want)
					}
				}
				return errRollback
			})
			if err != errRollback {
				t.Error(err)
			}
		}
		execute(t, db, "DELETE FROM sequences")
		if text, err := draw(); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("an emptied table: %q, %v, want ErrNotFound", text, err)
		}
	})
}
