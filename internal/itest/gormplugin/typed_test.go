package gormplugin_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Crew has sailors. A sailor may have a second crew. Each has its own type of IDs.
type (
	CrewID   = oid.For[Crew]
	SailorID = oid.For[Sailor]
	Crew     struct {
		ID      CrewID `gorm:"size:12"`
		Name    string `gorm:"size:20"`
		Sailors []Sailor
	}
	Sailor struct {
		ID       SailorID                  `gorm:"size:12"`
		CrewID   CrewID                    `gorm:"size:12"`
		SecondID sqltype.ZeroNullFor[Crew] `gorm:"size:12"`
		AnyID    oid.ID                    `gorm:"size:12"`
		Crew     *Crew
	}
)

// TestIDsOfAnotherModelAreErrors in conditions and values of each form. The ID of the model
// itself, a plain oid.ID and pointers to them fit.
func TestIDsOfAnotherModelAreErrors(t *testing.T) {
	t.Parallel()
	models := []any{&Crew{}, &Sailor{}}
	eachDB(t, models, func(t *testing.T, db *gorm.DB) {
		crew := Crew{Name: "a", Sailors: []Sailor{{}, {}}}
		if err := db.Create(&crew).Error; err != nil {
			t.Fatal(err)
		}
		sailor := crew.Sailors[0]
		type patch struct{ CrewID SailorID }
		const want = "holds IDs of Crew, got oid.For[Sailor]: to allow this, convert the ID with oid.ID(x): unsupported data"
		forms := func(id any, list any, pointer any) map[string]func(db *gorm.DB) error {
			sailors := func(db *gorm.DB) *gorm.DB { return db.Model(&Sailor{}).Where("any_id = ?", oid.ID{}) }
			return map[string]func(db *gorm.DB) error{
				"text":      func(db *gorm.DB) error { return db.Find(&[]Sailor{}, "crew_id = ?", id).Error },
				"pointer":   func(db *gorm.DB) error { return db.Find(&[]Sailor{}, "crew_id <> ?", pointer).Error },
				"name":      func(db *gorm.DB) error { return db.Find(&[]Sailor{}, "crew_id = @id", sql.Named("id", id)).Error },
				"list":      func(db *gorm.DB) error { return db.Find(&[]Sailor{}, "crew_id IN ?", list).Error },
				"map":       func(db *gorm.DB) error { return db.Where(map[string]any{"crew_id": id}).Find(&[]Sailor{}).Error },
				"map, list": func(db *gorm.DB) error { return db.Where(map[string]any{"crew_id": list}).Find(&[]Sailor{}).Error },
				"Eq": func(db *gorm.DB) error {
					return db.Where(clause.Eq{Column: "second_id", Value: id}).Find(&[]Sailor{}).Error
				},
				"Not":       func(db *gorm.DB) error { return db.Not("crew_id", id).Find(&[]Sailor{}).Error },
				"Or":        func(db *gorm.DB) error { return db.Where("1 = 0").Or("crew_id = ?", id).Find(&[]Sailor{}).Error },
				"lone list": func(db *gorm.DB) error { return db.Find(&[]Crew{}, list).Error },
				"First":     func(db *gorm.DB) error { return db.Limit(1).Find(&Crew{}, "id = ?", id).Error },
				"Delete":    func(db *gorm.DB) error { return db.Delete(&Sailor{}, "crew_id = ? ", id).Error },
				"join": func(db *gorm.DB) error {
					return db.Joins("Crew").Where(map[string]any{"Crew.id": id}).Find(&[]Sailor{}).Error
				},
				"Having": func(db *gorm.DB) error {
					return db.Model(&Sailor{}).Select("crew_id").Group("crew_id").Having("crew_id = ?", id).Find(&[]Sailor{}).Error
				},
				"Update":   func(db *gorm.DB) error { return sailors(db).Update("crew_id", id).Error },
				"Update 2": func(db *gorm.DB) error { return sailors(db).Update("second_id", pointer).Error },
				"Updates":  func(db *gorm.DB) error { return sailors(db).Updates(map[string]any{"crew_id": id}).Error },
				"Create": func(db *gorm.DB) error {
					return db.Model(&Sailor{}).Create(map[string]any{"crew_id": id, "any_id": oid.ID{}}).Error
				},
				"OnConflict": func(db *gorm.DB) error {
					return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.Assignments(map[string]any{"crew_id": id})}).Create(&Sailor{CrewID: crew.ID}).Error
				},
			}
		}
		bad := forms(sailor.ID, []SailorID{sailor.ID, sailor.ID}, &sailor.ID)
		bad["struct"] = func(db *gorm.DB) error {
			return db.Model(&Sailor{}).Where("any_id = ?", oid.ID{}).Updates(patch{sailor.ID}).Error
		}
		bad["IDs"] = func(db *gorm.DB) error { return db.Find(&[]Crew{}, gormplugin.IDs(sailor.ID)).Error }
		for name, run := range bad {
			if err := run(db); !errors.Is(err, gorm.ErrInvalidData) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v, want … %s", name, err, want)
			}
		}
		plain := oid.ID(crew.ID)
		for _, good := range []map[string]func(db *gorm.DB) error{
			forms(crew.ID, []CrewID{crew.ID, crew.ID}, &crew.ID), forms(plain, []oid.ID{plain, plain}, &plain),
			forms(sql.Null[CrewID]{V: crew.ID, Valid: true}, []any{crew.ID}, ptr(sqltype.ZeroNullFor[Crew](crew.ID))), forms(plain.Hex(), []string{plain.Hex()}, ptr(plain.Hex())),
		} {
			for name, run := range good {
				undo := db.Begin()
				if err := run(undo); err != nil {
					t.Errorf("%s with an ID that fits: %v", name, err)
				}
				undo.Rollback()
			}
		}
		if err := db.Find(&[]Sailor{}, "any_id = ?", sailor.ID).Error; err != nil {
			t.Errorf("a plain column: %v", err)
		}
		undo := db.Begin()
		made := Sailor{CrewID: crew.ID} // GORM sets its fields, so the plugin doesn't see the type of a value
		err := undo.Where("any_id = ?", oid.New()).Attrs(map[string]any{"second_id": sailor.ID}).FirstOrCreate(&made).Error
		if err != nil || oid.ID(made.SecondID) != oid.ID(sailor.ID) {
			t.Errorf("Attrs: %v, %v, want the ID of another model, as docs/gorm-reference.md says", err, made)
		}
		undo.Rollback()
		if err := db.Model(&crew).Association("Sailors").Append(&Sailor{}); err != nil || db.Model(&crew).Association("Sailors").Count() != 3 {
			t.Errorf("Append: %v", err)
		}
		var read Crew
		if err := db.Preload("Sailors.Crew").Joins("JOIN sailors ON sailors.crew_id = crews.id").First(&read, crew.ID).Error; err != nil || len(read.Sailors) != 3 {
			t.Errorf("Preload: %d sailors, %v", len(read.Sailors), err)
		}
	}, gormplugin.New(gormplugin.WithModels(models...)))
}

// A Flag belongs to owners of several models, but its type says that it belongs to one.
type (
	Flag struct {
		ID        oid.ID `gorm:"size:12"`
		OwnerID   CrewID `gorm:"size:12"`
		OwnerType string `gorm:"size:20"`
	}
	Ship struct {
		ID    oid.For[Ship] `gorm:"size:12"`
		Flags []Flag        `gorm:"polymorphic:Owner"`
	}
)

// TestRelationsToAnotherModelAreErrors when a row is saved.
func TestRelationsToAnotherModelAreErrors(t *testing.T) {
	t.Parallel()
	const want = "gormplugin.Model(Ship): Flags: Flag.OwnerID is oid.For[Crew], but refers to Ship.ID, which is oid.For[Ship]: make it oid.For[Ship], or oid.ID if it refers to several models: invalid field"
	eachDB(t, []any{&Flag{}, &Ship{}}, func(t *testing.T, db *gorm.DB) {
		ship := Ship{Flags: []Flag{{}}}
		for name, err := range map[string]error{
			"Create": db.Create(&ship).Error, "Append": db.Model(&Ship{ID: oid.For[Ship](oid.New())}).Association("Flags").Append(&Flag{}),
			"Preload": db.Preload("Flags").Find(&[]Ship{}).Error,
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	})
}
