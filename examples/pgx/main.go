// Command pgx uses IDs in PostgreSQL through pgx. It makes a table with a partition for
// each month, and loads 8,760 rows. It reads one month by a range of the primary key, and
// finds rows by a list of IDs. It shows which values the domain objectid refuses.
//
//	go run ./examples/pgx -dsn postgres://localhost/test
//
// The command prints what each step found. It works in a schema of its own, and drops the
// schema at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// An Event is a row. It needs no column created_at: the ID holds the time.
type Event struct {
	ID     oid.ID
	Parent *oid.ID // the event before it; nil for the first
	Kind   string
}

func main() {
	dsn := flag.String("dsn", "", "the `DSN` of a PostgreSQL database, such as postgres://localhost/test")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *dsn); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "pgx:", err)
		os.Exit(1)
	}
}

// run makes a schema, goes through the steps in it, and drops it.
func run(ctx context.Context, w io.Writer, dsn string) (err error) {
	if dsn == "" {
		return errors.New("-dsn is missing: name a PostgreSQL database, such as -dsn postgres://localhost/test")
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	schema := "oidkit_example_" + oid.New().Hex()
	if _, err := conn.Exec(ctx, "create schema "+schema+"; set search_path = "+schema); err != nil {
		return err
	}
	defer func() {
		_, dropErr := conn.Exec(context.WithoutCancel(ctx), "drop schema "+schema+" cascade")
		err = errors.Join(err, dropErr)
	}()
	if _, err := conn.Exec(ctx, sqltype.PostgresSchema()); err != nil {
		return err
	}

	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return err
	}
	config.ConnConfig.RuntimeParams["search_path"] = schema
	config.AfterConnect = pgxoid.AfterConnect // for lists of IDs in every query mode, and for text columns
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()

	for _, step := range []func(context.Context, io.Writer, *pgxpool.Pool) error{makeTable, load, march, byIDs, refuse} {
		if err := step(ctx, w, pool); err != nil {
			return err
		}
	}
	return nil
}

var year = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// makeTable makes a table with a partition for each month of the year.
func makeTable(ctx context.Context, w io.Writer, pool *pgxpool.Pool) error {
	fmt.Fprintln(w, "A table with a partition for each month")
	_, err := pool.Exec(ctx, "create table events (id objectid primary key, parent objectid, kind text not null) partition by range (id)")
	if err != nil {
		return err
	}
	for month := range 12 {
		from := year.AddDate(0, month, 0)
		bounds, err := sqltype.PostgresPartitionBounds(from, from.AddDate(0, 1, 0))
		if err != nil {
			return err
		}
		statement := fmt.Sprintf("create table events_%s partition of events for values %s", from.Format("2006_01"), bounds)
		if month == 0 {
			fmt.Fprintf(w, "  %s\n  …\n", statement)
		}
		if _, err := pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// load copies one event per hour of the year into the table.
func load(ctx context.Context, w io.Writer, pool *pgxpool.Pool) error {
	var rows [][]any
	var last *oid.ID
	for at := year; at.Year() == year.Year(); at = at.Add(time.Hour) {
		id, err := oid.NewAt(at) // a new ID with the time of the event
		if err != nil {
			return err
		}
		rows = append(rows, []any{id, last, "reading"})
		last = &id
	}
	start := time.Now()
	n, err := pool.CopyFrom(ctx, pgx.Identifier{"events"}, []string{"id", "parent", "kind"}, pgx.CopyFromRows(rows))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nA bulk load of past events\n  %d rows in %.2f s, each ID with the time of its event\n", n, time.Since(start).Seconds())
	return nil
}

// march reads the events of March by a range of the primary key.
func march(ctx context.Context, w io.Writer, pool *pgxpool.Pool) error {
	from := year.AddDate(0, 2, 0)
	lo, hi := oid.Range(from, from.AddDate(0, 1, 0))
	const where = "id >= $1 and id < $2"
	fmt.Fprintf(w, "\nThe events of March\n  select … from events where %s\n", where)
	rows, err := pool.Query(ctx, "explain (costs off) select * from events where "+where, lo, hi)
	if err != nil {
		return err
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	text := strings.Join(plan, "\n")
	if n := strings.Count(text, "events_2026_03"); n == 0 || strings.Count(text, "events_") != n {
		return fmt.Errorf("the query reads other partitions than the one of March:\n%s", text)
	}
	var n int
	var first, last time.Time
	err = pool.QueryRow(ctx, "select count(*), min(objectid_time(id)), max(objectid_time(id)) from events where "+where, lo, hi).Scan(&n, &first, &last)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %d events from %s to %s, read from one partition\n", n, first.UTC().Format(time.DateTime), last.UTC().Format(time.DateTime))
	if n != 31*24 {
		return fmt.Errorf("%d events, want one per hour", n)
	}
	return nil
}

// byIDs finds events by a list of IDs, and joins each with the event before it.
func byIDs(ctx context.Context, w io.Writer, pool *pgxpool.Pool) error {
	rows, err := pool.Query(ctx, "select * from events order by id limit 3")
	if err != nil {
		return err
	}
	first, err := pgx.CollectRows(rows, pgx.RowToStructByName[Event])
	if err != nil {
		return err
	}
	var ids []oid.ID
	for _, e := range first {
		ids = append(ids, e.ID)
	}
	rows, err = pool.Query(ctx, "select e.id, e.parent, p.kind from events e join events p on p.id = e.parent where e.id = any($1) order by e.id", ids)
	if err != nil {
		return err
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByName[Event])
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThree events by a list of IDs, each joined with the event before it\n")
	for _, e := range events {
		fmt.Fprintf(w, "  %s of %s comes after %s\n", e.ID, e.ID.Timestamp().Format(time.DateTime), e.Parent)
	}
	if len(events) != 2 {
		return fmt.Errorf("%d events, want 2: the first one has no event before it", len(events))
	}
	return nil
}

// refuse shows which values the domain refuses.
func refuse(ctx context.Context, w io.Writer, pool *pgxpool.Pool) error {
	fmt.Fprintf(w, "\nValues that the domain refuses\n")
	for _, bad := range []struct {
		what string
		id   any
	}{
		{"an ID that was never set", oid.ID{}},
		{"24 hex digits instead of 12 bytes", []byte(oid.New().Hex())},
	} {
		_, err := pool.Exec(ctx, "insert into events (id, kind) values ($1, 'oops')", bad.id)
		if err == nil {
			return fmt.Errorf("%s: stored", bad.what)
		}
		fmt.Fprintf(w, "  %s: %v\n", bad.what, err)
	}
	return nil
}
