package gormplugin_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The tests in this file are about keys that the database makes, and about INSERTs after
// which fewer rows come back than were sent.

// A Medal has a key that the database makes. A Pass has one that the plugin makes.
type (
	Medal struct {
		ID    oid.ID  `gorm:"size:12;primaryKey;default:(-);oid:-"`
		Name  *string `gorm:"size:20;uniqueIndex"`
		Mark  int
		Level int `gorm:"default:(-)"`
	}
	Pass struct {
		ID    oid.ID  `gorm:"size:12;primaryKey"`
		Name  *string `gorm:"size:20;uniqueIndex"`
		Mark  int
		Level int `gorm:"default:(-)"`
	}
	// A Stall has no unique column.
	Stall struct {
		ID     oid.ID `gorm:"size:12;primaryKey;default:(-);oid:-"`
		Mark   int
		Papers []Paper
	}
	Paper struct {
		ID      oid.ID `gorm:"size:12"`
		StallID oid.ID `gorm:"size:12"`
		Stall   *Stall
	}
	// A Guest has medals and stalls.
	Guest struct {
		ID     oid.ID   `gorm:"size:12"`
		Medals []*Medal `gorm:"many2many:guest_medals"`
		Stalls []Stall  `gorm:"many2many:guest_stalls"`
	}
)

// makeTables makes the tables of these models. The database makes the keys of medals and
// stalls, and the level of medals and passes.
func makeTables(t *testing.T, db *gorm.DB) {
	t.Helper()
	made := map[string]string{
		"sqlite":   "(randomblob(12))",
		"postgres": "decode(substr(md5(random()::text), 1, 24), 'hex')",
		"mysql":    "(UNHEX(CONCAT(LPAD(HEX(UUID_SHORT()), 16, '0'), LPAD(HEX(FLOOR(RAND() * 4294967296)), 8, '0'))))",
	}[db.Dialector.Name()]
	for _, sql := range []string{
		"CREATE TABLE medals (id BYTES DEFAULT MADE PRIMARY KEY, name varchar(20), mark integer, level integer DEFAULT 7)",
		"CREATE UNIQUE INDEX idx_medals_name ON medals (name)",
		"CREATE TABLE passes (id BYTES PRIMARY KEY, name varchar(20), mark integer, level integer DEFAULT 7)",
		"CREATE UNIQUE INDEX idx_passes_name ON passes (name)",
		"CREATE TABLE stalls (id BYTES DEFAULT MADE PRIMARY KEY, mark integer)",
		"CREATE TABLE papers (id BYTES PRIMARY KEY, stall_id BYTES)",
		"CREATE TABLE guests (id BYTES PRIMARY KEY)",
		"CREATE TABLE guest_medals (guest_id BYTES, medal_id BYTES, PRIMARY KEY (guest_id, medal_id))",
		"CREATE TABLE guest_stalls (guest_id BYTES, stall_id BYTES, PRIMARY KEY (guest_id, stall_id))",
	} {
		bytes := map[string]string{"sqlite": "blob NOT NULL", "postgres": "bytea NOT NULL", "mysql": "binary(12) NOT NULL"}[db.Dialector.Name()]
		if err := db.Exec(strings.NewReplacer("BYTES", bytes, "MADE", made).Replace(sql)).Error; err != nil {
			t.Fatal(err)
		}
	}
}

// A stored row, by whichever model.
type storedRow struct {
	id    *oid.ID
	name  *string
	mark  int
	level int
}

// TestNoStructHoldsTheIDOfAnotherRow inserts random rows, of which some are stored already,
// some are twice in the statement, and some have a key of the program's.
func TestNoStructHoldsTheIDOfAnotherRow(t *testing.T) {
	t.Parallel()
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		makeTables(t, db)
		for seed := range cases(t, 150) {
			r := rand.New(rand.NewPCG(uint64(seed), 3))
			randomBatch(t, db, r, seed)
			if t.Failed() {
				return
			}
		}
	})
}

func randomBatch(t *testing.T, db *gorm.DB, r *rand.Rand, seed int) {
	t.Helper()
	var medals []Medal
	var passes []Pass
	var keys []oid.ID // of stored rows
	for i := range 3 {
		name := string(rune('a' + i))
		keys = append(keys, oid.New())
		medals = append(medals, Medal{ID: keys[i], Name: &name, Mark: -1})
		passes = append(passes, Pass{Name: &name, Mark: -1})
	}
	if err := db.Transaction(func(tx *gorm.DB) error {
		return errors.Join(tx.Exec("DELETE FROM medals").Error, tx.Exec("DELETE FROM passes").Error, tx.Create(medals).Error, tx.Create(passes).Error)
	}); err != nil {
		t.Fatal(err)
	}
	medals, passes = nil, nil
	for i := range 1 + r.IntN(5) {
		var name *string
		if r.IntN(5) > 0 {
			name = ptr(string(rune('a' + r.IntN(6))))
		}
		var id oid.ID
		switch r.IntN(6) {
		case 0:
			id = oid.New()
		case 1:
			id = keys[r.IntN(len(keys))]
		}
		medals = append(medals, Medal{ID: id, Name: name, Mark: i})
		passes = append(passes, Pass{ID: id, Name: name, Mark: i})
	}
	byName := []clause.Column{{Name: "name"}}
	upserts := []clause.Expression{
		clause.OnConflict{DoNothing: true},
		clause.OnConflict{DoNothing: true, Columns: byName},
		clause.OnConflict{Columns: byName, DoUpdates: clause.AssignmentColumns([]string{"mark"})},
		clause.OnConflict{Columns: byName, DoUpdates: clause.AssignmentColumns([]string{"mark"}), Where: clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "1 = 0"}}}},
		clause.OnConflict{UpdateAll: true},
		clause.Insert{Modifier: map[string]string{"mysql": "IGNORE", "sqlite": "OR IGNORE", "postgres": ""}[db.Dialector.Name()]},
	}
	upsert := r.IntN(len(upserts))
	for _, dest := range []any{&medals, &passes} {
		tx := db.Clauses(upserts[upsert]).Create(dest)
		if tx.Error != nil {
			continue // a duplicate by another column than the clause names
		}
		var rows []storedRow
		for i := range medals {
			if b := &medals[i]; dest == any(&medals) {
				rows = append(rows, storedRow{&b.ID, b.Name, b.Mark, b.Level})
			} else {
				p := &passes[i]
				rows = append(rows, storedRow{&p.ID, p.Name, p.Mark, p.Level})
			}
		}
		table := map[any]string{&medals: "medals", &passes: "passes"}[dest]
		for i, row := range rows {
			if row.id.IsZero() {
				continue
			}
			var found Pass
			if err := db.Table(table).Where("id = ?", *row.id).Take(&found).Error; err != nil {
				t.Errorf("seed %d, upsert %d of %d %s: row %d holds an ID that isn't stored: %v", seed, upsert, len(rows), table, i, err)
				continue
			}
			isSame := row.name == nil && found.Name == nil && found.Mark == row.mark || row.name != nil && found.Name != nil && *found.Name == *row.name
			isOwn := i < len(rows) && found.ID == keys[0] || found.ID == keys[1] || found.ID == keys[2] // merged or skipped by the key
			if !isSame && !isOwn || row.level != 0 && row.level != found.Level {
				t.Errorf("seed %d, upsert %d of %d %s: row %d holds the ID of another row: %v", seed, upsert, len(rows), table, i, found)
			}
		}
	}
}

// TestSkippedRowsWithKeysOfTheDatabase is the simplest case: of two rows one is stored.
func TestSkippedRowsWithKeysOfTheDatabase(t *testing.T) {
	t.Parallel()
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		makeTables(t, db)
		first := []Medal{{Name: ptr("x")}}
		list := []*Medal{{Name: ptr("x")}, {Name: ptr("w"), Mark: 1}, {Name: ptr("w"), Mark: 2}, {Mark: 3}}
		tx := db.Clauses(clause.OnConflict{DoNothing: true})
		if err := errors.Join(db.Create(&first).Error, tx.Create(list).Error); err != nil {
			t.Fatal(err)
		}
		var x, w Medal
		if err := errors.Join(db.Take(&x, "name = ?", "x").Error, db.Take(&w, "name = ?", "w").Error); err != nil {
			t.Fatal(err)
		}
		if returnsIDs(db) && (list[1].ID != w.ID || list[1].Level != 7) || !list[0].ID.IsZero() && list[0].ID != x.ID {
			t.Errorf("%+v and %+v for x and w, stored are %+v and %+v", *list[0], *list[1], x, w)
		}
	})
}

// returnsIDs reports whether the database can return columns of an INSERT.
func returnsIDs(db *gorm.DB) bool {
	return strings.Contains(strings.Join(db.Callback().Create().Clauses, " "), "RETURNING")
}

// TestLinksToStoredRowsWithKeysOfTheDatabase stores a many-to-many relation with a row that
// is stored by its unique name, or by its key. No link is lost.
func TestLinksToStoredRowsWithKeysOfTheDatabase(t *testing.T) {
	t.Parallel()
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		makeTables(t, db)
		for i, medals := range [][]*Medal{
			{{Name: ptr("x")}}, {{Name: ptr("x")}, {Name: ptr("z")}}, {{Name: ptr("y")}, {Name: ptr("x")}, {Name: ptr("z")}},
			{{ID: oid.New(), Name: ptr("own")}, {Name: ptr("new")}}, {{Name: ptr("x")}, {Name: ptr("x")}},
		} {
			if i == 3 && db.Dialector.Name() == "sqlite" {
				continue // it has no DEFAULT for one of several rows
			}
			g := Guest{Medals: medals}
			if err := db.Create(&g).Error; err != nil {
				t.Fatalf("guest %d: %v", i, err)
			}
			var names []string
			if err := db.Model(&g).Association("Medals").Find(&medals); err != nil {
				t.Fatal(err)
			}
			for _, b := range medals {
				names = append(names, *b.Name)
			}
			want := map[string]bool{}
			for _, b := range g.Medals {
				want[*b.Name] = true
				if !strings.Contains(strings.Join(names, " "), *b.Name) {
					t.Errorf("guest %d: %s isn't linked, but %v", i, *b.Name, names)
				}
			}
			if len(names) != len(want) {
				t.Errorf("guest %d: links to %v", i, names)
			}
		}
		if !returnsIDs(db) || db.Dialector.Name() == "sqlite" {
			return
		}
		stall := Stall{Mark: 1}
		if err := db.Create(&stall).Error; err != nil {
			t.Fatal(err)
		}
		for _, first := range []oid.ID{stall.ID, oid.New()} { // GORM would give the new stall the key of the first
			g := Guest{Stalls: []Stall{{ID: first}, {Mark: 2}}}
			err := db.Create(&g).Error
			n := db.Model(&g).Association("Stalls").Count()
			if err != nil || n != 2 || g.Stalls[0].ID != first {
				t.Errorf("%d stalls, %v, %v", n, g.Stalls, err)
			}
		}
	})
}

// TestChildrenOfAKeyThatIsNotReturned are refused before anything is stored.
func TestChildrenOfAKeyThatIsNotReturned(t *testing.T) {
	t.Parallel()
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		makeTables(t, db)
		db = db.Session(&gorm.Session{SkipDefaultTransaction: true})
		stall := Stall{Papers: []Paper{{}, {}}}
		err := db.Create(&stall).Error
		var stalls, papers int64
		if err := errors.Join(db.Model(&Stall{}).Count(&stalls).Error, db.Model(&Paper{}).Where("stall_id = ?", stall.ID).Count(&papers).Error); err != nil {
			t.Fatal(err)
		}
		const why = "has a key that the database makes, and mysql doesn't return it: set the key in the program, or remove the tag oid:-: primary key required"
		if returnsIDs(db) {
			if err != nil || stalls != 1 || papers != 2 || stall.ID.IsZero() {
				t.Errorf("%d stalls, %d papers, %v", stalls, papers, err)
			}
			return
		}
		if want := "gormplugin.Create(*gormplugin_test.Stall): Stall.Papers belongs to a row that " + why; err == nil || err.Error() != want || stalls+papers > 0 {
			t.Errorf("%d stalls, %d papers, %v, want %s", stalls, papers, err, want)
		}
		for name, tx := range map[string]*gorm.DB{
			"a paper with a new stall": db.Create(&Paper{Stall: &Stall{}}),
			"a list":                   db.Create(&[]Stall{{ID: oid.New()}, {Papers: []Paper{{}}}}),
			"an upsert":                db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Stall{Papers: []Paper{{}}}),
			"a guest":                  db.Create(&Guest{Stalls: []Stall{{}}}),
		} {
			var papers int64
			db.Model(&Paper{}).Count(&papers)
			if tx.Error == nil || !strings.Contains(tx.Error.Error(), why) || papers > 0 {
				t.Errorf("%s: %d papers, %v", name, papers, tx.Error)
			}
		}
		if err := db.Create(&Stall{}).Error; err != nil {
			t.Errorf("a stall alone: %v", err)
		}
		stall = Stall{ID: oid.New(), Papers: []Paper{{}}}
		if err := db.Create(&stall).Error; err != nil || stall.Papers[0].StallID != stall.ID {
			t.Errorf("a stall with an ID: %v", err)
		}
	})
}

// An Office has two unique columns, by each of which a row may conflict.
type Office struct {
	ID     oid.ID `gorm:"size:12"`
	Email  string `gorm:"size:20;uniqueIndex:offices_a"`
	Number string `gorm:"size:20;uniqueIndex:offices_b"`
	N      int
	Lines  []OfficeLine
}

type OfficeLine struct {
	ID       oid.ID `gorm:"size:12"`
	OfficeID oid.ID `gorm:"size:12"`
}

// TestUpsertsByWhicheverUniqueColumn merges rows by the first or the second unique column, or
// by both. The struct never gets the ID of a row that wasn't changed.
func TestUpsertsByWhicheverUniqueColumn(t *testing.T) {
	t.Parallel()
	models := []any{&Office{}, &OfficeLine{}}
	eachDB(t, models, func(t *testing.T, db *gorm.DB) {
		isMySQL := db.Dialector.Name() == "mysql"
		setN := clause.AssignmentColumns([]string{"n"})
		for name, conflict := range map[string]clause.OnConflict{
			"number": {Columns: []clause.Column{{Name: "number"}}, DoUpdates: setN},
			"email":  {Columns: []clause.Column{{Name: "email"}}, DoUpdates: setN},
			"all":    {UpdateAll: true},
			"any":    {DoUpdates: setN},
		} {
			if name == "any" && !isMySQL {
				continue // no other database has it
			}
			for _, key := range []string{"ax", "bx", "ay", "nn"} { // the number of a or b, the email of a or b
				undo := db.Begin()
				a, b := Office{Email: "x", Number: "a"}, Office{Email: "y", Number: "b"}
				if err := undo.Create([]*Office{&a, &b}).Error; err != nil {
					t.Fatal(err)
				}
				u := Office{Number: key[:1], Email: key[1:], N: 99, Lines: []OfficeLine{{}}}
				err := undo.Clauses(conflict).Create(&u).Error
				var changed Office
				if err == nil {
					err2 := undo.Take(&changed, "n = ?", 99).Error
					if err2 != nil || changed.ID != u.ID || u.Lines[0].OfficeID != u.ID {
						t.Errorf("upsert by %s of %s: changed %v, the struct has %v and its line %v: %v", name, key, changed.ID, u.ID, u.Lines[0].OfficeID, err2)
					}
				}
				if isMySQL && key[:1]+key[1:] != "ay" && key != "bx" && err != nil {
					t.Errorf("upsert by %s of %s: %v", name, key, err)
				}
				undo.Rollback()
			}
		}
	}, gormplugin.New(gormplugin.WithModels(models...)))
}
