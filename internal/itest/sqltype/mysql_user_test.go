package sqltype_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
	"github.com/oidkit/oidkit/sqltype"
)

// errorNumber returns the number of an error of MySQL, or 0.
func errorNumber(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// ordinaryUser makes a user who may do everything with a database of its own, as on a hosted
// server, and opens this database. It also returns a connection of the administrator.
func ordinaryUser(t *testing.T, e *mysqlserver.Engine) (user, admin *sql.DB) {
	t.Helper()
	dsn := e.StartOwn(t, "--log-bin", "--server-id=1").DSN
	admin = open(t, "mysql", dsn)
	for _, statement := range []string{
		"CREATE DATABASE app",
		"CREATE USER ann IDENTIFIED BY 'secret'",
		"GRANT ALL ON app.* TO ann",
	} {
		mustExec(t, admin, statement)
	}
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.User, config.Passwd, config.DBName = "ann", "secret", "app"
	config.MultiStatements = true
	config.Loc = time.UTC
	return open(t, "mysql", config.FormatDSN()), admin
}

// A user who isn't an administrator may not make functions on a server that writes a binary
// log. What needs no function works, and so does the script after the administrator's setting.
func TestMySQLSchemaOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLSchemaOfAnOrdinaryUser)
}

func testMySQLSchemaOfAnOrdinaryUser(t *testing.T, e *mysqlserver.Engine) {
	user, admin := ordinaryUser(t, e)
	if _, err := user.Exec(sqltype.MySQLSchema()); errorNumber(err) != 1419 {
		t.Errorf("the script without the setting: %v, want error 1419: change docs/mysql.md", err)
	}
	mustExec(t, user, "CREATE TABLE plain (n int)")
	for _, made := range []string{
		"FUNCTION f (n int) RETURNS int DETERMINISTIC RETURN n", "FUNCTION f (n int) RETURNS int DETERMINISTIC NO SQL RETURN n",
		"FUNCTION f (n int) RETURNS int NOT DETERMINISTIC READS SQL DATA RETURN n", "TRIGGER g BEFORE INSERT ON plain FOR EACH ROW SET NEW.n = 1",
	} {
		if _, err := user.Exec("CREATE " + made); errorNumber(err) != 1419 {
			t.Errorf("CREATE %s without the setting: %v, want error 1419: change docs/mysql.md", made, err)
		}
	}

	if err := sqlsequence.New(user, "sequences", sqlsequence.MySQL).Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	mustExec(t, user, documented("users"))
	mustExec(t, user, documented("events"))
	id := oid.New()
	mustExec(t, user, "INSERT INTO users (id) VALUES (?)", id)
	if got := queryOne[time.Time](t, user, "SELECT created FROM users WHERE id = ?", id); !got.Equal(id.Timestamp()) {
		t.Errorf("created %v, want %v", got, id.Timestamp())
	}
	lo, hi := oid.Range(id.Timestamp(), id.Timestamp().Add(time.Second))
	if n := queryOne[int](t, user, "SELECT count(*) FROM users WHERE id >= ? AND id < ?", lo, hi); n != 1 {
		t.Errorf("%d rows between the IDs of a second, want 1", n)
	}
	mustExec(t, user, "INSERT INTO events (name) VALUES ('a')")
	if made := queryOne[oid.ID](t, user, "SELECT id FROM events"); time.Since(made.Timestamp()).Abs() > time.Hour {
		t.Errorf("the DEFAULT made %v, of %v", made, made.Timestamp())
	}

	mustExec(t, admin, "SET GLOBAL log_bin_trust_function_creators = 1")
	for range 2 {
		mustExec(t, user, sqltype.MySQLSchema())
	}
	if got := queryOne[time.Time](t, user, "SELECT objectid_time(?)", id); !got.Equal(id.Timestamp()) {
		t.Errorf("objectid_time(%v) = %v, want %v", id, got, id.Timestamp())
	}
}

func TestMySQLOrdinaryColumns(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLOrdinaryColumns)
}

func testMySQLOrdinaryColumns(t *testing.T, e *mysqlserver.Engine) {
	db := mysqlWith(e, func(c *mysql.Config) {
		c.Loc = time.UTC
		c.Params = map[string]string{"sql_mode": "'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES'"}
	})(t)
	mustExec(t, db, `CREATE TABLE teams (id binary(12) PRIMARY KEY)`)
	mustExec(t, db, `CREATE TABLE users (id binary(12) PRIMARY KEY, team_id binary(12), day int AS (CONV(HEX(SUBSTR(id, 1, 4)), 16, 10) DIV 86400) VIRTUAL,
		KEY (day), FOREIGN KEY (team_id) REFERENCES teams (id) ON DELETE CASCADE)`)
	team, other := oid.New(), oid.New()
	mustExec(t, db, "INSERT INTO teams VALUES (?), (?)", team, other)
	if _, err := db.Exec("INSERT INTO users (id, team_id) VALUES (?, ?)", oid.New(), oid.New()); errorNumber(err) != 1452 {
		t.Errorf("a team that doesn't exist: %v, want error 1452", err)
	}
	first := oid.New()
	for _, of := range []oid.ID{team, team, other} {
		mustExec(t, db, "INSERT INTO users (id, team_id) VALUES (?, ?)", oid.New(), of)
	}
	rows, err := db.Query("SELECT team_id, count(*), min(id), max(id) FROM users GROUP BY team_id ORDER BY team_id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var teams []oid.ID
	for rows.Next() {
		var id, low, high oid.ID
		var n int
		if err := rows.Scan(&id, &n, &low, &high); err != nil {
			t.Fatal(err)
		}
		if n != 2-len(teams) || low.Compare(first) <= 0 || low.Compare(high) > 0 {
			t.Errorf("team %v: %d users from %v to %v", id, n, low, high)
		}
		teams = append(teams, id)
	}
	if err := rows.Err(); err != nil || len(teams) != 2 || teams[0] != team || teams[1] != other {
		t.Errorf("the teams are %v, %v, want %v and %v", teams, err, team, other)
	}
	day := first.Timestamp().Unix() / 86400
	if n := queryOne[int](t, db, "SELECT count(*) FROM users WHERE day BETWEEN ? AND ?", day, day+1); n != 3 {
		t.Errorf("%d users by their day, want 3", n)
	}
	mustExec(t, db, "DELETE FROM teams WHERE id = ?", team)
	if n := queryOne[int](t, db, "SELECT count(*) FROM users"); n != 1 {
		t.Errorf("%d users are left, want 1", n)
	}
}

// A list that the server doesn't take is an error, and changes nothing.
func TestMySQLListsThatAreTooLong(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLListsThatAreTooLong)
}

func testMySQLListsThatAreTooLong(t *testing.T, e *mysqlserver.Engine) {
	s := e.StartOwn(t, "--max-allowed-packet=65536")
	for _, interpolate := range []bool{false, true} {
		config, err := mysql.ParseDSN(s.DSN)
		if err != nil {
			t.Fatal(err)
		}
		config.InterpolateParams = interpolate
		config.MaxAllowedPacket = 0 // as the server says
		db := open(t, "mysql", config.FormatDSN())
		mustExec(t, db, "DROP TABLE IF EXISTS users")
		mustExec(t, db, "CREATE TABLE users (id binary(12) PRIMARY KEY)")
		for _, n := range []int{1000, 30_000} {
			ids := make([]any, n)
			for i := range ids {
				ids[i] = oid.New()
			}
			_, err := db.Exec("INSERT INTO users VALUES (?)"+strings.Repeat(", (?)", n-1), ids...)
			if n == 1000 && err != nil || n == 30_000 && err == nil {
				t.Errorf("interpolated %v: %d IDs: %v", interpolate, n, err)
			}
		}
		if n := queryOne[int](t, db, "SELECT count(*) FROM users"); n != 1000 {
			t.Errorf("interpolated %v: %d rows, want 1000", interpolate, n)
		}
	}
}
