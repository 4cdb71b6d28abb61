package sqltype_test

import (
	"database/sql"
	"testing"
	"time"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
)

// TestMySQLRangesReadTheRange counts the rows that statements look at, by the server's
// counters Handler_read_…. EXPLAIN of a bound by objectid_min shows a scan of the whole index
// on MySQL, because MySQL calls no function while it explains. The statement reads the range
// only.
func TestMySQLRangesReadTheRange(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLRangesReadTheRange)
}

func testMySQLRangesReadTheRange(t *testing.T, e *mysqlserver.Engine) {
	if e == mysqlserver.TiDB {
		return // it has no such counters
	}
	db := withMySQLSchema(t, e)
	const rows, day = 10_000, 24
	from := time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(from, from.AddDate(0, 0, 1))
	for name, partitions := range map[string]string{
		"plain": "",
		"partitioned": ` partition by range columns (id) (partition p5 values less than (x'6a1cb0000000000000000000'),
			partition p6 values less than (x'6a443b000000000000000000'), partition rest values less than maxvalue)`,
	} {
		t.Run(name, func(t *testing.T) {
			mustExec(t, db, "drop table if exists users, orders")
			mustExec(t, db, "create table users (id binary(12) primary key, name varchar(20))"+partitions)
			mustExec(t, db, `insert into users (id) with recursive hours (n) as (select 0 union all select n + 1 from hours where n < 999), tens (m) as (select 0 union all select m + 1 from tens where m < 9)
				select objectid_max('2026-05-31 00:00:00' + interval n + 1000 * m hour) from hours join tens`)
			mustExec(t, db, "create table orders (id binary(12) primary key, user_id binary(12) not null, key (user_id))")
			mustExec(t, db, "insert into orders select id, id from users")
			if n := queryOne[int](t, db, "select count(*) from users"); n != rows {
				t.Fatalf("%d rows", n)
			}
			bounds := []struct {
				name, text string
				args       []any
			}{
				{"ids", "? and users.id < ?", []any{lo, hi}},
				{"functions", "objectid_min('2026-06-02') and users.id < objectid_min('2026-06-03')", nil},
			}
			for _, bound := range bounds {
				for _, tt := range []struct {
					statement string
					most      int
				}{
					{"select count(*) from users where users.id >= ", day + 5},
					{"select count(*) from users join orders on orders.user_id = users.id where users.id >= ", 2*day + 2*day + 5},
					{"update users set name = concat(coalesce(name, ''), 'a') where users.id >= ", day + 5},
					{"delete from users where users.id >= ", day + 5},
				} {
					read := readsOf(t, db, func(conn *sql.Conn) {
						tx, err := conn.BeginTx(t.Context(), nil)
						if err != nil {
							t.Fatal(err)
						}
						defer tx.Rollback()
						statement, err := tx.PrepareContext(t.Context(), tt.statement+bound.text)
						if err != nil {
							t.Fatal(err)
						}
						defer statement.Close()
						if _, err := statement.Exec(bound.args...); err != nil {
							t.Fatal(err)
						}
					})
					if read > tt.most || read < day {
						t.Errorf("%s%s: %d rows are read of %d, want %d to %d", tt.statement, bound.name, read, rows, day, tt.most)
					}
				}
			}
			if read := rowsRead(t, db, "select id from users where date(objectid_time(id)) = '2026-06-02'"); read < rows {
				t.Errorf("a condition that no key serves reads %d rows: the counters show nothing", read)
			}
		})
	}
}
