package sqltype_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
)

// buckets is the number of buckets in these tests.
const buckets = 16

const (
	inBuckets      = "bucket in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)"
	betweenBuckets = "bucket between 0 and 15"
)

// pageOverBuckets returns the query of a page over a list of buckets, and the one that asks
// each bucket for a page. The second takes its two bounds once for each bucket.
func pageOverBuckets(columns string) (list, each string) {
	var parts []string
	for bucket := range buckets {
		parts = append(parts, fmt.Sprintf("(select %s from bucketed where bucket = %d and id >= ? and id < ? order by id limit 50)", columns, bucket))
	}
	return "select " + columns + " from bucketed where " + inBuckets + " and id >= ? and id < ? order by id limit 50",
		strings.Join(parts, " union all ") + " order by id limit 50"
}

// isTiDB reports whether the tests of MariaDB run on TiDB.
func isTiDB(t testing.TB, db *sql.DB) bool {
	return strings.Contains(queryOne[string](t, db, "select version()"), "TiDB")
}

// insertMany inserts a row for each ID, by many rows in a statement.
func insertMany(t testing.TB, db *sql.DB, statement string, ids []oid.ID, row func(oid.ID) string) {
	t.Helper()
	for chunk := range slices.Chunk(ids, 1000) {
		var b strings.Builder
		for i, id := range chunk {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(row(id))
		}
		mustExec(t, db, statement+" values "+b.String())
	}
}

func bucketRow(id oid.ID) string {
	return fmt.Sprintf("(%d, x'%v', 'a')", oid.Bucket(id, buckets), id)
}

// idsOver returns n IDs, one for each step of time from the beginning.
func idsOver(t testing.TB, n int, begin time.Time, step time.Duration) (ids []oid.ID) {
	t.Helper()
	for i := range n {
		id, err := oid.NewAt(begin.Add(time.Duration(i) * step))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, oid.ID.Compare)
	return ids
}

// pageOf returns the IDs that a query returns.
func pageOf(t testing.TB, db *sql.DB, query string, args ...any) (ids []oid.ID) {
	t.Helper()
	rows, err := db.Query(query, args...)
	return idsOf(t, rows, err)
}

// idsOf reads what a query returns.
func idsOf(t testing.TB, rows *sql.Rows, err error) (ids []oid.ID) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id oid.ID
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestPagesOverBucketsUseTheKey reads pages by time of a table whose key begins with
// a bucket. A list of buckets is a range of the key in each bucket. With BETWEEN, the
// server looks at every row of the buckets.
func TestPagesOverBucketsUseTheKey(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testPagesOverBucketsUseTheKey)
}

func testPagesOverBucketsUseTheKey(t *testing.T, e *mysqlserver.Engine) {
	db := mysqlWith(e, func(*mysql.Config) {})(t)
	mustExec(t, db, "create table bucketed (bucket smallint not null, id binary(12) not null, name varchar(20), primary key (bucket, id))")
	begin := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	ids := idsOver(t, 8000, begin, 10*time.Second)
	insertMany(t, db, "insert into bucketed", ids, bucketRow)
	mustExec(t, db, "analyze table bucketed")

	lo, hi := oid.Range(begin.Add(10000*time.Second), begin.Add(20000*time.Second)) // 1000 rows
	list, each := pageOverBuckets("id")
	var args []any
	for range buckets {
		args = append(args, lo, hi)
	}
	for query, args := range map[string][]any{
		list: {lo, hi},
		each: args,
		strings.Replace(list, inBuckets, betweenBuckets, 1): {lo, hi},
	} {
		if got := pageOf(t, db, query, args...); !slices.Equal(got, ids[1000:1050]) {
			t.Errorf("%.120s…: %d rows, which are not the first 50 of the range", query, len(got))
		}
	}
	query := func(condition string) string {
		return "select id from bucketed where " + condition + " and id >= ? and id < ? order by id"
	}
	if isTiDB(t, db) {
		for condition, want := range map[string]int{inBuckets: buckets, betweenBuckets: 1} {
			if got := rangesOf(t, db, query(condition), lo, hi); got != want {
				t.Errorf("%s reads %d ranges of the key, want %d", condition, got, want)
			}
		}
		return
	}
	inList, between := rowsRead(t, db, query(inBuckets), lo, hi), rowsRead(t, db, query(betweenBuckets), lo, hi)
	t.Logf("of 8,000 rows, a range of 1,000 in 16 buckets reads %d with a list and %d with BETWEEN", inList, between)
	if inList > 2000 || between < 7000 {
		t.Errorf("a range of 1,000 rows reads %d with a list and %d with BETWEEN, want about 1,000 and about 8,000", inList, between)
	}
}

// rowsRead returns how many rows MySQL or MariaDB looks at for a query.
func rowsRead(t testing.TB, db *sql.DB, query string, args ...any) int {
	t.Helper()
	return readsOf(t, db, func(conn *sql.Conn) {
		rows, err := conn.QueryContext(t.Context(), query, args...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		rows.Close()
	})
}

// readsOf returns how many rows MySQL or MariaDB looks at while f runs.
func readsOf(t testing.TB, db *sql.DB, f func(conn *sql.Conn)) int {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	read := func() (sum int) {
		rows, err := conn.QueryContext(t.Context(), "show session status like 'handler_read%'")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var n int
			if err := rows.Scan(&name, &n); err != nil {
				t.Fatal(err)
			}
			if name != "Handler_read_rnd" { // of what was sorted
				sum += n
			}
		}
		return sum
	}
	before := read()
	f(conn)
	return read() - before
}

// rangesOf returns how many ranges of a key TiDB reads for a query.
func rangesOf(t testing.TB, db *sql.DB, query string, args ...any) int {
	t.Helper()
	rows, err := db.Query("explain "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	ranges := 0
	for rows.Next() {
		var id, estimate, task, object, info string
		if err := rows.Scan(&id, &estimate, &task, &object, &info); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(info, "range:") {
			ranges += strings.Count(info, "), [") + 1
		}
	}
	return ranges
}
