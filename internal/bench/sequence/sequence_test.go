// Package sequence measures how long programs take to draw a number. The peer of each group
// is what limits them: a row per caller, or the statement that one would write by hand. The
// times are elapsed times, because callers mostly wait for a server.
package sequence

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// flush is how long PostgreSQL waits before it flushes a commit, as a slow disk would. The
// time of this machine's disk varies too much.
const flush = 5 * time.Millisecond

// A way is one to draw a number, for a program with connections of its own.
type way struct {
	name string
	open func(b *testing.B, program int) (draw func(ctx context.Context, caller int) error)
}

// crowd measures ways with programs that have some callers each. In one operation, each caller
// draws some numbers. The time is that of one number.
func crowd(b *testing.B, programs, callers, each int, ways ...way) {
	for _, w := range ways {
		b.Run(w.name, func(b *testing.B) {
			draws := make([]func(context.Context, int) error, programs)
			for i := range draws {
				draws[i] = w.open(b, i)
			}
			all := func(each int) {
				var wg sync.WaitGroup
				for _, draw := range draws {
					for caller := range callers {
						wg.Go(func() {
							for range each {
								if err := draw(b.Context(), caller); err != nil {
									b.Error(err)
									return
								}
							}
						})
					}
				}
				wg.Wait()
			}
			all(3) // opens connections, and programs notice each other
			n := 0
			for b.Loop() {
				all(each)
				n += programs * callers * each
			}
			b.ReportMetric(float64(b.Elapsed())/float64(n), "ns/op")
		})
	}
}

// The servers run until the end of the program.
var (
	slowPostgres = sync.OnceValues(startSlowPostgres)
	mysqlServer  = sync.OnceValues(func() (string, error) { return startLikeMySQL(mysqlserver.MySQL) })
	mariadb      = sync.OnceValues(func() (string, error) { return startLikeMySQL(mysqlserver.MariaDB) })
	started      []io.Closer
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, server := range started {
		server.Close()
	}
	os.Exit(code)
}

// at returns the DSN of a server. If it isn't installed, b skips.
func at(b *testing.B, server func() (string, error)) string {
	b.Helper()
	dsn, err := server()
	if err != nil {
		daemon.Skip(b, err)
	}
	return dsn
}

func startSlowPostgres() (string, error) {
	server, err := postgres.Run()
	if err != nil {
		return "", err
	}
	started = append(started, server)
	return server.DSN, setUp("pgx", server.DSN, sqlsequence.PostgreSQL,
		fmt.Sprintf("ALTER SYSTEM SET commit_delay = %d", flush.Microseconds()), "ALTER SYSTEM SET commit_siblings = 0", "SELECT pg_reload_conf()")
}

func startLikeMySQL(engine *mysqlserver.Engine) (string, error) {
	server, err := engine.Run() // with its data on the disk
	if err != nil {
		return "", err
	}
	started = append(started, server)
	return server.DSN, setUp("mysql", server.DSN, sqlsequence.MySQL)
}

// setUp makes the tables, after it ran the statements.
func setUp(driver, dsn string, d sqlsequence.Dialect, statements ...string) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range append(statements, "CREATE TABLE plain (k varchar(50) PRIMARY KEY, n bigint NOT NULL)", "INSERT INTO plain VALUES ('k', 0)") {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return sqlsequence.New(db, "sequences", d).Migrate(context.Background())
}

func open(b *testing.B, driver, dsn string) *sql.DB {
	b.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxIdleConns(16)
	b.Cleanup(func() { db.Close() })
	return db
}

func openPool(b *testing.B, dsn string) *pgxpool.Pool {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), dsn+"&pool_max_conns=16")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}

// byHand draws with a statement that returns the number. Its argument is a key.
func byHand(name, dsn, statement string, key func(program, caller int) string) way {
	return way{name, func(b *testing.B, program int) func(context.Context, int) error {
		pool := openPool(b, dsn)
		return func(ctx context.Context, caller int) error {
			var n int64
			return pool.QueryRow(ctx, statement, key(program, caller)).Scan(&n)
		}
	}}
}

func updateByHand(dsn string) way {
	return byHand("UPDATE-RETURNING", dsn, "UPDATE plain SET n = n + 1 WHERE k = $1 RETURNING n", func(int, int) string { return "k" })
}

// A row per caller is the limit of the disk: no caller waits for another.
func rowPerCaller(dsn string) way {
	const statement = "INSERT INTO plain VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET n = plain.n + 1 RETURNING n"
	return byHand("row-per-caller", dsn, statement, func(program, caller int) string { return fmt.Sprint(program, "/", caller) })
}

// bySequence draws from a key of pgsequence.
func bySequence(name, dsn string, next func(s *pgsequence.Store) func(context.Context) error) way {
	return way{name, func(b *testing.B, _ int) func(context.Context, int) error {
		s := pgsequence.New(openPool(b, dsn), "sequences")
		b.Cleanup(s.Close)
		draw := next(s)
		return func(ctx context.Context, _ int) error { return draw(ctx) }
	}}
}

func sequenceNext(s sequence.Store) func(context.Context) error {
	seq := sequence.New(s, "numbers", cycling)
	return func(ctx context.Context) error { _, err := seq.Next(ctx); return err }
}

func bySQLSequence(dsn string) way {
	return way{"sqlsequence.Sequence", func(b *testing.B, _ int) func(context.Context, int) error {
		draw := sequenceNext(sqlsequence.New(open(b, "pgx", dsn), "sequences", sqlsequence.PostgreSQL))
		return func(ctx context.Context, _ int) error { return draw(ctx) }
	}}
}

func byPgsequence(dsn string) way {
	return bySequence("pgsequence.Sequence", dsn, func(s *pgsequence.Store) func(context.Context) error { return sequenceNext(s) })
}

var cycling = sequence.Plan{First: 1, Last: 99, Cycle: true}

// BenchmarkPrograms has 8 programs with 2 callers each draw from one key. In each operation,
// the first trip of a program is often for one caller only, because the other one comes just
// after. So each caller draws many numbers, as programs that run for long do.
func BenchmarkPrograms(b *testing.B) {
	dsn := at(b, slowPostgres)
	crowd(b, 8, 2, 100,
		rowPerCaller(dsn),
		byPgsequence(dsn),
		bySequence("pgsequence.Stamper", dsn, func(s *pgsequence.Store) func(context.Context) error {
			stamper := sequence.NewStamper(s, "stamps")
			return func(ctx context.Context) error { _, err := stamper.Next(ctx); return err }
		}),
		bySequence("pgsequence.Numbering", dsn, func(s *pgsequence.Store) func(context.Context) error {
			numbering := sequence.NewNumbering(s, "documents", "INV-{2006}-{0+}")
			return func(ctx context.Context) error { _, err := numbering.Next(ctx); return err }
		}),
		bySQLSequence(dsn),
	)
}

// BenchmarkOneRow compares 16 callers of one program with those who update one row by hand,
// one after the other.
func BenchmarkOneRow(b *testing.B) {
	dsn := at(b, slowPostgres)
	crowd(b, 1, 16, 3, updateByHand(dsn), byPgsequence(dsn), bySQLSequence(dsn))
}

// BenchmarkOneCaller has nobody to share a trip with.
func BenchmarkOneCaller(b *testing.B) {
	dsn := at(b, slowPostgres)
	crowd(b, 1, 1, 20, updateByHand(dsn), byPgsequence(dsn), bySQLSequence(dsn))
}

// The groups NextIn compare transactions that draw a number with transactions that update a
// row by hand. All writers wait for one row.

func BenchmarkPgxNextIn1(b *testing.B)  { pgxNextIn(b, 1) }
func BenchmarkPgxNextIn16(b *testing.B) { pgxNextIn(b, 16) }
func BenchmarkPostgresNextIn1(b *testing.B) {
	sqlNextIn(b, 1, "pgx", at(b, slowPostgres), sqlsequence.PostgreSQL)
}
func BenchmarkPostgresNextIn16(b *testing.B) {
	sqlNextIn(b, 16, "pgx", at(b, slowPostgres), sqlsequence.PostgreSQL)
}
func BenchmarkMySQLNextIn1(b *testing.B) {
	sqlNextIn(b, 1, "mysql", at(b, mysqlServer), sqlsequence.MySQL)
}
func BenchmarkMySQLNextIn16(b *testing.B) {
	sqlNextIn(b, 16, "mysql", at(b, mysqlServer), sqlsequence.MySQL)
}
func BenchmarkMariaDBNextIn1(b *testing.B) {
	sqlNextIn(b, 1, "mysql", at(b, mariadb), sqlsequence.MySQL)
}
func BenchmarkMariaDBNextIn16(b *testing.B) {
	sqlNextIn(b, 16, "mysql", at(b, mariadb), sqlsequence.MySQL)
}

func pgxNextIn(b *testing.B, writers int) {
	pool := openPool(b, at(b, slowPostgres))
	store := pgsequence.New(pool, "sequences")
	b.Cleanup(store.Close)
	invoices := sequence.New(store, "invoices", cycling, sequence.WithGapFree())
	in := func(draw func(context.Context, pgx.Tx) error) func(context.Context) error {
		return func(ctx context.Context) error {
			return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return draw(ctx, tx) })
		}
	}
	nextIn(b, writers, in(func(ctx context.Context, tx pgx.Tx) error {
		var n int64
		return tx.QueryRow(ctx, "UPDATE plain SET n = n + 1 WHERE k = 'k' RETURNING n").Scan(&n)
	}), in(func(ctx context.Context, tx pgx.Tx) error {
		_, err := invoices.NextIn(ctx, store.Tx(tx))
		return err
	}))
}

func sqlNextIn(b *testing.B, writers int, driver, dsn string, d sqlsequence.Dialect) {
	db := open(b, driver, dsn)
	store := sqlsequence.New(db, "sequences", d)
	invoices := sequence.New(store, "invoices", cycling, sequence.WithGapFree())
	in := func(draw func(context.Context, *sql.Tx) error) func(context.Context) error {
		return func(ctx context.Context) error {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if err := draw(ctx, tx); err != nil {
				return err
			}
			return tx.Commit()
		}
	}
	nextIn(b, writers, in(func(ctx context.Context, tx *sql.Tx) error {
		if d == sqlsequence.MySQL { // has no RETURNING
			res, err := tx.ExecContext(ctx, "UPDATE plain SET n = LAST_INSERT_ID(n + 1) WHERE k = 'k'")
			if err == nil {
				_, err = res.LastInsertId()
			}
			return err
		}
		var n int64
		return tx.QueryRowContext(ctx, "UPDATE plain SET n = n + 1 WHERE k = 'k' RETURNING n").Scan(&n)
	}), in(func(ctx context.Context, tx *sql.Tx) error {
		_, err := invoices.NextIn(ctx, store.Tx(tx))
		return err
	}))
}

func nextIn(b *testing.B, writers int, update, draw func(context.Context) error) {
	as := func(name string, f func(context.Context) error) way {
		return way{name, func(*testing.B, int) func(context.Context, int) error {
			return func(ctx context.Context, _ int) error { return f(ctx) }
		}}
	}
	crowd(b, 1, writers, 48/writers, as("update", update), as("NextIn", draw))
}
