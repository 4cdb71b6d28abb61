package pgxoid_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// TestErrorsOfTheServerThatThePageExplains provokes errors of docs/troubleshooting.md, and
// runs what the page says instead.
func TestErrorsOfTheServerThatThePageExplains(t *testing.T) {
	t.Parallel()
	conn := postgres.Connect(t)
	wantError := func(want, statement string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", statement, err, want)
		}
	}
	create := "create table events (id objectid not null, tenant int, number int) partition by range (id)"
	wantError(`type "objectid" does not exist`, create)
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, create)

	now := time.Now().Truncate(time.Second)
	id := oid.New()
	insert := "insert into events values ($1, 1, 1)"
	wantError(`no partition of relation`, insert, id)
	bounds, err := sqltype.PostgresPartitionBounds(now.AddDate(0, 0, -1), now.AddDate(0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, "create table today partition of events for values "+bounds)
	mustExec(t, conn, insert, id)

	// A table partitioned by ID has no unique numbers. One without partitions has.
	wantError("must include all partitioning columns", "alter table events add unique (tenant, number)")
	mustExec(t, conn, "create table numbers (tenant int, number int, id objectid, primary key (tenant, number))")
	mustExec(t, conn, "insert into numbers values (1, 1, $1)", id)
	wantError("duplicate key", "insert into numbers values (1, 1, $1)", oid.New())

	if queryOne[int](t, conn, "select current_setting('server_version_num')::int") < 180000 {
		wantError("function min(objectid) does not exist", "select min(id) from events")
	}
	if got := queryOne[oid.ID](t, conn, "select objectid_first(id) from events"); got != id {
		t.Errorf("objectid_first: %v, want %v", got, id)
	}

	in := "delete from events where id in ($1)"
	wantError("cannot find encode plan", in, []oid.ID{id})
	if err := pgxoid.AfterConnect(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	wantError("write = ANY($1) in place of IN ($1)", in, []oid.ID{id})
	if got := queryOne[int](t, conn, "select count(*) from events where id = any($1)", []oid.ID{id}); got != 1 {
		t.Errorf("= ANY finds %d rows, want 1", got)
	}
}

// A reader by xid8 pages through the numbers in their own order. As texts, 10 would come
// before 9.
func TestReaderByXID8WithPgx(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pool, err := pgxpool.New(ctx, postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "create table events (id bytea, tx xid8)"); err != nil {
		t.Fatal(err)
	}
	ids := make([]oid.ID, 8)
	oid.Fill(ids)
	for i, tx := range []string{"8", "9", "9", "10", "11", "99", "100", "101"} {
		if _, err := pool.Exec(ctx, "insert into events values ($1, $2)", ids[i], tx); err != nil {
			t.Fatal(err)
		}
	}
	var got []oid.ID
	var tx uint64
	var last oid.ID
	for {
		before := len(got)
		rows, err := pool.Query(ctx, `SELECT tx, id FROM events
	WHERE (tx, id) > ($1, $2) AND tx < pg_snapshot_xmin(pg_current_snapshot())
	ORDER BY tx, id LIMIT 2`, tx, last)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pgx.ForEachRow(rows, []any{&tx, &last}, func() error {
			got = append(got, last)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == before {
			break
		}
	}
	if !slices.Equal(got, ids) {
		t.Errorf("read %v, want %v", got, ids)
	}
}
