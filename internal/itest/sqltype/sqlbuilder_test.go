//go:build nightly

package sqltype_test

import (
	"database/sql"
	"testing"

	"github.com/huandu/go-sqlbuilder"
	"github.com/oidkit/oidkit/sqltype"
)

// sqlbuilderOf returns the flavor for d.
func sqlbuilderOf(d database) sqlbuilder.Flavor {
	return map[string]sqlbuilder.Flavor{"postgres": sqlbuilder.PostgreSQL, "mysql": sqlbuilder.MySQL, "sqlite": sqlbuilder.SQLite}[d.engine()]
}

func TestSqlbuilder(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		flavor := sqlbuilderOf(d)
		ids := newCrowd(t, db, d)
		insert := flavor.NewInsertBuilder().InsertInto("people").Cols("id", "parent", "name")
		query, args := insert.Values(sample, sqltype.ZeroNull{}, "old").Values(printable, &sample, "old").Build()
		mustExec(t, db, query, args...)

		update := flavor.NewUpdateBuilder()
		update.Update("people").Set(update.Assign("name", "new")).Where(update.In("id", sqltype.Args(ids[:2])...))
		query, args = update.Build()
		mustExec(t, db, query, args...)
		wantRows(t, db, "UPDATE … IN", crowd+2, 2)

		del := flavor.NewDeleteBuilder()
		del.DeleteFrom("people").Where(del.EQ("id", sample))
		query, args = del.Build()
		mustExec(t, db, query, args...)
		wantRows(t, db, "DELETE … =", crowd+1, 2)

		del = flavor.NewDeleteBuilder()
		del.DeleteFrom("people").Where(del.NotIn("id", sqltype.Args([]userID{userID(ids[0]), userID(ids[5])})...))
		query, args = del.Build()
		mustExec(t, db, query, args...)
		wantRows(t, db, "DELETE … NOT IN", 2, 1)
	})
}

// Flatten and List look into arrays, and an ID is one. The documentation names this
// first.
func TestSqlbuilderFlattenTakesIDsApart(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		ids := newCrowd(t, db, d)
		for what, list := range map[string][]any{
			"Flatten":        sqlbuilder.Flatten(ids[:1]),
			"Flatten of any": sqlbuilder.Flatten([]any{ids[0]}),
			"Flatten of For": sqlbuilder.Flatten([]userID{userID(ids[0])}),
			"List":           {sqlbuilder.List(ids[:1])},
		} {
			del := sqlbuilderOf(d).NewDeleteBuilder()
			del.DeleteFrom("people").Where(del.In("id", list...))
			query, args := del.Build()
			if len(args) != 12 {
				t.Errorf("%s: %d arguments for one id: take it out of docs/libraries.md", what, len(args))
			}
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			left := -1
			if _, err := tx.Exec(query, args...); err == nil {
				if err := tx.QueryRow("select count(*) from people").Scan(&left); err != nil {
					t.Fatal(err)
				}
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			want := map[string]int{"mysql": -1, "mariadb": 0, "modernc sqlite": crowd, "pgx": -1, "lib/pq": crowd}[d.name]
			if left != want {
				t.Errorf("%s: %d rows are left, want %d (-1: an error): change docs/libraries.md", what, left, want)
			}
		}
	})
}
