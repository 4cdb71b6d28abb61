package pgxoid_test

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// A sqltype.Array reads an array on every Go, a []oid.ID only from Go 1.27 on. A
// lone ID, NULL and a list as a parameter are the same on all of them.
func TestListsThroughStdlibOnEachGo(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig(postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []oid.ID{sample, oid.New(), {11: 1}}
	for name, options := range map[string][]stdlib.OptionOpenDB{
		"unregistered": nil,
		"registered":   {stdlib.OptionAfterConnect(pgxoid.AfterConnect)},
	} {
		t.Run(name, func(t *testing.T) {
			db := stdlib.OpenDB(*config, options...)
			defer db.Close()
			if _, err := db.Exec("drop table if exists lists; create table lists (ids bytea[], one bytea, nothing bytea)"); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("insert into lists values ($1, $2, null)", want, sample); err != nil {
				t.Fatal(err)
			}
			var ids []oid.ID
			if err := db.QueryRow("select ids from lists").Scan(&ids); (err == nil) != scansLists || err == nil && !slices.Equal(ids, want) {
				t.Errorf("Scan(*[]oid.ID): %v, %v, want it to work: %t", ids, err, scansLists)
			}
			var typed []oid.For[orders]
			if err := db.QueryRow("select ids from lists").Scan(&typed); (err == nil) != scansLists || err == nil && (len(typed) != len(want) || oid.ID(typed[2]) != want[2]) {
				t.Errorf("Scan(*[]oid.For): %v, %v, want it to work: %t", typed, err, scansLists)
			}
			var array sqltype.Array[oid.ID]
			if err := db.QueryRow("select ids from lists where one = any($1)", want).Scan(&array); err != nil || !slices.Equal(array, want) {
				t.Errorf("Scan(*sqltype.Array): %v, %v", array, err)
			}
			var one oid.ID
			var nothing *oid.ID
			var null sql.Null[oid.ID]
			if err := db.QueryRow("select one, nothing, nothing from lists").Scan(&one, &nothing, &null); err != nil || one != sample || nothing != nil || null.Valid {
				t.Errorf("Scan: %v, %v, %v, %v", one, nothing, null, err)
			}
			if err := db.QueryRow("select nothing from lists").Scan(&one); err == nil || one != sample {
				t.Errorf("NULL into an ID: %v, %v", one, err)
			}
		})
	}
}

type orders struct{}
