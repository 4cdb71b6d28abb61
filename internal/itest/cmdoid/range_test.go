// Package cli holds the tests of cmd/oid with real databases.
package cmdoid_test

import (
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/glebarez/sqlite"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/servers/mariadb"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// build builds the command and returns its path.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "oid")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./cmd/oid")
	cmd.Dir = filepath.Join("..", "..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return binary
}

// The queries that oid range prints find what was made in between, as they are.
func TestRangeQueriesRunAsPrinted(t *testing.T) {
	command := build(t)
	for _, db := range []struct {
		form, driver  string
		dsn           func(*testing.T) string
		bytes, digits string // column types
	}{
		{"postgres", "pgx", func(t *testing.T) string { return postgres.Database(t) }, "bytea", "char(24)"},
		{"mysql", "mysql", func(t *testing.T) string { return mariadb.Database(t) }, "binary(12)", "char(24)"},
		{"sqlite", "sqlite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "test.db") }, "blob", "text"},
	} {
		t.Run(db.form, func(t *testing.T) {
			conn, err := sql.Open(db.driver, db.dsn(t))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			t.Run("bytes", func(t *testing.T) { testRange(t, conn, command, db.form, "orders", db.bytes, false) })
			t.Run("text", func(t *testing.T) { testRange(t, conn, command, db.form, "users", db.digits, true) })
		})
	}
}

func testRange(t *testing.T, db *sql.DB, command, form, table, column string, text bool) {
	if _, err := db.Exec(fmt.Sprintf("create table %s (id %s primary key)", table, column)); err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 1, 0)
	insert := func(id oid.ID) {
		t.Helper()
		literal := fmt.Sprintf("x'%x'", id)
		if form == "postgres" {
			literal = fmt.Sprintf(`'\x%x'`, id)
		}
		if text {
			literal = "'" + id.Hex() + "'"
		}
		if _, err := db.Exec("insert into " + table + " values (" + literal + ")"); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []oid.ID{{}, oid.MinAt(from).Prev(), oid.MinAt(to), oid.MaxAt(to)} {
		insert(id)
	}
	want := []oid.ID{oid.MinAt(from), oid.MaxAt(from), oid.MinAt(from.Add(time.Hour)), oid.MaxAt(to.Add(-time.Second))}
	for _, id := range want {
		insert(id)
	}

	args := []string{"range", "-zone", "UTC", "-as", form, "-table", table, "2026-03-01", "2026-04-01"}
	if text {
		args = append(args, "-text")
	}
	query, err := exec.Command(command, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, query)
	}
	rows, err := db.Query(strings.TrimSpace(string(query)))
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var got []oid.ID
	for rows.Next() {
		var id oid.ID
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		got = append(got, id)
	}
	slices.SortFunc(got, oid.ID.Compare)
	if err := rows.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s found %s, %v; want %s", query, got, err, want)
	}
}
