package gormplugin_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A Venue has visitors. A visitor is known by an email.
type Venue struct {
	ID       oid.ID `gorm:"size:12"`
	Name     string `gorm:"size:20"`
	Visitors []Visitor
}

type Visitor struct {
	ID      oid.ID `gorm:"size:12"`
	Email   string `gorm:"size:20"`
	VenueID oid.ID `gorm:"size:12"`
}

// TestZeroIDExcludesNobody asks whether an email is taken by another visitor, as a program
// does for a visitor that isn't stored yet. It must never hear that it is free.
func TestZeroIDExcludesNobody(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Venue{}, &Visitor{}}, func(t *testing.T, db *gorm.DB) {
		venue := Venue{Name: "chess", Visitors: []Visitor{{Email: "a@x"}, {Email: "b@x"}}}
		if err := db.Create(&venue).Error; err != nil {
			t.Fatal(err)
		}
		var me Visitor // of a form that was not saved
		taken := func() *gorm.DB { return db.Where("email = ?", "a@x") }
		for name, tx := range map[string]*gorm.DB{
			"<>":               taken().Where("id <> ?", me.ID),
			"!= hex":           taken().Where("id != ?", me.ID.Hex()),
			"Not":              taken().Not("id", me.ID),
			"Not alone":        taken().Not(me.ID),
			"Not text":         taken().Not("id = ?", me.ID),
			"Not of a map":     taken().Not(map[string]any{"id": me.ID}),
			"NOT IN":           taken().Where("id NOT IN ?", []oid.ID{me.ID}),
			"Not of IDs":       taken().Not(gormplugin.IDs(me.ID)),
			"Not of a list":    taken().Not([]oid.ID{me.ID}),
			"Or":               taken().Or("id = ?", me.ID),
			"Or before":        db.Where("id = ?", me.ID).Or("email = ?", "a@x"),
			"group":            db.Where(db.Where("email = ?", "a@x").Or("id = ?", me.ID)).Where("venue_id = ?", venue.ID),
			"a list of others": taken().Where("id IN ?", []oid.ID{venue.Visitors[0].ID, {}}),
			"a subquery":       taken().Where("id NOT IN (?)", db.Model(&Visitor{}).Select("id").Where("id = ?", me.ID)),
		} {
			var found Visitor
			var n int64
			count := tx.Session(&gorm.Session{}).Model(&Visitor{}).Count(&n)
			if err := tx.Session(&gorm.Session{}).First(&found).Error; err != nil || found.Email != "a@x" || count.Error != nil || n != 1 {
				t.Errorf("%s: found %q, %v, counted %d, %v", name, found.Email, err, n, count.Error)
			}
		}
		for _, condition := range []string{"id <> ?", "id = ?"} {
			var found Venue
			err := db.Preload("Visitors", condition, me.ID).First(&found, venue.ID).Error
			if want := map[string]int{"id <> ?": 2}[condition]; err != nil || len(found.Visitors) != want {
				t.Errorf("Preload by %s: %d visitors, %v, want %d", condition, len(found.Visitors), err, want)
			}
		}
		keep := []oid.ID{venue.Visitors[0].ID, me.ID}
		if tx := db.Where("venue_id = ?", venue.ID).Where("id NOT IN ?", keep).Delete(&Visitor{}); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("Delete of the others: %d rows, %v", tx.RowsAffected, tx.Error)
		}
		for name, err := range map[string]error{
			"First":          taken().First(&Visitor{}, me.ID).Error,
			"First of Where": taken().Where("id = ?", me.ID).First(&Visitor{}).Error,
			"nested":         db.Where(db.Where("email = ?", "a@x").Where(map[string]any{"id": me.ID})).Take(&Visitor{}).Error,
		} {
			if err != gorm.ErrRecordNotFound { // as with integers, itself
				t.Errorf("%s by the zero ID: %v", name, err)
			}
		}
		var name string
		if err := db.Model(&Visitor{}).Select("email").Where("id = ?", me.ID).Row().Scan(&name); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("Row by the zero ID: %v", err)
		}
		for name, tx := range map[string]*gorm.DB{
			"Find": db.Find(&[]Visitor{}, me.ID), "Delete": db.Delete(&Visitor{}, me.ID), "Update": db.Model(&Visitor{}).Where("id = ?", me.ID).Update("email", "x"),
		} {
			if tx.Error != nil || tx.RowsAffected != 0 {
				t.Errorf("%s by the zero ID: %d rows, %v", name, tx.RowsAffected, tx.Error)
			}
		}
		made := Visitor{}
		err := db.Where("id = ?", me.ID).Attrs(Visitor{Email: "c@x", VenueID: venue.ID}).FirstOrCreate(&made).Error
		if err != nil || made.ID.IsZero() || made.Email != "c@x" {
			t.Errorf("FirstOrCreate by the zero ID: %+v, %v", made, err)
		}
		if err := db.Not(me.ID).Delete(&Visitor{}).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("Delete of all but the zero ID: %v", err)
		}
	})
}

// TestNotKeepsItsMeaningForLongLists names the same row by a list of each length about
// where the plugin begins to send it in another form.
func TestNotKeepsItsMeaningForLongLists(t *testing.T) {
	t.Parallel()
	longest := map[string]int{"sqlite": 30_000, "mysql": 30_000, "postgres": 1000}
	eachDB(t, []any{&Venue{}}, func(t *testing.T, db *gorm.DB) {
		venues := []Venue{{Name: "a"}, {Name: "x"}, {Name: "c"}}
		if err := db.Create(&venues).Error; err != nil {
			t.Fatal(err)
		}
		others := make([]oid.ID, longest[db.Dialector.Name()]+1)
		oid.Fill(others)
		for _, n := range []int{2, len(others) - 1, len(others)} {
			list := append(slices.Clone(others[:n-2]), venues[0].ID, venues[1].ID)
			each := make([]any, n) // which is sent as it is, whatever the length
			for i, id := range list {
				each[i] = id
			}
			for name, tx := range map[string]*gorm.DB{
				"text":  db.Where("id IN ?", list),
				"each":  db.Where("id IN (?"+strings.Repeat(",?", n-1)+")", each...),
				"names": db.Where("id IN @ids", map[string]any{"ids": list}),
			} {
				if name == "names" && n > 2000 && !isLong { // such lists take long
					continue
				}
				both := func() *gorm.DB { return tx.Session(&gorm.Session{}).Where("name = ?", "x") }
				var names []string
				if err := db.Model(&Venue{}).Not(both()).Order("name").Pluck("name", &names).Error; err != nil || fmt.Sprint(names) != "[a c]" {
					t.Errorf("%s, %d IDs: Not finds %q, %.200v", name, n, names, err)
				}
				undo := db.Begin()
				if tx := undo.Not(undo.Not(both())).Delete(&Venue{}); tx.Error != nil || tx.RowsAffected != 1 {
					t.Errorf("%s, %d IDs: Not of Not deletes %d rows, %.200v", name, n, tx.RowsAffected, tx.Error)
				}
				undo.Rollback()
			}
		}
	})
}
