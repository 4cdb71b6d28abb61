package gormplugin_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/plugin/dbresolver"
)

// A Hooked has a hook that does the step named in Do.
type Hooked struct {
	ID   oid.ID `gorm:"size:12"`
	Do   string
	Saw  oid.ID `gorm:"size:12"`
	Name string
}

var hookID = oid.MustParse("65b3f7006b00310e041f9fe0")

func (h *Hooked) BeforeCreate(tx *gorm.DB) error {
	h.Saw = h.ID
	switch h.Do {
	case "override":
		h.ID = hookID
	case "set if zero":
		if h.ID.IsZero() {
			h.ID = hookID
		}
	case "SetColumn":
		tx.Statement.SetColumn("ID", hookID)
	case "wipe":
		*h = Hooked{Do: h.Do, Name: h.Name}
	case "copy":
		twin := *h
		twin.Do, twin.Name = "", "twin"
		return tx.Create(&twin).Error
	}
	return nil
}

// A hookTest is a step of a hook, and the row that is expected after it.
type hookTest struct {
	do    string
	saw   bool   // an ID
	id    oid.ID // the one that is stored, if it is known
	fails bool
}

// TestHooks shows which values hooks see and change.
func TestHooks(t *testing.T) {
	t.Parallel()
	testHooks(t, []hookTest{
		{do: "nothing", saw: true},
		{do: "override", saw: true, id: hookID},
		{do: "set if zero", saw: true},
		{do: "SetColumn", saw: true, id: hookID},
		{do: "wipe"},
		{do: "copy", fails: true},
	})
}

// TestAfterHooks shows the same where IDs are assigned after hooks.
func TestAfterHooks(t *testing.T) {
	t.Parallel()
	testHooks(t, []hookTest{
		{do: "nothing"},
		{do: "override", id: hookID},
		{do: "set if zero", id: hookID},
		{do: "SetColumn", id: hookID},
		{do: "wipe"},
		{do: "copy"},
	}, gormplugin.New(gormplugin.WithAfterHooks()))
}

func testHooks(t *testing.T, hookTests []hookTest, plugins ...gorm.Plugin) {
	eachDB(t, []any{&Hooked{}}, func(t *testing.T, db *gorm.DB) {
		for _, tt := range hookTests {
			if err := db.Where("1 = 1").Delete(&Hooked{}).Error; err != nil {
				t.Fatal(err)
			}
			rows := []*Hooked{{Do: tt.do}, {Do: "nothing"}}
			err := db.Create(rows).Error
			if tt.fails {
				if err == nil {
					t.Errorf("%s: the same ID was stored twice", tt.do)
				}
				continue
			}
			h := rows[0]
			if err != nil || h.Saw.IsZero() == tt.saw || !tt.id.IsZero() && h.ID != tt.id || !stored(t, db, &Hooked{}, h.ID) || !stored(t, db, &Hooked{}, rows[1].ID) {
				t.Errorf("%s: %+v, %+v, %v", tt.do, h, rows[1], err)
			}
			skipped := Hooked{Do: "override"}
			if err := db.Session(&gorm.Session{SkipHooks: true}).Create(&skipped).Error; err != nil || skipped.ID.IsZero() || skipped.ID == hookID {
				t.Errorf("%s, SkipHooks: %v, %v", tt.do, skipped.ID, err)
			}
		}
	}, plugins...)
}

// TestAfterHooksWithoutHooks is for the models that have none.
func TestAfterHooksWithoutHooks(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t), gormplugin.New(gormplugin.WithAfterHooks())), append(workModels, &Doc{}))
	docs, w := []Doc{{}, {}}, newWorker("a")
	if err := errors.Join(db.Create(&docs).Error, db.Create(w).Error); err != nil {
		t.Fatal(err)
	}
	if docs[0].ID.IsZero() || docs[1].ID != docs[0].ID.Next() || !stored(t, db, &Doc{}, docs[1].ID) {
		t.Errorf("ids %v, %v", docs[0].ID, docs[1].ID)
	}
	if got := load(t, db, w.ID); got.Company == nil || len(got.Team) != 2 {
		t.Errorf("loaded %+v", got)
	}
}

// TestCallbacksOfOthers shows where the plugin stands among them.
func TestCallbacksOfOthers(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Doc{}})
	var first, before oid.ID
	see := func(id *oid.ID) func(*gorm.DB) {
		return func(db *gorm.DB) { *id = oid.ID(db.Statement.Dest.(*Doc).ID) }
	}
	if err := db.Callback().Create().Before("*").Register("test:first", see(&first)); err != nil {
		t.Fatal(err)
	}
	if err := db.Callback().Create().Before("gorm:create").Register("test:before", see(&before)); err != nil {
		t.Fatal(err)
	}
	var doc Doc
	if err := db.Create(&doc).Error; err != nil || !first.IsZero() || before != oid.ID(doc.ID) || before.IsZero() {
		t.Errorf("seen %v, %v, stored %v, %v", first, before, doc.ID, err)
	}
}

// TestTwoDatabases uses one plugin for two.
func TestTwoDatabases(t *testing.T) {
	t.Parallel()
	plugin := gormplugin.New()
	for _, open := range databases {
		db := open(t)
		if err := db.Use(plugin); err != nil {
			t.Fatal(err)
		}
		var doc Doc
		if err := migrated(t, db, []any{&Doc{}}).Create(&doc).Error; err != nil || !stored(t, db, &Doc{}, doc.ID) {
			t.Errorf("%v, %v", doc.ID, err)
		}
	}
}

// TestOtherConfiguration has set everything that is off by default.
func TestOtherConfiguration(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := use(t, openWith(t, open(t).Dialector, &gorm.Config{
				SkipDefaultTransaction: true, FullSaveAssociations: true, PrepareStmt: true, AllowGlobalUpdate: true,
				QueryFields: true, CreateBatchSize: 2, TranslateError: true,
			}))
			migrated(t, db, append(workModels, &User{}))
			w, users := newWorker("a"), []User{user("a", "a@x"), user("b", "b@x"), user("c", "c@x")}
			if err := errors.Join(db.Create(w).Error, db.Create(&users).Error); err != nil {
				t.Fatal(err)
			}
			if got := load(t, db, w.ID); got.Company == nil || len(got.Team) != 2 || len(got.Skills) != 2 {
				t.Errorf("loaded %+v", got)
			}
			again := user("d", "a@x")
			if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&again).Error; err != nil || !again.ID.IsZero() {
				t.Errorf("DoNothing: %v, %v", again.ID, err)
			}
			if err := db.Create(&again).Error; !errors.Is(err, gorm.ErrDuplicatedKey) {
				t.Errorf("TranslateError: %v", err)
			}
			if tx := db.Not(oid.ID{}).Delete(&User{}); !errors.Is(tx.Error, gorm.ErrPrimaryKeyRequired) {
				t.Errorf("Delete by the zero ID: %d rows, %v", tx.RowsAffected, tx.Error)
			}
			if tx := db.Delete(&User{}, users[1].ID); tx.Error != nil || tx.RowsAffected != 1 {
				t.Errorf("Delete: %d rows, %v", tx.RowsAffected, tx.Error)
			}
			if n := count(t, db, &User{}); n != 2 {
				t.Errorf("%d rows are left", n)
			}
		})
	}
}

// TestWithDBResolver has a replica that lags. It holds none of the rows that are
// written.
func TestWithDBResolver(t *testing.T) {
	t.Parallel()
	replica := filepath.Join(t.TempDir(), "replica.db")
	migrated(t, open(t, sqlite.Open(replica)), []any{&User{}})
	db := migrated(t, use(t, openSQLite(t)), []any{&User{}})
	if err := db.Use(dbresolver.Register(dbresolver.Config{Replicas: []gorm.Dialector{sqlite.Open(replica)}})); err != nil {
		t.Fatal(err)
	}
	db = db.Session(&gorm.Session{SkipDefaultTransaction: true})
	first := user("a", "a@x")
	batch := []User{user("b", "a@x"), user("c", "c@x")}
	if err := db.Create(&first).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&batch).Error; err != nil {
		t.Fatal(err)
	}
	source := db.Clauses(dbresolver.Write)
	if !batch[0].ID.IsZero() || batch[1].ID.IsZero() || !stored(t, source, &User{}, batch[1].ID) {
		t.Errorf("ids %v, %v", batch[0].ID, batch[1].ID)
	}
	if err := db.First(&User{}, first.ID).Error; err == nil {
		t.Error("the replica was not asked")
	}
	if tx := db.Delete(&User{}, first.ID); tx.Error != nil || tx.RowsAffected != 1 {
		t.Errorf("Delete: %d rows, %v", tx.RowsAffected, tx.Error)
	}
}

// A Saver has only the hook BeforeSave, which wipes its ID out.
type Saver struct {
	ID   oid.ID `gorm:"size:12"`
	Name string
}

func (s *Saver) BeforeSave(*gorm.DB) error { s.ID = oid.ID{}; return nil }

// A Creator has only the hook BeforeCreate, which wipes its ID out.
type Creator struct {
	ID   oid.ID `gorm:"size:12"`
	Name string
}

func (c *Creator) BeforeCreate(*gorm.DB) error { c.ID = oid.ID{}; return nil }

// TestOneHookThatWipesTheID shows that each of the hooks is enough for another ID.
func TestOneHookThatWipesTheID(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Saver{}, &Creator{}})
	saver, creator := Saver{}, Creator{}
	if err := db.Create(&saver).Error; err != nil || saver.ID.IsZero() {
		t.Errorf("BeforeSave: ID %v, %v", saver.ID, err)
	}
	if err := db.Create(&creator).Error; err != nil || creator.ID.IsZero() {
		t.Errorf("BeforeCreate: ID %v, %v", creator.ID, err)
	}
}

// TestModelsAreParsedAfterACreate creates a row, and then uses a model that is related
// to it. GORM needs the lock of the first model's relations for that.
func TestModelsAreParsedAfterACreate(t *testing.T) {
	t.Parallel()
	type Leg struct {
		ID      oid.ID `gorm:"size:12"`
		TableID oid.ID `gorm:"size:12"`
	}
	type Table struct {
		ID   oid.ID `gorm:"size:12"`
		Legs []Leg
	}
	db := migrated(t, use(t, openSQLite(t)), []any{&Leg{}})
	if err := db.Create(&Leg{}).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Find(&[]Leg{}, "id IN ?", []oid.ID{oid.New()}).Error; err != nil {
		t.Fatal(err)
	}
	parsed := make(chan error, 1)
	go func() { parsed <- db.AutoMigrate(&Table{}) }()
	select {
	case err := <-parsed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("GORM waits for a lock that the plugin holds")
	}
}
