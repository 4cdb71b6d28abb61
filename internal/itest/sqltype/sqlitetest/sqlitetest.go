// Package sqlitetest holds what every driver for SQLite must do with IDs. Two of
// them can't be in one program: they register the same name.
package sqlitetest

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// Check stores, finds, ranges and joins by ID in tables of each kind.
func Check(t *testing.T, db *sql.DB) {
	for _, options := range []string{"", "STRICT", "WITHOUT ROWID", "STRICT, WITHOUT ROWID"} {
		t.Run("table "+options, func(t *testing.T) { check(t, db, options) })
	}
}

func check(t *testing.T, db *sql.DB, options string) {
	exec := func(statement string, args ...any) error {
		_, err := db.Exec(statement, args...)
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(exec("DROP TABLE IF EXISTS people"))
	must(exec("CREATE TABLE people (id BLOB NOT NULL PRIMARY KEY CHECK (typeof(id) = 'blob' AND length(id) = 12), parent BLOB, ref TEXT) " + options))
	ids := make([]oid.ID, 21)
	oid.Fill(ids)
	for i, id := range ids {
		var parent *oid.ID
		if i > 0 {
			parent = &ids[i-1]
		}
		must(exec("INSERT INTO people VALUES (?, ?, ?)", id, parent, sqltype.Hex(id)))
	}
	var id, fromHex oid.ID
	var parent sqltype.ZeroNull
	err := db.QueryRow("SELECT c.id, c.ref, p.parent FROM people c JOIN people p ON p.id = c.parent WHERE c.id = ? AND c.ref = ?", ids[1], sqltype.Hex(ids[1])).Scan(&id, &fromHex, &parent)
	if err != nil || id != ids[1] || fromHex != ids[1] || !parent.IsZero() {
		t.Errorf("join: %v, %v, %v, %v", id, fromHex, parent, err)
	}
	rows, err := db.Query("SELECT id FROM people WHERE id >= ? AND id < ? ORDER BY id", ids[2], ids[5])
	must(err)
	defer rows.Close()
	var got []oid.ID
	for rows.Next() {
		must(rows.Scan(&id))
		got = append(got, id)
	}
	if err := rows.Err(); err != nil || !slices.Equal(got, ids[2:5]) {
		t.Errorf("range: %v, %v", got, err)
	}
	rows.Close()

	// What isn't an ID is refused, each by its own rule.
	if err := exec("INSERT INTO people (id) VALUES (?)", (*oid.ID)(nil)); err == nil {
		t.Error("NULL is taken for a key")
	}
	for what, bad := range map[string]any{"a Hex": sqltype.Hex(oid.New()), "text": oid.New().Hex(), "11 bytes": ids[0][:11]} {
		if err := exec("INSERT INTO people (id) VALUES (?)", bad); err == nil {
			t.Errorf("%s is taken for a key", what)
		}
	}
	err = exec("INSERT INTO people (id, parent) VALUES (?, ?)", oid.New(), sqltype.Hex(ids[0]))
	if strict := strings.Contains(options, "STRICT"); strict != (err != nil) {
		t.Errorf("a Hex in a blob column without a check: %v", err)
	}
	if err := db.QueryRow("SELECT parent FROM people WHERE id = ?", ids[0]).Scan(&id); !errors.Is(err, oid.ErrSyntax) {
		t.Errorf("NULL into an ID: %v", err)
	}
	result, err := db.Exec("DELETE FROM people WHERE id IN (?, ?)", ids[19], ids[20])
	must(err)
	if n, err := result.RowsAffected(); n != 2 || err != nil {
		t.Errorf("DELETE touched %d rows, want 2: %v", n, err)
	}
}
