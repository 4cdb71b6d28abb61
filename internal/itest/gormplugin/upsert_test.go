package gormplugin_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// eachUpsertDB is eachDB, and also MariaDB without RETURNING, and each server that is like
// MySQL with clientFoundRows.
func eachUpsertDB(t *testing.T, models []any, test func(t *testing.T, db *gorm.DB), plugins ...gorm.Plugin) {
	t.Helper()
	eachDB(t, models, test, plugins...)
	for name, parameters := range map[string]string{"without RETURNING": "", "with clientFoundRows": "&clientFoundRows=true"} {
		eachMySQL(t, func(t *testing.T, dsn string) {
			t.Run(name, func(t *testing.T) {
				db := open(t, mysql.New(mysql.Config{DSN: dsn + parameters, DisableWithReturning: true}))
				test(t, migrated(t, use(t, db, plugins...), models))
			})
		})
	}
}

func user(name, email string) User { return User{Name: name, Email: &email} }

func idOf(t *testing.T, db *gorm.DB, email string) oid.ID {
	t.Helper()
	var u User
	if err := db.Where("email = ?", email).Take(&u).Error; err != nil {
		t.Fatal(err)
	}
	return u.ID
}

func deleteAll(t *testing.T, db *gorm.DB) {
	t.Helper()
	if err := db.Where("1 = 1").Delete(&User{}).Error; err != nil {
		t.Fatal(err)
	}
}

var byEmail = []clause.Column{{Name: "email"}}

// TestDoNothingLeavesNoPhantomIDs shows that rows that were skipped have no ID.
func TestDoNothingLeavesNoPhantomIDs(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		for _, conflict := range []clause.OnConflict{{DoNothing: true}, {DoNothing: true, Columns: byEmail}} {
			t.Run(fmt.Sprint(len(conflict.Columns), " columns"), func(t *testing.T) {
				deleteAll(t, db)
				foundRows := strings.Contains(t.Name(), "clientFoundRows")
				first := user("a", "a@x")
				if err := db.Create(&first).Error; err != nil {
					t.Fatal(err)
				}
				again := user("b", "a@x")
				tx := db.Clauses(conflict).Create(&again)
				if tx.Error != nil || tx.RowsAffected != 0 && !foundRows || !again.ID.IsZero() {
					t.Errorf("one row: ID %v, %d rows, %v", again.ID, tx.RowsAffected, tx.Error)
				}
				fresh := user("c", "c@x")
				tx = db.Clauses(conflict).Create(&fresh)
				if tx.Error != nil || tx.RowsAffected != 1 || fresh.ID != idOf(t, db, "c@x") {
					t.Errorf("a fresh row: ID %v, %d rows, %v", fresh.ID, tx.RowsAffected, tx.Error)
				}

				batch := []User{user("d", "d@x"), user("e", "a@x"), user("f", "f@x"), {ID: oid.New(), Email: first.Email}}
				tx = db.Clauses(conflict).Create(&batch)
				if tx.Error != nil || tx.RowsAffected != 2 && !foundRows {
					t.Errorf("batch: %d rows, %v", tx.RowsAffected, tx.Error)
				}
				if batch[0].ID != idOf(t, db, "d@x") || !batch[1].ID.IsZero() || batch[2].ID != idOf(t, db, "f@x") || !batch[3].ID.IsZero() {
					t.Errorf("batch: IDs %v, %v, %v, %v", batch[0].ID, batch[1].ID, batch[2].ID, batch[3].ID)
				}

				pointers := []*User{ptr(user("g", "a@x")), ptr(user("h", "d@x"))}
				tx = db.Clauses(conflict).Create(pointers)
				if tx.Error != nil || tx.RowsAffected != 0 && !foundRows || !pointers[0].ID.IsZero() || !pointers[1].ID.IsZero() {
					t.Errorf("batch of skipped rows: %v, %v, %d rows, %v", pointers[0].ID, pointers[1].ID, tx.RowsAffected, tx.Error)
				}

				maps := []map[string]any{{"name": "i", "email": "a@x"}, {"name": "j", "email": "j@x"}}
				tx = db.Model(&User{}).Clauses(conflict).Create(maps)
				if tx.Error != nil || tx.RowsAffected != 1 && !foundRows || maps[0]["id"] != (oid.ID{}) || maps[1]["id"] != idOf(t, db, "j@x") {
					t.Errorf("maps: %v, %d rows, %v", maps, tx.RowsAffected, tx.Error)
				}
				if idOf(t, db, "a@x") != first.ID {
					t.Error("the stored id has changed")
				}
			})
		}
	})
}

func ptr[T any](v T) *T { return &v }

// TestInsertIgnoreLeavesNoPhantomIDs shows that INSERT IGNORE is DO NOTHING.
func TestInsertIgnoreLeavesNoPhantomIDs(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		ignore := map[string]string{"mysql": "ignore", "sqlite": "OR IGNORE"}[db.Name()]
		if ignore == "" {
			return // PostgreSQL has no INSERT IGNORE
		}
		first := user("a", "a@x")
		if err := db.Create(&first).Error; err != nil {
			t.Fatal(err)
		}
		batch := []User{user("b", "a@x"), user("c", "c@x")}
		err := db.Clauses(clause.Insert{Modifier: ignore}).Create(&batch).Error
		if err != nil || !batch[0].ID.IsZero() || batch[1].ID != idOf(t, db, "c@x") {
			t.Errorf("IDs %v and %v, %v, want none for the first", batch[0].ID, batch[1].ID, err)
		}
	})
}

// TestDoNothingByKeyKeepsTheID shows that the row that is there has the ID.
func TestDoNothingByKeyKeepsTheID(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		first := user("a", "a@x")
		if err := db.Create(&first).Error; err != nil {
			t.Fatal(err)
		}
		again := User{ID: first.ID, Name: "b"}
		if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&again).Error; err != nil || again.ID != first.ID {
			t.Errorf("id %v, %v, want %v", again.ID, err, first.ID)
		}
	})
}

// TestUpdatesReturnTheStoredID shows that rows that were merged into others have
// the ID of these.
func TestUpdatesReturnTheStoredID(t *testing.T) {
	t.Parallel()
	conflicts := map[string]clause.OnConflict{
		"DoUpdates": {Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"name"})},
		"UpdateAll": {Columns: byEmail, UpdateAll: true},
		"Where": {Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"name"}), Where: clause.Where{Exprs: []clause.Expression{
			clause.Neq{Column: clause.Column{Table: "users", Name: "name"}, Value: "keep"},
		}}},
	}
	eachUpsertDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		returning := returnsRows(db)
		for name, conflict := range conflicts {
			if name == "Where" && db.Name() == "mysql" {
				continue // ON DUPLICATE KEY UPDATE has none
			}
			t.Run(name, func(t *testing.T) {
				deleteAll(t, db)
				stored := []User{user("a", "a@x"), user("b", "b@x"), user("keep", "k@x")}
				if err := db.Create(&stored).Error; err != nil {
					t.Fatal(err)
				}
				one := user("a2", "a@x")
				tx := db.Clauses(conflict).Create(&one)
				if tx.Error != nil || returning && tx.RowsAffected != 1 || one.ID != stored[0].ID {
					t.Errorf("one row: ID %v, %d rows, %v, want ID %v", one.ID, tx.RowsAffected, tx.Error, stored[0].ID)
				}
				batch := []*User{ptr(user("k2", "k@x")), ptr(user("c", "c@x")), ptr(user("b2", "b@x"))}
				tx = db.Clauses(conflict).Create(&batch)
				rows := int64(3)
				if name == "Where" {
					rows = 2
				}
				if tx.Error != nil || returning && tx.RowsAffected != rows {
					t.Errorf("batch: %d rows, %v", tx.RowsAffected, tx.Error)
				}
				if batch[0].ID != stored[2].ID || batch[1].ID != idOf(t, db, "c@x") || batch[2].ID != stored[1].ID {
					t.Errorf("batch: IDs %v, %v, %v", batch[0].ID, batch[1].ID, batch[2].ID)
				}
				m := map[string]any{"name": "a3", "email": "a@x"}
				if name != "UpdateAll" { // of maps GORM takes the key too
					if err := db.Model(&User{}).Clauses(conflict).Create(m).Error; err != nil || m["id"] != stored[0].ID {
						t.Errorf("map: %v, %v", m, err)
					}
				}
				if idOf(t, db, "a@x") != stored[0].ID {
					t.Error("the stored id has changed")
				}
				var names []string
				db.Model(&User{}).Order("name").Pluck("name", &names)
				want := []string{"a3", "b2", "c", "k2"}
				switch name {
				case "UpdateAll":
					want[0] = "a2"
				case "Where":
					want[3] = "keep"
				}
				if !slices.Equal(names, want) {
					t.Errorf("names %q, want %q", names, want)
				}
			})
		}
	})
}

// TestConflictByAnotherColumnThanTheKey names the key as the column of conflict,
// as Save of a slice does. MySQL merges rows by any unique column all the same, but not
// those of Save; the others refuse the row.
func TestConflictByAnotherColumnThanTheKey(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		first := user("a", "a@x")
		if err := db.Create(&first).Error; err != nil {
			t.Fatal(err)
		}
		one, list := user("b", "a@x"), []User{user("c", "c@x"), user("d", "a@x")}
		byKey := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name"})}
		err := db.Clauses(byKey).Create(&one).Error
		errSave := db.Save(&list).Error
		if db.Name() != "mysql" {
			if err == nil || errSave == nil {
				t.Errorf("Create: %v; Save: %v", err, errSave)
			}
			return
		}
		if err != nil || one.ID != first.ID {
			t.Errorf("Create: ID %v, %v, want %v", one.ID, err, first.ID)
		}
		if !errors.Is(errSave, gorm.ErrDuplicatedKey) {
			t.Errorf("Save: %v", errSave)
		}
	})
}

// TestSkippedStructByValue shows that a row that can't be told its ID does no harm.
func TestSkippedStructByValue(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&User{}})
	first, again := user("a", "a@x"), user("b", "a@x")
	again.ID = oid.New()
	if err := db.Create(&first).Error; err != nil {
		t.Fatal(err)
	}
	if tx := db.Clauses(clause.OnConflict{DoNothing: true}).Create(again); tx.Error != nil || tx.RowsAffected != 0 {
		t.Errorf("%d rows, %v", tx.RowsAffected, tx.Error)
	}
}

// TestUpsertStatements pins the additions of the plugin to the statements of an
// upsert.
func TestUpsertStatements(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		stored := user("a", "a@x")
		if err := db.Create(&stored).Error; err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name     string
			conflict clause.OnConflict
			email    string
			returns  bool
			more     int // statements, before the INSERT
			mariadb  int
			mysql    int // which returns no rows
		}{
			{"DoNothing, new", clause.OnConflict{DoNothing: true}, "1@x", false, 0, 1, 1},
			{"DoNothing, skipped", clause.OnConflict{DoNothing: true}, "a@x", false, 1, 1, 1},
			{"DoUpdates, new", clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"name"})}, "2@x", true, 0, 0, 1},
			{"by key", clause.OnConflict{UpdateAll: true}, "3@x", false, 0, 0, 1},
			{"DoUpdates, merged", clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"name"})}, "a@x", true, 0, 0, 2},
		} {
			got := sent(db, func(db *gorm.DB) {
				u := user("b", tt.email)
				if err := db.Clauses(tt.conflict).Create(&u).Error; err != nil {
					t.Error(err)
				}
			})
			lines := strings.Split(strings.NewReplacer("`", "", `"`, "").Replace(got), "\n")
			// GORM logs a statement when its callbacks are through, and so after
			// those that they send.
			insert, more := lines[len(lines)-1], lines[:len(lines)-1]
			want, returns := tt.more, tt.returns
			switch {
			case !returnsRows(db):
				want, returns = tt.mysql, false
			case db.Name() == "mysql":
				want, returns = tt.mariadb, !tt.conflict.DoNothing
			}
			if !strings.HasPrefix(insert, "INSERT INTO users") || strings.HasSuffix(insert, "RETURNING id") != returns || len(more) != want {
				t.Errorf("%s: sent\n%s", tt.name, got)
			}
			for _, sql := range more {
				byKey := strings.TrimPrefix(sql, "SELECT 0, users.id FROM users WHERE users.id = ")
				if byKey != "?" && byKey != "$1" && sql != "SELECT 0, users.id FROM users WHERE users.email = ?" {
					t.Errorf("%s: sent\n%s", tt.name, got)
				}
			}
		}
	})
}

// TestDoNothingReturning is for models with a column that the database fills. GORM
// adds RETURNING for them, miscounts the rows and mixes them up. See
// https://github.com/go-gorm/gorm/issues/5171. The IDs are right all the same.
func TestDoNothingReturning(t *testing.T) {
	t.Parallel()
	type Ranked struct {
		ID    oid.ID `gorm:"size:12"`
		Email string `gorm:"size:50;uniqueIndex"`
		Rank  int    `gorm:"default:7"`
		Made  string `gorm:"size:10;default:(lower('ABC'))"`
	}
	eachUpsertDB(t, []any{&Ranked{}}, func(t *testing.T, db *gorm.DB) {
		if err := db.Create(&Ranked{Email: "a@x"}).Error; err != nil {
			t.Fatal(err)
		}
		for _, clauses := range [][]clause.Expression{
			{clause.OnConflict{DoNothing: true}},
			{clause.OnConflict{DoNothing: true}, clause.Returning{Columns: []clause.Column{{Name: "id"}}}},
		} {
			rows := []Ranked{{Email: "a@x"}, {Email: oid.New().Hex()}, {Email: "a@x"}}
			if err := db.Clauses(clauses...).Create(&rows).Error; err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				var there Ranked // MariaDB returns the ID of the row that is there
				if err := db.Where("email = ?", row.Email).Take(&there).Error; err != nil || row.ID != there.ID && !row.ID.IsZero() {
					t.Errorf("id %v, stored %v, %v", row.ID, there.ID, err)
				}
			}
			if rows[1].ID.IsZero() {
				t.Error("the row that went in has no ID")
			}
		}
		again := Ranked{Email: "a@x"}
		first := Ranked{}
		byRank := clause.OnConflict{Columns: byEmail, DoUpdates: clause.Assignments(map[string]any{"rank": 8})}
		if err := errors.Join(db.Clauses(byRank).Create(&again).Error, db.Where("email = ?", "a@x").Take(&first).Error); err != nil || again.ID != first.ID || first.Rank != 8 {
			t.Errorf("DoUpdates: %+v, stored %+v, %v", again, first, err)
		}
		if again.Made != "abc" && returnsRows(db) {
			t.Errorf("DoUpdates: the column that the database fills is %q", again.Made)
		}
	})
}

// An Author is found by a unique name, and a Post belongs to one.
type Author struct {
	ID   oid.ID `gorm:"size:12"`
	Name string `gorm:"size:50;uniqueIndex"`
}

type Post struct {
	ID       oid.ID  `gorm:"size:12"`
	AuthorID *oid.ID `gorm:"size:12"`
	Author   *Author
	Tags     []Tag `gorm:"many2many:post_tags"`
}

type Tag struct {
	ID   oid.ID `gorm:"size:12"`
	Name string `gorm:"size:50;uniqueIndex"`
}

// TestBelongsToThatConflictsIsRefused shows that a row doesn't lose its link to an
// association that conflicts with another row. Without the plugin, GORM would store
// a link to no row.
func TestBelongsToThatConflictsIsRefused(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&Author{}, &Post{}, &Tag{}}, func(t *testing.T, db *gorm.DB) {
		ann, red := Author{Name: "Ann"}, Tag{Name: "red"}
		if err := errors.Join(db.Create(&ann).Error, db.Create(&red).Error); err != nil {
			t.Fatal(err)
		}
		for name, row := range map[string]any{
			"belongs to":        &Post{Author: &Author{Name: "Ann"}},
			"belongs to, slice": []Post{{Author: &Author{Name: "Eve"}}, {Author: &Author{Name: "Ann"}}},
		} {
			if err := db.Create(row).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		post := Post{Author: &ann, Tags: []Tag{red, {Name: "blue"}}}
		if err := db.Create(&post).Error; err != nil || *post.AuthorID != ann.ID {
			t.Errorf("with the row that is there: %v", err)
		}
		if err := db.Model(&post).Association("Author").Replace(&Author{Name: "Ann"}); !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("Replace: %v", err)
		}
		if err := db.Model(&Post{ID: post.ID}).Updates(map[string]any{"Author": &Author{Name: "Ann"}}).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("Updates of a map: %v", err)
		}
		for _, author := range []any{&Author{Name: "Zoe"}, &ann, (*Author)(nil), nil} {
			if err := db.Model(&Post{ID: post.ID}).Updates(map[string]any{"Author": author}).Error; err != nil {
				t.Errorf("Updates of a map, %T: %v", author, err)
			}
		}
		var loaded Post
		if err := db.Preload("Author").Preload("Tags").First(&loaded, post.ID).Error; err != nil || loaded.Author.ID != ann.ID || len(loaded.Tags) != 2 {
			t.Errorf("loaded %+v, %v", loaded, err)
		}
		if n := count(t, db, &Post{}); n != 1 {
			t.Errorf("%d posts", n)
		}
		alone := Post{Author: &Author{Name: "Ann"}}
		if err := db.Omit("Author").Create(&alone).Error; err != nil || alone.AuthorID != nil {
			t.Errorf("an association that is not saved: %v, %v", alone.AuthorID, err)
		}
	})
}

// A Writer has a unique name. Other rows refer to it without a foreign key
// constraint in the database.
type Writer struct {
	ID     oid.ID `gorm:"size:12"`
	Name   string `gorm:"size:50;uniqueIndex"`
	Novels []Novel
	Desk   *Desk
	Awards []Award `gorm:"polymorphic:Owner"`
	Genres []Genre `gorm:"many2many:writer_genres"`
}

type Novel struct {
	ID       oid.ID `gorm:"size:12"`
	WriterID oid.ID `gorm:"size:12"`
}

type Desk struct {
	ID       oid.ID  `gorm:"size:12"`
	WriterID *oid.ID `gorm:"size:12"`
}

type Award struct {
	ID        oid.ID `gorm:"size:12"`
	OwnerID   oid.ID `gorm:"size:12"`
	OwnerType string `gorm:"size:20"`
}

type Genre struct {
	ID   oid.ID `gorm:"size:12"`
	Name string `gorm:"size:50;uniqueIndex"`
}

// A WriterGenre has a key of its own, so that its ends could be zero.
type WriterGenre struct {
	ID       oid.ID `gorm:"size:12"`
	WriterID oid.ID `gorm:"size:12"`
	GenreID  oid.ID `gorm:"size:12"`
}

// TestRowsOfASkippedOneAreRefused shows that nothing is stored that belongs to a
// row that was skipped.
func TestRowsOfASkippedOneAreRefused(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, nil, func(t *testing.T, db *gorm.DB) {
		db.DisableForeignKeyConstraintWhenMigrating = true
		if err := db.SetupJoinTable(&Writer{}, "Genres", &WriterGenre{}); err != nil {
			t.Fatal(err)
		}
		migrated(t, db, []any{&Writer{}, &Novel{}, &Desk{}, &Award{}, &Genre{}, &WriterGenre{}})
		if err := errors.Join(db.Create(&Writer{Name: "Ann"}).Error, db.Create(&Genre{Name: "crime"}).Error); err != nil {
			t.Fatal(err)
		}
		doNothing := db.Clauses(clause.OnConflict{DoNothing: true}).Session(&gorm.Session{})
		for name, row := range map[string]any{
			"has many":     &Writer{Name: "Ann", Novels: []Novel{{}}},
			"has one":      &Writer{Name: "Ann", Desk: &Desk{}},
			"polymorphic":  &Writer{Name: "Ann", Awards: []Award{{}}},
			"many to many": &Writer{Name: "Ann", Genres: []Genre{{Name: "new"}}},
			"batch":        []*Writer{{Name: "Eve", Novels: []Novel{{}}}, {Name: "Ann", Novels: []Novel{{}}}},
		} {
			if err := doNothing.Create(row).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, model := range []any{&Novel{}, &Desk{}, &Award{}, &WriterGenre{}} {
			if n := count(t, db, model); n != 0 {
				t.Errorf("%d rows of %T", n, model)
			}
		}
		for name, row := range map[string]any{
			"nothing to lose": &Writer{Name: "Ann", Novels: []Novel{}},
			"another row's":   []*Writer{{Name: "Ann"}, {Name: "Hal", Novels: []Novel{{}}, Genres: []Genre{{Name: "essay"}}}},
		} {
			if err := doNothing.Create(row).Error; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		left := &Writer{Name: "Ann", Novels: []Novel{{}}}
		if err := doNothing.Omit("Novels").Create(left).Error; err != nil {
			t.Errorf("rows that are not saved: %v", err)
		}
		if n, joined := count(t, db, &Novel{}), count(t, db, &WriterGenre{}); n != 1 || joined != 1 {
			t.Errorf("%d novels, %d genres of writers, want 1 and 1", n, joined)
		}
	})
}

// TestUpsertByOtherTargets merges by a constraint's name, and by columns that begin
// with the key.
func TestUpsertByOtherTargets(t *testing.T) {
	t.Parallel()
	type Seal struct {
		ID   oid.ID `gorm:"size:12;uniqueIndex:seals_id_code"`
		Code string `gorm:"size:20;unique;uniqueIndex:seals_id_code"`
		Name string
	}
	db := migrated(t, use(t, openPostgres(t)), []any{&Seal{}})
	first := Seal{Code: "a", Name: "first"}
	if err := db.Create(&first).Error; err != nil {
		t.Fatal(err)
	}
	byName := Seal{Code: "a", Name: "by name"}
	if err := db.Clauses(clause.OnConflict{OnConstraint: "uni_seals_code", UpdateAll: true}).Create(&byName).Error; err != nil || byName.ID != first.ID {
		t.Errorf("by a constraint: ID %v, %v, want %v", byName.ID, err, first.ID)
	}
	target := []clause.Column{{Name: "id"}, {Name: "code"}}
	byBoth := Seal{ID: first.ID, Code: "a", Name: "by both"}
	if err := db.Clauses(clause.OnConflict{Columns: target, DoNothing: true}).Create(&byBoth).Error; err != nil || byBoth.ID != first.ID {
		t.Errorf("by the key and another column: ID %v, %v, want %v", byBoth.ID, err, first.ID)
	}
}

// A Page and its Labels have UUIDs for keys, which are text to the driver.
type Page struct {
	ID     sqltype.UUID `gorm:"type:uuid"`
	Title  string       `gorm:"size:100;uniqueIndex"`
	Body   string
	Labels []Label `gorm:"many2many:page_labels"`
}

type Label struct {
	ID   sqltype.UUID `gorm:"type:uuid"`
	Name string       `gorm:"size:100;uniqueIndex"`
}

// TestUpsertsOfUUIDKeys shows that rows hold the stored ID in the form of the key.
func TestUpsertsOfUUIDKeys(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&Page{}, &Label{}}, func(t *testing.T, db *gorm.DB) {
		first := Page{Title: "a"}
		if err := db.Create(&first).Error; err != nil {
			t.Fatal(err)
		}
		idOf := func(title string) (id sqltype.UUID) {
			t.Helper()
			if err := db.Model(&Page{}).Select("id").Where("title = ?", title).Row().Scan(&id); err != nil {
				t.Fatal(err)
			}
			return id
		}
		skip := []Page{{Title: "b"}, {Title: "a"}}
		err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&skip).Error
		if err != nil || skip[0].ID != idOf("b") || skip[1].ID != (sqltype.UUID{}) {
			t.Errorf("DoNothing: IDs %v and %v, %v", skip[0].ID, skip[1].ID, err)
		}
		byTitle := clause.OnConflict{Columns: []clause.Column{{Name: "title"}}, DoUpdates: clause.AssignmentColumns([]string{"body"})}
		merged := []Page{{Title: "c"}, {Title: "a", Body: "new"}}
		err = db.Clauses(byTitle).Create(&merged).Error
		if err != nil || merged[0].ID != idOf("c") || merged[1].ID != first.ID {
			t.Errorf("DoUpdates: IDs %v and %v, %v, want %v for the second", merged[0].ID, merged[1].ID, err, first.ID)
		}
		label := Label{Name: "x"}
		if err := db.Create(&label).Error; err != nil {
			t.Fatal(err)
		}
		page := Page{Title: "d", Labels: []Label{{Name: "y"}, {Name: "x"}}}
		err = db.Create(&page).Error
		if n := db.Model(&page).Association("Labels").Count(); err != nil || n != 2 || page.Labels[1].ID != label.ID {
			t.Errorf("many-to-many: %d labels, ID %v, %v, want %v", n, page.Labels[1].ID, err, label.ID)
		}
	}, gormplugin.New(gormplugin.WithModels(&Page{}, &Label{})))
}
