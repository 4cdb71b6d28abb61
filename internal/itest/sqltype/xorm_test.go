//go:build nightly

package sqltype_test

import (
	"database/sql"
	"database/sql/driver"
	"runtime"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"xorm.io/builder"
	"xorm.io/xorm"
	"xorm.io/xorm/core"
	"xorm.io/xorm/names"
)

// XormID is an oid.ID that xorm stores as 12 bytes and takes as a condition. The
// zero ID is no condition, as every zero field in xorm, and NULL in the database.
type XormID struct{ oid.ID }

func (id XormID) Value() (driver.Value, error) { return sqltype.ZeroNull(id.ID).Value() }
func (id *XormID) Scan(src any) error          { return (*sqltype.ZeroNull)(&id.ID).Scan(src) }

func xormOf(t *testing.T, db *sql.DB, d database) *xorm.Engine {
	t.Helper()
	driver, dsn := map[string]string{"pgx": "pgx", "lib/pq": "postgres", "modernc sqlite": "sqlite"}[d.name], "file:x"
	switch d.engine() {
	case "postgres":
		dsn = "postgres://postgres@127.0.0.1/x"
	case "mysql":
		driver, dsn = "mysql", "root@tcp(127.0.0.1)/x"
	}
	e, err := xorm.NewEngineWithDB(driver, dsn, core.FromDB(db))
	if err != nil {
		t.Fatal(err)
	}
	e.SetMapper(names.GonicMapper{})
	t.Cleanup(func() { runtime.KeepAlive(e) }) // its finalizer closes db
	return e
}

type xormPerson struct {
	ID     XormID `xorm:"pk"`
	Parent XormID
	Name   string
}

func (xormPerson) TableName() string { return "people" }

func TestXormWithXormID(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		e := xormOf(t, db, d)
		ids := newCrowd(t, db, d)
		ada := &xormPerson{ID: XormID{sample}, Name: "old"}
		if _, err := e.Insert(ada, []*xormPerson{{XormID{printable}, XormID{sample}, "old"}}); err != nil {
			t.Fatal(err)
		}
		if n := queryOne[int](t, db, d.sql("select count(*) from people where id = ? and parent is null or id = ? and parent = ?"), sample, printable, sample); n != 2 {
			t.Errorf("%d of 2 rows are stored as they are", n)
		}
		got := &xormPerson{}
		if found, err := e.Where("id = ?", printable).Get(got); !found || err != nil || got.Parent.ID != sample {
			t.Errorf("Get: %v, %v, %v", found, got, err)
		}
		got = &xormPerson{ID: XormID{sample}}
		if found, err := e.Get(got); !found || err != nil || *got != *ada {
			t.Errorf("Get by a struct: %v, %v, %v", found, got, err)
		}
		if n, err := e.Update(&xormPerson{Name: "new"}, &xormPerson{ID: XormID{ids[3]}}); n != 1 || err != nil {
			t.Errorf("Update by a struct: %d, %v", n, err)
		}
		wantRows(t, db, "Update by a struct", crowd+2, 1)
		if _, err := e.In("id", ids[:2]).Update(&xormPerson{Name: "new"}); err != nil {
			t.Errorf("Update by In: %v", err)
		}
		wantRows(t, db, "Update by In", crowd+2, 3)
		if n, err := e.Delete(&xormPerson{ID: XormID{sample}}); n != 1 || err != nil {
			t.Errorf("Delete by a struct: %d, %v", n, err)
		}
		if n, err := e.Where(builder.Eq{"id": sqltype.Args(ids[:2])}).Delete(&xormPerson{}); n != 2 || err != nil {
			t.Errorf("Delete by builder.Eq: %d, %v", n, err)
		}
		wantRows(t, db, "Delete", crowd-1, 1)
		if n, err := e.Where("id = ?", oid.New()).Delete(&xormPerson{}); n != 0 || err != nil {
			t.Errorf("Delete of nothing: %d, %v", n, err)
		}
		// The zero ID is no condition, and xorm refuses to delete without one.
		if n, err := e.Delete(&xormPerson{}); n != 0 || err == nil {
			t.Errorf("Delete by the zero id: %d, %v", n, err)
		}
		if _, err := e.ID(ids[4]).Delete(&xormPerson{}); err == nil {
			t.Errorf("ID(id) deletes now: take it out of docs/libraries.md")
		}
		wantRows(t, db, "at the end", crowd-1, 1)
	})
}

// xorm writes an array into a binary column as JSON, and takes none in a struct for
// a condition. The documentation names this among the first.
func TestXormIgnoresAnIDInACondition(t *testing.T) {
	t.Parallel()
	type people struct {
		ID   oid.ID `xorm:"pk"`
		Name string
	}
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		e := xormOf(t, db, d)
		ids := newCrowd(t, db, d)
		if n, err := e.Update(&people{Name: "new"}, &people{ID: ids[3]}); n != crowd || err != nil {
			t.Errorf("Update by a struct touched %d rows, %v: change docs/libraries.md", n, err)
		}
		wide := map[string]string{"postgres": "bytea", "mysql": "varbinary(100)", "sqlite": "blob"}[d.engine()]
		mustExec(t, db, "create table wide (id "+wide+", name varchar(20))")
		if _, err := e.Table("wide").Insert(&people{ID: sample}); err != nil {
			t.Fatal(err)
		}
		if stored := queryOne[[]byte](t, db, "select id from wide"); string(stored) != `"`+sample.Hex()+`"` {
			t.Errorf("stored %q: change docs/libraries.md", stored)
		}
	})
}
