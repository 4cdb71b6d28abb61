package gormplugin_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Models with keys of any type. Names are unique. GORM has no many-to-many relations of
// generic types.
type (
	Firm[K comparable] struct {
		ID   K      `gorm:"primaryKey"`
		Name string `gorm:"size:40;uniqueIndex"`
		Mark int
	}
	Clerk[K comparable] struct {
		ID      K      `gorm:"primaryKey"`
		Name    string `gorm:"size:40"`
		FirmID  *K
		Firm    *Firm[K]
		Lockers []Locker[K] `gorm:"foreignKey:ClerkID"`
	}
	Locker[K comparable] struct {
		ID      K      `gorm:"primaryKey"`
		Name    string `gorm:"size:40"`
		ClerkID *K
	}
)

func (Firm[K]) TableName() string   { return "firms" }
func (Clerk[K]) TableName() string  { return "clerks" }
func (Locker[K]) TableName() string { return "lockers" }

// TestWritesLeaveWhatIntegersLeave makes the same random changes with integer keys and with
// IDs. After each the tables hold the same rows and links.
func TestWritesLeaveWhatIntegersLeave(t *testing.T) {
	t.Parallel()
	few := map[string]int{"sqlite": 250, "mysql": 60, "postgres": 60}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, db := open(t), open(t)
			plain.DisableForeignKeyConstraintWhenMigrating, db.DisableForeignKeyConstraintWhenMigrating = true, true
			if err := db.Use(gormplugin.New(gormplugin.WithModels(&Clerk[oid.ID]{}))); err != nil {
				t.Fatal(err)
			}
			migrated(t, plain, []any{&Firm[uint]{}, &Clerk[uint]{}, &Locker[uint]{}})
			migrated(t, db, []any{&Firm[oid.ID]{}, &Clerk[oid.ID]{}, &Locker[oid.ID]{}})
			for step := range cases(t, few[plain.Name()]) {
				change, wantErr := write[uint](plain, rand.New(rand.NewPCG(uint64(step), 2)), step)
				_, err := write[oid.ID](db, rand.New(rand.NewPCG(uint64(step), 2)), step)
				if got, want := dump[oid.ID](t, db), dump[uint](t, plain); got != want || (err == nil) != (wantErr == nil) {
					t.Fatalf("step %d, %s: %v, want as with integers %v, and\n%s\nwant\n%s", step, change, err, wantErr, got, want)
				}
			}
		})
	}
}

// write makes one random change, and tells which.
func write[K comparable](db *gorm.DB, r *rand.Rand, step int) (change string, err error) {
	made := 0
	name := func(kind string) string { made++; return fmt.Sprintf("%s%d.%d", kind, step, made) }
	ordered := func(tx *gorm.DB) *gorm.DB { return tx.Order("name") }
	var clerks []Clerk[K]
	var firms []Firm[K]
	var lockers []Locker[K]
	for _, tx := range []*gorm.DB{
		db.Preload("Lockers", ordered).Preload("Firm").Order("name").Find(&clerks),
		db.Order("name").Find(&firms), db.Order("name").Find(&lockers),
	} {
		if tx.Error != nil {
			return "reading", tx.Error
		}
	}
	newClerk := func() Clerk[K] {
		c := Clerk[K]{Name: name("clerk")}
		switch {
		case r.IntN(3) == 0:
			c.Firm = &Firm[K]{Name: name("firm")}
		case r.IntN(2) == 0 && len(firms) > 0:
			c.Firm = &firms[r.IntN(len(firms))]
		}
		for range r.IntN(4) {
			c.Lockers = append(c.Lockers, Locker[K]{Name: name("locker")})
		}
		return c
	}
	kind := r.IntN(12)
	if len(clerks) == 0 {
		kind = 0
	}
	if kind < 2 {
		list := make([]Clerk[K], 1+r.IntN(4))
		for i := range list {
			list[i] = newClerk()
		}
		return "create", db.Create(&list).Error
	}
	clerk := clerks[r.IntN(len(clerks))]
	switch kind {
	case 2:
		clerk.Name += "'"
		clerk.Lockers = append(clerk.Lockers, Locker[K]{Name: name("locker")})
		return "save", db.Save(&clerk).Error
	case 3:
		values := map[string]any{"name": name("clerk"), "firm_id": nil}
		if len(firms) > 0 && r.IntN(3) > 0 {
			values["firm_id"] = firms[r.IntN(len(firms))].ID
		}
		return "updates", db.Model(&Clerk[K]{}).Where("id = ?", clerk.ID).Updates(values).Error
	case 4, 5, 6, 7:
		lockers := db.Model(&clerk).Association("Lockers")
		switch r.IntN(4) {
		case 0:
			return "append locker", lockers.Append(&Locker[K]{Name: name("locker")})
		case 1:
			return "replace lockers", lockers.Replace([]Locker[K]{{Name: name("locker")}})
		case 2:
			return "clear lockers", lockers.Clear()
		}
		if len(clerk.Lockers) > 0 {
			return "delete locker", lockers.Delete(clerk.Lockers[0])
		}
	case 8:
		var list []K
		for range min(3, len(lockers)) {
			list = append(list, lockers[r.IntN(len(lockers))].ID)
		}
		if len(list) > 0 {
			return "delete by a list", db.Delete(&Locker[K]{}, list).Error
		}
	case 9:
		list := []Firm[K]{{Name: name("firm"), Mark: step}, {Name: name("firm"), Mark: step}}
		if len(firms) > 0 {
			list[0].Name = firms[r.IntN(len(firms))].Name
		}
		err := db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"mark"})}).Create(&list).Error
		for _, f := range list {
			var stored Firm[K]
			if err == nil {
				err = db.Where("name = ?", f.Name).Take(&stored).Error
			}
			if _, isID := any(f.ID).(oid.ID); isID && err == nil && f.ID != stored.ID {
				err = fmt.Errorf("a merged row holds %v, and is stored under %v", f.ID, stored.ID)
			}
		}
		return "upsert", err
	case 10:
		f := Firm[K]{Name: name("firm")}
		if len(firms) > 0 && r.IntN(2) == 0 {
			f.Name = firms[0].Name
		}
		return "first or create", db.Where("name = ?", f.Name).Attrs(Firm[K]{Mark: step}).FirstOrCreate(&f).Error
	case 11:
		if r.IntN(3) == 0 {
			return "delete with associations", db.Select("Lockers").Delete(&clerk).Error
		}
		return "delete lockers of a clerk", db.Where("clerk_id = ?", clerk.ID).Delete(&Locker[K]{}).Error
	}
	return "nothing", nil
}

// dump returns all rows and links by their names.
func dump[K comparable](t *testing.T, db *gorm.DB) string {
	t.Helper()
	var lines []string
	var clerks []Clerk[K]
	var lockers []Locker[K]
	var firms []Firm[K]
	for _, tx := range []*gorm.DB{db.Find(&clerks), db.Find(&lockers), db.Find(&firms)} {
		if tx.Error != nil {
			t.Fatal(tx.Error)
		}
	}
	names := map[K]string{}
	for _, f := range firms {
		names[f.ID] = "firm " + f.Name
	}
	of := func(kind string, key *K) string {
		if key == nil {
			return "none"
		}
		name, ok := strings.CutPrefix(names[*key], kind)
		if !ok {
			t.Errorf("there is no %s%v", kind, *key)
		}
		return name
	}
	for _, c := range clerks {
		lines = append(lines, fmt.Sprintf("%s of %s", c.Name, of("firm ", c.FirmID)))
	}
	for _, c := range clerks {
		names[c.ID] = "clerk " + c.Name
	}
	for _, d := range lockers {
		lines = append(lines, fmt.Sprintf("%s of %s", d.Name, of("clerk ", d.ClerkID)))
	}
	for _, f := range firms {
		lines = append(lines, fmt.Sprintf("%s %d", f.Name, f.Mark))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
