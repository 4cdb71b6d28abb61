package pgsequence_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence"
)

// TestInTxCommitsAndRollsBack also panics.
func TestInTxCommitsAndRollsBack(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	s := newStore(t, newPool(t, uri, parameter("default_transaction_isolation", "serializable")))
	newRow(t, s)
	drawIn := func(tx pgx.Tx) {
		if st, ok, err := s.Tx(tx).Driver().Draw(t.Context(), one); err != nil || !ok {
			t.Errorf("Draw = %+v, %v, %v", st, ok, err)
		}
	}
	x := func() int64 {
		r, _, err := s.Driver().Read(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		return r.X
	}
	var level string
	err := s.InTx(t.Context(), func(tx pgx.Tx) error {
		drawIn(tx)
		return tx.QueryRow(t.Context(), "SHOW transaction_isolation").Scan(&level)
	})
	if err != nil || level != "read committed" || x() != 1 {
		t.Errorf("%v, level %s, x %d", err, level, x())
	}
	mine := errors.New("mine")
	if err := s.InTx(t.Context(), func(tx pgx.Tx) error { drawIn(tx); return mine }); err != mine || x() != 1 {
		t.Errorf("%v, x %d, want the error of f as it is", err, x())
	}
	func() {
		defer func() {
			if r := recover(); r != "mine" || x() != 1 {
				t.Errorf("recovered %v, x %d", r, x())
			}
		}()
		s.InTx(t.Context(), func(tx pgx.Tx) error { drawIn(tx); panic("mine") })
	}()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.InTx(ended, func(pgx.Tx) error { t.Error("f was called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}
	if n := pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are in use", n)
	}
}

// TestInTxRunsAgainOnlyWhatTheServerRolledBack has transactions fail in f and at COMMIT.
func TestInTxRunsAgainOnlyWhatTheServerRolledBack(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	s := newStore(t, pool)
	execute(t, pool, `CREATE TABLE rows (state text);
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'by hand' USING ERRCODE = NEW.state; END $$;
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON rows DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	for _, tt := range []struct {
		name, state string
		commit      bool // the commit fails
		runs        int
	}{
		{"serialization failure", "40001", false, 3},
		{"deadlock", "40P01", false, 3},
		{"serialization failure at COMMIT", "40001", true, 3},
		{"unique violation", "23505", false, 1},
		{"check violation at COMMIT", "23514", true, 1},
		{"unknown completion", "40003", true, 1},
	} {
		runs := 0
		err := s.InTx(t.Context(), func(tx pgx.Tx) error {
			if runs++; runs == 3 {
				return nil
			}
			if _, err := tx.Exec(t.Context(), "INSERT INTO rows VALUES ($1)", tt.state); err != nil {
				return err
			}
			if tt.commit {
				return nil
			}
			_, err := tx.Exec(t.Context(), "SET CONSTRAINTS ALL IMMEDIATE")
			return fmt.Errorf("wrapped: %w", err)
		})
		if runs != tt.runs || (err == nil) != (runs == 3) {
			t.Errorf("%s: f ran %d times, want %d: %v", tt.name, runs, tt.runs, err)
		}
		var pgErr *pgconn.PgError
		if err != nil && (!errors.As(err, &pgErr) || pgErr.Code != tt.state) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if unknown := err != nil && strings.Contains(err.Error(), "may have been committed"); unknown != (tt.state == "40003") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}

	// For as long as the context holds.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failure := &pgconn.PgError{Code: "40001", SeverityUnlocalized: "ERROR"}
	runs := 0
	err := s.InTx(ctx, func(pgx.Tx) error {
		if runs++; runs == 5 {
			cancel()
		}
		return failure
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, failure) || runs != 5 {
		t.Errorf("f ran %d times: %v", runs, err)
	}
}

// TestLostCommitIsUnknown ends the session while the commit waits.
func TestLostCommitIsUnknown(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	s := newStore(t, pool)
	execute(t, pool, `CREATE TABLE rows (x int);
		CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON rows DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`)
	runs := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.InTx(t.Context(), func(tx pgx.Tx) error {
			runs++
			_, err := tx.Exec(t.Context(), "INSERT INTO rows VALUES (1)")
			return err
		})
		if runs != 1 || err == nil || !strings.HasPrefix(err.Error(), "pgsequence.Store.InTx(): the transaction may have been committed: check before you run it again: commit: ") {
			t.Errorf("f ran %d times: %v", runs, err)
		}
	})
	until(t, func() bool {
		var n int
		scan(t, pool, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE wait_event = 'PgSleep' AND datname = current_database()`, &n)
		return n == 1
	})
	wg.Wait()
}

// TestInTxNamesThePoolWhoseConnectionsItWaitsFor begins a transaction in another one, which
// has the only connection.
func TestInTxNamesThePoolWhoseConnectionsItWaitsFor(t *testing.T) {
	t.Parallel()
	uri, _ := migrated(t)
	s := newStore(t, newPool(t, uri, func(cfg *pgxpool.Config) { cfg.MaxConns = 1 }))
	err := s.InTx(t.Context(), func(pgx.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return s.InTx(ctx, func(pgx.Tx) error { return nil })
	})
	if want := "all 1 connections of the pool are in use, perhaps by callers that wait for this transaction: call InTx outside of other transactions, or let the pool have more connections"; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
		t.Errorf("InTx() in InTx() = %v, want %q", err, want)
	}
}

// TestCommitWithoutAnAnswerEndsWithTheContext has a server that falls silent before the commit.
func TestCommitWithoutAnAnswerEndsWithTheContext(t *testing.T) {
	t.Parallel()
	uri, _ := migrated(t)
	uri, w := through(t, uri)
	s := newStore(t, newPool(t, uri))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := s.InTx(ctx, func(tx pgx.Tx) error {
		_, err := sequence.NewNumbering(s, "n", "{0+}", sequence.WithGapFree()).NextIn(ctx, s.Tx(tx))
		w.Break(wire.Silence)
		time.AfterFunc(500*time.Millisecond, cancel)
		return err
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the transaction may have been committed: check before you run it again: commit: ") {
		t.Errorf("InTx() = %v", err)
	}
}

// TestKeyThatATransactionCantSeeIsNotDeleted has transactions that began before others made
// the key, above READ COMMITTED.
func TestKeyThatATransactionCantSeeIsNotDeleted(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	s := newStore(t, pool)
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		n := sequence.NewNumbering(s, string(level), "{0+}", sequence.WithGapFree())
		tx, err := pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(t.Context())
		if _, err := tx.Exec(t.Context(), "SELECT FROM sequences"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.InTx(t.Context(), func(tx pgx.Tx) error { _, err := n.NextIn(t.Context(), s.Tx(tx)); return err }); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := n.NextIn(t.Context(), s.Tx(tx)); !sequence.IsTransient(err) || errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("%s: NextIn() = %q, %v, want a transient error", level, text, err)
		}
	}
}

// TestTransactionsOfManyWriters has 16 writers draw positions and documents in transactions
// at each isolation level, some of which are rolled back. Above READ COMMITTED they need
// a loop of their own. The table has no gap in the end.
func TestTransactionsOfManyWriters(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			uri, pool := migrated(t)
			execute(t, pool, "CREATE TABLE ledger (position bigint PRIMARY KEY, number text UNIQUE)")
			const writers, each = 16, 15
			rollback := errors.New("rollback")
			var wg sync.WaitGroup
			for i := range writers {
				// Four programs.
				if i%4 == 0 {
					pool = newPool(t, uri)
				}
				s, pool := newStore(t, pool), pool // those of this program
				positions := sequence.New(s, "positions", sequence.Plan{First: 1, Last: 1 << 50}, sequence.WithGapFree())
				documents := sequence.NewNumbering(s, "documents", "{0+}", sequence.WithGapFree())
				write := func(tx pgx.Tx, fail bool) error {
					position, err := positions.NextIn(t.Context(), s.Tx(tx))
					if err != nil {
						return err
					}
					number, err := documents.NextIn(t.Context(), s.Tx(tx))
					if err != nil {
						return err
					}
					_, err = tx.Exec(t.Context(), "INSERT INTO ledger VALUES ($1, $2)", position.Serial, number)
					if err == nil && fail {
						err = rollback
					}
					return err
				}
				own := func(f func(pgx.Tx) error) error { // the loop of a program of its own
					for {
						err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{IsoLevel: level}, f)
						if err == nil || !s.Driver().Transient(err) {
							return err
						}
					}
				}
				wg.Go(func() {
					for n := range each {
						fail := (n+i)%3 == 0
						run := own
						if level == pgx.ReadCommitted {
							run = func(f func(pgx.Tx) error) error { return s.InTx(t.Context(), f) }
						}
						if err := run(func(tx pgx.Tx) error { return write(tx, fail) }); err != nil && err != rollback {
							t.Errorf("writer %d: %v", i, err)
							return
						}
					}
				})
			}
			wg.Wait()
			rows, err := newPool(t, uri).Query(t.Context(), "SELECT position, number::bigint FROM ledger ORDER BY position")
			if err != nil {
				t.Fatal(err)
			}
			got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r [2]int64, err error) {
				err = row.Scan(&r[0], &r[1])
				return r, err
			})
			want := writers * each * 2 / 3
			if err != nil || len(got) != want || !slices.IsSortedFunc(got, func(a, b [2]int64) int { return int(a[1] - b[1]) }) ||
				got[want-1] != [2]int64{int64(want), int64(want)} {
				t.Errorf("%d rows, want %d without a gap: %v, %v", len(got), want, got, err)
			}
		})
	}
}
