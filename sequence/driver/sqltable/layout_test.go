package sqltable

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Users have the tables. From the first release on, a statement of this file changes only
// together with a migration of the tables that are there.
func TestTablesAreThoseOfTheFile(t *testing.T) {
	want, err := os.ReadFile("testdata/layout.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, d := range []Dialect{PostgreSQL, MySQL, SQLite} {
		table := New("store", nowhere{}, d, "sequences", nil)
		for _, name := range []string{"create", "create flush", "own flush"} {
			if table.SQL(name) != "" {
				fmt.Fprintf(&got, "-- %v: %s\n%s;\n\n", d, name, table.SQL(name))
			}
		}
	}
	if got.String() != string(want) {
		t.Errorf("the tables are\n%s\nwant\n%s", &got, want)
	}
}

func TestNamesOfTables(t *testing.T) {
	for name, want := range map[string]string{
		"":                      "a name has 1 to 63 bytes",
		strings.Repeat("n", 64): "a name has 1 to 63 bytes",
		"a.b.c":                 "want a table name, or schema.name",
		`a"b`:                   "no quotes",
		"a`b":                   "no quotes",
		"a?":                    "no quotes",
	} {
		for _, d := range []Dialect{PostgreSQL, MySQL, SQLite} {
			if err := New("store", nowhere{}, d, name, nil).Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("New(%v, %q) = %v, want %q", d, name, err, want)
			}
		}
	}
}

// nowhere is a pool of tables that nobody uses.
type nowhere struct{ Pool }

func (nowhere) Place() driver.Place { return driver.Place{} }
