package sqlsequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// through returns s with a wire before it.
func through(t *testing.T, s server) (server, *wire.Wire) {
	t.Helper()
	if s.dialect == sqlsequence.MySQL {
		cfg, err := mysql.ParseDSN(s.dsn)
		if err != nil {
			t.Fatal(err)
		}
		w := wire.Start(t, cfg.Addr)
		cfg.Addr = w.Addr()
		s.dsn = cfg.FormatDSN()
		return s, w
	}
	u, err := url.Parse(s.dsn)
	if err != nil || u.Host == "" {
		t.Skipf("a DSN that is not a URL with a host: %v", err)
	}
	w := wire.Start(t, u.Host)
	u.Host = w.Addr()
	s.dsn = u.String()
	return s, w
}

// TestSilentConnectionsCostOneLimit has ten connections in the pool that nobody answers on
// any more.
func TestSilentConnectionsCostOneLimit(t *testing.T) {
	t.Parallel()
	for _, open := range withLikeMySQL(onPgx, onPq) {
		s, w := through(t, open(t))
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, db := s.store(t)
			seq := tickets(store, "k")
			if _, err := seq.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			fill(t, db, 10)
			time.Sleep(1100 * time.Millisecond) // pgx asks a connection that was idle for longer than a second
			w.Break(wire.Silence)
			begin := time.Now()
			n, err := seq.Next(t.Context())
			took := time.Since(begin)
			t.Logf("10 silent connections cost %v", took.Round(time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			// One limit is 5 seconds. Ten would be 50.
			if took > 20*time.Second {
				t.Errorf("%v after %v", n, took)
			}
		})
	}
}

// fill has n idle connections in the pool.
func fill(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	db.SetMaxIdleConns(n)
	for range n {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
}

// TestBusyPoolIsTransient has a pool whose connections are all in use by others.
func TestBusyPoolIsTransient(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		seq := tickets(store, "k")
		if _, err := seq.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(2)
		var held []interface{ Close() error }
		for range 2 {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, conn)
		}
		const want = "all 2 connections are in use, perhaps by transactions that wait for this draw: draw before these transactions begin, or give the store a *sql.DB of its own"
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		_, _, err := store.Driver().Draw(ctx, driver.Draw{Key: "k", Version: 1, N: 1, Most: 9})
		if err == nil || err.Error() != want || !store.Driver().Transient(err) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Draw() = %v", err)
		}
		// A caller who waits gets its number once a connection is free.
		time.AfterFunc(200*time.Millisecond, func() { held[0].Close() })
		if n, err := seq.Next(t.Context()); err != nil || n.Ordinal != 2 {
			t.Errorf("Next() = %v, %v", n, err)
		}
		held[1].Close()
	})
}

// TestTransientFailures makes each failure happen.
func TestTransientFailures(t *testing.T) {
	t.Parallel()
	pg, my := onPgx(t), map[string]server{}
	silent := wire.Silent(t)
	servers := []server{pg}
	for _, e := range mysqlserver.Engines() {
		my[e.Name] = on(e)(t)
		servers = append(servers, my[e.Name])
	}
	for _, s := range servers {
		store, db := s.store(t)
		if _, err := tickets(store, "k").Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		execute(t, tx, "UPDATE sequences SET x = x + 1") // and so holds the row
	}
	pq := pg
	pq.driver = "postgres"
	type failure struct {
		name string
		s    server
		want string
	}
	failures := []failure{
		{"lock timeout", pg.with(t, "lock_timeout", "50"), "55P03"},
		{"statement timeout", pg.with(t, "statement_timeout", "50"), "57014"},
		{"read-only", pg.with(t, "default_transaction_read_only", "on"), "25006"},
		{"connect timeout", server{"", "pgx", "postgres://postgres@" + silent + "/postgres?sslmode=disable&connect_timeout=1", pg.dialect}, "timeout"},
		{"connection refused", server{"", "pgx", "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable", pg.dialect}, "connection refused"},
		{"pq, lock timeout", pq.with(t, "lock_timeout", "50"), "55P03"},
		{"pq, statement timeout", pq.with(t, "statement_timeout", "50"), "57014"},
		{"pq, connect timeout", server{"", "postgres", "postgres://postgres@" + silent + "/postgres?sslmode=disable&connect_timeout=1", pg.dialect}, "timeout"},
		{"mysql, connection refused", server{"", "mysql", "root@tcp(127.0.0.1:1)/test", sqlsequence.MySQL}, "connection refused"},
		{"mysql, silent server", server{"", "mysql", "root@tcp(" + silent + ")/test?readTimeout=200ms", sqlsequence.MySQL}, ""},
	}
	permanent := map[string]server{
		"no such database": {"", "pgx", strings.Replace(pg.dsn, "/oidkit_test", "/no_such", 1), pg.dialect},
	}
	for name, s := range my {
		failures = append(failures, failure{name + ", lock wait timeout", s.with(t, "innodb_lock_wait_timeout", "1"), "1205"})
		permanent[name+", wrong password"] = server{"", "mysql", "nobody:wrong@" + s.dsn[strings.Index(s.dsn, "@")+1:], s.dialect}
	}
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			store := sqlsequence.New(tt.s.open(t), "sequences", tt.s.dialect)
			err := failureOf(t, store)
			if !sequence.IsTransient(err) || !strings.Contains(fmt.Sprint(err), tt.want) || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Next() = %v, want a transient failure with %q that isn't the deadline of the caller", err, tt.want)
			}
		})
	}
	for name, s := range permanent {
		store := sqlsequence.New(s.open(t), "sequences", s.dialect)
		if _, err := tickets(store, "k").Next(t.Context()); err == nil || sequence.IsTransient(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLockedSQLiteSaysWhoMayHoldTheLock draws while a transaction writes.
func TestLockedSQLiteSaysWhoMayHoldTheLock(t *testing.T) {
	t.Parallel()
	for _, open := range sqliteDrivers {
		s := open(t)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, db := s.store(t)
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			execute(t, tx, "INSERT INTO sequences (key, meaning, base, version) VALUES ('a', '', 0, 1)")
			s.dsn = strings.NewReplacer("(5000", "(10", "=5000", "=10").Replace(s.dsn) // its path may have a 5000 too
			impatient := sqlsequence.New(s.open(t), "sequences", s.dialect)
			err = failureOf(t, impatient)
			if !sequence.IsTransient(err) || !strings.HasSuffix(err.Error(), "perhaps your own transaction holds the lock: draw before that transaction begins, or call NextIn in it") {
				t.Errorf("Next() = %v", err)
			}
			other, err := s.open(t).Begin()
			if err != nil {
				t.Fatal(err)
			}
			defer other.Rollback()
			_, err = positions(impatient, "k").NextIn(t.Context(), impatient.Tx(other))
			if !sequence.IsTransient(err) || !strings.HasSuffix(err.Error(), "use InTx, or open the database with _txlock=immediate and a busy_timeout") {
				t.Errorf("NextIn() = %v", err)
			}
		})
	}
}

// TestReadOnlyServerIsLeftForTheNewPrimary has sessions that are read-only, as on a
// primary that a failover has demoted.
func TestReadOnlyServerIsLeftForTheNewPrimary(t *testing.T) {
	t.Parallel()
	s := onPgx(t)
	_, admin := s.store(t)
	var name string
	if err := admin.QueryRow("SELECT quote_ident(current_database())").Scan(&name); err != nil {
		t.Fatal(err)
	}
	execute(t, admin, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	db := s.open(t)
	fill(t, db, 5) // connects now, and so is read-only for good
	execute(t, admin, "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
	execute(t, admin, "ALTER DATABASE "+name+" RESET default_transaction_read_only")
	if n, err := tickets(sqlsequence.New(db, "sequences", s.dialect), "k").Next(t.Context()); err != nil || n.Ordinal != 1 {
		t.Errorf("%v, %v", n, err)
	}
}

// TestDrawsWhereTransactionsAreSerializable has four programs draw in sessions where one
// of two updates of a row fails if they meet. It did nothing then, and is made again.
func TestDrawsWhereTransactionsAreSerializable(t *testing.T) {
	t.Parallel()
	for _, open := range []func(testing.TB) server{onPgx, onPq} {
		s := open(t)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, _ := s.store(t)
			if _, err := tickets(store, "k").Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := s.with(t, "default_transaction_isolation", "serializable")
			var mu sync.Mutex
			seen := map[int64]bool{}
			var wg sync.WaitGroup
			for range 4 {
				store := sqlsequence.New(s.open(t), "sequences", s.dialect)
				wg.Go(func() {
					seq := tickets(store, "k")
					for range 50 {
						n, err := seq.Next(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						seen[n.Ordinal] = true
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if len(seen) != 200 || !seen[2] || !seen[201] {
				t.Errorf("%d numbers", len(seen))
			}
		})
	}
}

// failureOf returns the first failure of a draw that is tried again and again.
func failureOf(t *testing.T, store sequence.Store) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	failures := make(chan error, 1)
	_, err := tickets(store, "k", sequence.WithObserver(func(t sequence.Trip) {
		if t.Err != nil {
			select {
			case failures <- t.Err:
			default:
			}
			cancel()
		}
	})).Next(ctx)
	select {
	case err := <-failures:
		return err
	case <-time.After(5 * time.Second):
		return err
	}
}
