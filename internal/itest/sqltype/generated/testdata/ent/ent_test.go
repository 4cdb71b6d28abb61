package ent

import (
	"os"
	"slices"
	"testing"
	"time"

	"entgo.io/ent/dialect/sql"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	ent "github.com/oidkit/oidkit/internal/itest/sqltype/generated/testdata/ent/client"
	"github.com/oidkit/oidkit/internal/itest/sqltype/generated/testdata/ent/client/person"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	_ "modernc.org/sqlite"

	stdsql "database/sql"
)

// The first run of Schema.Create makes the tables.
func TestClient(t *testing.T) {
	ctx := t.Context()
	dialect, dsn := os.Getenv("OIDKIT_DIALECT"), os.Getenv("OIDKIT_DSN")
	driver := map[string]string{"postgres": "pgx", "mysql": "mysql", "sqlite3": "sqlite"}[dialect]
	if driver == "sqlite" {
		dsn += "?_pragma=foreign_keys(1)"
	}
	db, err := stdsql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	client := ent.NewClient(ent.Driver(sql.OpenDB(dialect, db)))
	if err := client.Schema.Create(ctx); err != nil {
		t.Fatal(err)
	}
	ada, err := client.Person.Create().SetName("Ada").Save(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if ada.ID.IsZero() || ada.ParentID != nil || !ada.MentorID.IsZero() || ada.Ref != nil {
		t.Errorf("created %+v", ada)
	}
	grace, err := client.Person.Create().SetName("Grace").SetParent(ada).SetMentorID(sqltype.ZeroNull(ada.ID)).SetRef(sqltype.Hex(ada.ID)).Save(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Person.Get(ctx, grace.ID)
	if err != nil || got.ID != grace.ID || *got.ParentID != ada.ID || oid.ID(got.MentorID) != ada.ID || *got.Ref != sqltype.Hex(ada.ID) {
		t.Errorf("Get: %+v, %v", got, err)
	}
	again, err := client.Person.Get(ctx, ada.ID)
	if err != nil || again.ParentID != nil || !again.MentorID.IsZero() || again.Ref != nil {
		t.Errorf("Get with NULLs: %+v, %v", again, err)
	}
	lo, hi := oid.Range(time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	for what, query := range map[string]*ent.PersonQuery{
		"IDIn":            client.Person.Query().Where(person.IDIn(ada.ID, grace.ID)),
		"range":           client.Person.Query().Where(person.IDGTE(lo), person.IDLT(hi)),
		"the zero cursor": client.Person.Query().Where(person.IDGT(oid.ID{})),
	} {
		ids, err := query.Order(ent.Asc(person.FieldID)).IDs(ctx)
		if err != nil || !slices.Equal(ids, []oid.ID{ada.ID, grace.ID}) {
			t.Errorf("%s: %v, %v", what, ids, err)
		}
	}
	parent, err := client.Person.Query().Where(person.HasChildrenWith(person.ID(grace.ID))).WithChildren().Only(ctx)
	if err != nil || parent.ID != ada.ID || len(parent.Edges.Children) != 1 || parent.Edges.Children[0].ID != grace.ID {
		t.Errorf("edges: %+v, %v", parent, err)
	}
	if found, err := client.Person.Query().Where(person.ID(grace.ID)).Exist(ctx); err != nil || !found {
		t.Errorf("Exist: %v, %v", found, err)
	}
	others := client.Person.MapCreateBulk(make([]struct{}, 20), func(c *ent.PersonCreate, i int) { c.SetName("other") }).SaveX(ctx)
	if n, err := client.Person.Update().Where(person.IDIn(others[0].ID, others[1].ID)).SetName("touched").Save(ctx); n != 2 || err != nil {
		t.Errorf("Update touched %d of 22 rows, want 2: %v", n, err)
	}
	if n, err := client.Person.Delete().Where(person.IDIn(others[2].ID, oid.New())).Exec(ctx); n != 1 || err != nil {
		t.Errorf("Delete touched %d of 22 rows, want 1: %v", n, err)
	}
	if n := client.Person.Query().CountX(ctx); n != 21 {
		t.Errorf("%d rows are left, want 21", n)
	}
}
