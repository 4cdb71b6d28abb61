package gormplugin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Tagged has fields that ask for an ID, and one that doesn't.
type Tagged struct {
	ID    oid.ID `gorm:"size:12;oid:-"`
	Token oid.ID `gorm:"size:12;oid:auto"`
	Other oid.ID `gorm:"size:12"`
	Name  string
}

type Composite struct {
	ID   oid.ID `gorm:"primaryKey;size:12"`
	Part oid.ID `gorm:"primaryKey;size:12"`
	Name string
}

type CompositeAuto struct {
	ID   oid.ID `gorm:"primaryKey;size:12;oid:auto"`
	Part oid.ID `gorm:"primaryKey;size:12"`
}

type WriteOnly struct {
	ID   oid.ID `gorm:"size:12;<-:false"`
	Name string
}

// A Person has a Passport whose key is also its foreign key.
type Person struct {
	ID       oid.ID `gorm:"size:12"`
	Name     string
	Passport *Passport `gorm:"foreignKey:ID"`
}

type Passport struct {
	ID     oid.ID `gorm:"size:12"`
	Number string
}

func count(t *testing.T, db *gorm.DB, model any) int {
	t.Helper()
	var n int64
	if err := db.Model(model).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return int(n)
}

func TestCreateFromMaps(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Doc{}, &Ptr{}}, func(t *testing.T, db *gorm.DB) {
		set, text, held := oid.New(), oid.New(), new(oid.ID)
		var nilID *oid.ID
		one, two := map[string]any{"name": "a"}, map[string]any{"Name": "b", "ID": oid.ID{}}
		list := []map[string]any{
			{"name": "c", "id": nil},
			{"name": "d", "ID": set},
			{"name": "e", "id": held},
			{"name": "f", "ID": nilID},
			{"name": "g", "id": ""},
			{"name": "h", "id": text.Hex()},
		}
		for _, rows := range []any{one, &two, list, &[]map[string]any{{"name": "i"}, {"name": "j"}}} {
			if err := db.Model(&Doc{}).Create(rows).Error; err != nil {
				t.Fatalf("%v: %v", rows, err)
			}
		}
		if held.IsZero() {
			t.Error("the ID behind the pointer is still zero")
		}
		if got := one["id"].(oid.ID); !stored(t, db, &Doc{}, got) {
			t.Errorf("id %v is not in the table", got)
		}
		if got := two["ID"].(oid.ID); !stored(t, db, &Doc{}, got) || two["id"] != nil {
			t.Errorf("map %v", two)
		}
		var docs []Doc
		if err := db.Order("name").Find(&docs).Error; err != nil {
			t.Fatal(err)
		}
		if len(docs) != 10 {
			t.Fatalf("%d rows", len(docs))
		}
		for _, d := range docs {
			if d.ID.IsZero() {
				t.Errorf("row %s has the zero ID", d.Name)
			}
		}
		if oid.ID(docs[3].ID) != set || oid.ID(docs[4].ID) != *held || oid.ID(docs[7].ID) != text {
			t.Errorf("ids %v", docs)
		}
	})
}

func TestCreateFromBadMaps(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Doc{}}, func(t *testing.T, db *gorm.DB) {
		for name, tt := range map[string]struct {
			rows any
			want string
		}{
			"nil map":      {map[string]any(nil), "gormplugin.Create(map[string]interface {}): a row is a nil map: unsupported data"},
			"nil in slice": {[]map[string]any{{"name": "a"}, nil}, "gormplugin.Create([]map[string]interface {}): a row is a nil map: unsupported data"},
			"number":       {map[string]any{"id": 7}, "gormplugin.Create(Doc.ID): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
			"text":         {map[string]any{"id": "7"}, "gormplugin.Create(Doc.ID): text of 1 bytes is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		} {
			err := db.Model(&Doc{}).Create(tt.rows).Error
			if !errors.Is(err, gorm.ErrInvalidData) || err.Error() != tt.want {
				t.Errorf("%s: error %v\nwant  %s", name, err, tt.want)
			}
		}
		if n := count(t, db, &Doc{}); n != 0 {
			t.Errorf("%d rows stored", n)
		}
	})
}

// TestCreateWithoutModel pins a limit. The plugin can't tell the key of a table by
// its name.
func TestCreateWithoutModel(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&gormplugin.Model{}}, func(t *testing.T, db *gorm.DB) {
		want := map[string]string{"sqlite": "NOT NULL constraint failed: models.id", "postgres": `null value in column "id"`}[db.Name()]
		if want == "" {
			want = "Field 'id' doesn't have a default value"
		}
		if err := db.Table("models").Create(map[string]any{"created_at": nil}).Error; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

func TestSelectNeverLeavesOutTheKey(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}, &Composite{}}, func(t *testing.T, db *gorm.DB) {
		prepared := db.Select("Name").Session(&gorm.Session{})
		for range 2 {
			u, us := User{Name: "a", Note: "x"}, []User{{Name: "b", Note: "x"}, {Name: "c", Note: "x"}}
			m := map[string]any{"name": "d", "note": "x"}
			preset := User{ID: oid.New(), Name: "e", Note: "x"}
			if err := errors.Join(
				prepared.Create(&u).Error,
				prepared.Create(&us).Error,
				prepared.Model(&User{}).Create(m).Error,
				prepared.Create(&preset).Error,
			); err != nil {
				t.Fatal(err)
			}
			for _, id := range []any{u.ID, us[0].ID, us[1].ID, m["id"], preset.ID} {
				if !stored(t, db, &User{}, id) {
					t.Errorf("id %v is not in the table", id)
				}
			}
		}
		var notes int64
		if db.Model(&User{}).Where("note <> ''").Count(&notes); notes != 0 {
			t.Errorf("%d rows have the column that was not selected", notes)
		}
		c := Composite{ID: oid.New(), Part: oid.New()}
		if err := db.Select("Name").Create(&c).Error; err != nil || !stored(t, db, &Composite{}, c.ID) {
			t.Errorf("composite key: %v", err)
		}
		for _, sel := range []any{"*", "ID", []string{"id", "name"}} {
			u := User{Name: "f"}
			if err := db.Select(sel).Create(&u).Error; err != nil || !stored(t, db, &User{}, u.ID) {
				t.Errorf("Select(%v): ID %v, %v", sel, u.ID, err)
			}
		}
	})
}

// TestOmittedKeyIsRefused shows that no ID is made up where the key isn't written,
// and that SQLite doesn't store NULL for it.
func TestOmittedKeyIsRefused(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}, &WriteOnly{}}, func(t *testing.T, db *gorm.DB) {
		u, w := User{Name: "a"}, WriteOnly{Name: "b"}
		for name, tx := range map[string]*gorm.DB{
			"User":      db.Omit("ID").Create(&u),
			"WriteOnly": db.Create(&w),
		} {
			want := fmt.Sprintf("gormplugin.Create(*gormplugin_test.%s): %s.ID is left out and has no default: primary key required", name, name)
			if !errors.Is(tx.Error, gorm.ErrPrimaryKeyRequired) || tx.Error.Error() != want {
				t.Errorf("error %v\nwant  %s", tx.Error, want)
			}
		}
		if !u.ID.IsZero() || !w.ID.IsZero() {
			t.Errorf("ids %v, %v that are not stored", u.ID, w.ID)
		}
	})
}

func TestTags(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Tagged{}, &CompositeAuto{}}, func(t *testing.T, db *gorm.DB) {
		row := Tagged{Name: "a"}
		if err := db.Create(&row).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("oid:- and zero: error %v", err)
		}
		row = Tagged{ID: oid.New(), Name: "a"}
		if err := db.Select("Name").Create(&row).Error; err != nil {
			t.Fatal(err)
		}
		if row.Token.IsZero() || !row.Other.IsZero() {
			t.Errorf("oid:auto %v, untagged %v", row.Token, row.Other)
		}
		var found Tagged
		if err := db.Where("token = ?", row.Token).Take(&found).Error; err != nil || found.ID != row.ID {
			t.Errorf("found %v, %v", found, err)
		}
		auto := CompositeAuto{Part: oid.New()}
		if err := db.Create(&auto).Error; err != nil || auto.ID.IsZero() {
			t.Errorf("oid:auto in a composite key: %v, %v", auto.ID, err)
		}
	})
}

func TestBadTagsAreErrors(t *testing.T) {
	t.Parallel()
	db := use(t, openSQLite(t))
	type Typo struct {
		ID oid.ID `gorm:"oid:atuo"`
	}
	type NoID struct {
		ID   oid.ID
		Name string `gorm:"oid:auto"`
	}
	for want, row := range map[string]any{
		"gormplugin.Model(Typo): ID: the tag is oid:atuo, want oid:auto or oid:-":                                        &Typo{},
		"gormplugin.Model(NoID): Name: the tag oid is only for columns of IDs, and this field of type string is not one": &NoID{},
	} {
		if err := db.Create(row).Error; err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
		if err := openSQLite(t).Use(gormplugin.New(gormplugin.WithModels(row))); err == nil || err.Error() != want {
			t.Errorf("WithModels: error %v\nwant  %s", err, want)
		}
	}
}

func TestATypeWithoutMethodsNamesTheAlias(t *testing.T) {
	t.Parallel()
	type WidgetID oid.ID
	type Widget struct {
		ID WidgetID
	}
	const want = "gormplugin.Model(Widget): ID: the type gormplugin_test.WidgetID has no method Value, which a database needs: use oid.ID, or an alias such as type UserID = oid.For[User]: invalid field"
	db := migrated(t, use(t, openSQLite(t)), []any{&Widget{}})
	if err := db.Create(&Widget{ID: WidgetID(oid.New())}).Error; err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
	if err := openSQLite(t).Use(gormplugin.New(gormplugin.WithModels(&Widget{}))); err == nil || err.Error() != want {
		t.Errorf("WithModels: error %v\nwant  %s", err, want)
	}
}

func TestDeleteOfAnIDNamesTheRemedy(t *testing.T) {
	t.Parallel()
	db := use(t, openSQLite(t))
	id := oid.New()
	for name, value := range map[string]any{"a pointer": &id, "a value": id, "a typed ID": oid.For[int](id)} {
		err := db.Delete(value).Error
		if err == nil || !strings.HasSuffix(err.Error(), " (this is an ID, not a model: write Delete(&User{}, id))") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestZeroKeysAreNamed(t *testing.T) {
	t.Parallel()
	type Pair struct {
		A, B oid.ID `gorm:"primaryKey"`
	}
	db := migrated(t, use(t, openSQLite(t)), []any{&Pair{}})
	const one = "gormplugin.Create(*gormplugin_test.Pair): Pair.B is zero: set it, or tag it oid:auto: primary key required"
	if err := db.Create(&Pair{A: oid.New()}).Error; err == nil || err.Error() != one {
		t.Errorf("error %v\nwant  %s", err, one)
	}
	both := strings.Replace(one, "Pair.B", "Pair.A", 1) + "; " + one
	if err := db.Create(&Pair{}).Error; err == nil || err.Error() != both {
		t.Errorf("error %v\nwant  %s", err, both)
	}
}

// TestUpdateNeverWritesAZeroKey shows that an update refuses a zero key as a create
// does.
func TestUpdateNeverWritesAZeroKey(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Doc{}}, func(t *testing.T, db *gorm.DB) {
		doc := Doc{Name: "a"}
		if err := db.Create(&doc).Error; err != nil {
			t.Fatal(err)
		}
		var set clause.Set = []clause.Assignment{{Column: clause.Column{Name: "id"}, Value: oid.ID{}}}
		for name, tx := range map[string]*gorm.DB{
			"all columns":  db.Model(&Doc{ID: doc.ID}).Select("*").Updates(Doc{Name: "x"}),
			"one column":   db.Model(&Doc{}).Where(doc.ID).Update("id", oid.ID{}),
			"UpdateColumn": db.Model(&Doc{}).Where(doc.ID).UpdateColumn("ID", &oid.ID{}),
			"map":          db.Model(&Doc{}).Where(doc.ID).Updates(map[string]any{"name": "x", "id": nil}),
			"clause":       db.Model(&Doc{}).Where(doc.ID).Clauses(set).Updates(map[string]any{}),
		} {
			if !errors.Is(tx.Error, gorm.ErrPrimaryKeyRequired) || tx.RowsAffected != 0 {
				t.Errorf("%s: %d rows, %v", name, tx.RowsAffected, tx.Error)
			}
		}
		const want = "gormplugin.Update(Doc.ID): this would set the key to zero: leave the key out with Omit(\"ID\"): primary key required"
		if err := db.Model(&Doc{ID: doc.ID}).Update("id", nil).Error; err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
		another := oid.For[Doc](oid.New())
		for _, err := range []error{
			db.Model(&Doc{}).Where(doc.ID).Updates(map[string]any{"id": another, "name": "b"}).Error,
			db.Model(&Doc{ID: another}).Select("*").Omit("ID").Updates(Doc{Name: "c"}).Error,
			db.Save(&Doc{ID: another, Name: "d"}).Error,
		} {
			if err != nil {
				t.Error(err)
			}
		}
		var stored []Doc
		if err := db.Find(&stored).Error; err != nil || len(stored) != 1 || stored[0].ID != another || stored[0].Name != "d" {
			t.Errorf("%+v, %v", stored, err)
		}
	})
}

func TestCompositeKeyIsNeverMadeUp(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Composite{}}, func(t *testing.T, db *gorm.DB) {
		for _, row := range []Composite{{}, {ID: oid.New()}, {Part: oid.New()}} {
			rows := []Composite{{ID: oid.New(), Part: oid.New()}, row}
			if err := db.Create(&rows).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
				t.Errorf("%v: %v", row, err)
			}
			if err := db.Model(&Composite{}).Create(map[string]any{"id": row.ID, "part": row.Part}).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
				t.Errorf("map: %v", err)
			}
		}
		if n := count(t, db, &Composite{}); n != 0 {
			t.Errorf("%d rows stored", n)
		}
	})
}

// TestRowsOfAnotherTypeAreRefused where the key is not made up either.
func TestRowsOfAnotherTypeAreRefused(t *testing.T) {
	t.Parallel()
	type Small struct{ N int8 }
	eachDB(t, []any{&Composite{}, &Tagged{}}, func(t *testing.T, db *gorm.DB) {
		for _, model := range []any{&Composite{}, &Tagged{}} {
			for _, rows := range []any{&Small{}, []*Small{{}}, &[]any{&Composite{}}, [1]Small{}, ptr(oid.New())} {
				if err := db.Model(model).Create(rows).Error; !errors.Is(err, gorm.ErrInvalidData) {
					t.Errorf("%T: Create(%T): %v", model, rows, err)
				}
			}
		}
	})
}

func TestKeyThatIsAForeignKeyIsNeverMadeUp(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Person{}, &Passport{}}, func(t *testing.T, db *gorm.DB) {
		p := Person{Name: "a", Passport: &Passport{Number: "1"}}
		if err := db.Create(&p).Error; err != nil || p.Passport.ID != p.ID || p.ID.IsZero() {
			t.Errorf("ids %v, %v, %v", p.ID, p.Passport.ID, err)
		}
		if err := db.Create(&Passport{Number: "2"}).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("a passport of nobody: %v", err)
		}
	})
}

// TestForeignKeysAreFoundWhileModelsAreParsed creates owners and owned at once,
// with a database that has seen neither before.
func TestForeignKeysAreFoundWhileModelsAreParsed(t *testing.T) {
	t.Parallel()
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		if err := migrated(t, db.Session(&gorm.Session{}), []any{&Person{}, &Passport{}}).Error; err != nil {
			t.Fatal(err)
		}
		db, err := gorm.Open(db.Dialector, &gorm.Config{Logger: &recorder{}})
		if err != nil {
			t.Fatal(err)
		}
		if conns, err := db.DB(); err == nil {
			defer conns.Close()
			conns.SetMaxOpenConns(1) // SQLite has one writer
		}
		use(t, db)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				var err error
				if i%2 == 0 {
					err = db.Create(&Person{Passport: &Passport{}}).Error
				} else {
					err = db.Create(&Passport{ID: oid.New()}).Error
				}
				if err != nil && !strings.Contains(strings.ToLower(err.Error()), "foreign key") {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestCreateInBatches(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Doc{}}, func(t *testing.T, db *gorm.DB) {
		const n = 1003
		rows, byBatchSize := make([]Doc, n), make([]*Doc, n)
		for i := range byBatchSize {
			byBatchSize[i] = &Doc{}
		}
		if err := errors.Join(
			db.CreateInBatches(&rows, 100).Error,
			db.Session(&gorm.Session{CreateBatchSize: 250}).Create(byBatchSize).Error,
		); err != nil {
			t.Fatal(err)
		}
		seen := map[oid.ID]bool{}
		for i := range rows {
			seen[oid.ID(rows[i].ID)], seen[oid.ID(byBatchSize[i].ID)] = true, true
		}
		if len(seen) != 2*n || seen[oid.ID{}] || count(t, db, &Doc{}) != 2*n {
			t.Errorf("%d IDs, %d rows", len(seen), count(t, db, &Doc{}))
		}
	})
}

func TestSave(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		u := User{Name: "a"}
		if err := db.Save(&u).Error; err != nil || !stored(t, db, &User{}, u.ID) {
			t.Fatalf("new: %v, %v", u.ID, err)
		}
		id := u.ID
		u.Name = "b"
		if err := db.Save(&u).Error; err != nil || u.ID != id || count(t, db, &User{}) != 1 {
			t.Errorf("existing: %v, %v", u.ID, err)
		}
		unknown := User{ID: oid.New(), Name: "c"}
		if err := db.Save(&unknown).Error; err != nil || !stored(t, db, &User{}, unknown.ID) {
			t.Errorf("unknown ID: %v, %v", unknown.ID, err)
		}
		mixed := []User{{ID: id, Name: "d"}, {Name: "e"}, {Name: "f"}}
		if err := db.Save(&mixed).Error; err != nil || mixed[0].ID != id || count(t, db, &User{}) != 4 {
			t.Errorf("mixed slice: %v, %v, %d rows", mixed, err, count(t, db, &User{}))
		}
		for _, m := range mixed {
			if !stored(t, db, &User{}, m.ID) {
				t.Errorf("id %v is not in the table", m.ID)
			}
		}
	})
}

func TestFirstOrCreateAndFirstOrInit(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		var made, found, assigned, init User
		if err := db.Where(User{Name: "a"}).Attrs(User{Note: "n"}).FirstOrCreate(&made).Error; err != nil || !stored(t, db, &User{}, made.ID) {
			t.Fatalf("FirstOrCreate: %v, %v", made, err)
		}
		if err := db.Where(User{Name: "a"}).FirstOrCreate(&found).Error; err != nil || found.ID != made.ID {
			t.Errorf("FirstOrCreate of a row that exists: %v, %v", found, err)
		}
		id := oid.New()
		if err := db.Where(User{Name: "b"}).Assign(User{ID: id}).FirstOrCreate(&assigned).Error; err != nil || assigned.ID != id {
			t.Errorf("Assign: %v, %v", assigned, err)
		}
		if err := db.Where(User{Name: "c"}).FirstOrInit(&init).Error; err != nil || !init.ID.IsZero() {
			t.Errorf("FirstOrInit: %v, %v, want no ID before the row is created", init, err)
		}
		byID, want := User{}, oid.New()
		if err := db.FirstOrCreate(&byID, want).Error; err != nil || byID.ID != want {
			t.Errorf("FirstOrCreate by ID: %v, %v, want ID %v", byID, err, want)
		}
	})
}

func TestCreateWithGenerics(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	eachDB(t, []any{&Entry{}}, func(t *testing.T, db *gorm.DB) {
		e, selected := Entry{Name: "a"}, Entry{Name: "b", OwnerID: sqltype.ZeroNull(oid.New())}
		batch := []Entry{{Name: "c"}, {Name: "d"}, {Name: "e"}}
		if err := errors.Join(
			gorm.G[Entry](db).Create(ctx, &e),
			gorm.G[Entry](db).Select("Name").Create(ctx, &selected),
			gorm.G[Entry](db).CreateInBatches(ctx, &batch, 2),
			gorm.G[Entry](db).CreateInBatches(ctx, new([]Entry), 10),
			gorm.G[Entry](db).Set(clause.Assignment{Column: clause.Column{Name: "name"}, Value: "f"}).Create(ctx),
		); err != nil {
			t.Fatal(err)
		}
		for _, id := range []oid.ID{e.ID, selected.ID, batch[0].ID, batch[2].ID} {
			if !stored(t, db, &Entry{}, id) {
				t.Errorf("id %v is not in the table", id)
			}
		}
		got, err := gorm.G[Entry](db).Where("name = ?", "f").First(ctx)
		if err != nil || got.ID.IsZero() {
			t.Errorf("Set: %v, %v", got, err)
		}
	})
}

func TestSessionsAndTransactions(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		for name, session := range map[string]gorm.Session{
			"SkipHooks":              {SkipHooks: true},
			"PrepareStmt":            {PrepareStmt: true},
			"SkipDefaultTransaction": {SkipDefaultTransaction: true},
			"FullSaveAssociations":   {FullSaveAssociations: true},
		} {
			us := []User{{Name: name}, {Name: name}}
			for i := range us {
				if err := db.Session(&session).Create(&us[i]).Error; err != nil || !stored(t, db, &User{}, us[i].ID) {
					t.Errorf("%s: ID %v, %v", name, us[i].ID, err)
				}
			}
		}

		dry := User{Name: "dry"}
		stmt := db.Session(&gorm.Session{DryRun: true}).Create(&dry).Statement
		if dry.ID.IsZero() || len(stmt.Vars) == 0 || stored(t, db, &User{}, dry.ID) {
			t.Errorf("DryRun: ID %v, vars %v", dry.ID, stmt.Vars)
		}

		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		u := User{Name: "cancelled"}
		if err := db.WithContext(ctx).Create(&u).Error; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if broken := db.Session(&gorm.Session{}); broken.AddError(errors.New("before")) == nil || broken.Create(&u).Error == nil {
			t.Error("a row was created after an error")
		}

		outer, inner := User{Name: "outer"}, User{Name: "inner"}
		err := db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Create(&outer).Error; err != nil {
				return err
			}
			tx.Transaction(func(tx *gorm.DB) error {
				if err := tx.Create(&inner).Error; err != nil {
					t.Error(err)
				}
				return errors.New("back to the savepoint")
			})
			return nil
		})
		if err != nil || !stored(t, db, &User{}, outer.ID) || inner.ID.IsZero() || stored(t, db, &User{}, inner.ID) {
			t.Errorf("nested transactions: %v, %v, %v", outer.ID, inner.ID, err)
		}
	})
}

// TestRetryTakesTheSameID shows that a create can be tried again.
func TestRetryTakesTheSameID(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		u := User{Name: "a"}
		db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Create(&u).Error; err != nil {
				t.Error(err)
			}
			return errors.New("roll back")
		})
		id := u.ID
		if err := db.Create(&u).Error; err != nil || u.ID != id || !stored(t, db, &User{}, id) {
			t.Errorf("ids %v, %v, %v", id, u.ID, err)
		}
		if err := db.Create(&u).Error; err == nil {
			t.Error("the row was stored twice")
		}
	})
}

// TestNullableKeysOfSQLite shows why Model says not null.
func TestNullableKeysOfSQLite(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Doc{}, &gormplugin.Model{}})
	if err := db.Exec("INSERT INTO docs (name) VALUES ('a')").Error; err != nil {
		t.Errorf("SQLite has learned to refuse NULL keys: %v", err)
	}
	if err := db.Exec("INSERT INTO models (created_at) VALUES (1)").Error; err == nil || !strings.Contains(err.Error(), "NOT NULL") {
		t.Errorf("a NULL key in the table of Model: %v", err)
	}
}

// TestOtherIDTypesAreLeftAlone shows that models without an oid.ID key are as they
// were.
func TestOtherIDTypesAreLeftAlone(t *testing.T) {
	t.Parallel()
	type Number struct {
		ID   uint
		Link sqltype.ZeroNull `gorm:"size:12"`
		Opt  *oid.ID          `gorm:"size:12"`
	}
	type Text struct {
		ID   string `gorm:"size:30"`
		Name string
	}
	eachDB(t, []any{&Number{}, &Text{}}, func(t *testing.T, db *gorm.DB) {
		rows, text := []Number{{}, {ID: 7}, {}}, Text{ID: "x"}
		if err := errors.Join(db.Create(&rows).Error, db.Create(&text).Error); err != nil {
			t.Fatal(err)
		}
		if rows[0].ID != 1 || rows[1].ID != 7 || !rows[0].Link.IsZero() || rows[0].Opt != nil {
			t.Errorf("%+v", rows)
		}
		var found Number
		if err := db.First(&found, 7).Error; err != nil || found.ID != 7 {
			t.Errorf("First: %v, %v", found, err)
		}
		twelve := []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		if tx := db.Delete(&Number{}, append(twelve, 13)); tx.Error != nil || tx.RowsAffected < 2 {
			t.Errorf("Delete by a list of thirteen bytes: %d, %v", tx.RowsAffected, tx.Error)
		}
		if tx := db.Where(map[string]any{"id": twelve}).Find(&[]Number{}); tx.Error != nil {
			t.Errorf("a column in a list of twelve bytes: %v", tx.Error)
		}
		// GORM takes these bytes for one ID, and not for a list of numbers.
		if tx := db.Delete(&Number{}, twelve); !errors.Is(tx.Error, gorm.ErrInvalidData) {
			t.Errorf("Delete by a list of twelve bytes: %d, %v, want gorm.ErrInvalidData", tx.RowsAffected, tx.Error)
		}
	})
}
