package pgxoid_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// process is the five bytes of an ID that tell who made it.
func process(id oid.ID) string { return string(id[4:9]) }

func TestObjectidNewNeverRepeatsAndIsInOrder(t *testing.T) {
	t.Parallel()
	for _, installation := range postgres.Installations() {
		t.Run(installation.Name, func(t *testing.T) {
			conn := installation.Connect(t)
			mustExec(t, conn, sqltype.PostgresSchema()+"; create unlogged table made (session int, n serial, id objectid default objectid_new()); select setval('objectid_counter', 0)")
			before := time.Now().Truncate(time.Second)
			var sessions sync.WaitGroup
			for session := range 20 {
				sessions.Go(func() {
					own, err := pgx.ConnectConfig(t.Context(), conn.Config())
					if err != nil {
						t.Error(err)
						return
					}
					defer own.Close(context.Background())
					for range 5 {
						if _, err := own.Exec(t.Context(), "insert into made (session) select $1 from generate_series(1, 1000)", session); err != nil {
							t.Error(err)
						}
					}
				})
			}
			sessions.Wait()
			got := queryOne[string](t, conn, `select format('%s %s %s %s %s', count(*), count(distinct id), count(distinct substr(id, 5, 5)),
				count(*) filter (where id <= before), count(*) filter (where objectid_time(id) not between $1 and now()))
				from (select id, lag(id) over (partition by session order by n) as before from made) t`, before)
			if want := "100000 100000 1 0 0"; got != want {
				t.Errorf("rows, ids, processes, out of order, misdated: %s, want %s", got, want)
			}
			// The counter starts anew.
			mustExec(t, conn, "select setval('objectid_counter', 16777214)")
			counters := queryOne[string](t, conn, "select string_agg(encode(substr(id, 10), 'hex'), ' ') from (select objectid_new() id from generate_series(1, 3)) t")
			if want := "ffffff 000000 000001"; counters != want {
				t.Errorf("counters %s, want %s", counters, want)
			}
		})
	}
}

// The seconds are those of the clock, not of the transaction's start: a transaction of
// more than 2^24 rows would repeat IDs.
func TestObjectidNewIsDatedByTheClock(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	first := queryOne[oid.ID](t, conn, `select a from (select objectid_new() a, pg_sleep(1.1), objectid_new() b) t`)
	later := queryOne[[]oid.ID](t, conn, `select array[a, b] from (select objectid_new()::bytea a, pg_sleep(1.1), objectid_new()::bytea b) t`)
	if len(later) != 2 || !later[0].Timestamp().Before(later[1].Timestamp()) || first.Compare(later[0]) >= 0 {
		t.Errorf("%v, then %v", first, later)
	}
}

// Where a schema, a database or a server is another, so is the process value.
func TestObjectidNewHasAnotherProcessElsewhere(t *testing.T) {
	t.Parallel()
	server := postgres.Start(t)
	conn := connect(t, server)
	mustExec(t, conn, sqltype.PostgresSchema())
	seen := map[string]string{}
	check := func(where string, id oid.ID) {
		t.Helper()
		if other, ok := seen[process(id)]; ok {
			t.Errorf("%s has the process value of %s: %x", where, other, process(id))
		}
		seen[process(id)] = where
	}
	made := queryOne[oid.ID](t, conn, "select objectid_new()")
	check("the first schema", made)
	// The script, run again, keeps it.
	mustExec(t, conn, sqltype.PostgresSchema())
	if again := queryOne[oid.ID](t, conn, "select objectid_new()"); process(again) != process(made) || again.Compare(made) <= 0 {
		t.Errorf("after another run of the script %v, before %v", again, made)
	}
	mustExec(t, conn, "create schema other; set search_path = other")
	mustExec(t, conn, sqltype.PostgresSchema())
	check("another schema", queryOne[oid.ID](t, conn, "select other.objectid_new()"))

	// A copy of the database has the same constant and the same counter.
	name := conn.Config().Database
	conn.Close(context.Background())
	config := conn.Config().Copy()
	config.Database = "template1"
	admin, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	mustExec(t, admin, fmt.Sprintf("create database copied template %q", name))
	config.Database = "copied"
	copied, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	check("a copy of the database", queryOne[oid.ID](t, copied, "select public.objectid_new()"))
	copied.Close(context.Background())
	mustExec(t, admin, "drop database copied")

	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	check("the restarted server", queryOne[oid.ID](t, connect(t, server), "select public.objectid_new()"))
}

// IDs that the program gives win over the DEFAULT.
func TestObjectidNewAsDefault(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create table users (id objectid primary key default objectid_new(), name text)")
	mustExec(t, conn, "insert into users values ($1, 'Ada')", sample)
	grace := queryOne[oid.ID](t, conn, "insert into users (name) values ('Grace') returning id")
	if n := queryOne[int](t, conn, "select count(*) from users where id in ($1, $2)", sample, grace); n != 2 || grace.IsZero() {
		t.Errorf("%d rows, %v", n, grace)
	}
	// It is one expression in the plan, not a call.
	rows, err := conn.Query(t.Context(), "explain (verbose, costs off) insert into users default values")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if text := strings.Join(plan, "\n"); err != nil || !strings.Contains(text, "clock_timestamp") {
		t.Errorf("objectid_new is not inlined: %v\n%s", err, text)
	}
}
