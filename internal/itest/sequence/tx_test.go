package sequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/mariadb"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// An office writes invoices, each with its number in one transaction.
type office struct {
	inTx  func(ctx context.Context, f func(next func(*sequence.Numbering) (string, error), exec func(sql string) error) error) error
	list  func() ([]string, error) // the numbers of all invoices
	store store
}

func pgOffice(t *testing.T, p place) office {
	pool := p.pool(t)
	execute(t, pool, "CREATE TABLE invoices (number text PRIMARY KEY)")
	s := pgsequence.New(pool, "sequences")
	t.Cleanup(s.Close)
	return office{
		store: s,
		inTx: func(ctx context.Context, f func(func(*sequence.Numbering) (string, error), func(string) error) error) error {
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				return f(func(n *sequence.Numbering) (string, error) { return s.NextTx(ctx, tx, n) },
					func(sql string) error {
						_, err := tx.Exec(ctx, sql)
						return err
					})
			})
		},
		list: func() ([]string, error) {
			rows, err := pool.Query(t.Context(), "SELECT number FROM invoices")
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowTo[string])
		},
	}
}

func sqlOffice(t *testing.T, p place) office {
	db := p.db(t)
	if _, err := db.Exec("CREATE TABLE invoices (number varchar(40) PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	s := sqlsequence.New(db, "sequences", dialects[p.kind].Dialect)
	return office{
		store: s,
		inTx: func(ctx context.Context, f func(func(*sequence.Numbering) (string, error), func(string) error) error) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			err = f(func(n *sequence.Numbering) (string, error) { return s.NextTx(ctx, tx, n) },
				func(sql string) error {
					_, err := tx.Exec(sql)
					return err
				})
			if err != nil {
				return err
			}
			return tx.Commit()
		},
		list: func() (numbers []string, err error) {
			rows, err := db.Query("SELECT number FROM invoices")
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			for rows.Next() {
				var n string
				if err := rows.Scan(&n); err != nil {
					return nil, err
				}
				numbers = append(numbers, n)
			}
			return numbers, rows.Err()
		},
	}
}

// wantNoGaps has 20 writers write invoices, of which 30 % are rolled back, rounds
// times each, or until disturb returns. The numbers must be 1, 2, 3 and so on.
func wantNoGaps(t *testing.T, o office, rounds int, disturb func(drawn func(int))) {
	t.Helper()
	rolledBack := errors.New("rolled back")
	var mu sync.Mutex
	committed, rollbacks, failed := 0, 0, 0
	var wg sync.WaitGroup
	n := sequence.NewNumbering(o.store, "invoices", "{00000}", sequence.WithGapFree())
	stop := make(chan struct{})
	for range 20 {
		wg.Go(func() {
			for i := 0; i < rounds || disturb != nil; i++ {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				err := o.inTx(ctx, func(next func(*sequence.Numbering) (string, error), exec func(string) error) error {
					text, err := next(n)
					if err != nil {
						return err
					}
					if err := exec("INSERT INTO invoices VALUES ('" + text + "')"); err != nil {
						return err
					}
					if rand.IntN(10) < 3 {
						return rolledBack
					}
					return nil
				})
				cancel()
				mu.Lock()
				switch {
				case errors.Is(err, rolledBack):
					rollbacks++
				case err != nil:
					failed++
					if disturb == nil {
						t.Log(err)
					}
				default:
					committed++
				}
				mu.Unlock()
				if err != nil {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	if disturb != nil {
		disturb(func(n int) {
			until(t, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return committed >= n
			})
		})
		close(stop)
	}
	wg.Wait()
	numbers, err := o.list()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(numbers)
	for i, number := range numbers {
		if want := fmt.Sprintf("%05d", i+1); number != want {
			t.Fatalf("invoice %s where %s should be: a gap or a repeat", number, want)
		}
	}
	t.Logf("%d invoices, %d commits, %d rollbacks, %d failures", len(numbers), committed, rollbacks, failed)
	// A commit whose answer was lost may have been made.
	if len(numbers) < committed || disturb == nil && (len(numbers) != committed || failed > rounds) || rollbacks == 0 {
		t.Errorf("%d invoices of %d commits, %d rollbacks, %d failures", len(numbers), committed, rollbacks, failed)
	}
}

func TestNumbersDrawnInTransactionsHaveNoGaps(t *testing.T) {
	t.Run("postgres", func(t *testing.T) { wantNoGaps(t, pgOffice(t, postgres(t)), 20, nil) })
	onEachSQL(t, func(t *testing.T, p place) { wantNoGaps(t, sqlOffice(t, p), 20, nil) })
}

func TestNumbersDrawnInTransactionsHaveNoGapsWhenTheServerIsKilled(t *testing.T) {
	kill := func(restart func() error) func(func(int)) {
		return func(drawn func(int)) {
			for i := range 3 {
				drawn(20 + 40*i)
				if err := restart(); err != nil {
					t.Error(err)
				}
			}
			drawn(140)
		}
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		server := pgserver.Start(t)
		wantNoGaps(t, pgOffice(t, migrated(t, place{kind: "postgres", uri: server.DSN})), 0, kill(server.Restart))
	})
	t.Run("mysql", func(t *testing.T) {
		t.Parallel()
		server := mariadb.Start(t)
		wantNoGaps(t, sqlOffice(t, migrated(t, place{kind: "mysql", uri: server.DSN})), 0, kill(server.Restart))
	})
}

func TestNextTxRefusesNumbersOfNext(t *testing.T) {
	check := func(t *testing.T, o office) {
		next := func(n *sequence.Numbering) (text string, err error) {
			err = o.inTx(t.Context(), func(next func(*sequence.Numbering) (string, error), _ func(string) error) error {
				text, err = next(n)
				return err
			})
			return text, err
		}
		free := sequence.NewNumbering(o.store, "free", "{0+}", sequence.WithGapFree())
		if text, err := next(free); err != nil || text != "1" {
			t.Errorf("NextTx: %q, %v", text, err)
		}
		if text, err := sequence.NewNumbering(o.store, "free", "{0+}").Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("Next of a gap-free key: %q, %v", text, err)
		}
		gaps := sequence.NewNumbering(o.store, "gaps", "{0+}")
		if _, err := gaps.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, err := next(gaps); err == nil {
			t.Errorf("NextTx without WithGapFree: %q", text)
		}
		if text, err := next(sequence.NewNumbering(o.store, "gaps", "{0+}", sequence.WithGapFree())); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("NextTx of a key with gaps: %q, %v", text, err)
		}
	}
	t.Run("postgres", func(t *testing.T) { check(t, pgOffice(t, postgres(t))) })
	onEachSQL(t, func(t *testing.T, p place) { check(t, sqlOffice(t, p)) })
}

// TestNextInATransactionOfTheSamePool does what everybody writes first. It inserts each
// order with its number, in as many transactions as the pool has connections.
func TestNextInATransactionOfTheSamePool(t *testing.T) {
	p := postgres(t)
	cfg, err := pgxpool.ParseConfig(p.uri)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s := pgsequence.New(pool, "sequences")
	defer s.Close()
	create(t, s, 1, 99)
	seq := sequence.New(s, "k")
	var begun, wg sync.WaitGroup
	begun.Add(4)
	for range 4 {
		wg.Go(func() {
			tx, err := pool.Begin(t.Context())
			if err != nil {
				t.Error(err)
				begun.Done()
				return
			}
			defer tx.Rollback(context.Background())
			begun.Done()
			begun.Wait() // all connections are taken
			if _, err := seq.Next(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestDrawThatWaitsForItsOwnPoolFails draws through database/sql, whose pools can't be
// copied, inside the only connection's transaction.
func TestDrawThatWaitsForItsOwnPoolFails(t *testing.T) {
	db := sqlite(t).db(t)
	db.SetMaxOpenConns(1)
	s := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	create(t, s, 1, 99)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	_, err = sequence.New(s, "k", sequence.WithTripTimeout(time.Second)).Next(t.Context())
	if err == nil || !strings.Contains(err.Error(), "all 1 connections are in use") || errors.Is(err, sequence.ErrTransient) {
		t.Errorf("error %v", err)
	}
}

func TestTablesThatCanLoseDrawsAreRefused(t *testing.T) {
	p := postgres(t)
	execute(t, p.pool(t), "CREATE VIEW seen AS SELECT * FROM sequences; CREATE TABLE newer (LIKE sequences INCLUDING ALL); INSERT INTO newer (key, count) VALUES ('', 2)")
	m := place{kind: "mysql", uri: mariadb.Database(t)}
	for _, sql := range []string{"CREATE TABLE isam (k int) ENGINE = MyISAM", "CREATE VIEW seen AS SELECT * FROM isam"} {
		if _, err := m.db(t).Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	l := sqlite(t)
	if _, err := l.db(t).Exec("CREATE VIEW seen AS SELECT * FROM sequences"); err != nil {
		t.Fatal(err)
	}
	pq := place{kind: "sql postgres", uri: p.uri}
	for want, migrate := range map[string]func(context.Context) error{
		`pgsequence.Store.Migrate(): "seen" is a view or something else, not a table`:                               pgsequence.New(p.pool(t), "seen").Migrate,
		`pgsequence.Store.Migrate(): table "newer" has version 2; this release knows version 1`:                     pgsequence.New(p.pool(t), "newer").Migrate,
		`sqlsequence.Store.Migrate(): table "newer" has version 2; this release knows version 1`:                    sqlsequence.New(pq.db(t), "newer", sqlsequence.PostgreSQL).Migrate,
		"sqlsequence.Store.Migrate(): `isam` is a table of the engine MyISAM, not InnoDB: a crash could lose draws": sqlsequence.New(m.db(t), "isam", sqlsequence.MySQL).Migrate,
		"sqlsequence.Store.Migrate(): `seen` is a view or something else, not a table":                              sqlsequence.New(m.db(t), "seen", sqlsequence.MySQL).Migrate,
		`sqlsequence.Store.Migrate(): "seen" is a view or something else, not a table`:                              sqlsequence.New(l.db(t), "seen", sqlsequence.SQLite).Migrate,
		`sqlsequence.Store.Migrate(): table "a.b.c": not a name or schema.name`:                                     sqlsequence.New(l.db(t), "a.b.c", sqlsequence.SQLite).Migrate,
		`sqlsequence.Store.Migrate(): table "t": unknown Dialect(0)`:                                                sqlsequence.New(l.db(t), "t", 0).Migrate,
		`sqlsequence.Store.Migrate(): the *sql.DB is nil`:                                                           sqlsequence.New((*sql.DB)(nil), "t", sqlsequence.SQLite).Migrate,
	} {
		if err := migrate(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestAMissingTableNamesMigrate draws where nobody has made the table.
func TestAMissingTableNamesMigrate(t *testing.T) {
	p := postgres(t)
	pq := place{kind: "sql postgres", uri: p.uri}
	m := place{kind: "mysql", uri: mariadb.Database(t)}
	for name, store := range map[string]sequence.Store{
		"pgx":     pgsequence.New(p.pool(t), "nowhere"),
		"lib/pq":  sqlsequence.New(pq.db(t), "nowhere", sqlsequence.PostgreSQL),
		"MariaDB": sqlsequence.New(m.db(t), "nowhere", sqlsequence.MySQL),
		"SQLite":  sqlsequence.New(sqlite(t).db(t), "nowhere", sqlsequence.SQLite),
	} {
		if _, err := store.Take(t.Context(), "k", 1); err == nil || !strings.HasSuffix(err.Error(), ": call Migrate once") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestMigrateWithTheWrongDialectAsksForIt makes the table in the SQL of another server.
func TestMigrateWithTheWrongDialectAsksForIt(t *testing.T) {
	servers := map[sqlsequence.Dialect]*sql.DB{
		sqlsequence.PostgreSQL: place{kind: "sql postgres", uri: postgres(t).uri}.db(t),
		sqlsequence.MySQL:      place{kind: "mysql", uri: mariadb.Database(t)}.db(t),
		sqlsequence.SQLite:     sqlite(t).db(t),
	}
	for server, db := range servers {
		for wrong := range servers {
			if wrong == server {
				continue
			}
			err := sqlsequence.New(db, "sequences", wrong).Migrate(t.Context())
			want := fmt.Sprintf(": is the dialect right? the store was made with sqlsequence.%v", wrong)
			if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "call Migrate") {
				t.Errorf("%v on %v: %v", wrong, server, err)
			}
		}
	}
}

// TestBothPackagesUnderstandEachOthersTables draws from one key of PostgreSQL by both.
func TestBothPackagesUnderstandEachOthersTables(t *testing.T) {
	p := postgres(t)
	a := p.mustOpen(t)
	b := place{kind: "sql postgres", uri: p.uri}.mustOpen(t)
	if err := b.(*sqlsequence.Store).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, a, 1, 99)
	create(t, b, 1, 99)
	for i, s := range []store{a, b, a, b} {
		if got := take(t, s, 1)[0].Serial; got != int64(i)+1 {
			t.Errorf("serial %d, want %d", got, i+1)
		}
	}
}
