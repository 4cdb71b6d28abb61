package sqltype_test

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// withMySQLSchema opens a database that has the functions of MySQLSchema. Arguments become
// text of the statement: MySQL can refuse a prepared statement that calls functions, with
// Error 1615, while other tests change schemas on the same server.
func withMySQLSchema(t testing.TB, e *mysqlserver.Engine) *sql.DB {
	t.Helper()
	db := mysqlWith(e, func(c *mysql.Config) {
		c.InterpolateParams = true
		c.MultiStatements = true
		c.Loc = time.UTC
	})(t)
	mustExec(t, db, sqltype.MySQLSchema())
	db.SetMaxOpenConns(1) // so that a setting of the session holds
	return db
}

func TestMySQLBoundsAgreeWithGoInEveryTimeZone(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLBoundsAgreeWithGoInEveryTimeZone)
}

func testMySQLBoundsAgreeWithGoInEveryTimeZone(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	mustExec(t, db, sqltype.MySQLSchema())
	times := []time.Time{
		time.Unix(0, 0), time.Unix(-1, 0), time.Unix(-1, 999_999_000), time.Unix(0, 999_999_000), time.Unix(math.MaxInt32+1, 0),
		time.Unix(math.MaxUint32, 999_999_000), time.Unix(math.MaxUint32+1, 0), time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
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
	for i, zone := range []string{"+00:00", "+13:00", "-03:30"} {
		mustExec(t, db, "set time_zone = '"+zone+"'")
		for _, at := range times[:len(times)>>(3*i)] {
			var lo, hi oid.ID
			utc := at.UTC().Format("2006-01-02 15:04:05.999999")
			if err := db.QueryRow("select objectid_min(?), objectid_max(?)", utc, utc).Scan(&lo, &hi); err != nil || lo != oid.MinAt(at) || hi != oid.MaxAt(at) {
				t.Errorf("%s, %v: %v, %v, %v, want %v, %v", zone, at, lo, hi, err, oid.MinAt(at), oid.MaxAt(at))
			}
			if got := queryOne[time.Time](t, db, "select objectid_time(?)", lo); !got.Equal(lo.Timestamp()) {
				t.Errorf("%s: objectid_time(%v) = %v, want %v", zone, lo, got, lo.Timestamp())
			}
		}
	}
	for _, call := range []string{"objectid_time(null)", "objectid_min(null)", "objectid_max(null)", "objectid_bucket(null, 16)"} {
		if got := queryOne[*string](t, db, "select "+call); got != nil {
			t.Errorf("%s = %s", call, *got)
		}
	}
}

// documented returns the statement that makes a table in the comment of the schema.
func documented(table string) string {
	_, comment, _ := strings.Cut(sqltype.MySQLSchema(), "CREATE TABLE "+table)
	statement, _, _ := strings.Cut(comment, ";")
	return "CREATE TABLE " + table + regexp.MustCompile(`(?m)^--`).ReplaceAllString(statement, "")
}

// The table that the comment of the schema shows.
func TestMySQLStoredCreationTime(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLStoredCreationTime)
}

func testMySQLStoredCreationTime(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	mustExec(t, db, documented("users"))
	for _, zone := range []string{"+00:00", "+13:00"} {
		mustExec(t, db, "set time_zone = '"+zone+"'")
		for _, at := range []time.Time{time.Unix(1, 0), time.Unix(math.MaxInt32+1, 0), time.Unix(math.MaxUint32, 0), time.Now()} {
			id, err := oid.NewAt(at)
			if err != nil {
				t.Fatal(err)
			}
			mustExec(t, db, "insert into users (id) values (?)", id)
			if got := queryOne[time.Time](t, db, "select created from users where id = ?", id); !got.Equal(id.Timestamp()) {
				t.Errorf("%s, %v: created %v", zone, at, got)
			}
		}
	}
}

func TestMySQLUUIDsAreThoseOfGo(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLUUIDsAreThoseOfGo)
}

func testMySQLUUIDsAreThoseOfGo(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	// The forms of a column that docs/postgresql.md names. MySQL has UUID_TO_BIN, too.
	mustExec(t, db, "create table keyed (n int, b binary(16) unique, c char(36) character set ascii unique)")
	ids := []oid.ID{sample, printable, {}, {11: 1}, {4: 0xff}, oid.ID([]byte(strings.Repeat("\xff", 12)))}
	for range 100 {
		var id oid.ID
		for i := range id {
			id[i] = byte(rand.Uint32())
		}
		ids = append(ids, id)
	}
	for n, id := range ids {
		u := sqltype.UUID(id)
		if got := queryOne[sqltype.UUID](t, db, "select objectid_to_uuid(?)", id); got != u {
			t.Errorf("objectid_to_uuid(%v) = %v", id, got)
		}
		if got := queryOne[oid.ID](t, db, "select objectid_from_uuid(?)", u); got != id {
			t.Errorf("objectid_from_uuid(%v) = %v", id, got)
		}
		mustExec(t, db, "insert into keyed values (?, unhex(replace(?, '-', '')), ?)", n, u, u)
		for _, where := range []string{"b = unhex(replace(?, '-', ''))", "c = ?"} {
			var b, c sqltype.UUID
			if err := db.QueryRow("select b, c from keyed where "+where, u).Scan(&b, &c); err != nil || b != u || c != u {
				t.Errorf("%s: %v, %v, %v, want %v", where, b, c, err, id)
			}
		}
	}
	for i := range 128 {
		bad := sqltype.UUID(sample).Bytes()
		bad[i/8] ^= 0x80 >> (i % 8)
		_, goErr := sqltype.FromUUID(bad)
		text := fmt.Sprintf("%x-%x-%x-%x-%x", bad[:4], bad[4:6], bad[6:8], bad[8:10], bad[10:])
		if got := queryOne[*oid.ID](t, db, "select objectid_from_uuid(?)", text); (got == nil) != (goErr != nil) {
			t.Errorf("bit %d: objectid_from_uuid(%s) = %v, Go says %v", i, text, got, goErr)
		}
	}
	slices.SortFunc(ids, oid.ID.Compare)
	for _, column := range []string{"b", "c"} {
		rows, err := db.Query("select " + column + " from keyed order by " + column)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; rows.Next(); n++ {
			var u sqltype.UUID
			if err := rows.Scan(&u); err != nil || u != sqltype.UUID(ids[n]) {
				t.Errorf("%s: row %d is %v, %v, want %v", column, n, u, err, ids[n])
			}
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}

// MariaDB has a type of column for UUIDs.
func TestMariaDBUUIDColumn(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMariaDBUUIDColumn)
}

func testMariaDBUUIDColumn(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	if e != mysqlserver.MariaDB {
		return // MySQL has no type uuid
	}
	mustExec(t, db, "create table keyed (id uuid primary key)")
	ids := make([]oid.ID, 100)
	for i := range ids {
		ids[i] = oid.MinAt(time.Unix(int64(i)*1e7, 0))
		ids[i][4] = byte(rand.Uint32())
		mustExec(t, db, "insert into keyed values (?)", sqltype.UUID(ids[i]))
	}
	rows, err := db.Query("select id from keyed where id >= ? order by id", sqltype.UUID(ids[10]))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 10
	for ; rows.Next(); n++ {
		var u sqltype.UUID
		if err := rows.Scan(&u); err != nil || u != sqltype.UUID(ids[n]) {
			t.Fatalf("row %d is %v, %v, want %v", n, u, err, ids[n])
		}
	}
	if n != len(ids) {
		t.Errorf("%d rows", n)
	}
}

func TestMySQLObjectidNew(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLObjectidNew)
}

func testMySQLObjectidNew(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	mustExec(t, db, documented("events"))
	mustExec(t, db, "create table made (n int auto_increment primary key, id binary(12) not null)")
	const row = "insert into events (name) values ('a')"
	before := time.Now().Truncate(time.Second)
	for range 5 {
		mustExec(t, db, row+strings.Repeat(", ('a')", 999)) // the DEFAULT
		mustExec(t, db, "insert into made (id) select objectid_new() from events")
	}
	if n := queryOne[int](t, db, "select count(distinct id) from (select id from events union all select id from made) t"); n != 5000+15000 {
		t.Errorf("%d ids", n)
	}
	var last oid.ID
	rows, err := db.Query("select id from made order by n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id oid.ID
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		if id.Compare(last) <= 0 || id.Timestamp().Before(before) || id.Timestamp().After(time.Now()) {
			t.Fatalf("%v after %v", id, last)
		}
		last = id
	}
	// An ID that the program gives wins.
	mustExec(t, db, "insert into events values (?, 'Ada')", sample)
	if got := queryOne[oid.ID](t, db, "select id from events where name = 'Ada'"); got != sample {
		t.Errorf("%v", got)
	}
}

func TestMySQLRangesUseIndexesAndPrunePartitions(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLRangesUseIndexesAndPrunePartitions)
}

func testMySQLRangesUseIndexesAndPrunePartitions(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	mustExec(t, db, `create table users (id binary(12) primary key, name varchar(20)) partition by range columns (id) (
		partition p5 values less than (x'6a1cb0000000000000000000'), partition p6 values less than (x'6a443b000000000000000000'), partition rest values less than maxvalue)`)
	mustExec(t, db, `insert into users (id) with recursive hours (n) as (select 0 union all select n + 1 from hours where n < 999)
		select objectid_max('2026-05-31 00:00:00' + interval n hour) from hours`)
	from, to := time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 3, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(from, to)
	const where = "id >= ? and id < ?"
	if n := queryOne[int](t, db, "select count(*) from users where "+where, lo, hi); n != 24 {
		t.Errorf("%d rows of a day", n)
	}
	for _, test := range []struct {
		where string
		args  []any
	}{
		{where, []any{lo, hi}},
		{"id >= objectid_min('2026-06-02') and id < objectid_min('2026-06-03')", nil},
	} {
		if test.args == nil && e == mysqlserver.MySQL {
			continue // MySQL calls no function while it explains: TestMySQLRangesReadTheRange counts what it reads
		}
		plan := queryPlan(t, db, "select id from users where "+test.where, test.args...)
		if plan["partitions"] != "p6" || plan["type"] != "range" || plan["key"] != "PRIMARY" {
			t.Errorf("%s: %v, want the partition p6 by a range of PRIMARY", test.where, plan)
		}
	}
}

// With interpolateParams the driver writes the bytes of an ID into the statement. In
// a binary column they arrive; in a column of text they may arrive as others.
func TestMySQLAnIDInATextColumn(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLAnIDInATextColumn)
}

func testMySQLAnIDInATextColumn(t *testing.T, e *mysqlserver.Engine) {
	for _, column := range []struct{ name, prepared, interpolated string }{
		{"text character set utf8mb4", "error", "error"},
		{"text character set latin1", "error", "other"},
		{"text character set ascii", "error", map[bool]string{true: "other", false: "error"}[e == mysqlserver.MariaDB]},
	} {
		for _, interpolate := range []bool{false, true} {
			db := mysqlWith(e, func(c *mysql.Config) { c.InterpolateParams = interpolate })(t)
			mustExec(t, db, "create table users (ref "+column.name+")")
			want := column.prepared
			if interpolate {
				want = column.interpolated
			}
			_, err := db.Exec("insert into users values (?)", sample)
			got := "error"
			if err == nil {
				got = "other"
				var id oid.ID
				if db.QueryRow("select ref from users").Scan(&id) == nil && id == sample {
					got = "same"
				}
			}
			if got != want {
				t.Errorf("%s, interpolated %t: %s (%v), want %s", column.name, interpolate, got, err, want)
			}
			// A Hex is right in each of them.
			mustExec(t, db, "delete from users")
			mustExec(t, db, "insert into users values (?)", sqltype.Hex(sample))
			if got := queryOne[oid.ID](t, db, "select ref from users where ref = ?", sqltype.Hex(sample)); got != sample {
				t.Errorf("%s, interpolated %t: a Hex reads back as %v", column.name, interpolate, got)
			}
		}
	}
}

// Raw bytes that are text are stored by every text column, and read back as the ID.
func TestMySQLPrintableIDInATextColumnIsStoredRaw(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLPrintableIDInATextColumnIsStoredRaw)
}

func testMySQLPrintableIDInATextColumnIsStoredRaw(t *testing.T, e *mysqlserver.Engine) {
	db := mysqlWith(e, func(*mysql.Config) {})(t)
	mustExec(t, db, "create table users (ref text)")
	mustExec(t, db, "insert into users values (?)", printable)
	if got := queryOne[oid.ID](t, db, "select ref from users"); got != printable {
		t.Errorf("%v", got)
	}
	if n := queryOne[int](t, db, "select count(*) from users where ref = ?", sqltype.Hex(printable)); n != 0 {
		t.Error("found by its hex digits")
	}
}

func TestMySQLJSONOfAnID(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLJSONOfAnID)
}

func testMySQLJSONOfAnID(t *testing.T, e *mysqlserver.Engine) {
	db := mysqlWith(e, func(*mysql.Config) {})(t)
	mustExec(t, db, "create table users (id binary(12))")
	mustExec(t, db, "insert into users values (?)", sample)
	if got := queryOne[string](t, db, "select json_object('id', lower(hex(id))) from users"); got != `{"id": "`+sample.Hex()+`"}` {
		t.Errorf("the hex digits: %s", got)
	}
	if got := queryOne[string](t, db, "select json_object('id', id) from users"); strings.Contains(got, sample.Hex()) {
		t.Errorf("the bare column: %s: say so in the documentation", got)
	}
}

func TestMySQLColumnsOfOtherLengths(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLColumnsOfOtherLengths)
}

func testMySQLColumnsOfOtherLengths(t *testing.T, e *mysqlserver.Engine) {
	db := mysqlWith(e, func(*mysql.Config) {})(t)
	mustExec(t, db, "create table wide (id binary(16))")
	mustExec(t, db, "insert into wide values (?)", sample)
	var id oid.ID
	if err := db.QueryRow("select id from wide").Scan(&id); err == nil || !strings.Contains(err.Error(), "16 bytes") {
		t.Errorf("binary(16) pads, and reads back as %v, %v", id, err)
	}
	if n := queryOne[int](t, db, "select count(*) from wide where id = ?", sample); n != 0 {
		t.Error("binary(16) finds the id: say so in the documentation")
	}
	mustExec(t, db, "create table narrow (id binary(11))")
	if _, err := db.Exec("insert into narrow values (?)", sample); err == nil {
		t.Error("binary(11) takes an id")
	}
	mustExec(t, db, "create table exact (id binary(12))")
	if _, err := db.Exec("insert into exact values (?)", sqltype.Hex(sample)); err == nil {
		t.Error("binary(12) takes a Hex")
	}
	mustExec(t, db, "insert into exact values (?)", sample)
	if n := queryOne[int](t, db, "select count(*) from exact where id = '65b3f7a40c1b2d3e4f506172'"); n != 0 {
		t.Error("binary and text are equal: say so in the documentation")
	}
	if n := queryOne[int](t, db, "select count(*) from exact where id = x'65b3f7a40c1b2d3e4f506172'"); n != 1 {
		t.Error("not found by a hexadecimal literal")
	}
}
