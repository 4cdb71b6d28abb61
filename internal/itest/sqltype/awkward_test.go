package sqltype_test

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
)

// NO_BACKSLASH_ESCAPES changes how quotes are written into a statement. An ID may
// hold quotes, backslashes and every other byte.
func TestMySQLInterpolatesEveryByteInEveryMode(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLInterpolatesEveryByteInEveryMode)
}

func testMySQLInterpolatesEveryByteInEveryMode(t *testing.T, e *mysqlserver.Engine) {
	for _, mode := range []string{"'STRICT_TRANS_TABLES'", "'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'", "'STRICT_TRANS_TABLES,ANSI_QUOTES'"} {
		db := mysqlWith(e, func(c *mysql.Config) {
			c.InterpolateParams = true
			c.Params = map[string]string{"sql_mode": mode}
		})(t)
		mustExec(t, db, "create table users (id binary(12) primary key)")
		for b := range 256 {
			id := oid.ID{'x', byte(b), '\'', byte(b), '\\', byte(b), '"', byte(b), 0, byte(b), '\'', byte(b)}
			mustExec(t, db, "insert into users values (?)", id)
			if got := queryOne[oid.ID](t, db, "select id from users where id = ?", id); got != id {
				t.Errorf("%s: stored %v as %v", mode, id, got)
			}
		}
	}
}

// JSON of MySQL and MariaDB makes its own text of a binary column: lower(hex(id)) is
// the ID's.
func TestMySQLJSONObjectNeedsTheHex(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLJSONObjectNeedsTheHex)
}

func testMySQLJSONObjectNeedsTheHex(t *testing.T, e *mysqlserver.Engine) {
	db := mysqlWith(e, func(*mysql.Config) {})(t)
	mustExec(t, db, "create table users (id binary(12) primary key)")
	mustExec(t, db, "insert into users values (?)", sample)
	if got := queryOne[string](t, db, "select json_object('id', id) from users"); got == `{"id": "`+sample.Hex()+`"}` {
		t.Errorf("json_object writes the digits now: change docs/mysql.md")
	}
	if got, want := queryOne[string](t, db, "select json_object('id', lower(hex(id))) from users"), `{"id": "`+sample.Hex()+`"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
