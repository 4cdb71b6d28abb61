package sqlsequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	gormmysql "gorm.io/driver/mysql"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

var errRollback = errors.New("rolled back by the test")

// write has 8 writers write rows with positions until enough are committed. 30 % of the
// transactions are rolled back. The positions must be 1, 2, 3 ... without a gap.
func (s server) write(t *testing.T, store *sqlsequence.Store, db *sql.DB, enough int, disturb func(committed func() int)) {
	t.Helper()
	execute(t, db, "CREATE TABLE ledger (position bigint PRIMARY KEY)")
	positions := positions(store, "ledger")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var committed, unknown atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil && (disturb != nil || committed.Load() < int64(enough)) {
				err := store.InTx(t.Context(), func(tx *sql.Tx) error {
					n, err := positions.NextIn(t.Context(), store.Tx(tx))
					if err != nil {
						return err
					}
					if _, err := tx.Exec(fmt.Sprintf("INSERT INTO ledger VALUES (%d)", n.Ordinal)); err != nil {
						return err
					}
					if rand.IntN(10) < 3 {
						return errRollback
					}
					return nil
				})
				switch {
				case err == nil:
					committed.Add(1)
				case errors.Is(err, errRollback):
				case disturb == nil:
					t.Error(err)
					return
				default:
					if strings.Contains(err.Error(), "the transaction may have been committed") {
						unknown.Add(1)
					}
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	if disturb != nil {
		disturb(func() int { return int(committed.Load()) })
		stop()
	}
	wg.Wait()
	var rows, last int64
	if err := db.QueryRow("SELECT count(*), max(position) FROM ledger").Scan(&rows, &last); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows, last position %d, %d commits, %d unknown", rows, last, committed.Load(), unknown.Load())
	if rows != last || rows < committed.Load() || rows > committed.Load()+unknown.Load() {
		t.Errorf("%d rows, last position %d, %d commits, %d unknown: a gap, or a row too many", rows, last, committed.Load(), unknown.Load())
	}
}

func TestNumbersDrawnInTransactionsHaveNoGaps(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		s.write(t, store, db, count("OIDKIT_SEQUENCE_ROWS", 300), nil)
	})
}

func TestNumbersDrawnInTransactionsHaveNoGapsWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
	killed := func(t *testing.T, s server, restart func() error) {
		store, db := s.store(t)
		s.write(t, store, db, 0, func(committed func() int) {
			for i := range count("OIDKIT_SEQUENCE_KILLS", 1) + 1 {
				until(t, func() bool { return committed() > (i+1)*count("OIDKIT_SEQUENCE_ROWS", 60) })
				if err := restart(); err != nil {
					t.Error(err)
				}
			}
			seen := committed()
			until(t, func() bool { return committed() > seen })
		})
	}
	t.Run("pgx", func(t *testing.T) {
		t.Parallel()
		own := postgres.Start(t)
		killed(t, server{"pgx", "pgx", own.DSN, sqlsequence.PostgreSQL}, own.Restart)
	})
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			own := e.StartOwn(t)
			killed(t, server{e.Name, "mysql", own.DSN, sqlsequence.MySQL}, own.Restart)
		})
	}
}

// TestInTxRunsAgainAfterADeadlock has two transactions that lock two keys in opposite
// orders.
func TestInTxRunsAgainAfterADeadlock(t *testing.T) {
	t.Parallel()
	for _, open := range withLikeMySQL(onPgx, onPq) {
		s := open(t)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, _ := s.store(t)
			a, b := positions(store, "a"), positions(store, "b")
			for _, seq := range []*sequence.Sequence{a, b} {
				if err := store.InTx(t.Context(), func(tx *sql.Tx) error { _, err := seq.NextIn(t.Context(), store.Tx(tx)); return err }); err != nil {
					t.Fatal(err)
				}
			}
			var runs atomic.Int64
			var both, wg sync.WaitGroup
			both.Add(2)
			for i := range 2 {
				first := true
				wg.Go(func() {
					err := store.InTx(t.Context(), func(tx *sql.Tx) error {
						runs.Add(1)
						seqs := []*sequence.Sequence{a, b}
						if _, err := seqs[i].NextIn(t.Context(), store.Tx(tx)); err != nil {
							return err
						}
						if first {
							first = false
							both.Done()
							both.Wait()
						}
						_, err := seqs[1-i].NextIn(t.Context(), store.Tx(tx))
						return err
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if runs.Load() < 3 { // they may have met again
				t.Errorf("2 transactions, of which one was taken back, ran %d times", runs.Load())
			}
		})
	}
}

// TestInTxEndsWithWhatFSays returns other errors of f, goes on with a panic, and heeds
// its context.
func TestInTxEndsWithWhatFSays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		db.SetMaxOpenConns(1) // so a transaction that stays open is noticed
		seq := positions(store, "k")
		draw := func(tx *sql.Tx) {
			if n, err := seq.NextIn(t.Context(), store.Tx(tx)); err != nil || n.Ordinal != 1 {
				t.Errorf("%v, %v", n, err)
			}
		}
		if err := store.InTx(t.Context(), func(tx *sql.Tx) error { draw(tx); return errRollback }); err != errRollback {
			t.Errorf("InTx() = %v", err)
		}
		func() {
			defer func() {
				if p := recover(); p != "of f" {
					t.Errorf("recovered %v", p)
				}
			}()
			store.InTx(t.Context(), func(tx *sql.Tx) error { draw(tx); panic("of f") })
		}()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		runs := 0
		again := rolledBack("40001")
		err := store.InTx(ctx, func(tx *sql.Tx) error {
			if runs++; runs == 3 {
				cancel()
			}
			return again
		})
		if runs != 3 || err != again && !errors.Is(err, context.Canceled) {
			t.Errorf("InTx ran %d times, and returned %v", runs, err)
		}
		if err := store.InTx(t.Context(), func(tx *sql.Tx) error { draw(tx); return nil }); err != nil {
			t.Error(err)
		}
	})
}

// A rolledBack error is one of PostgreSQL.
type rolledBack string

func (e rolledBack) Error() string    { return "of the test" }
func (e rolledBack) SQLState() string { return string(e) }

// TestCommitThatNobodyAnswersIsUnknown cuts the connection when the transaction commits.
func TestCommitThatNobodyAnswersIsUnknown(t *testing.T) {
	for _, open := range withLikeMySQL(onPgx) {
		s, w := through(t, open(t))
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, _ := s.store(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			runs := 0
			err := store.InTx(ctx, func(tx *sql.Tx) error {
				runs++
				_, err := positions(store, "k").NextIn(ctx, store.Tx(tx))
				w.Break(wire.LostRequest)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "the transaction may have been committed: check before you run it again: commit: ") || runs != 1 {
				t.Errorf("InTx ran %d times, and returned %v", runs, err)
			}
		})
	}
}

// TestCommitWithoutAnAnswerEndsWithTheContext has a server that falls silent before the commit,
// or before the rollback. MySQL's driver and lib/pq do both without a context.
func TestCommitWithoutAnAnswerEndsWithTheContext(t *testing.T) {
	for _, open := range withLikeMySQL(onPgx, onPq) {
		s, w := through(t, open(t))
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, _ := s.store(t)
			for _, rollback := range []error{nil, errRollback} {
				ended := make(chan error, 1)
				go func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					ended <- store.InTx(ctx, func(tx *sql.Tx) error {
						if _, err := positions(store, "k").NextIn(ctx, store.Tx(tx)); err != nil {
							return err
						}
						w.Break(wire.Silence)
						time.AfterFunc(500*time.Millisecond, cancel)
						return rollback
					})
				}()
				select {
				case err := <-ended:
					unknown := errors.Is(err, context.Canceled) && strings.Contains(err.Error(), "the transaction may have been committed: check before you run it again: commit: ")
					if rollback == nil && !unknown || rollback != nil && err != rollback {
						t.Errorf("InTx() = %v", err)
					}
				case <-time.After(time.Minute):
					t.Error("InTx still waits for an answer a minute after its context ended")
				}
				w.Break(wire.Cut) // so that the row of the key is free
			}
		})
	}
}

// TestDeferredSQLiteTransactionsDontFail has transactions that read first, on connections
// that begin them without a lock.
func TestDeferredSQLiteTransactionsDontFail(t *testing.T) {
	t.Parallel()
	for _, open := range sqliteDrivers {
		s := open(t)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, _ := s.store(t)
			var wg sync.WaitGroup
			seq := positions(store, "k")
			var runs atomic.Int64
			for range 4 {
				wg.Go(func() {
					for range 20 {
						err := store.InTx(t.Context(), func(tx *sql.Tx) error {
							runs.Add(1)
							var n int
							if err := tx.QueryRow("SELECT count(*) FROM sequences").Scan(&n); err != nil {
								return err
							}
							_, err := seq.NextIn(t.Context(), store.Tx(tx))
							return err
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			t.Logf("80 transactions in %d runs", runs.Load())
		})
	}
}

// TestWrappedTransactionsFit draws in transactions of GORM, which remembers each statement
// that it has prepared, and of sqlx.
func TestWrappedTransactionsFit(t *testing.T) {
	t.Parallel()
	for _, open := range withLikeMySQL(onPgx) {
		s := open(t)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, db := s.store(t)
			seq := positions(store, "k")
			want := int64(0)
			draw := func(tx sequence.Store) error {
				for range 50 {
					want++
					n, err := seq.NextIn(t.Context(), tx)
					if err != nil || n.Ordinal != want {
						return fmt.Errorf("got %v, %w, want %d", n, err, want)
					}
				}
				return nil
			}
			for _, prepare := range []bool{false, true} {
				gdb, err := gorm.Open(map[sqlsequence.Dialect]gorm.Dialector{
					sqlsequence.PostgreSQL: gormpostgres.New(gormpostgres.Config{Conn: db}),
					sqlsequence.MySQL:      gormmysql.New(gormmysql.Config{Conn: db}),
				}[s.dialect], &gorm.Config{PrepareStmt: prepare, Logger: logger.Discard})
				if err != nil {
					t.Fatal(err)
				}
				err = gdb.Transaction(func(tx *gorm.DB) error { return draw(store.Tx(tx.Statement.ConnPool)) })
				if err != nil {
					t.Errorf("GORM, PrepareStmt %v: %v", prepare, err)
				}
				if !prepare {
					continue
				}
				if stmts, ok := gdb.ConnPool.(*gorm.PreparedStmtDB); !ok || len(stmts.Stmts.Keys()) > 5 {
					t.Errorf("GORM remembers %d statements", len(stmts.Stmts.Keys()))
				}
			}
			xtx, err := sqlx.NewDb(db, s.driver).Beginx()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(draw(store.Tx(xtx)), draw(store.Tx(xtx.Tx)), xtx.Commit()); err != nil {
				t.Errorf("sqlx: %v", err)
			}
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			execute(t, conn, "BEGIN")
			if err := draw(store.Tx(conn)); err != nil {
				t.Errorf("a *sql.Conn: %v", err)
			}
			execute(t, conn, "COMMIT")
		})
	}
}

// TestTransactionsOfMySQLDontMeet has 8 writers draw from one key, most of them from the
// first draw on. No transaction may be taken back: at SERIALIZABLE, or where MariaDB can't
// update a row that changed since the transaction's first read. Both together fail with
// error 1020 for any UPDATE, which InTx avoids.
func TestTransactionsOfMySQLDontMeet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, setting string
		isolation     sql.IsolationLevel
	}{
		{"READ COMMITTED", "innodb_snapshot_isolation=ON", sql.LevelReadCommitted},
		{"default", "", sql.LevelDefault},
		{"SERIALIZABLE", "", sql.LevelSerializable},
		{"REPEATABLE READ, innodb_snapshot_isolation", "innodb_snapshot_isolation=ON", sql.LevelRepeatableRead},
	}
	for _, e := range mysqlserver.Engines() {
		for _, tt := range tests {
			if tt.setting != "" && e != mysqlserver.MariaDB {
				continue
			}
			t.Run(e.Name+", "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := on(e)(t)
				if name, value, ok := strings.Cut(tt.setting, "="); ok {
					s = s.with(t, name, value)
				}
				store, db := s.store(t)
				fresh := positions(store, "fresh") // makes the key in each transaction, for all it knows
				seq := positions(store, "k")
				var wg sync.WaitGroup
				for i := range 8 {
					wg.Go(func() {
						for range 100 {
							tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: tt.isolation})
							if err != nil {
								t.Error(err)
								return
							}
							_, err = seq.NextIn(t.Context(), store.Tx(tx))
							if err == nil && i == 0 {
								_, err = fresh.NextIn(t.Context(), store.Tx(tx))
							}
							if err := errors.Join(err, tx.Commit()); err != nil {
								t.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// TestRolledBackKeyIsMadeAgainAtReadUncommitted has sessions that see what others haven't
// committed. A key that was rolled back wasn't deleted.
func TestRolledBackKeyIsMadeAgainAtReadUncommitted(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			name := "transaction_isolation"
			if e == mysqlserver.MariaDB {
				name = "tx_isolation"
			}
			store, _ := on(e)(t).with(t, name, "'READ-UNCOMMITTED'").store(t)
			seq := positions(store, "k")
			for range 2 {
				err := store.InTx(t.Context(), func(tx *sql.Tx) error {
					for want := range int64(2) {
						if n, err := seq.NextIn(t.Context(), store.Tx(tx)); err != nil || n.Ordinal != want+1 {
							t.Errorf("NextIn() = %v, %v, want %d", n, err, want+1)
						}
					}
					return errRollback
				})
				if err != errRollback {
					t.Error(err)
				}
			}
		})
	}
}

// TestKeyThatATransactionCantSeeIsNotDeleted has a transaction at REPEATABLE READ that began
// before others made the key. PostgreSQL doesn't show it the row, and MySQL does.
func TestKeyThatATransactionCantSeeIsNotDeleted(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		if s.dialect == sqlsequence.SQLite {
			return // a transaction that reads before others write can't write
		}
		store, db := s.store(t)
		n := sequence.NewNumbering(store, "n", "{0+}", sequence.WithGapFree())
		tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		var count int
		if err := tx.QueryRow("SELECT count(*) FROM sequences").Scan(&count); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := store.InTx(t.Context(), func(tx *sql.Tx) error { _, err := n.NextIn(t.Context(), store.Tx(tx)); return err }); err != nil {
				t.Fatal(err)
			}
		}
		text, err := n.NextIn(t.Context(), store.Tx(tx))
		if text != "3" && !sequence.IsTransient(err) || errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("NextIn() = %q, %v, want 3 or a transient error", text, err)
		}
	})
}

// TestTransactionNeitherMigratesNorLists calls what is for the store, on a transaction.
func TestTransactionNeitherMigratesNorLists(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		store, _ := s.store(t)
		if err := store.InTx(t.Context(), func(tx *sql.Tx) error {
			if err := store.Tx(tx).Driver().Migrate(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "call Migrate on the store, before the transaction") {
				t.Errorf("Migrate() = %v", err)
			}
			if all, err := sequence.List(t.Context(), store.Tx(tx)); err == nil || !strings.HasSuffix(err.Error(), "List isn't for the store of a transaction: pass the store itself") {
				t.Errorf("List() = %v, %v", all, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// TestPoolIsNotATransaction passes a pool, whose statements are transactions of their own.
func TestPoolIsNotATransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		db := s.open(t)
		store := sqlsequence.New(db, "sequences", s.dialect)
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		numbers := sequence.New(store, "k", sequence.Plan{First: 1, Last: 9}, sequence.WithGapFree())
		if n, err := numbers.NextIn(t.Context(), store.Tx(db)); err == nil || !strings.Contains(err.Error(), "a *sql.DB is not a transaction") {
			t.Errorf("NextIn with a pool: %v, %v", n, err)
		}
		if n, err := numbers.NextIn(t.Context(), store.Tx(nil)); err == nil || !strings.Contains(err.Error(), "the transaction is nil") {
			t.Errorf("NextIn with nil: %v, %v", n, err)
		}
	})
}
