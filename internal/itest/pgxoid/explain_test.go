package pgxoid_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/oid"
)

// withYear returns a connection to a database whose table users holds an ID an hour
// of 2026, up to the last hour, and events the same in monthly partitions.
func withYear(t testing.TB, keyType string) *pgx.Conn {
	t.Helper()
	conn := withSchema(t)
	mustExec(t, conn, "create table users (id "+keyType+" primary key); create table events (id "+keyType+" primary key) partition by range (id)")
	for month := start; month.Year() == start.Year(); month = month.AddDate(0, 1, 0) {
		addPartition(t, conn, "events_"+month.Format("2006_01"), month, month.AddDate(0, 1, 0))
	}
	mustExec(t, conn, `insert into users select objectid_max('2026-01-01 00:00Z'::timestamptz + n * interval '1 hour') from generate_series(0, 365 * 24 - 1) n`)
	mustExec(t, conn, "insert into events select id from users")
	mustExec(t, conn, "vacuum analyze users")
	mustExec(t, conn, "vacuum analyze events")
	return conn
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ranges are the ways to ask for the IDs of June 2026, which are 720.
func ranges(table string) []struct {
	name, setUp, query string
	args               []any
	atPlanTime         bool
} {
	june, july := start.AddDate(0, 5, 0), start.AddDate(0, 6, 0)
	lo, hi := oid.Range(june, july)
	return []struct {
		name, setUp, query string
		args               []any
		atPlanTime         bool
	}{
		{"literal", "", "select id from " + table + " where id >= objectid_min('2026-06-01 00:00Z') and id < objectid_min('2026-07-01 00:00Z')", nil, true},
		{"literal between", "", "select id from " + table + " where id between objectid_min('2026-06-01 00:00Z') and objectid_max('2026-06-30 23:59:59Z')", nil, true},
		{"bounds from Go", "", "select id from " + table + " where id >= $1 and id < $2", []any{lo, hi}, true},
		{"prepared ids",
			"deallocate all; set plan_cache_mode = force_generic_plan; prepare q(bytea, bytea) as select id from " + table + " where id >= $1 and id < $2",
			"execute q(objectid_min('2026-06-01 00:00Z'), objectid_min('2026-07-01 00:00Z'))", nil, false},
		{"prepared times",
			"deallocate all; set plan_cache_mode = force_generic_plan; prepare q(timestamptz, timestamptz) as select id from " + table + " where id >= objectid_min($1) and id < objectid_min($2)",
			"execute q('2026-06-01 00:00Z', '2026-07-01 00:00Z')", nil, false},
		// now() is June 1st and some days, however late the test runs.
		{"now", "", "select id from " + table + ` where id >= objectid_min(now() - (now() - '2026-06-01 00:00Z')) and id < objectid_min(now() - (now() - '2026-07-01 00:00Z'))`, nil, false},
	}
}

func TestCreationTimeRangesUseThePrimaryKey(t *testing.T) {
	t.Parallel()
	for _, keyType := range []string{"objectid", "bytea"} {
		conn := withYear(t, keyType)
		for _, r := range ranges("users") {
			mustExec(t, conn, r.setUp)
			plan := explain(t, conn, r.query, r.args...)
			for _, want := range []string{"Index Only Scan using users_pkey on users (actual rows=720 loops=1)", ">=", "Index Cond"} {
				if !strings.Contains(plan, want) {
					t.Errorf("%s, %s: no %q in\n%s", keyType, r.name, want, plan)
				}
			}
			if strings.Contains(plan, "Filter") || strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s, %s: not only by the index\n%s", keyType, r.name, plan)
			}
		}
		// The time computed from each ID can't be looked up; an index of it can.
		const byTime = "select id from users where objectid_time(id) >= '2026-12-31 00:00Z'"
		if plan := explain(t, conn, byTime); !strings.Contains(plan, "Seq Scan") {
			t.Errorf("objectid_time(id) uses an index now: say so in the documentation\n%s", plan)
		}
		mustExec(t, conn, "create index on users (objectid_time(id)); analyze users")
		if plan := explain(t, conn, byTime); !strings.Contains(plan, "users_objectid_time_idx") {
			t.Errorf("the index of objectid_time(id) isn't used\n%s", plan)
		}
	}
}

func TestPartitionsArePruned(t *testing.T) {
	t.Parallel()
	const partitions = 12
	for _, keyType := range []string{"objectid", "bytea"} {
		conn := withYear(t, keyType)
		for _, r := range ranges("events") {
			mustExec(t, conn, r.setUp)
			plan := explain(t, conn, r.query, r.args...)
			if scanned := strings.Count(plan, " on events_"); scanned != 1 || !strings.Contains(plan, " on events_2026_06") {
				t.Errorf("%s, %s: %d partitions are scanned\n%s", keyType, r.name, scanned, plan)
			}
			if removed := strings.Contains(plan, "Subplans Removed: 11"); removed == r.atPlanTime {
				t.Errorf("%s, %s: pruned at plan time: %t\n%s", keyType, r.name, !removed, plan)
			}
		}
		id := oid.MaxAt(start.AddDate(0, 5, 0))
		if plan := explain(t, conn, "select id from events where id = $1", id); strings.Count(plan, " on events_") != 1 {
			t.Errorf("%s: one id, all partitions\n%s", keyType, plan)
		}
		mustExec(t, conn, "deallocate all; set plan_cache_mode = force_generic_plan; prepare one(bytea) as select id from events where id = $1")
		if plan := explain(t, conn, "execute one('"+`\x`+id.Hex()+"')"); !strings.Contains(plan, "Subplans Removed: 11") {
			t.Errorf("%s: one id, prepared, all partitions\n%s", keyType, plan)
		}
		if plan := explain(t, conn, "execute one(null)"); strings.Contains(plan, "(actual rows=1") {
			t.Errorf("%s: NULL finds a row\n%s", keyType, plan)
		}
		// Two conditions read all partitions: a list of IDs in a generic plan, and the
		// computed time.
		mustExec(t, conn, "prepare list(bytea[]) as select id from events where id = any($1)")
		if plan := explain(t, conn, "execute list(array['"+`\x`+id.Hex()+"'::bytea])"); strings.Count(plan, " on events_") != partitions {
			t.Errorf("%s: a list of ids prunes now: say so in the documentation\n%s", keyType, plan)
		}
		if plan := explain(t, conn, "select id from events where objectid_time(id) >= '2026-12-31 00:00Z'"); strings.Count(plan, " on events_") != partitions {
			t.Errorf("%s: objectid_time(id) prunes now: say so in the documentation\n%s", keyType, plan)
		}
	}
}

// A NULL time asks for nothing, and not for everything.
func TestRangeWithANULLTimeIsEmpty(t *testing.T) {
	t.Parallel()
	conn := withYear(t, "objectid")
	if n := queryOne[int](t, conn, "select count(*) from users where id >= objectid_min($1::timestamptz)", nil); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// Rows that are found by the time of their IDs are those that were made then: the
// second before and the second after are not.
func TestCreatedBetweenFindsExactlyTheRange(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create table users (id objectid primary key)")
	from, to := start, start.Add(time.Hour)
	inside := 0
	for _, at := range []time.Time{from.Add(-time.Second), from, from.Add(time.Minute), to.Add(-time.Second), to, to.Add(time.Second)} {
		for range 3 {
			id, err := oid.NewAt(at)
			if err != nil {
				t.Fatal(err)
			}
			mustExec(t, conn, "insert into users values ($1)", id)
			if !at.Before(from) && at.Before(to) {
				inside++
			}
		}
	}
	lo, hi := oid.Range(from, to)
	const where = "(id >= $1 and id < $2)"
	for _, condition := range []string{where, "not not " + where} {
		if n := queryOne[int](t, conn, "select count(*) from users where "+condition, lo, hi); n != inside {
			t.Errorf("%s: %d rows, want %d", condition, n, inside)
		}
	}
	if n := queryOne[int](t, conn, "select count(*) from users where not "+where, lo, hi); n != 18-inside {
		t.Errorf("not: %d rows, want %d", n, 18-inside)
	}
}
