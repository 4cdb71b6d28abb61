//go:build nightly

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

// onTiDB returns a database of the TiDB that the step tidb of .ci/nightly starts.
func onTiDB(t *testing.T) *sql.DB {
	t.Helper()
	db := mysqlWith(mysqlserver.TiDB, func(*mysql.Config) {})(t)
	if !isTiDB(t, db) {
		t.Skip("the server is not TiDB: run bash .ci/nightly tidb")
	}
	return db
}

func plainRow(id oid.ID) string { return fmt.Sprintf("(x'%v', 'a')", id) }

// TestRegionsOfTiDB inserts 100,000 rows with new IDs into tables that TiDB keeps in 16
// regions. It prints the share of the busiest region.
//
// The storage of the test doesn't measure its regions. So the test splits the tables at
// points that it knows, asks TiDB for the number of regions, and counts the rows between
// the points.
func TestRegionsOfTiDB(t *testing.T) {
	t.Parallel()
	db := onTiDB(t)
	const inserts = 100_000
	now := time.Now()
	mustExec(t, db, "create table plain (id binary(12) primary key, name varchar(20))")
	mustExec(t, db, "create table bucketed (bucket smallint not null, id binary(12) not null, name varchar(20), primary key (bucket, id))")

	// The table with the plain key has the rows of a year, the same number in each region.
	var points []oid.ID
	for i := range buckets - 1 {
		points = append(points, oid.MinAt(now.Add(time.Duration(i+1-buckets)*365*24*time.Hour/buckets)))
	}
	split(t, db, "plain", func(i int) string { return fmt.Sprintf("(x'%v')", points[i-1]) })
	split(t, db, "bucketed", firstOfBucket)

	// Three IDs in four are those of other tables: an order of this program has three lines.
	all := make([]oid.ID, 4*inserts)
	oid.Fill(all)
	var ids []oid.ID
	for i := 0; i < len(all); i += 4 {
		ids = append(ids, all[i])
	}
	insertMany(t, db, "insert into plain", ids, plainRow)
	insertMany(t, db, "insert into bucketed", ids, bucketRow)

	var inPlain, inBucketed []int
	for i, begin := range append([]oid.ID{{}}, points...) {
		end := oid.MaxAt(now.AddDate(1, 0, 0))
		if i < len(points) {
			end = points[i]
		}
		inPlain = append(inPlain, queryOne[int](t, db, "select count(*) from plain where id >= ? and id < ?", begin, end))
		inBucketed = append(inBucketed, queryOne[int](t, db, "select count(*) from bucketed where bucket = ?", i))
	}
	t.Logf("the busiest of 16 regions gets %.1f %% of 100,000 inserts with the key (id), and %.1f %% with the key (bucket, id)",
		100*share(inPlain), 100*share(inBucketed))
	if share(inPlain) != 1 { // or the test shows nothing
		t.Errorf("the plain key spreads its inserts: %v", inPlain)
	}
	if share(inBucketed) > 0.10 {
		t.Errorf("the busiest bucket gets %.1f %%, want at most 10 %%: %v", 100*share(inBucketed), inBucketed)
	}

	mustExec(t, db, fmt.Sprintf("create table parts (id binary(12) primary key, name varchar(20)) partition by key (id) partitions %d", buckets))
	insertMany(t, db, "insert into parts", ids, plainRow)
	var inParts []int
	for i := range buckets {
		inParts = append(inParts, queryOne[int](t, db, fmt.Sprintf("select count(*) from parts partition (p%d)", i)))
	}
	t.Logf("the busiest of 16 partitions by key gets %.1f %%", 100*share(inParts))
	if share(inParts) > 0.10 {
		t.Errorf("the busiest partition gets %.1f %%, want at most 10 %%: %v", 100*share(inParts), inParts)
	}
}

// firstOfBucket is where the region of a bucket begins.
func firstOfBucket(bucket int) string { return fmt.Sprintf("(%d, x'%v')", bucket, oid.ID{}) }

// split makes 16 regions of a table, and asks TiDB for them.
func split(t *testing.T, db *sql.DB, table string, at func(region int) string) {
	t.Helper()
	var points []string
	for i := 1; i < buckets; i++ {
		points = append(points, at(i))
	}
	mustExec(t, db, "split table "+table+" by "+strings.Join(points, ", "))
	rows, err := db.Query("show table " + table + " regions")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil || n != buckets {
		t.Fatalf("%s has %d regions, %v, want %d", table, n, err, buckets)
	}
}

// share returns the greatest count's share of all.
func share(counts []int) float64 {
	var sum int
	for _, n := range counts {
		sum += n
	}
	return float64(slices.Max(counts)) / float64(sum)
}

// TestPagesOverBucketsOfTiDB reads pages of 50 rows by time from a table with buckets, and
// prints their times and those of a table without buckets. Both tables have 16 regions and
// 100,000 rows.
func TestPagesOverBucketsOfTiDB(t *testing.T) {
	t.Parallel()
	db := onTiDB(t)
	mustExec(t, db, "create table plain (id binary(12) primary key, name varchar(20))")
	mustExec(t, db, "create table bucketed (bucket smallint not null, id binary(12) not null, name varchar(20), primary key (bucket, id))")
	begin := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	ids := idsOver(t, 100_000, begin, 10*time.Second)
	split(t, db, "plain", func(i int) string { return fmt.Sprintf("(x'%v')", ids[i*len(ids)/buckets]) })
	split(t, db, "bucketed", firstOfBucket)
	insertMany(t, db, "insert into plain", ids, plainRow)
	insertMany(t, db, "insert into bucketed", ids, bucketRow)
	mustExec(t, db, "analyze table plain, bucketed")

	list, each := pageOverBuckets("id")
	type page func(lo, hi oid.ID) []oid.ID
	by := func(query string, bounds int) page {
		return func(lo, hi oid.ID) []oid.ID {
			var args []any
			for range bounds {
				args = append(args, lo, hi)
			}
			return pageOf(t, db, query, args...)
		}
	}
	hourly := func(lo, hi oid.ID) (ids []oid.ID) {
		hours := int(hi.Timestamp().Sub(lo.Timestamp()).Hours())
		for lo, hi := range oid.Split(lo, hi, hours) {
			if ids = append(ids, by(list, 1)(lo, hi)...); len(ids) >= 50 {
				return ids[:50]
			}
		}
		return ids
	}
	prepared := func(query string) page {
		stmt, err := db.Prepare(query)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stmt.Close() })
		return func(lo, hi oid.ID) []oid.ID {
			rows, err := stmt.Query(lo, hi)
			return idsOf(t, rows, err)
		}
	}
	const plain = "select id from plain where id >= ? and id < ? order by id limit 50"
	for _, hours := range []int{1, 24} {
		forms := []struct {
			name string
			page page
			base int // the form of one range that it is compared with
		}{
			{"one range, without buckets", by(plain, 1), 0},
			{"a list of buckets, one hour after the other", hourly, 0},
			{"a list of buckets", by(list, 1), 0},
			{"a page of each bucket", by(each, buckets), 0},
			{"one range, without buckets, prepared once", prepared(plain), 4},
			{"a list of buckets, prepared once", prepared(list), 4},
		}
		took := make([][]float64, len(forms)) // milliseconds
		for round := range 100 {
			// Each round reads at another time.
			from := begin.Add(time.Duration(round) * 2 * time.Hour)
			lo, hi := oid.Range(from, from.Add(time.Duration(hours)*time.Hour))
			first := slices.IndexFunc(ids, func(id oid.ID) bool { return id.Compare(lo) >= 0 })
			for i, f := range forms {
				start := time.Now()
				got := f.page(lo, hi)
				took[i] = append(took[i], time.Since(start).Seconds()*1000)
				if !slices.Equal(got, ids[first:first+50]) {
					t.Fatalf("%s: %d rows, which are not the first 50 of the range", f.name, len(got))
				}
			}
		}
		median := func(i int) float64 { slices.Sort(took[i]); return took[i][len(took[i])/2] }
		for i, f := range forms {
			t.Logf("a page of 50 in a range of %d rows, by %s: %.2f ms, %.1f times one range", 360*hours, f.name, median(i), median(i)/median(f.base))
		}
	}
}
