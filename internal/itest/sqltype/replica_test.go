package sqltype_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// TestAReplicaHasTheSameIDs makes IDs in each way, on servers that log their changes as rows,
// as statements, and as the server decides. An ID that SQL makes differs on the replica if the
// log has the statement.
func TestAReplicaHasTheSameIDs(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testAReplicaHasTheSameIDs)
}

func testAReplicaHasTheSameIDs(t *testing.T, e *mysqlserver.Engine) {
	replica := e.StartReplica(t)
	config, err := mysql.ParseDSN(replica.Source.DSN)
	if err != nil {
		t.Fatal(err)
	}
	config.MultiStatements = true
	source, copied := open(t, "mysql", config.FormatDSN()), open(t, "mysql", replica.DSN)
	source.SetMaxOpenConns(1) // so that a setting of the session holds
	mustExec(t, source, sqltype.MySQLSchema())
	for _, format := range []string{"ROW", "MIXED", "STATEMENT"} {
		t.Run(format, func(t *testing.T) {
			mustExec(t, source, "set session binlog_format = '"+format+"'")
			mustExec(t, source, documented("events"))
			for _, table := range []string{"made_by_go", "made_by_function", "made_by_trigger"} {
				mustExec(t, source, "create table "+table+" (id binary(12) primary key)")
			}
			mustExec(t, source, "create trigger give_ids before insert on made_by_trigger for each row set new.id = objectid_new()")
			for range 5 {
				mustExec(t, source, "insert into made_by_go values (?)", oid.New())
				mustExec(t, source, "insert into events (name) values ('a'), ('b')")
				mustExec(t, source, "insert into made_by_trigger values ('')")
				mustExec(t, source, "insert into made_by_function values (objectid_new())")
			}
			mustExec(t, source, "insert into made_by_function select objectid_new() from made_by_go")
			mustExec(t, source, "update made_by_go set id = id where id >= objectid_min(?)", time.Now().Add(-time.Hour).UTC())
			replica.Await(t)

			for _, table := range []string{"made_by_go", "events", "made_by_trigger", "made_by_function"} {
				ids := func(db *sql.DB) []oid.ID {
					rows, err := db.Query("select id from " + table + " order by id")
					return idsOf(t, rows, err)
				}
				want, got := ids(source), ids(copied)
				if len(want) < 5 || len(got) != len(want) {
					t.Errorf("%s: the replica has %d rows of %d", table, len(got), len(want))
				}
				same := format != "STATEMENT" || table == "made_by_go"
				if slices.Equal(got, want) != same {
					t.Errorf("%s: the replica has the IDs\n%v, and the source\n%v: change docs/mysql.md", table, got, want)
				}
				mustExec(t, source, "drop table "+table)
			}
		})
	}
}
