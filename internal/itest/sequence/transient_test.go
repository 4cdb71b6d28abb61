package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/mariadb"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// with returns uri with a parameter.
func with(t *testing.T, uri, name, value string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Skipf("a DSN that is not a URL: %v", err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// silent returns the address of a server that accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	return l.Addr().String()
}

// TestTransientFailuresOfPostgreSQL makes each failure happen, in both packages.
func TestTransientFailuresOfPostgreSQL(t *testing.T) {
	p := postgres(t)
	create(t, p.mustOpen(t), 1, 99)
	admin := p.pool(t)
	role := fmt.Sprintf("crowd_%d", time.Now().UnixNano())
	execute(t, admin, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 0; GRANT ALL ON sequences TO "+role)
	t.Cleanup(func() {
		pool, err := pgxpool.New(context.Background(), p.uri)
		if err != nil {
			t.Error(err)
			return
		}
		defer pool.Close()
		if _, err := pool.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	crowded, err := url.Parse(p.uri)
	if err != nil {
		t.Skipf("a DSN that is not a URL: %v", err)
	}
	crowded.User = url.User(role)

	locked, err := admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locked.Exec(t.Context(), "SELECT * FROM sequences WHERE key = 'k' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, uri, want string }{
		{"too many connections", crowded.String(), "53300"},
		{"lock timeout", with(t, p.uri, "lock_timeout", "50"), "55P03"},
		{"statement timeout", with(t, p.uri, "statement_timeout", "50"), "57014"},
		{"read-only", with(t, p.uri, "default_transaction_read_only", "on"), "25006"},
		{"connect timeout", "postgres://postgres@" + silent(t) + "/postgres?sslmode=disable&connect_timeout=1", "timeout"},
		{"connection refused", "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable", "connection refused"},
	} {
		for _, kind := range []string{"postgres", "sql postgres"} {
			t.Run(tt.name+"/"+kind, func(t *testing.T) {
				s := place{kind: kind, uri: tt.uri}.mustOpen(t)
				_, err := s.Take(t.Context(), "k", 1)
				if !errors.Is(err, sequence.ErrTransient) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want a transient failure with %s", err, tt.want)
				}
				// A context can end between a transient failure and the look at it,
				// but not after each of three times.
				atDeadline := func(limit time.Duration) (isTransient bool, err error) {
					ctx, cancel := context.WithTimeout(t.Context(), limit)
					defer cancel()
					_, err = s.Take(ctx, "k", 1)
					return errors.Is(err, sequence.ErrTransient) && ctx.Err() != nil, err
				}
				for try := 1; tt.want != "53300"; try++ {
					isTransient, err := atDeadline(20 * time.Millisecond / time.Duration(try))
					if !isTransient {
						break
					}
					if try == 3 {
						t.Fatalf("at the caller's own deadline: %v", err)
					}
				}
			})
		}
	}
	for name, uri := range map[string]string{
		"no such database": strings.Replace(p.uri, "/oidkit_test", "/no_such", 1),
		"no such column":   p.uri,
	} {
		cfg, err := pgxpool.ParseConfig(uri)
		if err != nil {
			t.Fatal(err)
		}
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		s := pgsequence.New(pool, "pg_class")
		defer s.Close()
		if _, err := s.Take(t.Context(), "k", 1); err == nil || errors.Is(err, sequence.ErrTransient) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := locked.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestReadOnlyServerIsLeftForTheNewPrimary makes existing sessions read-only, as on a
// primary that a failover has demoted.
func TestReadOnlyServerIsLeftForTheNewPrimary(t *testing.T) {
	p := postgres(t)
	s := p.mustOpen(t)
	create(t, s, 1, 99)
	name := "current_database()"
	pool := p.pool(t)
	execute(t, pool, "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || quote_ident("+name+") || ' SET default_transaction_read_only = on'; END $$")
	fresh := p.mustOpen(t) // connects now, and so is read-only for good
	if _, err := fresh.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) {
		t.Errorf("%v", err)
	}
	execute(t, pool, "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || quote_ident("+name+") || ' RESET default_transaction_read_only'; END $$")
	if _, err := sequence.New(fresh, "k").Next(t.Context()); err != nil {
		t.Errorf("after the failover: %v", err)
	}
}

func TestTransientFailuresOfMySQL(t *testing.T) {
	p := migrated(t, place{kind: "mysql", uri: mariadb.Database(t)})
	create(t, p.mustOpen(t), 1, 99)
	locked, err := p.db(t).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Rollback()
	if _, err := locked.Exec("SELECT * FROM sequences WHERE `key` = 'k' FOR UPDATE"); err == nil {
		_, err = locked.Exec("UPDATE sequences SET count = count + 1 WHERE `key` = 'k'")
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, uri := range map[string]string{
		"lock wait timeout":  p.uri + "&innodb_lock_wait_timeout=1",
		"connection refused": "root@tcp(127.0.0.1:1)/test",
		"silent server":      "root@tcp(" + silent(t) + ")/test?readTimeout=200ms",
	} {
		s := place{kind: "mysql", uri: uri}.mustOpen(t)
		if _, err := s.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := place{kind: "mysql", uri: "nobody:wrong@" + p.uri[strings.Index(p.uri, "@")+1:]}.mustOpen(t)
	if _, err := s.Take(t.Context(), "k", 1); err == nil || errors.Is(err, sequence.ErrTransient) {
		t.Errorf("wrong password: %v", err)
	}
}

func TestLockedSQLiteIsATransientFailure(t *testing.T) {
	p := sqlite(t)
	create(t, p.mustOpen(t), 1, 99)
	p.uri = strings.Replace(p.uri, "busy_timeout(20000)", "busy_timeout(10)", 1)
	tx, err := p.db(t).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	s := p.mustOpen(t)
	const remedy = "perhaps your own transaction holds the lock: draw before it, or use NextTx"
	if _, err := s.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) || !strings.HasSuffix(err.Error(), remedy) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := sequence.New(s, "k").Next(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(), remedy) {
		t.Errorf("at the caller's deadline: %v", err)
	}

	// In a transaction that took no lock when it began, that remedy would be wrong.
	p.uri = strings.Replace(p.uri, "_txlock=immediate", "_txlock=deferred", 1)
	deferred, err := p.db(t).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer deferred.Rollback()
	_, err = s.(*sqlsequence.Store).NextTx(t.Context(), deferred, sequence.NewNumbering(s, "n", "{0}", sequence.WithGapFree()))
	if !errors.Is(err, sequence.ErrTransient) || !strings.HasSuffix(err.Error(), ": open the database with _txlock=immediate and a busy_timeout") {
		t.Errorf("NextTx: %v", err)
	}
}

func TestNoServerToSelectIsATransientFailure(t *testing.T) {
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://127.0.0.1:1").SetServerSelectionTimeout(100 * time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Disconnect(context.Background())
	s := mongosequence.New(client.Database("d").Collection("c"))
	if _, err := s.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Take(ctx, "k", 1); errors.Is(err, sequence.ErrTransient) {
		t.Errorf("at the caller's own deadline: %v", err)
	}
}
