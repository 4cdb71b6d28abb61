package sqltype_test

import (
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A partitioned server keeps a table events with a partition for each month.
type partitioned struct {
	create string
	add    func(name string, from, to time.Time) (string, error)
	drop   string
	read   func(t *testing.T, db *sql.DB, where string, args ...any) []string // the partitions that a query reads
	where  string                                                             // of a range
	lone   string
}

var partitionName = regexp.MustCompile(`\bevents_\d{4}_\d\d\b`)

func uniqueNames(plan string) []string {
	names := partitionName.FindAllString(plan, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

var partitionedServers = map[string]partitioned{
	"postgres": {
		create: "create table events (id objectid primary key, made timestamptz) partition by range (id)",
		add: func(name string, from, to time.Time) (string, error) {
			bounds, err := sqltype.PostgresPartitionBounds(from, to)
			return "create table " + name + " partition of events for values " + bounds, err
		},
		drop: "drop table %s",
		read: func(t *testing.T, db *sql.DB, where string, args ...any) []string {
			rows, err := db.Query("explain (costs off) select made from events where "+where, args...)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var plan []string
			for rows.Next() {
				var line string
				if err := rows.Scan(&line); err != nil {
					t.Fatal(err)
				}
				plan = append(plan, line)
			}
			return uniqueNames(strings.Join(plan, "\n"))
		},
		where: "id >= $1 and id < $2",
		lone:  "id = $1",
	},
	"mysql": {
		// A partition for what came before the first month: MariaDB wants one at least.
		create: "create table events (id binary(12) primary key, made datetime) partition by range columns (id) (partition before_all values less than (x'000000000000000000000001'))",
		add: func(name string, from, to time.Time) (string, error) {
			bounds, err := sqltype.MySQLPartitionBounds(from, to)
			return "alter table events add partition (partition " + name + " " + bounds + ")", err
		},
		drop: "alter table events drop partition %s",
		read: func(t *testing.T, db *sql.DB, where string, args ...any) []string {
			plan := queryPlan(t, db, "select made from events where "+where, args...)
			return uniqueNames(plan["partitions"])
		},
		where: "id >= ? and id < ?",
		lone:  "id = ?",
	},
}

// queryPlan returns the last row of EXPLAIN on MariaDB or MySQL.
func queryPlan(t *testing.T, db *sql.DB, query string, args ...any) map[string]string {
	t.Helper()
	explain := "explain format = traditional " // MySQL shows the partitions without being asked
	if strings.Contains(queryOne[string](t, db, "select version()"), "MariaDB") {
		explain = "explain partitions "
	}
	rows, err := db.Query(explain+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	plan := map[string]string{}
	for rows.Next() {
		values, dst := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			dst[i] = &values[i]
		}
		if err := rows.Scan(dst...); err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			plan[name] = values[i].String
		}
	}
	return plan
}

func TestMonthlyPartitionsByID(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		if server, ok := partitionedServers[d.engine()]; ok && d.name != "lib/pq" {
			testMonthlyPartitions(t, db, server)
		}
	})
}

func testMonthlyPartitions(t *testing.T, db *sql.DB, server partitioned) {
	january := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	month := func(n int) time.Time { return january.AddDate(0, n, 0) }
	partition := func(n int) string { return month(n).Format("events_2006_01") }
	add := func(n int) error {
		statement, err := server.add(partition(n), month(n), month(n+1))
		if err != nil {
			return err
		}
		_, err = db.Exec(statement)
		return err
	}
	mustExec(t, db, server.create)
	for n := range 6 {
		if err := add(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := add(2); err == nil {
		t.Error("the same month is added twice without an error")
	}
	placeholder := map[bool]string{true: "($1, $2)", false: "(?, ?)"}[strings.Contains(server.lone, "$")]
	insert := func(at time.Time) error {
		id, err := oid.NewAt(at)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Exec("insert into events values "+placeholder, id, at)
		return err
	}
	perMonth := make([]int, 7)
	for at := january; at.Before(month(6)); at = at.Add(6 * time.Hour) {
		if err := insert(at); err != nil {
			t.Fatal(err)
		}
		perMonth[at.Month()-1]++
	}
	for n := range 6 { // the last second of each month
		if err := insert(month(n + 1).Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		perMonth[n]++
	}
	if err := insert(month(6)); err == nil {
		t.Error("an ID after the last partition is stored")
	}
	count := func(n int) int {
		lo, hi := oid.Range(month(n), month(n+1))
		return queryOne[int](t, db, "select count(*) from events where "+server.where, lo, hi)
	}

	for n := range 6 {
		lo, hi := oid.Range(month(n), month(n+1))
		if got := server.read(t, db, server.where, lo, hi); len(got) != 1 || got[0] != partition(n) {
			t.Errorf("the range of %s reads the partitions %q", partition(n), got)
		}
		if got := server.read(t, db, server.lone, hi.Prev()); len(got) > 1 || len(got) == 1 && got[0] != partition(n) {
			t.Errorf("an ID of %s is looked for in the partitions %q", partition(n), got)
		}
		if got := count(n); got != perMonth[n] {
			t.Errorf("%s has %d rows, want %d", partition(n), got, perMonth[n])
		}
	}
	lo, hi := oid.Range(month(1), month(3))
	if got, want := server.read(t, db, server.where, lo, hi), []string{partition(1), partition(2)}; !slices.Equal(got, want) {
		t.Errorf("a range of two months reads the partitions %q, want %q", got, want)
	}

	// A purge of the first two months, and a new month.
	for n := range 2 {
		mustExec(t, db, fmt.Sprintf(server.drop, partition(n)))
	}
	if err := errors.Join(add(6), insert(month(6))); err != nil {
		t.Fatal(err)
	}
	perMonth[0], perMonth[1], perMonth[6] = 0, 0, 1
	for n := range 7 {
		if got := count(n); got != perMonth[n] {
			t.Errorf("after the purge, %s has %d rows, want %d", partition(n), got, perMonth[n])
		}
	}
}
