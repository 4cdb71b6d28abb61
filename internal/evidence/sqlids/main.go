// Command sqlids makes IDs in PostgreSQL with objectid_new(), from many sessions at
// once. It counts repeats and IDs out of order, and compares the time with that of
// PostgreSQL's own functions for UUIDs:
//
//	go run ./internal/evidence/sqlids
//	go run ./internal/evidence/sqlids -rows 10000000 -sessions 20
//
// It starts a PostgreSQL of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sqltype"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "how many IDs are made")
	sessions := flag.Int("sessions", 20, "by how many sessions")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *rows, *sessions); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "sqlids:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, rows, sessions int) error {
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
	if _, err := conn.Exec(ctx, sqltype.PostgresSchema()+"; CREATE UNLOGGED TABLE made (session integer, n integer, id bytea)"); err != nil {
		return err
	}
	fmt.Fprintf(w, "PostgreSQL %s\n", conn.PgConn().ParameterStatus("server_version"))
	if err := count(ctx, w, conn, server.DSN, rows, sessions); err != nil {
		return err
	}
	return compare(ctx, w, conn, min(rows, 500_000))
}

// count makes the IDs and looks at them.
func count(ctx context.Context, w io.Writer, conn *pgx.Conn, dsn string, rows, sessions int) error {
	errs := make(chan error)
	start := time.Now()
	for session := range sessions {
		go func() {
			errs <- insert(ctx, dsn, session, rows/sessions)
		}()
	}
	var err error
	for range sessions {
		err = errors.Join(err, <-errs)
	}
	if err != nil {
		return err
	}
	elapsed := time.Since(start)
	var made, repeats, processes, wraps, disorder, misdated int
	err = conn.QueryRow(ctx, `SELECT count(*), count(*) - count(DISTINCT id), count(DISTINCT substr(id, 5, 5)),
			count(*) FILTER (WHERE objectid_time(id) NOT BETWEEN $1 AND $2) FROM made`, start.Truncate(time.Second), time.Now()).
		Scan(&made, &repeats, &processes, &misdated)
	if err != nil {
		return err
	}
	// The counter starts anew once in 2^24 IDs: the only way back that is allowed.
	err = conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE back AND turned), count(*) FILTER (WHERE back AND NOT turned) FROM (
			SELECT id <= before AS back, substr(id, 10) < '\x100000' AND substr(before, 10) > '\xf00000' AS turned
			FROM (SELECT id, lag(id) OVER (PARTITION BY session ORDER BY n) AS before FROM made) t) t`).Scan(&wraps, &disorder)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d IDs from %d sessions in %.1f s: %d repeats, %d out of order in their session, %d where the counter starts anew, %d dated wrongly, %d process value\n",
		made, sessions, elapsed.Seconds(), repeats, disorder, wraps, misdated, processes)
	if made != rows/sessions*sessions || repeats != 0 || disorder != 0 || misdated != 0 || processes != 1 || wraps > sessions*(1+rows>>24) {
		return errors.New("the IDs are not what objectid_new promises")
	}
	return nil
}

func insert(ctx context.Context, dsn string, session, rows int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(ctx, "INSERT INTO made SELECT $1::integer, n, objectid_new() FROM generate_series(1, $2::integer) n", session, rows)
	return err
}

// compare prints the best time of several turns of each function.
func compare(ctx context.Context, w io.Writer, conn *pgx.Conn, rows int) error {
	functions := []string{"gen_random_uuid", "uuidv7", "objectid_new"}
	best := map[string]time.Duration{}
	for range 7 {
		for _, function := range functions {
			var exists bool
			if err := conn.QueryRow(ctx, "SELECT to_regprocedure($1 || '()') IS NOT NULL", function).Scan(&exists); err != nil {
				return err
			}
			if !exists {
				continue
			}
			start := time.Now()
			if _, err := conn.Exec(ctx, fmt.Sprintf("SELECT count(%s()) FROM generate_series(1, %d)", function, rows)); err != nil {
				return err
			}
			if elapsed := time.Since(start); best[function] == 0 || elapsed < best[function] {
				best[function] = elapsed
			}
		}
	}
	for _, function := range functions {
		if best[function] == 0 {
			continue
		}
		fmt.Fprintf(w, "%-18s %6.0f ns, %.2f times gen_random_uuid()\n", function+"()",
			float64(best[function].Nanoseconds())/float64(rows), float64(best[function])/float64(best["gen_random_uuid"]))
	}
	return nil
}
