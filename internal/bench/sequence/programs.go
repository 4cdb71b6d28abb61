package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/internal/servers/legacycounter"
	"github.com/oidkit/oidkit/internal/servers/mariadb"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// crowds are how many programs draw from one key, and how many callers each has.
var crowds = []struct{ programs, callers int }{{1, 1}, {1, 20}, {1, 200}, {4, 5}, {8, 2}, {8, 25}}

// A method is one to draw, for one program. open returns it, and what ends it.
type method struct {
	name string
	open func(ctx context.Context, program int) (draw func(ctx context.Context, caller int) error, end func(), err error)
}

// onPrograms measures all methods on PostgreSQL, in programs that have connections of
// their own and share nothing else. They are parts of this process.
func onPrograms(ctx context.Context) error {
	server, err := postgres.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	admin, err := pgxpool.New(ctx, server.DSN)
	if err != nil {
		return err
	}
	defer admin.Close()
	setup := []string{
		"CREATE SEQUENCE plain", "CREATE TABLE hot (key text PRIMARY KEY, n bigint NOT NULL)", "INSERT INTO hot VALUES ('k', 0)",
		"CREATE TABLE own (key text PRIMARY KEY, n bigint NOT NULL)",
	}
	if *flush > 0 {
		setup = append(setup, fmt.Sprintf("ALTER SYSTEM SET commit_delay = %d", flush.Microseconds()), "ALTER SYSTEM SET commit_siblings = 0", "SELECT pg_reload_conf()")
	}
	for _, statement := range setup {
		if _, err := admin.Exec(ctx, statement); err != nil {
			return err
		}
	}
	store := pgsequence.New(admin, "sequences")
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	for _, key := range []string{"next", "stamps", "sql"} {
		if err := store.Create(ctx, key, sequence.Plan{First: 1, Last: 99, Cycle: true}); err != nil {
			return err
		}
	}

	pooled := func(f func(pool *pgxpool.Pool, program int) func(context.Context, int) error) func(context.Context, int) (func(context.Context, int) error, func(), error) {
		return func(ctx context.Context, program int) (func(context.Context, int) error, func(), error) {
			cfg, err := pgxpool.ParseConfig(server.DSN)
			if err != nil {
				return nil, nil, err
			}
			cfg.MaxConns = 10
			pool, err := pgxpool.NewWithConfig(ctx, cfg)
			if err != nil {
				return nil, nil, err
			}
			return f(pool, program), pool.Close, nil
		}
	}
	raw := func(query string, args func(program, caller int) []any) func(context.Context, int) (func(context.Context, int) error, func(), error) {
		return pooled(func(pool *pgxpool.Pool, program int) func(context.Context, int) error {
			return func(ctx context.Context, caller int) error {
				var n int64
				return pool.QueryRow(ctx, query, args(program, caller)...).Scan(&n)
			}
		})
	}
	ours := func(f func(s *pgsequence.Store) func(context.Context, int) error) func(context.Context, int) (func(context.Context, int) error, func(), error) {
		return func(ctx context.Context, program int) (func(context.Context, int) error, func(), error) {
			s := pgsequence.New(admin, "sequences")
			return f(s), s.Close, nil
		}
	}
	none := func(int, int) []any { return nil }
	hot := func(int, int) []any { return []any{"k"} }
	return grid(ctx, "PostgreSQL, one key, "+flushText(), []method{
		{"pgsequence Next", ours(func(s *pgsequence.Store) func(context.Context, int) error {
			seq := sequence.New(s, "next")
			return func(ctx context.Context, _ int) error { _, err := seq.Next(ctx); return err }
		})},
		{"pgsequence stamps", ours(func(s *pgsequence.Store) func(context.Context, int) error {
			stamper := sequence.NewStamper(s, "stamps")
			return func(ctx context.Context, _ int) error { _, err := stamper.Next(ctx); return err }
		})},
		{"pgsequence Numbering", ours(func(s *pgsequence.Store) func(context.Context, int) error {
			n := sequence.NewNumbering(s, "numbers", "INV-{2006}-{0+}")
			return func(ctx context.Context, _ int) error { _, err := n.Next(ctx); return err }
		})},
		{"sqlsequence Next", func(ctx context.Context, _ int) (func(context.Context, int) error, func(), error) {
			db, err := sql.Open("pgx", server.DSN)
			if err != nil {
				return nil, nil, err
			}
			seq := sequence.New(sqlsequence.New(db, "sequences", sqlsequence.PostgreSQL), "sql")
			return func(ctx context.Context, _ int) error { _, err := seq.Next(ctx); return err }, func() { db.Close() }, nil
		}},
		{"nextval", raw("SELECT nextval('plain')", none)},
		{"UPDATE … RETURNING", raw("UPDATE hot SET n = n + 1 WHERE key = $1 RETURNING n", hot)},
		{"INSERT … ON CONFLICT", raw("INSERT INTO hot VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET n = hot.n + 1 RETURNING n", hot)},
		{"a row per caller", raw("INSERT INTO own VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET n = own.n + 1 RETURNING n",
			func(program, caller int) []any { return []any{fmt.Sprint(program, "/", caller)} })},
	})
}

func flushText() string {
	if *flush > 0 {
		return fmt.Sprintf("a flush takes %v (commit_delay)", *flush)
	}
	return "this disk"
}

// grid prints the draws per second of each method in each crowd.
func grid(ctx context.Context, title string, methods []method) error {
	fmt.Printf("\n%s: draws per second, programs × callers\n\n", title)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "method\t")
	for _, c := range crowds {
		fmt.Fprintf(w, "%d × %d\t", c.programs, c.callers)
	}
	fmt.Fprintln(w)
	for _, m := range methods {
		fmt.Fprintf(w, "%s\t", m.name)
		for _, c := range crowds {
			rate, err := crowd(ctx, m, c.programs, c.callers)
			if err != nil {
				return fmt.Errorf("%s, %d programs with %d callers: %w", m.name, c.programs, c.callers, err)
			}
			fmt.Fprintf(w, "%.0f\t", rate)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// crowd has the callers draw for the time of -each, and returns the draws per second.
func crowd(ctx context.Context, m method, programs, callers int) (float64, error) {
	var draws atomic.Int64
	var stop atomic.Bool
	errs := make([]error, programs)
	var wg sync.WaitGroup
	for p := range programs {
		draw, end, err := m.open(ctx, p)
		if err != nil {
			return 0, err
		}
		defer end()
		for c := range callers {
			wg.Go(func() {
				for !stop.Load() {
					if err := draw(ctx, c); err != nil {
						errs[p] = err
						return
					}
					draws.Add(1)
				}
			})
		}
	}
	time.Sleep(*each / 4) // connect, and find out who else draws
	before, begin := draws.Load(), time.Now()
	time.Sleep(*each)
	rate := float64(draws.Load()-before) / time.Since(begin).Seconds()
	stop.Store(true)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return rate, nil
}

func onMySQL(ctx context.Context) error {
	server, err := mariadb.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	return onSQL(ctx, "MariaDB, durable", "mysql", server.DSN, sqlsequence.MySQL)
}

func onSQLite(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "oidkit-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return onSQL(ctx, "SQLite in WAL mode, synchronous FULL", "sqlite",
		"file:"+filepath.Join(folder, "bench.db")+"?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)", sqlsequence.SQLite)
}

func onSQL(ctx context.Context, name, driver, dsn string, d sqlsequence.Dialect) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxIdleConns(*callers)
	store := sqlsequence.New(db, "sequences", d)
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	ways := []way{loop(
		func(ctx context.Context, key string) error { return legacycounter.SQLCreate(ctx, db, key, *last) },
		func(ctx context.Context, key string) (int64, int, error) { return legacycounter.SQL(ctx, db, key) },
	)}
	return table(ctx, name, append(ways, ours(store)...))
}
