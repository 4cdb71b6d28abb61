// Package duckdb_test shows IDs in DuckDB. Its driver brings the database as a
// library of some 100 MB, and so it is no part of the workspace:
//
//	cd internal/itest/sqltype/testdata/duckdb && GOWORK=off go test .
package duckdb_test

import (
	"database/sql"
	"slices"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func TestBlobColumns(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string, args ...any) error {
		_, err := db.Exec(statement, args...)
		return err
	}
	if err := exec("CREATE TABLE people (id BLOB PRIMARY KEY CHECK (octet_length(id) = 12), parent BLOB, ref VARCHAR)"); err != nil {
		t.Fatal(err)
	}
	ids := make([]oid.ID, 21)
	oid.Fill(ids)
	for i, id := range ids {
		var parent *oid.ID
		if i > 0 {
			parent = &ids[i-1]
		}
		if err := exec("INSERT INTO people VALUES (?, ?, ?)", id, parent, sqltype.Hex(id)); err != nil {
			t.Fatal(err)
		}
	}
	var id, fromHex oid.ID
	var parent sqltype.ZeroNull
	err = db.QueryRow("SELECT c.id, c.ref, p.parent FROM people c JOIN people p ON p.id = c.parent WHERE c.id = ? AND c.ref = ?", ids[1], sqltype.Hex(ids[1])).Scan(&id, &fromHex, &parent)
	if err != nil || id != ids[1] || fromHex != ids[1] || !parent.IsZero() {
		t.Errorf("join: %v, %v, %v, %v", id, fromHex, parent, err)
	}
	rows, err := db.Query("SELECT id FROM people WHERE id >= ? AND id < ? ORDER BY id", ids[2], ids[5])
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []oid.ID
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		got = append(got, id)
	}
	if err := rows.Err(); err != nil || !slices.Equal(got, ids[2:5]) {
		t.Errorf("range: %v, %v", got, err)
	}
	result, err := db.Exec("DELETE FROM people WHERE id IN (?, ?)", sqltype.Args(ids[19:])...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); n != 2 || err != nil {
		t.Errorf("DELETE touched %d rows, want 2: %v", n, err)
	}
	if err := exec("INSERT INTO people (id) VALUES (?)", sqltype.Hex(oid.New())); err == nil {
		t.Error("a Hex is taken for a key, in spite of the check")
	}
	// A list as one parameter is refused, and an ID in a text column is stored as
	// other text: docs/sql-reference.md says so.
	if rows, err := db.Query("SELECT id FROM people WHERE list_contains(?, id)", ids[:2]); err == nil {
		rows.Close()
		t.Error("a list of ids is a parameter now: change docs/sql-reference.md")
	}
	if err := exec("INSERT INTO people (id, ref) VALUES (?, ?)", oid.New(), ids[0]); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM people WHERE ref = ?", sqltype.Hex(ids[0])).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows have the digits, want the first one alone: %v", n, err)
	}
}
