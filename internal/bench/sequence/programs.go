package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/legacycounter"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// A crowd is how many programs draw from one key, and how many callers each has.
type crowd struct{ programs, callers int }

// parseCrowds reads a list such as 1x20,4x5.
func parseCrowds(text string) (crowds []crowd, err error) {
	for _, field := range strings.Split(text, ",") {
		var c crowd
		if _, err := fmt.Sscanf(field, "%dx%d", &c.programs, &c.callers); err != nil || c.programs < 1 || c.callers < 1 {
			return nil, fmt.Errorf("-crowds: %q is not programs x callers, such as 4x20", field)
		}
		crowds = append(crowds, c)
	}
	return crowds, nil
}

// lease is that of the methods which have one.
var lease = sequence.WithLease(100, time.Second)

// A method is one to draw, for one program. open returns it, and what ends it.
type method struct {
	name string
	open func(ctx context.Context, program int) (draw func(ctx context.Context, caller int) error, end func(), err error)
}

// onPrograms measures all methods on each store, in programs that have connections of
// their own and share nothing else. They are parts of this process.
func onPrograms(ctx context.Context) error {
	rate, err := flushes()
	if err != nil {
		return err
	}
	fmt.Printf("\none file on this disk: %.0f flushes of 8 KB per second\n", rate)
	for _, store := range strings.Split(*stores, ",") {
		measure := map[string]func(context.Context) error{
			"postgres": postgresPrograms, "mysql": mysqlPrograms, "sqlite": sqlitePrograms, "mongo": mongoPrograms,
		}[store]
		if measure == nil {
			return fmt.Errorf("no store %q", store)
		}
		if err := measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flushes returns how often per second this disk takes a page for good.
func flushes() (perSecond float64, err error) {
	f, err := os.CreateTemp("", "oidkit-bench-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	n, begin := 0, time.Now()
	for ; time.Since(begin) < *each; n++ {
		if _, err := f.Write(make([]byte, 8192)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(begin).Seconds(), nil
}

func postgresPrograms(ctx context.Context) error {
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
	if _, err := store.Driver().Put(ctx, driver.Row{Key: "own", Version: 1}, 0); err != nil {
		return err
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
	next := func(opts ...sequence.Option) func(s *pgsequence.Store) func(context.Context, int) error {
		return func(s *pgsequence.Store) func(context.Context, int) error {
			seq := sequence.New(s, "next", cycling, opts...)
			return func(ctx context.Context, _ int) error { _, err := seq.Next(ctx); return err }
		}
	}
	none := func(int, int) []any { return nil }
	hot := func(int, int) []any { return []any{"k"} }
	update := method{"`UPDATE … RETURNING`", raw("UPDATE hot SET n = n + 1 WHERE key = $1 RETURNING n", hot)}
	whole := method{"pgsequence, `Sequence.Next`", ours(next())}
	methods := []method{
		whole,
		{"pgsequence, `Sequence.Next` with a lease of 100", ours(next(lease))},
		{"pgsequence, `Stamper.Next`", ours(func(s *pgsequence.Store) func(context.Context, int) error {
			stamper := sequence.NewStamper(s, "stamps")
			return func(ctx context.Context, _ int) error { _, err := stamper.Next(ctx); return err }
		})},
		{"pgsequence, `Numbering.Next`", ours(func(s *pgsequence.Store) func(context.Context, int) error {
			n := sequence.NewNumbering(s, "numbers", "INV-{2006}-{0+}")
			return func(ctx context.Context, _ int) error { _, err := n.Next(ctx); return err }
		})},
		{"sqlsequence, `Sequence.Next`", func(ctx context.Context, _ int) (func(context.Context, int) error, func(), error) {
			db, err := sql.Open("pgx", server.DSN)
			if err != nil {
				return nil, nil, err
			}
			seq := sequence.New(sqlsequence.New(db, "sequences", sqlsequence.PostgreSQL), "sql", cycling)
			return func(ctx context.Context, _ int) error { _, err := seq.Next(ctx); return err }, func() { db.Close() }, nil
		}},
		{"`nextval`, which waits for no flush", raw("SELECT nextval('plain')", none)},
		update,
		{"`INSERT … ON CONFLICT`", raw("INSERT INTO hot VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET n = hot.n + 1 RETURNING n", hot)},
		{"upper limit of the disk: each caller increments a separate row, so no caller waits for another", raw("INSERT INTO own VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET n = own.n + 1 RETURNING n",
			func(program, caller int) []any { return []any{fmt.Sprint(program, "/", caller)} })},
	}
	if err := grid(ctx, "PostgreSQL, one key, "+flushText(), methods); err != nil {
		return err
	}
	if *flush > 0 {
		of := []method{methods[len(methods)-1], whole, methods[2], methods[3], methods[4]}
		if _, err := crowdInTurns(ctx, "PostgreSQL, "+flushText(), crowd{8, 2}, of); err != nil {
			return err
		}
	}
	if err := inTurns(ctx, "PostgreSQL, "+flushText(), []method{
		{"the statement of pgsequence", raw(ownStatement, func(int, int) []any { return []any{"own", int64(1), int64(1), int64(1) << 60} })},
		{"pgsequence, `Draw` of its driver", ours(func(s *pgsequence.Store) func(context.Context, int) error {
			d := s.Driver()
			return func(ctx context.Context, _ int) error {
				_, ok, err := d.Draw(ctx, driver.Draw{Key: "own", Version: 1, N: 1, Most: 1 << 60, Limit: 5 * time.Second})
				if err == nil && !ok {
					err = errors.New("refused")
				}
				return err
			}
		})},
		whole, update,
	}); err != nil {
		return err
	}
	return nil
}

// ownStatement is what pgsequence sends to draw from a key.
const ownStatement = `UPDATE sequences AS t SET before = t.x, x = GREATEST(t.x, 0) + $3::bigint
WHERE t.key = $1 AND t.version = $2::bigint AND GREATEST(t.x, 0) <= $4::bigint
RETURNING t.x`

func flushText() string {
	if *flush > 0 {
		return fmt.Sprintf("a flush takes %v (commit_delay)", *flush)
	}
	return "this disk"
}

// grid prints the draws per second of each method in each crowd.
func grid(ctx context.Context, title string, methods []method) error {
	crowds, err := parseCrowds(*crowdList)
	if err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-methods: %w", err)
	}
	fmt.Printf("\n%s: draws per second, programs × callers per program\n", title)
	heads := []string{"method"}
	for _, c := range crowds {
		heads = append(heads, fmt.Sprintf("%d × %d", c.programs, c.callers))
	}
	head(heads...)
	for _, m := range methods {
		if !chosen.MatchString(m.name) {
			continue
		}
		cells := []string{m.name}
		for _, c := range crowds {
			rate, err := c.measure(ctx, m)
			if err != nil {
				return fmt.Errorf("%s, %d programs with %d callers: %w", m.name, c.programs, c.callers, err)
			}
			cells = append(cells, count(rate))
		}
		row(cells...)
	}
	return nil
}

// measure has the callers draw for the time of -each, and returns the draws per second.
func (c crowd) measure(ctx context.Context, m method) (float64, error) {
	var draws atomic.Int64
	var stop atomic.Bool
	errs := make([]error, c.programs)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for p := range c.programs {
		draw, end, err := m.open(ctx, p)
		if err != nil {
			return 0, err
		}
		defer end()
		for caller := range c.callers {
			wg.Go(func() {
				for !stop.Load() {
					if err := draw(ctx, caller); err != nil {
						mu.Lock()
						errs[p] = err
						mu.Unlock()
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
	return rate, errors.Join(errs...)
}

// inTurns has one caller draw by each method in turns, so that what else the machine does
// slows all of them. It prints what each draws compared with the first.
func inTurns(ctx context.Context, title string, methods []method) error {
	const perTurn = 5
	var draws []func(context.Context, int) error
	for _, m := range methods {
		draw, end, err := m.open(ctx, 0)
		if err != nil {
			return err
		}
		defer end()
		draws = append(draws, draw)
	}
	took := make([][]float64, len(methods)) // seconds of each turn
	turn := func(i int) error {
		begin := time.Now()
		for range perTurn {
			if err := draws[i](ctx, 0); err != nil {
				return fmt.Errorf("%s: %w", methods[i].name, err)
			}
		}
		took[i] = append(took[i], time.Since(begin).Seconds())
		return nil
	}
	begin := time.Now()
	for round := 0; round < 3 || time.Since(begin) < 10**each; round++ {
		for i := range methods {
			if err := turn((i + round) % len(methods)); err != nil {
				return err
			}
		}
	}
	for i := range took {
		took[i] = took[i][1:] // it connected
	}
	fmt.Printf("\n%s: one caller, %d draws by each method in turns of %d\n", title, perTurn*len(took[0]), perTurn)
	compare(methods, took, perTurn)
	return nil
}

// crowdInTurns has a crowd draw by each method in turns of the time of -each. It returns
// the median of each, compared with the first.
func crowdInTurns(ctx context.Context, title string, c crowd, methods []method) (medians []float64, err error) {
	const rounds = 10
	took := make([][]float64, len(methods)) // seconds of a draw in each turn
	for round := range rounds {
		for i := range methods {
			i := (i + round) % len(methods)
			rate, err := c.measure(ctx, methods[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", methods[i].name, err)
			}
			took[i] = append(took[i], 1/rate)
		}
	}
	fmt.Printf("\n%s: %d programs of %d callers, by each method in %d turns of %v\n", title, c.programs, c.callers, rounds, *each)
	return compare(methods, took, 1), nil
}

// compare prints what came of methods that drew so many numbers in each turn. It returns
// the median of each, compared with the first.
func compare(methods []method, took [][]float64, perTurn int) (medians []float64) {
	head("method", "draws per second", "divided by the first row", "median of this ratio in the rounds")
	for i, m := range methods {
		ratios := make([]float64, len(took[i]))
		for round := range ratios {
			ratios[round] = took[0][round] / took[i][round]
		}
		slices.Sort(ratios)
		medians = append(medians, ratios[len(ratios)/2])
		row(m.name, count(float64(perTurn*len(took[i]))/sum(took[i])), fmt.Sprintf("%.2f", sum(took[0])/sum(took[i])), fmt.Sprintf("%.2f", medians[i]))
	}
	return medians
}

func sum(seconds []float64) (total float64) {
	for _, s := range seconds {
		total += s
	}
	return total
}

func onMySQL(ctx context.Context) error {
	return eachMySQL(func(e *mysqlserver.Engine, dsn string) error {
		return onSQL(ctx, e.String()+", `sqlsequence`", e.String()+", durable", "mysql", dsn, sqlsequence.MySQL)
	})
}

// eachMySQL runs f with a server of each engine that is like MySQL. It omits one that isn't
// installed.
func eachMySQL(f func(e *mysqlserver.Engine, dsn string) error) error {
	for _, e := range []*mysqlserver.Engine{mysqlserver.MySQL, mysqlserver.MariaDB} {
		server, err := e.Run()
		if errors.Is(err, daemon.ErrNotInstalled) {
			fmt.Println(err)
			continue
		}
		if err != nil {
			return err
		}
		if err := errors.Join(f(e, server.DSN), server.Close()); err != nil {
			return err
		}
	}
	return nil
}

func onSQLite(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "oidkit-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return onSQL(ctx, "SQLite, `sqlsequence`", "SQLite in WAL mode, synchronous FULL", "sqlite", sqliteDSN(folder), sqlsequence.SQLite)
}

func sqliteDSN(folder string) string {
	return "file:" + filepath.Join(folder, "bench.db") + "?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
}

func onSQL(ctx context.Context, title, name, driver, dsn string, d sqlsequence.Dialect) error {
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
	return table(ctx, title, name, append(ways, ours(store)...))
}
