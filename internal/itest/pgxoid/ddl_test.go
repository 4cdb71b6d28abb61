package pgxoid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// withSchema returns a connection to a new database with our DDL in it.
func withSchema(t testing.TB) *pgx.Conn {
	t.Helper()
	conn := postgres.Connect(t)
	mustExec(t, conn, sqltype.PostgresSchema())
	return conn
}

func mustExec(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%.200s: %v", sql, err)
	}
}

// queryOne returns the one value of a query.
func queryOne[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%.200s: %v", sql, err)
	}
	return v
}

// wantSQLState fails the test unless err is the server's error of that code.
func wantSQLState(t testing.TB, err error, code string) {
	t.Helper()
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != code {
		t.Errorf("error %v, want one of code %s", err, code)
	}
}

const (
	checkViolation  = "23514"
	invalidText     = "22P02"
	noIndex         = "2202E" // array subscript error: get_byte past the end
	invalidEncoding = "22021"
)

var sample = oid.MustParse("65b3f7a40c1b2d3e4f506172")

// clock is every kind of time that a column can hold.
var clock = []time.Time{
	time.Unix(0, 0), time.Unix(1, 0), time.Unix(-1, 0), time.Unix(-1, 999_999_000), time.Unix(0, 999_999_000),
	time.Unix(math.MaxInt32, 0), time.Unix(math.MaxInt32+1, 0), time.Unix(math.MaxUint32, 0), time.Unix(math.MaxUint32, 999_999_000),
	time.Unix(math.MaxUint32+1, 0), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	time.Date(2026, 11, 20, 11, 30, 0, 500_000_000, time.UTC), time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC),
}

func TestSQLBoundsAgreeWithGoInEveryTimeZone(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	times := slices.Clone(clock)
	for range 200 {
		times = append(times, time.Unix(rand.Int64N(2*math.MaxUint32)-math.MaxUint32/2, rand.Int64N(1e6)*1000))
	}
	for range 100 {
		second := rand.Int64N(math.MaxUint32)
		for _, micro := range []int64{0, 1, 499_999, 500_000, 999_900, 999_949, 999_950, 999_999} {
			times = append(times, time.Unix(second, micro*1000))
		}
	}
	for range 3000 {
		times = append(times, time.Unix(rand.Int64N(math.MaxUint32), rand.Int64N(1e6)*1000))
	}
	for i, zone := range []string{"UTC", "America/St_Johns", "Pacific/Kiritimati", "Europe/Berlin"} {
		mustExec(t, conn, "set time zone '"+zone+"'")
		for _, at := range times[:len(times)>>(3*i)] {
			var lo, hi oid.ID
			err := conn.QueryRow(t.Context(), "select objectid_min($1), objectid_max($1)", at).Scan(&lo, &hi)
			if err != nil || lo != oid.MinAt(at) || hi != oid.MaxAt(at) {
				t.Errorf("%s, %v: %v, %v, %v, want %v, %v", zone, at, lo, hi, err, oid.MinAt(at), oid.MaxAt(at))
			}
			got := queryOne[time.Time](t, conn, "select objectid_time($1)", lo)
			if !got.Equal(lo.Timestamp()) {
				t.Errorf("%s: objectid_time(%v) = %v, want %v", zone, lo, got, lo.Timestamp())
			}
		}
	}
	for infinity, want := range map[string]oid.ID{
		"infinity": oid.MinAt(time.Unix(math.MaxUint32+1, 0)), "-infinity": {}, "294276-12-31": oid.MinAt(time.Unix(math.MaxUint32+1, 0)), "4713-01-01 BC": {},
	} {
		if got := queryOne[oid.ID](t, conn, "select objectid_min('"+infinity+"')"); got != want {
			t.Errorf("objectid_min(%s) = %v, want %v", infinity, got, want)
		}
	}
}

func TestSQLFunctionsGiveNULLForNULL(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	for _, call := range []string{
		"objectid_time(null)", "objectid_min(null)", "objectid_max(null)", "objectid_text(null)", "objectid_parse(null)", "objectid_bucket(null, 16)",
		"objectid_first(x) from (select null::bytea x) t", "objectid_last(x) from (select null::bytea x where false) t",
	} {
		if got := queryOne[*string](t, conn, "select "+strings.Replace(call, ")", ")::text", 1)); got != nil {
			t.Errorf("%s = %s", call, *got)
		}
	}
}

func TestSQLTextIsThatOfGo(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	for range 100 {
		id := oid.New()
		if got := queryOne[string](t, conn, "select objectid_text($1)", id); got != id.Hex() {
			t.Errorf("objectid_text(%v) = %s", id, got)
		}
		for _, s := range []string{id.Hex(), strings.ToUpper(id.Hex())} {
			if got := queryOne[oid.ID](t, conn, "select objectid_parse($1)", s); got != id {
				t.Errorf("objectid_parse(%s) = %v", s, got)
			}
		}
	}
	for _, s := range []string{
		"", "65b3f7a40c1b2d3e4f50617", "65b3f7a40c1b2d3e4f50617z", "65b3f7a40c1b2d3e4f5061720", " 65b3f7a40c1b2d3e4f506172",
		"65b3f7a40c1b2d3e4f506172\n", "65b3f7a4 0c1b2d3e4f506172", "65b3f7a40c1b2d3e4f50617\n2", `\x65b3f7a40c1b2d3e4f5061`,
	} {
		var id oid.ID
		err := conn.QueryRow(t.Context(), "select objectid_parse($1)", s).Scan(&id)
		wantSQLState(t, err, invalidText)
	}
	var id oid.ID
	err := conn.QueryRow(t.Context(), "select objectid_parse('65b3f7a40c1b2d3e4f50617z')").Scan(&id)
	if want := "objectid_parse('65b3f7a40c1b2d3e4f50617z'): want 24 hex digits"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	for _, length := range []int{0, 4, 11, 13, 16} {
		var at time.Time
		wantSQLState(t, conn.QueryRow(t.Context(), "select objectid_time($1)", make([]byte, length)).Scan(&at), noIndex)
	}
}

func TestDomainRefusesWhatIsNotAnID(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	conn := withSchema(t)
	mustExec(t, conn, "create table users (id objectid primary key, parent objectid)")
	bad := map[string]any{
		"zero": oid.ID{}, "11 bytes": make([]byte, 11), "13 bytes": make([]byte, 13), "empty": []byte{},
		"hex as text": []byte(sample.Hex()), "uuid": make([]byte, 16),
	}
	for _, mode := range modes {
		for name, v := range bad {
			_, err := conn.Exec(ctx, "insert into users (id) values ($1)", mode, v)
			if err == nil {
				t.Errorf("%v: %s is inserted", mode, name)
				continue
			}
			wantSQLState(t, err, checkViolation)
		}
		_, err := conn.Exec(ctx, "insert into users (id) values ('"+sample.Hex()+"')")
		wantSQLState(t, err, checkViolation) // the escape format of bytea: 24 ASCII bytes
	}
	for name, v := range bad {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"users"}, []string{"id"}, pgx.CopyFromRows([][]any{{v}}))
		if err == nil {
			t.Errorf("copy: %s is inserted", name)
			continue
		}
		wantSQLState(t, err, checkViolation)
	}
	mustExec(t, conn, "insert into users (id) values ($1)", sample)
	_, err := conn.Exec(ctx, "update users set parent = $1", oid.ID{})
	wantSQLState(t, err, checkViolation)
	// As a condition the zero ID is a value like any other.
	if n := queryOne[int](t, conn, "select count(*) from users where id > $1", oid.ID{}); n != 1 {
		t.Errorf("%d ids after the zero id", n)
	}
}

func TestFirstAndLastUseTheIndex(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, `create table users (id objectid primary key);
		insert into users select objectid_min('2026-01-01'::timestamptz + n * interval '1 minute') from generate_series(1, 10000) n;
		analyze users`)
	first, last := queryOne[oid.ID](t, conn, "select id from users order by id limit 1"), queryOne[oid.ID](t, conn, "select id from users order by id desc limit 1")
	if got := queryOne[oid.ID](t, conn, "select objectid_first(id) from users"); got != first {
		t.Errorf("first %v, want %v", got, first)
	}
	if got := queryOne[oid.ID](t, conn, "select objectid_last(id) from users"); got != last {
		t.Errorf("last %v, want %v", got, last)
	}
	for query, want := range map[string]string{
		"select objectid_first(id) from users": "Index Only Scan using users_pkey",
		"select objectid_last(id) from users":  "Index Only Scan Backward using users_pkey",
	} {
		if plan := explain(t, conn, query); !strings.Contains(plan, want) {
			t.Errorf("%s: no %q:\n%s", query, want, plan)
		}
	}
	// Without the index, and in parallel, too.
	mustExec(t, conn, "set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off; set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0")
	if got := queryOne[oid.ID](t, conn, "select objectid_last(id) from users where id <> $1", last.Next()); got != last {
		t.Errorf("last without the index %v, want %v", got, last)
	}
	if plan := explain(t, conn, "select objectid_last(id), count(*) from users"); !strings.Contains(plan, "Partial Aggregate") {
		t.Errorf("not in parallel:\n%s", plan)
	}
}

func TestSchemaMayBeRunAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	conn := withSchema(t)
	mustExec(t, conn, "create table users (id objectid primary key, created timestamptz generated always as (objectid_time(id)) stored)")
	mustExec(t, conn, "insert into users values ($1)", sample)
	mustExec(t, conn, sqltype.PostgresSchema())
	if got := queryOne[oid.ID](t, conn, "select id from users"); got != sample {
		t.Errorf("%v", got)
	}
	// Several programs that start at once.
	dsn := conn.Config().ConnString()
	errs := make(chan error)
	const programs = 8
	for range programs {
		go func() {
			conn, err := pgx.Connect(ctx, dsn)
			if err == nil {
				_, err = conn.Exec(ctx, sqltype.PostgresSchema())
				conn.Close(context.Background())
			}
			errs <- err
		}()
	}
	for range programs {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	// In a schema of one's own, with a name that needs quotes.
	mustExec(t, conn, `create schema "My App"; set search_path = "My App"`)
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, sqltype.PostgresSchema())
	if n := queryOne[int](t, conn, "select count(*) from pg_type where typname = 'objectid'"); n != 2 {
		t.Errorf("%d domains, want one in each schema", n)
	}
}

// A type of that name that somebody else has made isn't taken for the domain.
func TestSchemaRefusesAnotherTypeNamedObjectid(t *testing.T) {
	t.Parallel()
	const duplicateObject = "42710"
	conn := postgres.Connect(t)
	mustExec(t, conn, `create schema "My App"; set search_path = "My App", public`)
	for _, other := range []string{"domain objectid as char(24)", "type objectid as enum ('a')", "table objectid (id bytea)"} {
		mustExec(t, conn, "create "+other)
		_, err := conn.Exec(t.Context(), sqltype.PostgresSchema())
		wantSQLState(t, err, duplicateObject)
		if want := `schema "My App" has a type objectid that is not a domain over bytea`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", other, err, want)
		}
		kind, _, _ := strings.Cut(other, " ")
		mustExec(t, conn, "drop "+kind+" objectid")
	}
	mustExec(t, conn, "create domain public.objectid as text") // not in the first schema
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, sqltype.PostgresSchema())
}

func TestSchemaWorksUnderAnEmptySearchPath(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "set search_path = ''")
	if got := queryOne[oid.ID](t, conn, "select public.objectid_parse($1)", sample.Hex()); got != sample {
		t.Errorf("parse: %v", got)
	}
	if got := queryOne[time.Time](t, conn, "select public.objectid_time($1)", sample); !got.Equal(sample.Timestamp()) {
		t.Errorf("time: %v", got)
	}
	if got := queryOne[oid.ID](t, conn, "select public.objectid_max(public.objectid_time($1))", sample); got != oid.MaxAt(sample.Timestamp()) {
		t.Errorf("max: %v", got)
	}
	if got := queryOne[oid.ID](t, conn, "select public.objectid_last(x) from unnest($1::bytea[]) x", []oid.ID{{}, sample}); got != sample {
		t.Errorf("last: %v", got)
	}
}

// A dump is restored with an empty search_path, and recomputes what a view, an
// index, a check or a partition needs of the functions. pg_dump is the system's, and
// so the dump is of the system's server. It goes into later versions too.
func TestSchemaSurvivesDumpAndRestore(t *testing.T) {
	t.Parallel()
	pgDump, err := postgres.Find("pg_dump")
	if err != nil {
		daemon.Skip(t, err)
	}
	psql, err := postgres.Find("psql")
	if err != nil {
		daemon.Skip(t, err)
	}
	conn := postgres.System.Connect(t)
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, `
		create table users (id objectid primary key default objectid_parse('65b3f7a40c1b2d3e4f506172'), parent objectid,
			created timestamptz generated always as (objectid_time(id)) stored,
			check (objectid_time(id) > '2000-01-01'));
		create index on users (objectid_time(id));
		create index on users (objectid_text(id));
		insert into users default values;
		create materialized view latest as
			select objectid_last(id) as id, objectid_parse(objectid_text(objectid_first(id))) as parsed from users
			where id >= objectid_min('2024-01-01 00:00Z') and id <= objectid_max('2024-12-31 23:59Z');
		create table events (id objectid primary key) partition by range (id);
		create table events_2024 partition of events for values from (objectid_min('2024-01-01 00:00Z')) to (objectid_min('2025-01-01 00:00Z'));
		create table events_rest partition of events default;
		insert into events select id from users;
		refresh materialized view latest`)
	dump, err := exec.Command(pgDump, conn.Config().ConnString()).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, into := range postgres.Installations() {
		t.Run("into "+into.Name, func(t *testing.T) {
			restored := into.Connect(t)
			cmd := exec.Command(psql, "-v", "ON_ERROR_STOP=1", "-q", restored.Config().ConnString())
			cmd.Stdin = bytes.NewReader(dump)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, query := range []string{"select id from users", "select id from latest", "select parsed from latest", "select id from events_2024"} {
				if got := queryOne[oid.ID](t, restored, query); got != sample {
					t.Errorf("%s: %v, want %v", query, got, sample)
				}
			}
			if a, b := queryOne[oid.ID](t, conn, "select objectid_new()"), queryOne[oid.ID](t, restored, "select objectid_new()"); process(a) == process(b) {
				t.Errorf("the restored database makes ids of the same process: %v, %v", a, b)
			}
			_, err = restored.Exec(t.Context(), "insert into events values ($1)", oid.ID{})
			wantSQLState(t, err, checkViolation)
			mustExec(t, restored, sqltype.PostgresSchema())
		})
	}
}

func TestMonthlyPartitionsByCreationTime(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, keyType := range []string{"objectid", "bytea"} {
		conn := withSchema(t)
		mustExec(t, conn, "create table events (id "+keyType+" primary key) partition by range (id)")
		mustExec(t, conn, "create table events_rest partition of events default")
		month := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 12 {
			next := month.AddDate(0, 1, 0)
			addPartition(t, conn, "events_"+month.Format("2006_01"), month, next)
			month = next
		}
		year := []time.Time{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), month}
		addPartition(t, conn, "events_before", time.Unix(0, 0), year[0]) // the first bound is no objectid
		for _, at := range []time.Time{year[0], year[1].Add(-1), year[1], time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), time.Unix(1, 0)} {
			id, err := oid.NewAt(at)
			if err != nil {
				t.Fatal(err)
			}
			want := "events_" + at.UTC().Format("2006_01")
			switch {
			case at.Before(year[0]):
				want = "events_before"
			case !at.Before(year[1]):
				want = "events_rest"
			}
			// The ID on the bound itself belongs to the later partition.
			for _, id := range []oid.ID{id, oid.MinAt(at), oid.MaxAt(at)} {
				got := queryOne[string](t, conn, "insert into events values ($1) returning tableoid::regclass::text", id)
				if got != want {
					t.Errorf("%s: %v of %v is in %s, want %s", keyType, id, at, got, want)
				}
			}
		}
		bounds, err := sqltype.PostgresPartitionBounds(year[0].AddDate(0, 0, 15), year[0].AddDate(0, 0, 16))
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Exec(ctx, "create table events_overlap partition of events for values "+bounds)
		wantSQLState(t, err, "42P17") // invalid_object_definition: would overlap
	}
}

func addPartition(t testing.TB, conn *pgx.Conn, name string, from, to time.Time) {
	t.Helper()
	bounds, err := sqltype.PostgresPartitionBounds(from, to)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, "create table "+name+" partition of events for values "+bounds)
}

// explain returns a query's plan, run for real with the settings of EXPLAIN that
// don't change from run to run.
func explain(t testing.TB, conn *pgx.Conn, query string, args ...any) string {
	t.Helper()
	rows, err := conn.Query(context.Background(), "explain (analyze, costs off, timing off, summary off) "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	plan := strings.Join(lines, "\n")
	return strings.ReplaceAll(plan, ".00 loops", " loops") // PostgreSQL 18 counts rows in hundredths
}

// The functions promise the planner to depend on their arguments only. The
// promise is kept if all that they call make it too.
func TestFunctionsAreImmutableAndParallelSafe(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	rows, err := conn.Query(t.Context(), `select format('%s %s%s%s', proname, provolatile, proparallel, proisstrict)
		from pg_proc where proname like 'objectid%' and prokind = 'f' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{"bucket", "derive", "from_uuid", "larger", "max", "min", "new", "parse", "seconds", "smaller", "text", "time", "to_uuid"} {
		labels := "ist"
		if name == "new" {
			labels = "vuf"
		}
		want = append(want, fmt.Sprintf("objectid_%s %s", name, labels))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// EXTRACT of a timestamptz, and to_char, are not.
	for _, called := range []string{"to_timestamp(float8)", "get_byte(bytea,int)", "timezone(text,timestamptz)", "extract(text,timestamp)", "int8send(int8)", "encode(bytea,text)", "decode(text,text)",
		"lpad(text,int,text)", "to_hex(int8)", "substr(text,int,int)", "uuid_send(uuid)", "uuid_in(cstring)", "sha256(bytea)", "bit_in(cstring,oid,int)"} {
		if v := queryOne[string](t, conn, "select provolatile::text from pg_proc where oid = $1::text::regprocedure", called); v != "i" {
			t.Errorf("%s is %s", called, v)
		}
	}
}

func TestDocumentationQueryOfTheSchema(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "CREATE TABLE users (id objectid PRIMARY KEY, name text NOT NULL)")
	id, err := oid.NewAt(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, "insert into users values ($1, 'Ada')", id)
	var text, name string
	var at pgtype.Timestamptz
	err = conn.QueryRow(t.Context(), `SELECT objectid_text(id), objectid_time(id), name FROM users
		WHERE id BETWEEN objectid_min('2026-11-01 00:00Z') AND objectid_max('2026-11-30 23:59:59Z')`).Scan(&text, &at, &name)
	if err != nil || text != id.Hex() || !at.Time.Equal(id.Timestamp()) || name != "Ada" {
		t.Errorf("%s, %v, %s, %v", text, at, name, err)
	}
}
