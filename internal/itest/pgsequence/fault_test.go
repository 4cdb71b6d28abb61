package pgsequence_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

// TestTransientFailures makes each failure happen.
func TestTransientFailures(t *testing.T) {
	t.Parallel()
	uri, admin := migrated(t)
	newRow(t, newStore(t, admin))
	role := newRole(t, uri, admin, "LOGIN CONNECTION LIMIT 0")
	execute(t, admin, "GRANT ALL ON sequences TO "+role)
	crowded, err := url.Parse(uri)
	if err != nil {
		t.Skipf("a DSN that is not a URL: %v", err)
	}
	crowded.User = url.User(role)
	locked, err := admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Rollback(context.Background())
	if _, err := locked.Exec(t.Context(), "SELECT * FROM sequences WHERE key = 'k' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, uri string
		limit     time.Duration
		want      string
		transient bool
	}{
		{"too many connections", crowded.String(), 0, "53300", true},
		{"lock timeout", with(t, uri, "lock_timeout", "50"), 0, "55P03", true},
		{"statement timeout", with(t, uri, "statement_timeout", "50"), 0, "57014", true},
		{"read-only", with(t, uri, "default_transaction_read_only", "on"), 0, "25006", true},
		{"limit", uri, 50 * time.Millisecond, "no answer in time: ", true},
		{"connect timeout", "postgres://postgres@" + wire.Silent(t) + "/postgres?sslmode=disable&connect_timeout=1", 0, "no answer in time: failed to connect", true},
		{"connection refused", "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable", 0, "connection refused", true},
		{"no such database", strings.Replace(uri, "/oidkit_test", "/no_such", 1), 0, "3D000", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newStore(t, newPool(t, tt.uri)).Driver()
			step := one
			step.Limit = tt.limit
			_, ok, err := d.Draw(t.Context(), step)
			if ok || err == nil || d.Transient(err) != tt.transient || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, %v, want a failure with %s, transient %v", ok, err, tt.want, tt.transient)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v is a deadline, which the caller has not", err)
			}
			if _, _, err := d.Read(t.Context(), "k"); errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Read: %v is a deadline, which the caller has not", err)
			}
		})
	}
	d := newStore(t, newPool(t, uri)).Driver()
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, ok, err := d.Draw(short, one); ok || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at the caller's deadline: %v, %v", ok, err)
	}
	other := pgsequence.New(admin, "pg_class")
	defer other.Close()
	if _, _, err := other.Driver().Draw(t.Context(), one); err == nil || other.Driver().Transient(err) {
		t.Errorf("no such column: %v", err)
	}
}

// TestSilentServerIsATransientFailure connects to it, with pgx at its defaults.
func TestSilentServerIsATransientFailure(t *testing.T) {
	t.Parallel()
	d := newStore(t, newPool(t, "postgres://postgres@"+wire.Silent(t)+"/postgres?sslmode=disable")).Driver()
	if _, ok, err := d.Draw(t.Context(), one); ok || !d.Transient(err) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", ok, err)
	}
}

// TestReadOnlyServerIsLeftForTheNewPrimary makes existing sessions read-only, as on a
// primary that a failover has demoted.
func TestReadOnlyServerIsLeftForTheNewPrimary(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	newRow(t, newStore(t, pool))
	const alter = "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || quote_ident(current_database()) || ' SET default_transaction_read_only = on'; END $$"
	execute(t, pool, alter)
	s := newStore(t, newPool(t, uri)) // connects now, and so is read-only for good
	if _, ok, err := s.Driver().Draw(t.Context(), one); ok || !s.Driver().Transient(err) {
		t.Errorf("%v, %v", ok, err)
	}
	execute(t, pool, strings.Replace(alter, "SET default_transaction_read_only = on", "RESET default_transaction_read_only", 1))
	if got := draw(t, s); got != 1 {
		t.Errorf("number %d after the failover", got)
	}
}

// through returns uri with a wire before its server.
func through(t *testing.T, uri string) (string, *wire.Wire) {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		t.Skipf("a DSN that is not a URL with a host: %v", err)
	}
	w := wire.Start(t, u.Host)
	u.Host = w.Addr()
	return u.String(), w
}

// TestSilentConnectionsCostOneLimit has all pooled connections go silent, time and again,
// right after they were used, and after they were idle for so long that pgx pings them.
func TestSilentConnectionsCostOneLimit(t *testing.T) {
	t.Parallel()
	for _, conns := range []int{1, 8} {
		for _, idle := range []time.Duration{0, 1100 * time.Millisecond} {
			t.Run(fmt.Sprintf("%d connections, idle for %v", conns, idle), func(t *testing.T) {
				t.Parallel()
				uri, pool := migrated(t)
				newRow(t, newStore(t, pool))
				uri, w := through(t, uri)
				s := newStore(t, newPool(t, uri), pgsequence.WithMaxConns(conns))
				for range 3 {
					for range 20 { // until there are so many connections
						var wg sync.WaitGroup
						for range conns {
							wg.Go(func() { draw(t, s) })
						}
						wg.Wait()
					}
					time.Sleep(idle)
					w.Break(wire.Silence)
					if idle == 0 { // a draw fails, and no connection is trusted after that
						step := one
						step.Limit = time.Second
						if _, ok, err := s.Driver().Draw(t.Context(), step); ok || !s.Driver().Transient(err) {
							t.Fatalf("on a silent connection: %v, %v", ok, err)
						}
					}
					// pgx says good-bye to a silent connection for 15 seconds.
					short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
					if _, ok, err := s.Driver().Draw(short, one); !ok {
						t.Fatalf("after that: %v", err)
					}
					cancel()
				}
			})
		}
	}
}

// TestLimitBeginsWithTheConnection has one connection, and more draws than it can make
// within their limit.
func TestLimitBeginsWithTheConnection(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	s := newStore(t, newPool(t, uri), pgsequence.WithMaxConns(1))
	newRow(t, s)
	execute(t, pool, `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$;
		CREATE TRIGGER wait BEFORE UPDATE ON sequences FOR EACH ROW EXECUTE FUNCTION wait()`)
	step := one
	step.Limit = time.Second
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, ok, err := s.Driver().Draw(t.Context(), step); err != nil || !ok {
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
	wg.Wait()

	execute(t, pool, "CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$")
	wg.Go(func() { draw(t, s) })
	until(t, func() bool {
		var n int
		scan(t, pool, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()", &n)
		return n == 1
	})
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err := s.Driver().Draw(short, one)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "all 1 connections of the store are in use: allow more with WithMaxConns") {
		t.Errorf("%v", err)
	}
	wg.Wait()
}

// TestConnectionsThatTheServerClosedAreReplaced ends the sessions of a store that was
// idle, and of one that wasn't.
func TestConnectionsThatTheServerClosedAreReplaced(t *testing.T) {
	t.Parallel()
	for _, idle := range []time.Duration{0, 1100 * time.Millisecond} {
		uri, pool := migrated(t)
		s := newStore(t, newPool(t, uri, parameter("application_name", "drawer")))
		newRow(t, s)
		draw(t, s)
		time.Sleep(idle)
		execute(t, pool, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'drawer' AND datname = current_database()")
		_, ok, err := s.Driver().Draw(t.Context(), one)
		if idle == 0 && !ok {
			if !s.Driver().Transient(err) {
				t.Errorf("%v", err)
			}
			_, ok, err = s.Driver().Draw(t.Context(), one)
		}
		if !ok {
			t.Errorf("idle for %v: %v", idle, err)
		}
	}
}
