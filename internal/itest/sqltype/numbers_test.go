package sqltype_test

import (
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
)

// TestMySQLNumbersAsConditionsOfABinaryColumn compares a binary column with the number 0, as
// a condition of GORM without the plugin does. The server makes a number of each ID, which is
// 0 for nearly all of them. In strict mode, the default, MySQL refuses to change rows by such
// a condition. MariaDB refuses an UPDATE, but not a DELETE. A query finds every row.
func TestMySQLNumbersAsConditionsOfABinaryColumn(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLNumbersAsConditionsOfABinaryColumn)
}

func testMySQLNumbersAsConditionsOfABinaryColumn(t *testing.T, e *mysqlserver.Engine) {
	if e == mysqlserver.TiDB {
		return
	}
	for _, mode := range []string{"strict", "not strict"} {
		for _, interpolate := range []bool{false, true} {
			db := mysqlWith(e, func(c *mysql.Config) {
				c.InterpolateParams = interpolate
				if mode != "strict" {
					c.Params = map[string]string{"sql_mode": "''"}
				}
			})(t)
			mustExec(t, db, "create table numbered (id binary(12) primary key, name varchar(20))")
			for _, where := range []string{"id = ?", "id in (101, 7, ?)", "id < 5 + ?"} {
				mustExec(t, db, "delete from numbered")
				mustExec(t, db, "insert into numbered (id) values (?), (?), (?)", oid.New(), oid.New(), oid.New())
				if n := queryOne[int](t, db, "select count(*) from numbered where "+where, 0); n != 3 {
					t.Errorf("%s, interpolated %t: select … where %s finds %d rows, want 3: change docs/mysql.md", mode, interpolate, where, n)
				}
				for _, statement := range []string{"update numbered set name = 'a' where ", "delete from numbered where "} {
					result, err := db.Exec(statement+where, 0)
					isUpdate := strings.HasPrefix(statement, "update")
					if mode == "strict" && (e == mysqlserver.MySQL || isUpdate) {
						if err == nil || !strings.Contains(err.Error(), "Error 1292") {
							t.Errorf("%s%s: %v, want error 1292: change docs/mysql.md", statement, where, err)
						}
						if n := queryOne[int](t, db, "select count(*) from numbered where name is null"); n != 3 {
							t.Errorf("%s%s: %d of 3 rows are left as they were", statement, where, n)
						}
						continue
					}
					if err != nil {
						t.Errorf("%s, %s%s: %v: change docs/mysql.md", mode, statement, where, err)
						continue
					}
					if n, err := result.RowsAffected(); n != 3 || err != nil {
						t.Errorf("%s, %s%s: %d rows, %v, want 3: change docs/mysql.md", mode, statement, where, n, err)
					}
				}
			}
		}
	}
}
