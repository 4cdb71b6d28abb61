package pgxoid_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

const readOnly = "25006" // read_only_sql_transaction

// A service that runs the script at its start may be connected to a standby.
func TestSchemaMayBeRunOnAStandby(t *testing.T) {
	t.Parallel()
	server := postgres.System.Start(t) // the PostgreSQL 18 from npm can't copy itself
	primary := connect(t, server)
	mustExec(t, primary, sqltype.PostgresSchema())
	mustExec(t, primary, "create schema incomplete; set search_path = incomplete; "+sqltype.PostgresSchema()+"; drop function objectid_from_uuid; create schema missing")
	standby := connect(t, &postgres.Server{DSN: postgres.StartStandby(t, server.DSN)})
	if !queryOne[bool](t, standby, "select pg_is_in_recovery()") {
		t.Fatal("the copy is no standby")
	}
	testReadOnlySchema(t, standby)

	session := connect(t, server)
	mustExec(t, session, "set default_transaction_read_only = on")
	testReadOnlySchema(t, session)
}

// testReadOnlySchema runs the script where nothing can be written: it is an error only
// if an object is missing.
func testReadOnlySchema(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	mustExec(t, conn, sqltype.PostgresSchema())
	if got, want := queryOne[oid.ID](t, conn, "select objectid_min('2024-01-26 18:19:16Z')"), oid.MinAt(sample.Timestamp()); got != want {
		t.Errorf("objectid_min = %v, want %v", got, want)
	}
	for schema, want := range map[string]string{
		"incomplete": "schema incomplete lacks objectid_from_uuid(uuid)",
		"missing":    "schema missing lacks objectid_seconds(bytea), objectid_time(bytea), ",
	} {
		mustExec(t, conn, "set search_path = "+schema)
		_, err := conn.Exec(t.Context(), sqltype.PostgresSchema())
		wantSQLState(t, err, readOnly)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	mustExec(t, conn, "reset search_path")
}
