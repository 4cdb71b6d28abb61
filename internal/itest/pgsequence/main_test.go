// Package pgsequence_test shows what package pgsequence promises on a real PostgreSQL.
package pgsequence_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

func TestMain(m *testing.M) {
	daemon.AtOnce(8)
	m.Run()
}

// TestStorePassesTheSuite runs it in each mode of pgx, and where transactions are
// serializable by default.
func TestStorePassesTheSuite(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*pgxpool.Config){
		"default":      func(*pgxpool.Config) {},
		"serializable": parameter("default_transaction_isolation", "serializable"),
		"describe":     mode(pgx.QueryExecModeCacheDescribe),
		"exec":         mode(pgx.QueryExecModeExec),
		"simple":       mode(pgx.QueryExecModeSimpleProtocol),
		"uncached":     mode(pgx.QueryExecModeDescribeExec),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := pgserver.Database(t)
			drivertest.Run(t, func(t testing.TB) driver.Driver {
				return newStore(t, newPool(t, uri, change)).Driver()
			}, begin(newPool(t, uri, change)))
		})
	}
}

func TestStoreSurvivesCrashes(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	drivertest.RunCrashes(t, func(t testing.TB) driver.Driver { return newStore(t, newPool(t, server.DSN)).Driver() }, func(t testing.TB) {
		if err := server.Restart(); err != nil {
			t.Error(err)
		}
	})
}

// TestHookThatBeginsATransactionIsRefused has a pool whose connections commit nothing.
func TestHookThatBeginsATransactionIsRefused(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	begins := func(ctx context.Context, conn *pgx.Conn) error { _, err := conn.Exec(ctx, "BEGIN"); return err }
	for name, change := range map[string]func(*pgxpool.Config){
		"AfterConnect": func(cfg *pgxpool.Config) { cfg.AfterConnect = begins },
		"PrepareConn": func(cfg *pgxpool.Config) {
			cfg.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) { return true, begins(ctx, conn) }
		},
	} {
		bad := newStore(t, newPool(t, uri, change))
		_, err := sequence.New(bad, "k", sequence.Plan{First: 1, Last: 9}).Next(t.Context())
		for call, err := range map[string]error{"Next": err, "Migrate": bad.Migrate(t.Context())} {
			if err == nil || sequence.IsTransient(err) || !strings.Contains(err.Error(), "has begun a transaction") {
				t.Errorf("%s with %s: %v", call, name, err)
			}
		}
	}
	if n, err := sequence.New(newStore(t, pool), "k", sequence.Plan{First: 1, Last: 9}).Next(t.Context()); n.Ordinal != 1 || err != nil {
		t.Errorf("Next() of another program = %v, %v", n, err)
	}
}

// begin returns a function that begins a transaction and binds a driver to it.
func begin(pool *pgxpool.Pool) func(context.Context) (driver.Driver, func(bool) error, error) {
	store := pgsequence.New(pool, "sequences")
	return func(ctx context.Context) (driver.Driver, func(bool) error, error) {
		tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
		if err != nil {
			return nil, nil, err
		}
		return store.Tx(tx).Driver(), func(commit bool) error {
			if commit {
				return tx.Commit(ctx)
			}
			return tx.Rollback(ctx)
		}, nil
	}
}

// newPool returns a pool for the rest of the test.
func newPool(t testing.TB, uri string, changes ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(uri)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 20
	for _, change := range changes {
		change(cfg)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func mode(m pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(cfg *pgxpool.Config) { cfg.ConnConfig.DefaultQueryExecMode = m }
}

func parameter(name, value string) func(*pgxpool.Config) {
	return func(cfg *pgxpool.Config) { cfg.ConnConfig.RuntimeParams[name] = value }
}

// newStore returns the store of the table sequences for the rest of the test.
func newStore(t testing.TB, pool *pgxpool.Pool, opts ...pgsequence.Option) *pgsequence.Store {
	t.Helper()
	s := pgsequence.New(pool, "sequences", opts...)
	t.Cleanup(s.Close)
	return s
}

// migrated returns the URI of a database with the table, and a pool for it.
func migrated(t testing.TB) (uri string, pool *pgxpool.Pool) {
	t.Helper()
	uri = pgserver.Database(t)
	pool = newPool(t, uri)
	if err := newStore(t, pool).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return uri, pool
}

// version is that of the rows that newRow makes.
const version = 1 << 40

// newRow makes the row k.
func newRow(t testing.TB, s *pgsequence.Store) {
	t.Helper()
	r := driver.Row{Key: "k", Meaning: "m", Version: version}
	if ok, err := s.Driver().Put(t.Context(), r, 0); err != nil || !ok {
		t.Fatalf("Put: %v, %v", ok, err)
	}
}

// one is a draw of one number from the row k.
var one = driver.Draw{Key: "k", Version: version, N: 1, Most: 1 << 62, Limit: 5 * time.Second}

// shared is one that other programs make too.
var shared = func(d driver.Draw) driver.Draw { d.Others = true; return d }(one)

// drawShared draws a number from the row k, from which others draw too.
func drawShared(t testing.TB, s *pgsequence.Store) int64 {
	t.Helper()
	st, ok, err := s.Driver().Draw(t.Context(), shared)
	if err != nil || !ok {
		t.Fatalf("Draw = %+v, %v, %v", st, ok, err)
	}
	return st.After
}

// draw draws a number from the row k.
func draw(t testing.TB, s *pgsequence.Store) int64 {
	t.Helper()
	st, ok, err := s.Driver().Draw(t.Context(), one)
	if err != nil || !ok {
		t.Fatalf("Draw = %+v, %v, %v", st, ok, err)
	}
	return st.After
}

func execute(t testing.TB, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// scan scans the row that a statement returns.
func scan(t testing.TB, pool *pgxpool.Pool, sql string, to ...any) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), sql).Scan(to...); err != nil {
		t.Fatal(err)
	}
}

// with returns uri with a parameter.
func with(t testing.TB, uri, name, value string) string {
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

// until waits for a condition.
func until(t testing.TB, condition func() bool) {
	t.Helper()
	for begin := time.Now(); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("waited for a minute")
		}
	}
}

// newRole makes a role until the end of the test, which may use the schema public.
func newRole(t testing.TB, uri string, pool *pgxpool.Pool, attributes string) string {
	t.Helper()
	role := fmt.Sprintf("role_%d", time.Now().UnixNano()) // roles belong to the whole server
	execute(t, pool, "CREATE ROLE "+role+" "+attributes)
	t.Cleanup(func() {
		ctx := context.Background() // t.Context is over when the clean-up runs
		conn, err := pgx.Connect(ctx, uri)
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, "DROP OWNED BY "+role+"; DROP ROLE "+role)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return role
}
