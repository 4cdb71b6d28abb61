// Command keysize prints how much room tables and their keys take, and how fast
// they are filled, with IDs of this and other kinds as the primary key:
//
//	go run ./internal/evidence/keysize
//	go run ./internal/evidence/keysize -rows 1000000
//
// It starts a PostgreSQL and a MariaDB of its own.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func main() {
	rows := flag.Int("rows", 300_000, "how many rows a table gets")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *rows); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "keysize:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, rows int) error {
	if err := runPostgres(ctx, w, rows); err != nil {
		return err
	}
	return runMariaDB(ctx, w, rows)
}

// A kind of key: its name, its column type and how to make one.
type kind struct {
	name, column string
	next         func() any
}

// counter returns numbers from 1 on.
func counter() func() any {
	var n int64
	return func() any { n++; return n }
}

func v7() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func oidBytes() any { id := oid.New(); return id[:] }

func runPostgres(ctx context.Context, w io.Writer, rows int) error {
	server, err := postgres.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	conn, err := pgx.Connect(ctx, server.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())

	var version string
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&version); err != nil {
		return err
	}
	t := newTable(w, fmt.Sprintf("PostgreSQL %s, %d rows (key, text of 15, integer), by COPY", version, rows), "heap MB", "key MB", "both")
	for i, k := range []kind{
		{"bigint, counting", "bigint", counter()},
		{"oid.ID in bytea", "bytea", oidBytes},
		{"oid.ID as sqltype.UUID in uuid", "uuid", func() any { return sqltype.UUID(oid.New()).Bytes() }},
		{"UUID v7 in uuid", "uuid", func() any { return [16]byte(v7()) }},
		{"UUID v4 in uuid", "uuid", func() any { return [16]byte(uuid.New()) }},
		{"oid.ID in char(24)", "char(24)", func() any { return oid.New().Hex() }},
		{"UUID v4 in varchar(36)", "varchar(36)", func() any { return uuid.NewString() }},
	} {
		name := fmt.Sprint("keysize", i) // pgx remembers the columns of a table
		if _, err := conn.Exec(ctx, "CREATE TABLE "+name+" (id "+k.column+" PRIMARY KEY, name text, n integer)"); err != nil {
			return err
		}
		begin, done := time.Now(), 0
		_, err := conn.CopyFrom(ctx, pgx.Identifier{name}, []string{"id", "name", "n"}, pgx.CopyFromFunc(func() ([]any, error) {
			if done == rows {
				return nil, nil
			}
			done++
			return []any{k.next(), "fifteen letters", done}, nil
		}))
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		elapsed := time.Since(begin)
		var heap, key int64
		if err := conn.QueryRow(ctx, "SELECT pg_relation_size($1::text), pg_relation_size($1 || '_pkey')", name).Scan(&heap, &key); err != nil {
			return err
		}
		t.row(k.name, rows, elapsed, heap, key)
	}
	return t.w.Flush()
}

func runMariaDB(ctx context.Context, w io.Writer, rows int) error {
	server, err := mysqlserver.MariaDB.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	db, err := sql.Open("mysql", server.DSN+"&interpolateParams=true")
	if err != nil {
		return err
	}
	defer db.Close()
	var version string
	if err := db.QueryRowContext(ctx, "SELECT version()").Scan(&version); err != nil {
		return err
	}
	t := newTable(w, fmt.Sprintf("MariaDB %s, %d rows with an index on the integer, 1000 an INSERT", version, rows), "table MB", "index MB", "both")
	for _, k := range []kind{
		{"bigint, counting", "bigint", counter()},
		{"oid.ID in binary(12)", "binary(12)", oidBytes},
		{"UUID v7 in binary(16)", "binary(16)", func() any { id := v7(); return id[:] }},
		{"UUID v4 in binary(16)", "binary(16)", func() any { id := uuid.New(); return id[:] }},
		{"oid.ID in char(24)", "char(24) CHARACTER SET ascii", func() any { return oid.New().Hex() }},
		{"UUID v4 in char(36)", "char(36) CHARACTER SET ascii", func() any { return uuid.NewString() }},
	} {
		for _, statement := range []string{"DROP TABLE IF EXISTS keysize", "CREATE TABLE keysize (id " + k.column + " PRIMARY KEY, name varchar(15), n int, KEY (n))"} {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		begin := time.Now()
		for done := 0; done < rows; {
			n := min(1000, rows-done)
			args := make([]any, 0, 3*n)
			for range n {
				done++
				args = append(args, k.next(), "fifteen letters", done)
			}
			if _, err := db.ExecContext(ctx, "INSERT INTO keysize VALUES "+strings.Repeat("(?,?,?),", n-1)+"(?,?,?)", args...); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
		elapsed := time.Since(begin)
		if _, err := db.ExecContext(ctx, "ANALYZE TABLE keysize"); err != nil {
			return err
		}
		var data, index int64
		if err := db.QueryRowContext(ctx, "SELECT data_length, index_length FROM information_schema.tables WHERE table_schema = database() AND table_name = 'keysize'").Scan(&data, &index); err != nil {
			return err
		}
		t.row(k.name, rows, elapsed, data, index)
	}
	return t.w.Flush()
}

// A table prints one line a kind of key.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer, title string, sizes ...string) table {
	fmt.Fprintf(w, "\n%s\n", title)
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintf(t.w, "\tk rows/s\t%s\t\n", strings.Join(sizes, "\t"))
	return t
}

func (t table) row(name string, rows int, elapsed time.Duration, sizes ...int64) {
	fmt.Fprintf(t.w, "%s\t%.0f\t", name, float64(rows)/elapsed.Seconds()/1000)
	var sum int64
	for _, size := range sizes {
		fmt.Fprintf(t.w, "%.1f\t", float64(size)/(1<<20))
		sum += size
	}
	fmt.Fprintf(t.w, "%.1f\t\n", float64(sum)/(1<<20))
}
