//go:build nightly

package sqltype_test

import (
	"bytes"
	"database/sql"
	"testing"

	"github.com/doug-martin/goqu/v9"
	_ "github.com/doug-martin/goqu/v9/dialect/mysql"
	_ "github.com/doug-martin/goqu/v9/dialect/postgres"
	_ "github.com/doug-martin/goqu/v9/dialect/sqlite3"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func goquOf(db *sql.DB, d database) *goqu.Database {
	return goqu.New(map[string]string{"postgres": "postgres", "mysql": "mysql", "sqlite": "sqlite3"}[d.engine()], db)
}

type goquPerson struct {
	ID     oid.ID           `db:"id" goqu:"skipupdate"`
	Parent sqltype.ZeroNull `db:"parent"`
	Name   string           `db:"name"`
}

// Prepared statements are all that goqu needs. Its setting holds for the whole process, so this
// test doesn't run in parallel.
func TestGoquPrepared(t *testing.T) {
	goqu.SetDefaultPrepared(true)
	defer goqu.SetDefaultPrepared(false)
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		g := goquOf(db, d)
		ids := newCrowd(t, db, d)
		if _, err := g.Insert("people").Rows(goquPerson{sample, sqltype.ZeroNull{}, "old"}, goquPerson{printable, sqltype.ZeroNull(sample), "old"}).Executor().Exec(); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Update("people").Set(goqu.Record{"name": "new"}).Where(goqu.C("id").In(ids[:2])).Executor().Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "UPDATE … IN", crowd+2, 2)
		if _, err := g.Delete("people").Where(goqu.Ex{"id": sample}).Executor().Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … =", crowd+1, 2)
		if _, err := g.Delete("people").Where(goqu.C("id").NotIn([]userID{userID(ids[0]), userID(ids[5])})).Executor().Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … NOT IN", 2, 1)
		var all []goquPerson
		if err := g.From("people").Where(goqu.C("parent").Eq(ids[0])).Order(goqu.C("id").Asc()).ScanStructs(&all); err != nil || len(all) != 2 || all[0].ID != ids[0] || all[0].Parent != sqltype.ZeroNull(ids[0]) {
			t.Errorf("read %v, %v", all, err)
		}
	})
}

// By default goqu writes the bytes of an ID into the text of the statement, as if
// they were UTF-8.
func TestGoquWithoutPreparedStoresOtherBytes(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		wide := map[string]string{"postgres": "bytea", "mysql": "varbinary(100)", "sqlite": "blob"}[d.engine()]
		mustExec(t, db, "create table wide (id "+wide+")")
		g := goquOf(db, d)
		id := oid.MustParse("65b3f7a4ff1b2dc33e4f5061") // no UTF-8
		if _, err := g.Insert("wide").Rows(goqu.Record{"id": id}).Executor().Exec(); err != nil {
			t.Errorf("refused: %v: change docs/libraries.md", err)
			return
		}
		stored := queryOne[[]byte](t, db, "select id from wide")
		if bytes.Equal(stored, id[:]) {
			t.Errorf("stored as it is: take it out of docs/libraries.md")
		}
		if n := queryOne[int](t, db, d.sql("select count(*) from wide where id = ?"), id); n != 0 {
			t.Errorf("found %d", n)
		}
	})
}
