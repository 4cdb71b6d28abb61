package sqltype_test

import (
	"database/sql"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func withMySQLSchema(t testing.TB) *sql.DB {
	t.Helper()
	db := mysqlWith(func(c *mysql.Config) {
		c.MultiStatements = true
		c.Loc = time.UTC
	})(t)
	mustExec(t, db, sqltype.MySQLSchema())
	db.SetMaxOpenConns(1) // so that a setting of the session holds
	return db
}

func TestMySQLBoundsAgreeWithGoInEveryTimeZone(t *testing.T) {
	db := withMySQLSchema(t)
	mustExec(t, db, sqltype.MySQLSchema())
	times := []time.Time{
		time.Unix(0, 0), time.Unix(-1, 0), time.Unix(-1, 999_999_000), time.Unix(0, 999_999_000), time.Unix(math.MaxInt32+1, 0),
		time.Unix(math.MaxUint32, 999_999_000), time.Unix(math.MaxUint32+1, 0), time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
	for range 200 {
		times = append(times, time.Unix(rand.Int64N(2*math.MaxUint32)-math.MaxUint32/2, rand.Int64N(1e6)*1000))
	}
	for _, zone := range []string{"+00:00", "+13:00", "-03:30"} {
		mustExec(t, db, "set time_zone = '"+zone+"'")
		for _, at := range times {
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
	for _, call := range []string{"objectid_time(null)", "objectid_min(null)", "objectid_max(null)"} {
		if got := queryOne[*string](t, db, "select "+call); got != nil {
			t.Errorf("%s = %s", call, *got)
		}
	}
}

// The table that the comment of the schema shows.
func TestMySQLStoredCreationTime(t *testing.T) {
	db := withMySQLSchema(t)
	_, comment, _ := strings.Cut(sqltype.MySQLSchema(), "CREATE TABLE")
	table, _, _ := strings.Cut(comment, ";")
	mustExec(t, db, "CREATE TABLE"+regexp.MustCompile(`(?m)^--`).ReplaceAllString(table, ""))
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

func TestMySQLRangesUseIndexesAndPrunePartitions(t *testing.T) {
	db := withMySQLSchema(t)
	mustExec(t, db, `create table users (id binary(12) primary key, name varchar(20)) partition by range columns (id) (
		partition p5 values less than (x'6a1cb0000000000000000000'), partition p6 values less than (x'6a443b000000000000000000'), partition rest values less than maxvalue)`)
	mustExec(t, db, `insert into users (id) with recursive hours (n) as (select 0 union all select n + 1 from hours where n < 999)
		select objectid_max('2026-05-31 00:00:00' + interval n hour) from hours`)
	from, to := time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 3, 0, 0, 0, 0, time.UTC)
	where, args := sqltype.CreatedBetween("id", from, to)
	if n := queryOne[int](t, db, "select count(*) from users where "+where, args...); n != 24 {
		t.Errorf("%d rows of a day", n)
	}
	explain := "explain " // MySQL shows the partitions without being asked
	if strings.Contains(queryOne[string](t, db, "select version()"), "MariaDB") {
		explain = "explain partitions "
	}
	for _, test := range []struct {
		where string
		args  []any
	}{
		{where, args},
		{"id >= objectid_min('2026-06-02') and id < objectid_min('2026-06-03')", nil},
	} {
		var partitions, kind, key sql.NullString
		rows, err := db.Query(explain+"select id from users where "+test.where, test.args...)
		if err != nil {
			t.Fatal(err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			dst := make([]any, len(names))
			for i, name := range names {
				switch name {
				case "partitions":
					dst[i] = &partitions
				case "type":
					dst[i] = &kind
				case "key":
					dst[i] = &key
				default:
					dst[i] = new(sql.RawBytes)
				}
			}
			if err := rows.Scan(dst...); err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
		if partitions.String != "p6" || kind.String != "range" || key.String != "PRIMARY" {
			t.Errorf("%s: partitions %q, type %q, key %q", test.where, partitions.String, kind.String, key.String)
		}
	}
}

// With interpolateParams the driver writes the bytes of an ID into the statement. In
// a binary column they arrive; in a column of text they may arrive as others.
func TestMySQLAnIDInATextColumn(t *testing.T) {
	for _, column := range []struct{ name, prepared, interpolated string }{
		{"text character set utf8mb4", "error", "error"},
		{"text character set latin1", "error", "other"},
		{"text character set ascii", "error", "other"},
	} {
		for _, interpolate := range []bool{false, true} {
			db := mysqlWith(func(c *mysql.Config) { c.InterpolateParams = interpolate })(t)
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

// Raw bytes that are text are stored by every text column, and read back as the id.
func TestMySQLPrintableIDInATextColumnIsStoredRaw(t *testing.T) {
	db := mysqlWith(func(*mysql.Config) {})(t)
	mustExec(t, db, "create table users (ref text)")
	mustExec(t, db, "insert into users values (?)", printable)
	if got := queryOne[oid.ID](t, db, "select ref from users"); got != printable {
		t.Errorf("%v", got)
	}
	if n := queryOne[int](t, db, "select count(*) from users where ref = ?", sqltype.Hex(printable)); n != 0 {
		t.Error("found by its hex digits")
	}
}

func TestMySQLColumnsOfOtherLengths(t *testing.T) {
	db := mysqlWith(func(*mysql.Config) {})(t)
	mustExec(t, db, "create table wide (id binary(16))")
	mustExec(t, db, "insert into wide values (?)", sample)
	var id oid.ID
	if err := db.QueryRow("select id from wide").Scan(&id); err == nil || !strings.Contains(err.Error(), "length 16") {
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
