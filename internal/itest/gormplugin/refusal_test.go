package gormplugin_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/rs/xid"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/plugin/dbresolver"
)

// TestAutoMigrateKeepsColumnsThatHoldNoIDs starts a program whose keys are IDs on the
// tables of the program before, whose keys were integers.
func TestAutoMigrateKeepsColumnsThatHoldNoIDs(t *testing.T) {
	t.Parallel()
	type before struct {
		ID       uint
		OwnerID  uint
		Comments string `gorm:"size:20"`
	}
	type Ticket struct {
		gormplugin.Model
		OwnerID  oid.ID `gorm:"size:12"`
		Comments string `gorm:"size:30"`
	}
	for name, open := range databases {
		for _, known := range []bool{true, false} {
			if !known && name == "sqlite" {
				continue // there the type says nothing about IDs
			}
			t.Run(fmt.Sprintf("%s, with the model %t", name, known), func(t *testing.T) {
				t.Parallel()
				db := open(t)
				if err := errors.Join(db.Table("tickets").AutoMigrate(&before{}), db.Table("tickets").Create(&before{OwnerID: 7}).Error); err != nil {
					t.Fatal(err)
				}
				types := func() (list string) {
					columns, err := db.Migrator().ColumnTypes("tickets")
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range columns {
						list += c.Name() + " " + c.DatabaseTypeName() + ", "
					}
					return list
				}
				want := types()
				plugin := gormplugin.New()
				if known {
					plugin = gormplugin.New(gormplugin.WithModels(&Ticket{}))
				}
				if err := db.Use(plugin); err != nil {
					t.Fatal(err)
				}
				err := db.Migrator().AlterColumn(&Ticket{}, "OwnerID")
				if known {
					err = db.AutoMigrate(&Ticket{})
				}
				if err == nil || known && !(errors.Is(err, gorm.ErrInvalidData) && strings.HasPrefix(err.Error(), "gormplugin.AutoMigrate(tickets.")) {
					t.Errorf("AutoMigrate: %v", err)
				}
				var owner int
				if err := db.Raw("SELECT owner_id FROM tickets").Row().Scan(&owner); err != nil || owner != 7 || !strings.HasPrefix(types(), strings.TrimSuffix(want, ", ")) {
					t.Errorf("the owner is %d, %v, the columns are %s, were %s", owner, err, types(), want)
				}
			})
		}
	}
}

// TestAutoMigrateLeavesOldKeys pins a limit: GORM changes no key, so there is nothing to refuse.
func TestAutoMigrateLeavesOldKeys(t *testing.T) {
	t.Parallel()
	type before struct {
		ID   uint
		Name string `gorm:"size:20"`
	}
	type Folder struct {
		ID   oid.ID
		Name string `gorm:"size:20"`
	}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			if err := errors.Join(db.Table("folders").AutoMigrate(&before{}), db.Table("folders").Create(&before{Name: "a"}).Error); err != nil {
				t.Fatal(err)
			}
			use(t, db, gormplugin.New(gormplugin.WithModels(&Folder{})))
			if err := db.AutoMigrate(&Folder{}); err != nil {
				t.Errorf("%v: say so in docs/gorm-reference.md", err)
			}
			if find, create := db.Find(&[]Folder{}).Error, db.Create(&Folder{Name: "b"}).Error; find == nil || create == nil {
				t.Errorf("Find: %v, Create: %v, want errors of both", find, create)
			}
		})
	}
}

// TestAutoMigrateGoesOn changes columns of tables of IDs that hold none.
func TestAutoMigrateGoesOn(t *testing.T) {
	t.Parallel()
	type before struct {
		gormplugin.Model
		OwnerID oid.ID `gorm:"size:12"`
		Number  int
		Text    sqltype.Hex `gorm:"type:char(24)"`
	}
	type Receipt struct {
		gormplugin.Model
		OwnerID oid.ID      `gorm:"size:12"`
		Number  string      `gorm:"size:40"`
		Text    sqltype.Hex `gorm:"type:varchar(24)"`
	}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := use(t, open(t), gormplugin.New(gormplugin.WithModels(&Receipt{})))
			if err := errors.Join(db.Table("receipts").AutoMigrate(&before{}), db.AutoMigrate(&Receipt{})); err != nil {
				t.Error(err)
			}
			if err := db.Create(&Receipt{Number: "seven"}).Error; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOwnersInTextAreRefused keeps the ID of the owner in a string.
func TestOwnersInTextAreRefused(t *testing.T) {
	t.Parallel()
	type Toy struct {
		gormplugin.Model
		OwnerID   string `gorm:"size:24"`
		OwnerType string `gorm:"size:20"`
	}
	type Child struct {
		gormplugin.Model
		Toys []Toy `gorm:"polymorphic:Owner"`
	}
	eachDB(t, []any{&Child{}, &Toy{}}, func(t *testing.T, db *gorm.DB) {
		const want = "gormplugin.Model(Child): Toys: Toy.OwnerID is string, but refers to Child.ID: make it oid.ID: invalid field"
		for name, err := range map[string]error{
			"Create":     db.Create(&Child{Toys: []Toy{{}}}).Error,
			"Preload":    db.Preload("Toys").Find(&[]Child{}).Error,
			"WithModels": gormplugin.New(gormplugin.WithModels(&Child{})).Initialize(db),
		} {
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		if n := count(t, db, &Toy{}); n != 0 {
			t.Errorf("%d toys were stored", n)
		}
	})
}

// TestTextThatIsOneValue passes text that SQL takes for a number or for true.
func TestTextThatIsOneValue(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		for _, text := range []string{"1.0", "1e9", "0x1", " 1", "1 ", "-1.5", "+ 1", "true", " TRUE ", "1234567890123456789012", ids[0].Hex() + " ", "\n" + ids[0].Hex(), ids[0].Hex()[:23] + "."} {
			for name, tx := range map[string]*gorm.DB{
				"Delete": db.Delete(&Item{}, text), "First": db.First(&Item{}, text), "Update": db.Model(&Item{}).Where(text).Update("name", "x"),
				"Not": db.Not(text).Delete(&Item{}), "Or": db.Where("name = ?", "x").Or(text).Delete(&Item{}),
			} {
				if !errors.Is(tx.Error, gorm.ErrInvalidData) || tx.RowsAffected != 0 {
					t.Errorf("%s by %q: %d rows, %v", name, text, tx.RowsAffected, tx.Error)
				}
			}
		}
		if n := count(t, db, &Item{}); n != 3 {
			t.Errorf("%d rows of 3 are left", n)
		}
		for _, text := range []string{"1 = 1", "name IS NOT NULL", "name > '1'"} {
			if err := db.Where(text).Find(&[]Item{}).Error; err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// TestPrefixesOfHex searches for the first digits of IDs that are stored as text.
func TestPrefixesOfHex(t *testing.T) {
	t.Parallel()
	type Badge struct {
		ID   sqltype.Hex `gorm:"size:24"`
		Name string
	}
	eachDB(t, []any{&Badge{}}, func(t *testing.T, db *gorm.DB) {
		first, second := oid.MustParse("65b3f7a20000000000000001"), oid.MustParse("75b3f7a20000000000000001")
		if err := db.Create([]Badge{{ID: sqltype.Hex(first), Name: "a"}, {ID: sqltype.Hex(second), Name: "b"}}).Error; err != nil {
			t.Fatal(err)
		}
		for name, tx := range map[string]*gorm.DB{
			"LIKE":        db.Where("id LIKE ?", "65b%"),
			"clause.Like": db.Where(clause.Like{Column: "id", Value: "65b%"}),
			"a range":     db.Where("id >= ?", "65").Where("id < ?", "66"),
			"BETWEEN":     db.Where("id BETWEEN ? AND ?", "65", "66"),
			"clause.Lt":   db.Where(clause.Lt{Column: "id", Value: "7"}),
		} {
			var names []string
			if err := tx.Model(&Badge{}).Pluck("name", &names).Error; err != nil || fmt.Sprint(names) != "[a]" {
				t.Errorf("%s: %q, %v", name, names, err)
			}
		}
		if err := db.Where("id = ?", "65b3").Find(&[]Badge{}).Error; !errors.Is(err, gorm.ErrInvalidData) {
			t.Errorf("equal to a prefix: %v", err)
		}
		if err := db.Where("id > ?", 7).Find(&[]Badge{}).Error; !errors.Is(err, gorm.ErrInvalidData) {
			t.Errorf("greater than a number: %v", err)
		}
	})
}

// TestOtherTypesOfTwelveBytes has keys of another library, in the same database.
func TestOtherTypesOfTwelveBytes(t *testing.T) {
	t.Parallel()
	type Parcel struct {
		ID      xid.ID `gorm:"type:char(20)"`
		Name    string `gorm:"size:20"`
		OrderID xid.ID `gorm:"type:char(20)"`
	}
	eachDB(t, []any{&Parcel{}, &Box{}, &Item{}}, func(t *testing.T, db *gorm.DB) {
		p := Parcel{ID: xid.New(), OrderID: xid.New(), Name: "a"}
		if err := db.Create(&p).Error; err != nil {
			t.Fatal(err)
		}
		for name, tx := range map[string]*gorm.DB{
			"its text": db.Where("id = ?", p.ID.String()), "itself": db.Where("id = ?", p.ID), "a list": db.Where("id IN ?", []xid.ID{p.ID}),
			"a map": db.Where(map[string]any{"order_id": p.OrderID.String()}),
		} {
			var found []Parcel
			if err := tx.Find(&found).Error; err != nil || len(found) != 1 || found[0] != p {
				t.Errorf("%s: %v, %v", name, found, err)
			}
		}
		if tx := db.Model(&p).Update("order_id", p.ID.String()); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("Update: %d rows, %v", tx.RowsAffected, tx.Error)
		}
		row := map[string]any{}
		if err := db.Model(&Parcel{}).Take(&row).Error; err != nil || row["id"] != p.ID.String() {
			t.Errorf("a map holds %T, %v", row["id"], err)
		}
		if err := db.Where("id = ?", p.ID).Find(&[]Item{}).Error; !errors.Is(err, gorm.ErrInvalidData) {
			t.Errorf("as the key of another model: %v", err)
		}
	})
}

// TestUpsertsAskOnceForManyRows merges rows where the database doesn't tell their IDs.
func TestUpsertsAskOnceForManyRows(t *testing.T) {
	t.Parallel()
	type Unit struct {
		ID   oid.ID `gorm:"size:12"`
		Code string `gorm:"size:20;uniqueIndex"`
		Mark int
	}
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		isMySQL := db.Dialector.Name() == "mysql"
		if isMySQL { // where "u1" is then the same as "U1", whatever the default is
			db = db.Set("gorm:table_options", "DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_general_ci")
		}
		migrated(t, db, []any{&Unit{}})
		stored := make([]Unit, 400)
		for i := range stored {
			stored[i].Code = fmt.Sprint("U", i)
		}
		if err := db.Create(&stored).Error; err != nil {
			t.Fatal(err)
		}
		again := make([]Unit, 400)
		for i := range again {
			again[i].Code, again[i].Mark = fmt.Sprint("u", i), 1
			if !isMySQL {
				again[i].Code = stored[i].Code
			}
		}
		db.Callback().Create().Clauses = []string{"INSERT", "VALUES", "ON CONFLICT"}
		r := &recorder{}
		err := db.Session(&gorm.Session{Logger: r}).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "code"}}, DoUpdates: clause.AssignmentColumns([]string{"mark"})}).Create(&again).Error
		if err != nil || len(r.sql) != 4 { // the INSERT, one for the own IDs, two for the others
			t.Errorf("%d statements, %v, want 4", len(r.sql), err)
		}
		for i := range again {
			if again[i].ID != stored[i].ID {
				t.Fatalf("row %d holds %v, want %v", i, again[i].ID, stored[i].ID)
			}
		}
	})
}

// TestSnapshotsThatMissATag joins a tag that was stored after the transaction began, which
// a transaction of MySQL doesn't read. The error says what to do.
func TestSnapshotsThatMissATag(t *testing.T) {
	t.Parallel()
	eachMySQL(t, func(t *testing.T, dsn string) {
		db := migrated(t, use(t, open(t, mysql.Open(dsn))), []any{&Article{}, &Topic{}})
		tx := db.Begin()
		defer tx.Rollback()
		if n := count(t, tx, &Topic{}); n != 0 { // the snapshot
			t.Fatal(n)
		}
		if err := db.Create(&Topic{Name: "go"}).Error; err != nil {
			t.Fatal(err)
		}
		err := tx.Create(&Article{Topics: []Topic{{Name: "go"}}}).Error
		if !errors.Is(err, gorm.ErrPrimaryKeyRequired) || !strings.Contains(err.Error(), "READ COMMITTED") {
			t.Errorf("error %v", err)
		}
	})
}

// counted is an ID that counts how often it is looked at.
type counted struct{ n *int }

func (c counted) Value() (driver.Value, error) {
	*c.n++
	return make([]byte, 12), nil
}

// TestReplicasOpenedAfterThePlugin opens a replica with the configuration of a database that
// has the plugin, as dbresolver does.
func TestReplicasOpenedAfterThePlugin(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Box{}, &Item{}})
	for range 3 {
		resolver := dbresolver.Register(dbresolver.Config{Replicas: []gorm.Dialector{sqlite.Open(t.TempDir() + "/replica.db")}})
		if err := resolver.Initialize(db); err != nil {
			t.Fatal(err)
		}
	}
	err := db.Model(&Item{}).Create(map[string]any{"box_id": 3, "name": "z"}).Error
	if want := "gormplugin.Create(Item.BoxID): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	// Each layer of builders would look at the argument once more.
	looks := 0
	dry := db.Session(&gorm.Session{DryRun: true})
	dry.Where("id = ?", counted{&looks}).Find(&[]Item{})
	plain := use(t, openSQLite(t)).Session(&gorm.Session{DryRun: true})
	want := 0
	plain.Where("id = ?", counted{&want}).Find(&[]Item{})
	if looks != want || want == 0 {
		t.Errorf("the argument was looked at %d times, want %d", looks, want)
	}
}

// TestLongListsAreNotKeptPrepared sends lists that are part of the SQL.
func TestLongListsAreNotKeptPrepared(t *testing.T) {
	t.Parallel()
	for _, name := range slices.AppendSeq([]string{"sqlite"}, maps.Keys(likeMySQL)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := use(t, openWith(t, databases[name](t).Dialector, &gorm.Config{PrepareStmt: true}))
			if err := db.AutoMigrate(&Box{}, &Item{}, &SoftItem{}); err != nil {
				t.Fatal(err)
			}
			items := threeItems(t, db)
			prepared := func() int { return len(db.ConnPool.(*gorm.PreparedStmtDB).Stmts.Keys()) }
			var found []Item
			if err := db.Find(&found, items).Error; err != nil || len(found) != 3 {
				t.Fatal(len(found), err)
			}
			before := prepared()
			for i := range 3 {
				ids := make([]oid.ID, 30_001+i)
				oid.Fill(ids)
				ids[i] = items[i]
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				for call, tx := range map[string]*gorm.DB{
					"Find": db.WithContext(ctx).Find(&found, ids), "subquery": db.WithContext(ctx).Where("id IN (?)", db.Model(&Item{}).Select("id").Where(ids)).Find(&found),
				} {
					if tx.Error != nil || len(found) != 1 {
						t.Errorf("%s: %d rows, %.200v", call, len(found), tx.Error)
					}
				}
				cancel()
			}
			if after := prepared(); after != before || before == 0 {
				t.Errorf("%d statements are kept prepared, want %d", after, before)
			}
		})
	}
}
