package sqltype_test

import (
	"database/sql"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

// A crowd is the table people with 21 rows named "old". If a statement names two of
// them and changes another, the count shows it.
const crowd = 21

// newCrowd fills the table and returns its IDs. Each holds a zero byte: MariaDB takes
// the number 0 for equal to every ID.
func newCrowd(t testing.TB, db *sql.DB, d database) []oid.ID {
	t.Helper()
	mustExec(t, db, d.sql(peopleTable))
	ids := make([]oid.ID, crowd)
	for i := range ids {
		ids[i] = oid.New()
		ids[i][6] = 0
		mustExec(t, db, d.sql("insert into people values (?, ?, 'old')"), ids[i], ids[0])
	}
	return ids
}

// wantRows checks how many rows there are and how many are named "new", after what.
func wantRows(t testing.TB, db *sql.DB, what string, rows, renamed int) {
	t.Helper()
	if n := queryOne[int](t, db, "select count(*) from people"); n != rows {
		t.Errorf("%s: %d rows are left, want %d", what, n, rows)
	}
	if n := queryOne[int](t, db, "select count(*) from people where name = 'new'"); n != renamed {
		t.Errorf("%s: %d rows are renamed, want %d", what, n, renamed)
	}
}

// forEachEngine runs test on PostgreSQL (by two drivers), MySQL, MariaDB and SQLite.
func forEachEngine(t *testing.T, test func(*testing.T, *sql.DB, database)) {
	for _, d := range databases() {
		switch d.name {
		case "pgx", "lib/pq", "mysql", "mariadb", "tidb", "modernc sqlite":
			t.Run(d.name, func(t *testing.T) { test(t, d.open(t), d) })
		}
	}
}

// engine names the kind of server: postgres, mysql or sqlite.
func (d database) engine() string {
	switch {
	case d.dollar:
		return "postgres"
	case d.binary == "blob":
		return "sqlite"
	}
	return "mysql"
}
