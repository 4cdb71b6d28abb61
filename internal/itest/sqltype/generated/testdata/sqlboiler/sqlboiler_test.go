package sqlboiler

import (
	"database/sql"
	"os"
	"testing"

	"github.com/aarondl/sqlboiler/v4/boil"
	. "github.com/aarondl/sqlboiler/v4/queries/qm"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/itest/sqltype/generated/testdata/sqlboiler/models"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	_ "modernc.org/sqlite"
)

func TestModels(t *testing.T) {
	ctx := t.Context()
	db, err := sql.Open(os.Getenv("OIDKIT_DIALECT"), os.Getenv("OIDKIT_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ada := &models.Person{ID: oid.New(), Name: "old"}
	if err := ada.Insert(ctx, db, boil.Infer()); err != nil {
		t.Fatal(err)
	}
	var ids []oid.ID
	for range 20 {
		p := &models.Person{ID: oid.New(), Parent: sqltype.ZeroNull(ada.ID), Name: "old"}
		if err := p.Insert(ctx, db, boil.Infer()); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	got, err := models.FindPerson(ctx, db, ids[0])
	if err != nil || oid.ID(got.Parent) != ada.ID {
		t.Errorf("FindPerson: %+v, %v", got, err)
	}
	children, err := ada.ParentPeople().All(ctx, db)
	if err != nil || len(children) != 20 {
		t.Errorf("children: %d, %v", len(children), err)
	}
	all, err := models.People(Load(models.PersonRels.ParentPerson), Load(models.PersonRels.ParentPeople), OrderBy("id")).All(ctx, db)
	if err != nil || len(all) != 21 || len(all[0].R.ParentPeople) != 20 || all[1].R.ParentPerson.ID != ada.ID || all[0].R.ParentPerson != nil {
		t.Errorf("eager loading: %d, %v", len(all), err)
	}
	if n, err := models.People(WhereIn("id in ?", sqltype.Args(ids[:2])...)).UpdateAll(ctx, db, models.M{"name": "new"}); n != 2 || err != nil {
		t.Errorf("UpdateAll by IN touched %d rows, want 2: %v", n, err)
	}
	if n, err := models.People(models.PersonWhere.ID.EQ(ids[3])).DeleteAll(ctx, db); n != 1 || err != nil {
		t.Errorf("DeleteAll by EQ touched %d rows, want 1: %v", n, err)
	}
	if n, err := models.People(WhereIn("id in ?", sqltype.Args(ids[4:6])...)).DeleteAll(ctx, db); n != 2 || err != nil {
		t.Errorf("DeleteAll by WhereIn touched %d rows, want 2: %v", n, err)
	}
	if n, err := models.People(models.PersonWhere.Parent.EQ(sqltype.ZeroNull(ada.ID)), WhereNotIn("id not in ?", sqltype.Args(ids[:2])...)).DeleteAll(ctx, db); n != 15 || err != nil {
		t.Errorf("DeleteAll by NIN touched %d rows, want 15: %v", n, err)
	}
	if err := got.RemoveParentPerson(ctx, db, ada); err != nil {
		t.Errorf("RemoveParentPerson: %v", err)
	}
	if n, err := models.People(models.PersonWhere.Parent.EQ(sqltype.ZeroNull{})).Count(ctx, db); n != 2 || err != nil {
		t.Errorf("%d rows without a parent, want 2: %v", n, err)
	}
	brother := &models.Person{ID: oid.New(), Name: "old"}
	if err := got.SetParentPerson(ctx, db, true, brother); err != nil || oid.ID(got.Parent) != brother.ID {
		t.Errorf("SetParentPerson: %+v, %v", got, err)
	}
}
