package gormplugin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Guarded row has a hook that adds a condition to the statement it is called for.
type Guarded struct {
	ID     oid.ID `gorm:"size:12"`
	Name   string
	PartID oid.ID
	Parts  []GuardedPart
}

type GuardedPart struct {
	ID        oid.ID `gorm:"size:12"`
	GuardedID oid.ID `gorm:"size:12"`
}

func (*Guarded) BeforeDelete(tx *gorm.DB) error { return addCondition(tx) }
func (*Guarded) BeforeUpdate(tx *gorm.DB) error { return addCondition(tx) }

func addCondition(tx *gorm.DB) error {
	if v, ok := tx.Get("hook"); ok {
		tx.Statement.AddClause(clause.Where{Exprs: []clause.Expression{clause.Eq{Column: "id", Value: v}}})
	}
	return nil
}

// TestConditionsAreLookedAtInAllPlaces puts a number where an ID belongs, in
// all the places that conditions stand in, and expects that nothing is found or changed.
func TestConditionsAreLookedAtInAllPlaces(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}, &Company{}, &Skill{}, &Worker{}, &Badge{}, &Toy{}, &Composite{}, &Guarded{}, &GuardedPart{}}, func(t *testing.T, db *gorm.DB) {
		threeItems(t, db)
		w := newWorker("a")
		box := Box{Items: []Item{{Name: "in the box"}}}
		guarded := Guarded{Name: "h", Parts: []GuardedPart{{}, {}}}
		part := Composite{ID: oid.New(), Part: oid.New(), Name: "c"}
		if err := errors.Join(db.Create(w).Error, db.Create(&box).Error, db.Create(&guarded).Error, db.Create(&part).Error); err != nil {
			t.Fatal(err)
		}
		bad := func() *gorm.DB { return db.Model(&Item{}).Select("id").Where(map[string]any{"id": 0}) }
		models := []any{&Item{}, &SoftItem{}, &Worker{}, &Badge{}, &Composite{}, &Guarded{}, &GuardedPart{}}
		before := make([]int, len(models))
		for i, model := range models {
			before[i] = count(t, db, model)
		}
		for name, run := range map[string]func() error{
			"ON of a join":             func() error { return db.Joins("Company", db.Where(0)).Find(&[]Worker{}).Error },
			"list in the ON of a join": func() error { return db.Joins("Company", db.Where([]int{0})).Find(&[]Worker{}).Error },
			"ON of a nested join": func() error {
				return db.Joins("Manager").Joins("Manager.Company", db.Where(map[string]any{"id": 0})).Find(&[]Worker{}).Error
			},
			"column of a join": func() error { return db.Joins("Company").Where("Company.id = ?", 0).Find(&[]Worker{}).Error },
			"column of a nested one": func() error {
				return db.Joins("Manager.Company").Where(map[string]any{"Manager__Company.id": 0}).Find(&[]Worker{}).Error
			},
			"table of a relation": func() error {
				return db.Joins("JOIN companies ON companies.id = workers.company_id").Where("companies.id = ?", 0).Find(&[]Worker{}).Error
			},
			"join table": func() error {
				return db.Joins("JOIN worker_skills ON worker_skills.worker_id = workers.id").Where("worker_skills.skill_id IN ?", []int{0}).Find(&[]Worker{}).Error
			},
			"clause of a join": func() error {
				on := clause.Where{Exprs: []clause.Expression{clause.Eq{Column: clause.Column{Table: "workers", Name: "company_id"}, Value: 0}}}
				return db.Clauses(clause.From{Joins: []clause.Join{{Table: clause.Table{Name: "companies"}, ON: on}}}).Find(&[]Worker{}).Error
			},
			"HAVING": func() error {
				return db.Model(&Item{}).Select("id").Group("id").Having("id = ?", 0).Find(&[]Item{}).Error
			},
			"Preload":          func() error { return db.Preload("Items", 0).Find(&[]Box{}).Error },
			"Preload, map":     func() error { return db.Preload("Items", map[string]any{"box_id": 0}).Find(&[]Box{}).Error },
			"Association.Find": func() error { return db.Model(&box).Association("Items").Find(&[]Item{}, 0) },
			"upsert": func() error {
				where := clause.Where{Exprs: []clause.Expression{clause.Eq{Column: clause.Column{Table: "items", Name: "id"}, Value: 0}}}
				conflict := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name"}), Where: where}
				return db.Clauses(conflict).Create(&Item{ID: box.Items[0].ID, Name: "x"}).Error
			},
			"struct of another model": func() error { return db.Where(&struct{ ID int }{7}).Delete(&Item{}).Error },
			"part of a key":           func() error { return db.Where("part = ?", 0).Delete(&Composite{}).Error },
			"tuple": func() error {
				columns := []clause.Column{{Name: "id"}, {Name: "part"}}
				return db.Where(clause.IN{Column: columns, Values: []any{[]any{0, 0}}}).Delete(&Composite{}).Error
			},
			"order":   func() error { return db.Where(clause.Gte{Column: "id", Value: 0}).Delete(&Item{}).Error },
			"id > ?":  func() error { return db.Where("id > ?", 0).Delete(&Item{}).Error },
			"BETWEEN": func() error { return db.Where("id BETWEEN ? AND ?", 0, 9).Delete(&Item{}).Error },
			"LIKE":    func() error { return db.Where(clause.Like{Column: "id", Value: "%"}).Delete(&Item{}).Error },

			"subquery in SELECT": func() error { return db.Model(&Item{}).Select("name, (?) AS x", bad()).Find(&[]map[string]any{}).Error },
			"subquery in FROM":   func() error { return db.Table("(?) AS items", bad()).Find(&[]Item{}).Error },
			"subquery in ORDER BY": func() error {
				return db.Order(clause.OrderBy{Expression: gorm.Expr("(?)", bad())}).Find(&[]Item{}).Error
			},
			"subquery in a join": func() error { return db.Joins("JOIN (?) AS x ON x.id = items.id", bad()).Find(&[]Item{}).Error },
			"subquery in SET":    func() error { return db.Model(&Item{}).Where("1 = 1").Update("name", gorm.Expr("(?)", bad())).Error },
			"subquery in VALUES": func() error {
				return db.Model(&Item{}).Create(map[string]any{"name": gorm.Expr("(?)", bad())}).Error
			},
			"subquery in Exec":     func() error { return db.Exec("DELETE FROM items WHERE id NOT IN (?)", bad()).Error },
			"subquery in Raw":      func() error { return db.Raw("SELECT * FROM items WHERE id NOT IN (?)", bad()).Find(&[]Item{}).Error },
			"subquery in Raw.Rows": func() error { _, err := db.Raw("SELECT * FROM items WHERE id NOT IN (?)", bad()).Rows(); return err },
			"two subqueries": func() error {
				return db.Where("id NOT IN (?)", db.Model(&Item{}).Select("id").Where("id IN (?)", bad())).Delete(&Item{}).Error
			},

			"Delete with associations": func() error {
				return db.Session(&gorm.Session{SkipDefaultTransaction: true}).Select("Parts").Delete(&guarded, 0).Error
			},
			"hook of a Delete": func() error { return db.Set("hook", 0).Delete(&Guarded{}, guarded.ID).Error },
			"hook of an Update": func() error {
				return db.Set("hook", 0).Model(&Guarded{}).Where(guarded.ID).Update("name", "x").Error
			},
		} {
			if name == "upsert" && db.Name() == "mysql" {
				continue // it has no WHERE there
			}
			err := run()
			if !errors.Is(err, gorm.ErrInvalidData) || !strings.HasPrefix(err.Error(), "gormplugin.Where(") {
				t.Errorf("%s: %v, want gorm.ErrInvalidData from the plugin, not from the driver", name, err)
			}
			for i, model := range models {
				if n := count(t, db, model); n != before[i] {
					t.Fatalf("%s: %d rows of %d of %T left", name, n, before[i], model)
				}
			}
		}
		var n int64
		if db.Model(&Item{}).Where("name = ?", "x").Count(&n); n != 0 {
			t.Errorf("%d rows were changed", n)
		}
	})
}

// TestWaysOutOfTheCheck passes values that are not IDs, on purpose.
func TestWaysOutOfTheCheck(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		for name, tx := range map[string]*gorm.DB{
			"expression":     db.Where("id = ?", gorm.Expr("?", ids[1])),
			"column":         db.Where(clause.Eq{Column: "id", Value: clause.Column{Name: "id"}}).Where(ids[1]),
			"subquery":       db.Where("id = (?)", db.Model(&Item{}).Select("id").Where(ids[1])),
			"NULL":           db.Where(map[string]any{"box_id": nil, "id": ids[1]}),
			"nil pointer":    db.Where(map[string]any{"box_id": (*oid.ID)(nil), "id": ids[1]}),
			"other columns":  db.Where(map[string]any{"name": "b"}).Where("name = ?", "b"),
			"order by zero":  db.Where("id > ?", oid.ID{}).Where(ids[1]),
			"zero elsewhere": db.Not("box_id", oid.ID{}).Or(ids[1]),
		} {
			var names []string
			if err := tx.Model(&Item{}).Pluck("name", &names).Error; err != nil || len(names) != 1 || names[0] != "b" {
				t.Errorf("%s: %q, %v", name, names, err)
			}
		}
	})
}
