package gormplugin_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Company has Workers, who have everything else that a row can be related to.
// All foreign keys can be NULL.
type Company struct {
	ID    oid.ID `gorm:"size:12"`
	Name  string
	Staff []*Worker
}

type Worker struct {
	ID        oid.ID `gorm:"size:12"`
	Name      string
	CompanyID sqltype.ZeroNull
	Company   *Company
	ManagerID sqltype.ZeroNull
	Manager   *Worker
	Team      []Worker `gorm:"foreignKey:ManagerID"`
	Badge     *Badge
	Skills    []Skill `gorm:"many2many:worker_skills"`
	Toys      []Toy   `gorm:"polymorphic:Owner"`
}

type Badge struct {
	ID       oid.ID `gorm:"size:12"`
	Number   string
	WorkerID sqltype.ZeroNull
}

type Skill struct {
	ID   oid.ID `gorm:"size:12"`
	Name string
}

type Toy struct {
	ID        oid.ID `gorm:"size:12"`
	Name      string
	OwnerID   sqltype.ZeroNull `gorm:"size:12"`
	OwnerType string
}

var workModels = []any{&Company{}, &Skill{}, &Worker{}, &Badge{}, &Toy{}}

// newWorker returns a worker with one of everything.
func newWorker(name string) *Worker {
	return &Worker{
		Name:    name,
		Company: &Company{Name: name + "'s company"},
		Manager: &Worker{Name: name + "'s manager"},
		Team:    []Worker{{Name: name + "'s team 1", Badge: &Badge{Number: "t1"}}, {Name: name + "'s team 2"}},
		Badge:   &Badge{Number: "b"},
		Skills:  []Skill{{Name: "s1"}, {Name: "s2"}},
		Toys:    []Toy{{Name: "toy"}},
	}
}

// load returns the worker of id with all that it is related to.
func load(t *testing.T, db *gorm.DB, id oid.ID) Worker {
	t.Helper()
	var w Worker
	if err := db.Preload(clause.Associations).Preload("Team.Badge").First(&w, id).Error; err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAssociationsAreCreated(t *testing.T) {
	t.Parallel()
	eachDB(t, workModels, func(t *testing.T, db *gorm.DB) {
		batch := []*Worker{newWorker("a"), newWorker("b")}
		if err := errors.Join(db.Create(batch).Error, db.Create(newWorker("c")).Error); err != nil {
			t.Fatal(err)
		}
		for _, w := range batch {
			got := load(t, db, w.ID)
			if got.Company == nil || got.Company.ID != w.Company.ID || got.CompanyID != sqltype.ZeroNull(w.Company.ID) ||
				got.Manager == nil || got.Manager.ID != w.Manager.ID ||
				got.Badge == nil || got.Badge.ID != w.Badge.ID || w.Badge.WorkerID != sqltype.ZeroNull(w.ID) ||
				len(got.Team) != 2 || got.Team[0].Badge == nil && got.Team[1].Badge == nil ||
				len(got.Skills) != 2 || len(got.Toys) != 1 || got.Toys[0].OwnerID != sqltype.ZeroNull(w.ID) {
				t.Errorf("loaded %+v", got)
			}
		}
		for _, model := range workModels {
			var zeros int64
			db.Model(model).Where("id = ?", oid.ID{}).Count(&zeros)
			if zeros != 0 {
				t.Errorf("%T: %d rows with the zero ID", model, zeros)
			}
		}

		var joined []Worker
		err := db.Joins("Company").Joins("Manager").Joins("Manager.Company").Where("workers.name IN ?", []string{"a", "a's manager"}).Order("workers.name").Find(&joined).Error
		if err != nil || len(joined) != 2 {
			t.Fatalf("Joins: %d rows, %v", len(joined), err)
		}
		if joined[0].Company == nil || joined[0].Company.ID != batch[0].Company.ID || joined[0].Manager == nil || joined[0].Manager.Company != nil {
			t.Errorf("Joins: %+v", joined[0])
		}
		if joined[1].Company != nil || joined[1].Manager != nil || !joined[1].CompanyID.IsZero() {
			t.Errorf("Joins with NULL: %+v", joined[1])
		}
	})
}

func TestAssociationMode(t *testing.T) {
	t.Parallel()
	eachDB(t, workModels, func(t *testing.T, db *gorm.DB) {
		w := newWorker("a")
		if err := db.Create(w).Error; err != nil {
			t.Fatal(err)
		}
		of := func(name string) *gorm.Association { return db.Model(w).Association(name) }

		// One that the row belongs to.
		other := Company{Name: "other"}
		if err := of("Company").Replace(&other); err != nil || w.CompanyID != sqltype.ZeroNull(other.ID) || other.ID.IsZero() {
			t.Errorf("Replace: %v, %v", w.CompanyID, err)
		}
		if got := load(t, db, w.ID); got.Company == nil || got.Company.ID != other.ID {
			t.Errorf("Replace: %+v", got.Company)
		}
		if err := of("Company").Delete(&other); err != nil || !w.CompanyID.IsZero() {
			t.Errorf("Delete: %v, %v", w.CompanyID, err)
		}
		if got := load(t, db, w.ID); got.Company != nil || !got.CompanyID.IsZero() {
			t.Errorf("Delete: %+v", got.Company)
		}
		if err := of("Company").Append(&Company{Name: "third"}); err != nil || w.CompanyID.IsZero() {
			t.Errorf("Append: %v, %v", w.CompanyID, err)
		}
		if err := of("Company").Clear(); err != nil {
			t.Errorf("Clear: %v", err)
		}
		if got := load(t, db, w.ID); got.Company != nil || !got.CompanyID.IsZero() {
			t.Errorf("Clear: %+v", got.Company)
		}

		// One that belongs to the row.
		badge := Badge{Number: "new"}
		if err := of("Badge").Replace(&badge); err != nil || badge.WorkerID != sqltype.ZeroNull(w.ID) {
			t.Errorf("Badge: %v, %v", badge.WorkerID, err)
		}
		var loose int64
		if db.Model(&Badge{}).Where("worker_id IS NULL").Count(&loose); loose != 1 {
			t.Errorf("%d badges without a worker, want the old one", loose)
		}
		if err := of("Badge").Delete(&badge); err != nil || !badge.WorkerID.IsZero() {
			t.Errorf("Badge: %v, %v", badge.WorkerID, err)
		}

		// Many.
		for name, steps := range map[string]struct {
			add, replace, remove any
		}{
			"Team":   {&Worker{Name: "x"}, []Worker{{Name: "y"}, {Name: "z"}}, nil},
			"Skills": {&Skill{Name: "x"}, []Skill{{Name: "y"}, {Name: "z"}}, nil},
			"Toys":   {&Toy{Name: "x"}, []Toy{{Name: "y"}, {Name: "z"}}, nil},
		} {
			before := of(name).Count()
			if err := of(name).Append(steps.add); err != nil || of(name).Count() != before+1 {
				t.Errorf("%s: Append: %d, %v", name, of(name).Count(), err)
			}
			if err := of(name).Delete(steps.add); err != nil || of(name).Count() != before {
				t.Errorf("%s: Delete: %d, %v", name, of(name).Count(), err)
			}
			if err := of(name).Replace(steps.replace); err != nil || of(name).Count() != 2 {
				t.Errorf("%s: Replace: %d, %v", name, of(name).Count(), err)
			}
			if err := of(name).Clear(); err != nil || of(name).Count() != 0 {
				t.Errorf("%s: Clear: %d, %v", name, of(name).Count(), err)
			}
		}
		var skills []Skill
		if err := of("Skills").Append([]Skill{{Name: "p"}, {Name: "q"}}); err != nil {
			t.Fatal(err)
		}
		if err := of("Skills").Find(&skills, w.Skills[1].ID); err != nil || len(skills) != 1 || skills[0].Name != "q" {
			t.Errorf("Find by a lone ID: %v, %v", skills, err)
		}
	})
}

func TestAssociationsOfUpdates(t *testing.T) {
	t.Parallel()
	eachDB(t, workModels, func(t *testing.T, db *gorm.DB) {
		w := newWorker("a")
		if err := db.Create(w).Error; err != nil {
			t.Fatal(err)
		}
		w.Name, w.Company.Name, w.Badge.Number = "a2", "c2", "b2"
		w.Skills = append(w.Skills, Skill{Name: "s3"})
		if err := db.Session(&gorm.Session{FullSaveAssociations: true}).Updates(w).Error; err != nil {
			t.Fatal(err)
		}
		got := load(t, db, w.ID)
		if got.Name != "a2" || got.Company.Name != "c2" || got.Badge.Number != "b2" || len(got.Skills) != 3 {
			t.Errorf("Updates: %+v", got)
		}
		w.Company = &Company{Name: "c3"}
		if err := db.Save(w).Error; err != nil || w.CompanyID != sqltype.ZeroNull(w.Company.ID) {
			t.Errorf("Save: %v, %v", w.CompanyID, err)
		}
		if got := load(t, db, w.ID); got.Company.Name != "c3" {
			t.Errorf("Save: %+v", got.Company)
		}
		if err := db.Model(&Worker{}).Where(w.ID).Update("CompanyID", sqltype.ZeroNull{}).Error; err != nil {
			t.Error(err)
		}
		if got := load(t, db, w.ID); got.Company != nil {
			t.Errorf("Update to NULL: %+v", got.Company)
		}
		if err := db.Model(&Worker{}).Where("manager_id = ?", w.ID).Update("manager_id", nil).Error; err != nil {
			t.Error(err)
		}
		if err := db.Select("Badge", "Skills", "Toys").Delete(w).Error; err != nil {
			t.Errorf("Delete with associations: %v", err)
		}
		var badges int64
		if db.Model(&Badge{}).Where("worker_id = ?", w.ID).Count(&badges); badges != 0 {
			t.Errorf("%d badges left", badges)
		}
	})
}

// A Place has a composite key. Placements refer to it by IDs that can be NULL, of
// type ZeroNull and of pointer types.
type Place struct {
	A oid.ID `gorm:"primaryKey;size:12"`
	B oid.ID `gorm:"primaryKey;size:12"`
}

type Placement struct {
	ID     oid.ID `gorm:"size:12"`
	PlaceA sqltype.ZeroNull
	PlaceB sqltype.ZeroNull
	Place  *Place `gorm:"foreignKey:PlaceA,PlaceB;references:A,B"`
}

type PtrPlacement struct {
	ID     oid.ID  `gorm:"size:12"`
	PlaceA *oid.ID `gorm:"size:12"`
	PlaceB *oid.ID `gorm:"size:12"`
	Place  *Place  `gorm:"foreignKey:PlaceA,PlaceB;references:A,B"`
}

func TestCompositePreload(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Place{}, &Placement{}}, func(t *testing.T, db *gorm.DB) {
		place := &Place{A: oid.New(), B: oid.New()}
		rows := []Placement{{Place: place}, {PlaceA: sqltype.ZeroNull(place.A)}, {}}
		if err := db.Create(&rows).Error; err != nil {
			t.Fatal(err)
		}
		var found []Placement
		if err := db.Preload("Place").Order("id").Find(&found).Error; err != nil || len(found) != 3 {
			t.Fatalf("%d rows, %v", len(found), err)
		}
		if found[0].Place == nil || *found[0].Place != *place || found[1].Place != nil || found[2].Place != nil {
			t.Errorf("%+v", found)
		}
	})
}

// TestHalfNilPointersPanic pins why ZeroNull is better for foreign keys than a
// pointer. See https://github.com/go-gorm/gorm/issues/6016.
func TestHalfNilPointersPanic(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Place{}, &PtrPlacement{}})
	place := &Place{A: oid.New(), B: oid.New()}
	rows := []PtrPlacement{{Place: place}, {PlaceA: &place.A}}
	if err := db.Create(&rows).Error; err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("GORM has learned this: say so in the documentation")
		}
	}()
	db.Preload("Place").Find(&[]PtrPlacement{})
}

// TestNullIntoAUsedStruct pins that GORM leaves a field of a used struct as it is
// where the column is NULL. See https://github.com/go-gorm/gorm/issues/7234.
func TestNullIntoAUsedStruct(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &Company{}, &Skill{}, &Worker{}}, func(t *testing.T, db *gorm.DB) {
		item, w := Item{Box: &Box{}}, Worker{Company: &Company{}}
		if err := errors.Join(db.Create(&item).Error, db.Create(&w).Error,
			db.Model(&Item{}).Where(item.ID).Update("box_id", nil).Error,
			db.Model(&Worker{}).Where(w.ID).Update("company_id", nil).Error,
			db.First(&item).Error, db.First(&w).Error,
		); err != nil {
			t.Fatal(err)
		}
		if item.BoxID == nil || w.CompanyID.IsZero() {
			t.Errorf("GORM has learned this: say so in the documentation (%v, %v)", item.BoxID, w.CompanyID)
		}
		var fresh Worker
		if err := db.First(&fresh, w.ID).Error; err != nil || !fresh.CompanyID.IsZero() {
			t.Errorf("into a fresh struct: %v, %v", fresh.CompanyID, err)
		}
	})
}

// TestAssociationDeleteOfAPointer pins that GORM doesn't clear a pointer in the
// struct, only in the table.
func TestAssociationDeleteOfAPointer(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}}, func(t *testing.T, db *gorm.DB) {
		box := &Box{}
		item := Item{Box: box}
		if err := db.Create(&item).Error; err != nil {
			t.Fatal(err)
		}
		if err := db.Model(&item).Association("Box").Delete(box); err != nil {
			t.Fatal(err)
		}
		if item.BoxID == nil {
			t.Error("GORM has learned this: say so in the documentation")
		}
		var found Item
		if err := db.First(&found, item.ID).Error; err != nil || found.BoxID != nil {
			t.Errorf("in the table: %v, %v", found.BoxID, err)
		}
	})
}

// TestOneChildOfTwoParents pins the result of one pointer under two parents. It is
// a single row, which PostgreSQL refuses to write twice in a statement.
func TestOneChildOfTwoParents(t *testing.T) {
	t.Parallel()
	eachDB(t, workModels, func(t *testing.T, db *gorm.DB) {
		child := &Worker{Name: "child"}
		err := db.Create([]*Company{{Staff: []*Worker{child}}, {Staff: []*Worker{child}}}).Error
		if db.Name() == "postgres" {
			if err == nil {
				t.Error("PostgreSQL took it")
			}
			return
		}
		if err != nil || count(t, db, &Worker{}) != 1 {
			t.Errorf("%d rows, %v", count(t, db, &Worker{}), err)
		}
	})
}

// TestRowThatBelongsToItself pins that GORM inserts such a row twice, once as its
// own manager. The second INSERT is refused.
func TestRowThatBelongsToItself(t *testing.T) {
	t.Parallel()
	eachDB(t, workModels, func(t *testing.T, db *gorm.DB) {
		w := &Worker{Name: "a"}
		w.Manager = w
		err := db.Create(w).Error
		if n := count(t, db, &Worker{}); err == nil || n != 0 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

// A Club has its members by a join table with a key of its own.
type Club struct {
	ID      oid.ID `gorm:"size:12"`
	Name    string
	Members []Player `gorm:"many2many:memberships"`
}

type Player struct {
	ID   oid.ID `gorm:"size:12"`
	Name string
}

type Membership struct {
	ID       oid.ID `gorm:"size:12"`
	ClubID   oid.ID `gorm:"size:12;uniqueIndex:club_player"`
	PlayerID oid.ID `gorm:"size:12;uniqueIndex:club_player"`
}

func TestJoinTableWithAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		if err := db.SetupJoinTable(&Club{}, "Members", &Membership{}); err != nil {
			t.Fatal(err)
		}
		migrated(t, db, []any{&Player{}, &Club{}, &Membership{}})
		club := Club{Name: "c", Members: []Player{{Name: "a"}, {Name: "b"}}}
		if err := db.Create(&club).Error; err != nil {
			t.Fatal(err)
		}
		// The unique index keeps it at one row each.
		if err := db.Model(&club).Association("Members").Append(&club.Members[0], &Player{Name: "d"}); err != nil {
			t.Fatal(err)
		}
		var list []Membership
		if err := db.Find(&list).Error; err != nil || len(list) != 3 {
			t.Fatalf("%d rows, %v", len(list), err)
		}
		if slices.ContainsFunc(list, func(m Membership) bool { return m.ID.IsZero() || m.ClubID != club.ID }) {
			t.Errorf("%+v", list)
		}
		var loaded Club
		if err := db.Preload("Members").First(&loaded, club.ID).Error; err != nil || len(loaded.Members) != 3 {
			t.Errorf("%d members, %v", len(loaded.Members), err)
		}
	})
}
