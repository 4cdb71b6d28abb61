package pgxoid_test

import (
	"testing"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// From 18 on PostgreSQL has min and max for bytea. Ours stay, and say the same.
func TestFirstAndLastAreMinAndMaxOfPostgreSQL18(t *testing.T) {
	t.Parallel()
	conn := postgres.Eighteen.Connect(t)
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, "create table users (id objectid primary key)")
	ids := make([]oid.ID, 100)
	oid.Fill(ids)
	for _, id := range ids {
		mustExec(t, conn, "insert into users values ($1)", id)
	}
	var first, last, least, greatest oid.ID
	err := conn.QueryRow(t.Context(), "select objectid_first(id), objectid_last(id), min(id), max(id) from users").Scan(&first, &last, &least, &greatest)
	if err != nil || first != ids[0] || last != ids[99] || least != first || greatest != last {
		t.Errorf("first %v, last %v, min %v, max %v, want %v and %v: %v", first, last, least, greatest, ids[0], ids[99], err)
	}
}
