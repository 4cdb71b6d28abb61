package sqltype_test

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// lenient are the settings of sql_mode under which MySQL and MariaDB cut what is too long.
var lenient = []string{"''", "'ANSI'", "'ORACLE'", "'NO_ENGINE_SUBSTITUTION'"}

// The first 12 of the 24 digits are an ID too. Only a column that has room for all
// of them, and refuses them, tells.
func TestMySQLOutsideStrictModeCutsAHexInABinaryColumn(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLOutsideStrictModeCutsAHexInABinaryColumn)
}

func testMySQLOutsideStrictModeCutsAHexInABinaryColumn(t *testing.T, e *mysqlserver.Engine) {
	for _, mode := range lenient {
		if mode == "'ORACLE'" && e != mysqlserver.MariaDB {
			continue
		}
		for _, interpolate := range []bool{false, true} {
			db := mysqlWith(e, func(c *mysql.Config) {
				c.Params = map[string]string{"sql_mode": mode}
				c.InterpolateParams = interpolate
			})(t)
			mustExec(t, db, "create table plain (id binary(12) primary key)")
			mustExec(t, db, "insert into plain values (?)", sqltype.Hex(sample))
			cut := oid.ID([]byte(sample.Hex()[:12]))
			if got := queryOne[oid.ID](t, db, "select id from plain"); got != cut {
				t.Errorf("%s: stored %v, want %v: change docs/mysql.md", mode, got, cut)
			}
			mustExec(t, db, checkedTable)
			for what, bad := range map[string]any{"Hex": sqltype.Hex(sample), "text": sample.Hex(), "11 bytes": sample[:11], "empty": "", "zero": oid.ID{}} {
				if _, err := db.Exec("insert into users (id) values (?)", bad); err == nil {
					t.Errorf("%s: the checked column takes %s", mode, what)
				}
				if _, err := db.Exec("insert into users (id, parent) values (?, ?)", oid.New(), bad); err == nil {
					t.Errorf("%s: the checked nullable column takes %s", mode, what)
				}
			}
			mustExec(t, db, "insert into users (id) values (?)", sample)
			for _, id := range awkward {
				if id != sample {
					mustExec(t, db, "insert into users values (?, ?)", id, sample)
				}
			}
			if n := queryOne[int](t, db, "select count(*) from users c join users p on p.id = c.parent where c.id in (?, ?)", awkward[1], awkward[2]); n != 2 {
				t.Errorf("%s: %d of 2 ids are found in the checked columns", mode, n)
			}
			if _, err := db.Exec("update users set parent = ? where id = ?", sqltype.Hex(sample), awkward[1]); err == nil {
				t.Errorf("%s: an UPDATE of the checked column takes a Hex", mode)
			}
		}
	}
}

// checkedTable is the one in docs/mysql.md.
const checkedTable = `
CREATE TABLE users (
    id varbinary(24) PRIMARY KEY CHECK (length(id) = 12 AND id <> x'000000000000000000000000'),
    parent varbinary(24) CHECK (length(parent) = 12 AND parent <> x'000000000000000000000000')
)`
