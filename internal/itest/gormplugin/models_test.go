package gormplugin_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Team has Mates, who hold every kind of ID that can be NULL.
type Team struct {
	ID   oid.ID
	Name string
}

type Mate struct {
	ID      oid.For[Mate]
	Name    string
	TeamID  *oid.ID
	Team    *Team
	BossID  *oid.For[Mate]
	Boss    *Mate
	Zero    sqltype.ZeroNull
	SQLNull sql.Null[oid.ID]
}

// TestWithModelsClearsNullableIDs shows that a struct holds no ID that the database
// doesn't. See https://github.com/go-gorm/gorm/issues/7234.
func TestWithModelsClearsNullableIDs(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Team{}, &Mate{}}, func(t *testing.T, db *gorm.DB) {
		id := oid.New()
		boss := Mate{Name: "boss"}
		if err := db.Create(&boss).Error; err != nil {
			t.Fatal(err)
		}
		mate := Mate{Name: "a", Team: &Team{}, BossID: &boss.ID, Zero: sqltype.ZeroNull(id), SQLNull: sql.Null[oid.ID]{V: id, Valid: true}}
		if err := db.Create(&mate).Error; err != nil {
			t.Fatal(err)
		}
		used := mate
		if err := db.Model(&mate).Association("Team").Delete(mate.Team); err != nil || mate.TeamID != nil {
			t.Errorf("Association.Delete: %v, %v, want nil", mate.TeamID, err)
		}
		nulls := map[string]any{"boss_id": nil, "zero": nil, "sql_null": nil}
		if err := db.Model(&Mate{}).Where(mate.ID).Updates(nulls).Error; err != nil {
			t.Fatal(err)
		}
		used.Team = nil
		other := used // as a row of another table name
		if err := db.Table("mates AS others").Where("others.id = ?", mate.ID).Take(&other).Error; err != nil || other.TeamID != nil || other.BossID != nil || !other.Zero.IsZero() || other.SQLNull.Valid {
			t.Errorf("a used struct, by another table name: %+v, %v", other, err)
		}
		if err := db.First(&used).Error; err != nil || used.TeamID != nil || used.BossID != nil || !used.Zero.IsZero() || used.SQLNull.Valid {
			t.Errorf("a used struct: %+v, %v", used, err)
		}
		if used.ID != mate.ID {
			t.Errorf("id %v, want %v", used.ID, mate.ID)
		}
		var fresh Mate
		if err := db.First(&fresh, boss.ID).Error; err != nil || fresh.ID != boss.ID || fresh.BossID != nil {
			t.Errorf("a fresh struct: %+v, %v", fresh, err)
		}
	}, gormplugin.New(gormplugin.WithModels(&Mate{})))
}

// A Dresser has one Lamp and many Drawers.
type Dresser struct {
	ID      oid.ID
	Lamp    *Lamp
	Drawers []*Drawer
}

type Lamp struct {
	ID        oid.ID
	DresserID *oid.ID
}

type Drawer struct {
	ID        oid.ID
	DresserID *oid.ID
}

// TestAssociationDelete shows in which structs the foreign key becomes nil, as it does in the
// rows. GORM doesn't touch the child of a has-many relation.
func TestAssociationDelete(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Dresser{}, &Lamp{}, &Drawer{}}, func(t *testing.T, db *gorm.DB) {
		lamp, drawer := &Lamp{}, &Drawer{}
		dresser := &Dresser{Lamp: lamp, Drawers: []*Drawer{drawer}}
		if err := db.Create(dresser).Error; err != nil {
			t.Fatal(err)
		}
		if err := db.Model(dresser).Association("Lamp").Delete(lamp); err != nil || lamp.DresserID != nil {
			t.Errorf("has one: %v, %v, want nil", lamp.DresserID, err)
		}
		if err := db.Model(dresser).Association("Drawers").Delete(drawer); err != nil || drawer.DresserID == nil {
			t.Errorf("has many: %v, %v, want the old ID", drawer.DresserID, err)
		}
		var stored Drawer
		if err := db.First(&stored, drawer.ID).Error; err != nil || stored.DresserID != nil {
			t.Errorf("the row of the drawer: %v, %v, want NULL", stored.DresserID, err)
		}
	}, gormplugin.New(gormplugin.WithModels(&Dresser{})))
}

// A Hen has Chicks. TestPreloadAllocations reads both.
type Hen struct {
	ID     oid.ID
	Chicks []Chick
}

type Chick struct {
	ID    oid.ID
	HenID oid.ID
}

// TestPreloadAllocations preloads rows without the plugin, with it, and with prepared models. The
// plugin doesn't allocate memory per row, and with WithModels GORM allocates once less for each ID
// that it reads.
func TestPreloadAllocations(t *testing.T) {
	const hens, chicks = 200, 5
	allocations := func(plugins ...gorm.Plugin) float64 {
		db := openSQLite(t)
		for _, plugin := range plugins {
			use(t, db, plugin)
		}
		migrated(t, db, []any{&Hen{}, &Chick{}})
		rows := make([]Hen, hens)
		for i := range rows {
			rows[i].ID, rows[i].Chicks = oid.New(), make([]Chick, chicks)
			for j := range rows[i].Chicks {
				rows[i].Chicks[j].ID = oid.New()
			}
		}
		if err := db.Create(&rows).Error; err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1) // of several runs, because the race detector empties pools at random
		for range 5 {
			least = min(least, testing.AllocsPerRun(5, func() {
				var found []Hen
				if err := db.Preload("Chicks").Find(&found).Error; err != nil || len(found) != hens || len(found[0].Chicks) != chicks {
					t.Fatal(err)
				}
			}))
		}
		return least
	}
	const some = 20 // of the runtime
	without := allocations()
	with := allocations(gormplugin.New())
	prepared := allocations(gormplugin.New(gormplugin.WithModels(&Hen{})))
	if read := float64(hens + 2*hens*chicks); with > without+some || prepared > without-read+some {
		t.Errorf("%.0f allocations without the plugin, %.0f with it, %.0f with WithModels, which reads %.0f IDs", without, with, prepared, read)
	}
	t.Logf("%.0f allocations without the plugin, %.0f with it, %.0f with WithModels", without, with, prepared)
}

// TestWithModelsSharesNoIDs shows that rows that are read one after the other don't
// hold the same pointer.
func TestWithModelsSharesNoIDs(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Team{}, &Mate{}}, func(t *testing.T, db *gorm.DB) {
		for range 3 {
			if err := db.Create(&Mate{Team: &Team{}}).Error; err != nil {
				t.Fatal(err)
			}
		}
		var mates []Mate
		if err := db.Joins("Team").Order("mates.id").Find(&mates).Error; err != nil {
			t.Fatal(err)
		}
		seen := map[oid.ID]bool{}
		for _, m := range mates {
			seen[*m.TeamID] = true
			if m.Team == nil || m.Team.ID != *m.TeamID {
				t.Errorf("team %v of %v", m.Team, *m.TeamID)
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d teams of 3", len(seen))
		}
	}, gormplugin.New(gormplugin.WithModels(&Mate{})))
}

// TestWithModelsFromManyGoroutines is for the race detector.
func TestWithModelsFromManyGoroutines(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Team{}, &Mate{}}, func(t *testing.T, db *gorm.DB) {
		if err := db.Create([]*Mate{{Team: &Team{}}, {Name: "alone"}}).Error; err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				var joined, loaded []Mate
				if err := errors.Join(db.Joins("Team").Find(&joined).Error, db.Preload("Team").Find(&loaded).Error); err != nil || len(joined) != 2 || len(loaded) != 2 {
					t.Errorf("%d joined, %d loaded, %v", len(joined), len(loaded), err)
				}
				rows, err := db.Model(&Mate{}).Rows()
				if err != nil {
					t.Error(err)
					return
				}
				defer rows.Close()
				for rows.Next() {
					var m Mate
					if err := db.ScanRows(rows, &m); err != nil || m.ID.IsZero() {
						t.Errorf("%v, %v", m.ID, err)
					}
				}
			})
		}
		wg.Wait()
	}, gormplugin.New(gormplugin.WithModels(&Mate{})))
}

// TestWithModelsMigratesUntaggedKeys shows that a plain AutoMigrate needs no tag.
func TestWithModelsMigratesUntaggedKeys(t *testing.T) {
	t.Parallel()
	want := map[string]string{"sqlite": "blob", "postgres": "bytea", "mysql": "binary(12)"}
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		migrate := func(db *gorm.DB) error { return db.AutoMigrate(&Node{}, &Leaf{}, &Mark{}) }
		if err := migrate(db); err != nil {
			t.Fatal(err)
		}
		for column, typ := range columnTypes(t, db, "nodes", "leafs", "marks", "node_marks") {
			if column != "marks.text" && typ != want[db.Name()] {
				t.Errorf("%s is %q, want %q", column, typ, want[db.Name()])
			}
		}
		if list, err := ddlOf(db, migrate); err != nil || len(list) > 0 {
			t.Errorf("a second time: %v, sent %q", err, list)
		}
		if err := db.Exec("INSERT INTO marks (text) VALUES ('a')").Error; err == nil {
			t.Error("a row without a key was stored")
		}
	}, gormplugin.New(gormplugin.WithModels(&Node{})))
}

func TestWithModelsReportsWhatIsNoModel(t *testing.T) {
	t.Parallel()
	err := openSQLite(t).Use(gormplugin.New(gormplugin.WithModels(7)))
	if err == nil || !strings.HasPrefix(err.Error(), "gormplugin.WithModels(int): ") {
		t.Errorf("error %v", err)
	}
}

// TestMapsHoldIDs shows that results in the form of maps are hex digits in JSON.
func TestMapsHoldIDs(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Form{}}, func(t *testing.T, db *gorm.DB) {
		id := oid.New()
		form := Form{ID: id, Text: sqltype.Hex(id), Char: sqltype.Hex(id), Typed: oid.For[Box](id), Dashed: dashed(id)}
		if err := db.Create(&form).Error; err != nil {
			t.Fatal(err)
		}
		var list []map[string]any
		one, row := map[string]any{}, map[string]any{}
		if err := errors.Join(
			db.Model(&Form{}).Find(&list).Error, db.Model(&Form{}).Take(&one).Error, db.Model(&Form{}).Take(row).Error,
		); err != nil {
			t.Fatal(err)
		}
		for _, m := range append(list, one, row) {
			for _, column := range []string{"id", "text", "char", "typed", "dashed"} {
				if m[column] != id {
					t.Errorf("%s is %T %v, want the id", column, m[column], m[column])
				}
			}
			if m["option"] != nil {
				t.Errorf("NULL is %v", m["option"])
			}
			if b, err := json.Marshal(m["id"]); err != nil || string(b) != `"`+id.Hex()+`"` {
				t.Errorf("in JSON %s, %v", b, err)
			}
		}
		made := map[string]any{"text": id.Hex(), "typed": oid.New()}
		if err := db.Model(&Form{}).Clauses(clause.Returning{}).Create(made).Error; err != nil {
			t.Fatal(err)
		}
		if _, ok := made["id"].(oid.ID); !ok || made["text"] != id {
			t.Errorf("RETURNING: the key is %T, the text %T %[2]v, want IDs", made["id"], made["text"])
		}
		made = map[string]any{"text": id.Hex(), "typed": oid.New()}
		if err := db.Model(&Form{}).Create(made).Error; err != nil || made["text"] != id.Hex() {
			t.Errorf("without RETURNING: the text is %T %[1]v, %v, want what it was", made["text"], err)
		}
	})
}

// TestMapsOfJoinsHoldIDs shows the same for the columns of relations.
func TestMapsOfJoinsHoldIDs(t *testing.T) {
	t.Parallel()
	type Plain struct {
		ID, Owner oid.ID `gorm:"size:12"`
		Double    oid.ID `gorm:"column:owner__id;size:12"`
	}
	eachDB(t, append([]any{&Plain{}}, workModels...), func(t *testing.T, db *gorm.DB) {
		w := newWorker("a")
		w.Manager.Company = &Company{Name: "m"}
		if err := db.Create(w).Error; err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		if err := db.Model(&Worker{}).Joins("Company").Joins("Manager.Company").Select("workers.name AS a__b").Take(&row, w.ID).Error; err != nil {
			t.Fatal(err)
		}
		if row["Company__id"] != w.Company.ID || row["Manager__Company__id"] != w.Manager.Company.ID || row["a__b"] == w.ID {
			t.Errorf("a row is %v", row)
		}
		plain, row := Plain{Double: oid.New()}, map[string]any{}
		if err := errors.Join(db.Create(&plain).Error, db.Model(&Plain{}).Take(&row).Error); err != nil || row["owner__id"] != plain.Double {
			t.Errorf("a column whose name looks like a relation's: %v, %v", row, err)
		}
	})
}

// TestStringKeysBecomeHex changes the type of keys that were strings of hex digits. The
// columns, the rows and the JSON stay as they are.
func TestStringKeysBecomeHex(t *testing.T) {
	t.Parallel()
	type Post struct {
		ID       string
		AuthorID *string
		Name     string
	}
	eachDB(t, []any{&Post{}}, func(t *testing.T, db *gorm.DB) {
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		id, author := oid.New(), oid.New().Hex()
		before := Post{id.Hex(), &author, "a"}
		check(db.Create(&before).Error)
		type Post struct {
			ID       sqltype.Hex
			AuthorID *sqltype.Hex
			Name     string
		}
		if sql := sent(db, func(db *gorm.DB) { check(db.AutoMigrate(&Post{})) }); strings.Contains(sql, "ALTER") || strings.Contains(sql, "CREATE") {
			t.Errorf("AutoMigrate sends\n%s", sql)
		}
		var after Post
		check(db.First(&after, id).Error)
		want, err := json.Marshal(before)
		check(err)
		if got, err := json.Marshal(after); err != nil || string(got) != string(want) {
			t.Errorf("JSON is %s, %v, and was %s", got, err, want)
		}
		created := Post{Name: "b"}
		check(db.Create(&created).Error)
		var text string
		if err := db.Table("posts").Select("id").Where("name = ?", "b").Row().Scan(&text); err != nil || text != created.ID.String() {
			t.Errorf("the table holds %q, %v, want %v", text, err, created.ID)
		}
	})
}

// TestLeftoverAutoIncrement is for a tag that stayed from an integer key.
func TestLeftoverAutoIncrement(t *testing.T) {
	t.Parallel()
	type Line struct {
		OrderID oid.ID `gorm:"primaryKey;size:12;autoIncrement:true"`
		ItemID  oid.ID `gorm:"primaryKey;size:12"`
	}
	type Plain struct {
		ID   oid.ID `gorm:"primaryKey;size:12;autoIncrement"`
		Name string
	}
	db := migrated(t, use(t, openSQLite(t)), []any{&Line{}, &Plain{}})
	if err := db.Create(&Line{ItemID: oid.New()}).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
		t.Errorf("a part of the key is zero: %v", err)
	}
	line, plain := Line{OrderID: oid.New(), ItemID: oid.New()}, Plain{Name: "a"}
	if err := errors.Join(db.Create(&line).Error, db.Create(&plain).Error); err != nil || !stored(t, db, &Plain{}, plain.ID) {
		t.Errorf("%v, %v", plain.ID, err)
	}
	if n := count(t, db, &Line{}); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// TestDeleteOfANumberIsRefused passes values that are not rows to Delete. GORM
// ignores a number there. It deletes all rows that meet the rest of the condition.
func TestDeleteOfANumberIsRefused(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		threeItems(t, db)
		for _, v := range []any{0, "x", []int{1}, true, new(uint)} {
			for _, model := range []any{&Item{}, &SoftItem{}} {
				if tx := db.Model(model).Where("name <> ?", "x").Delete(v); !errors.Is(tx.Error, gorm.ErrInvalidData) || tx.RowsAffected != 0 {
					t.Errorf("Delete(%T): %d rows, %v", v, tx.RowsAffected, tx.Error)
				}
			}
		}
		if n := count(t, db, &Item{}) + count(t, db, &SoftItem{}); n != 6 {
			t.Errorf("%d rows of 6 left", n)
		}
	})
}
