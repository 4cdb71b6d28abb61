// Command storage prints what a table of a million rows costs in PostgreSQL, by the
// type of its primary key:
//
//	go run ./internal/evidence/storage
//
// It starts a PostgreSQL of its own, at its defaults. The rows come in the order in
// which their keys were made, by COPY, with the primary key's index in place.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// keys are the kinds of primary key, and how to make the i-th.
var keys = []struct {
	name, columnType string
	make             func(i int) any
}{
	{"oid.ID", "bytea", func(int) any { return oid.New() }},
	{"oid.ID", "objectid", func(int) any { return oid.New() }},
	{"sqltype.Hex", "char(24)", func(int) any { return sqltype.Hex(oid.New()) }},
	{"UUID v4", "uuid", func(int) any { return uuid.New() }},
	{"UUID v7", "uuid", func(int) any { return uuid.Must(uuid.NewV7()) }},
	{"counter", "bigint", func(i int) any { return int64(i) }},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("storage: ")
	rows := flag.Int("rows", 1_000_000, "how many rows")
	flag.Parse()
	if err := run(context.Background(), *rows); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, rows int) error {
	server, err := postgres.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	conn, err := pgx.Connect(ctx, server.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	pgxuuid.Register(conn.TypeMap())
	if _, err := conn.Exec(ctx, sqltype.PostgresSchema()); err != nil {
		return err
	}
	if err := pgxoid.AfterConnectTypes("objectid")(ctx, conn); err != nil {
		return err
	}
	fmt.Printf("PostgreSQL %s, %d rows, %s\n\n", conn.PgConn().ParameterStatus("server_version"), rows, time.Now().Format(time.DateOnly))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "key\tcolumn\theap MB\tindex MB\trows/s\t")
	for n, key := range keys {
		table := fmt.Sprintf("t%d", n) // each its own: pgx remembers the columns of a table
		for _, statement := range []string{"create table " + table + " (id " + key.columnType + " primary key)", "checkpoint"} {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		made := make([]any, rows)
		for i := range made {
			made[i] = key.make(i)
		}
		start := time.Now()
		_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, []string{"id"}, pgx.CopyFromSlice(rows, func(i int) ([]any, error) { return made[i : i+1], nil }))
		if err != nil {
			return fmt.Errorf("%s: %w", key.name, err)
		}
		seconds := time.Since(start).Seconds()
		var heap, index int64
		if err := conn.QueryRow(ctx, "select pg_relation_size($1::text::regclass), pg_relation_size(($1 || '_pkey')::regclass)", table).Scan(&heap, &index); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f\t%.0f\t\n", key.name, key.columnType, float64(heap)/1e6, float64(index)/1e6, float64(rows)/seconds)
	}
	return w.Flush()
}
