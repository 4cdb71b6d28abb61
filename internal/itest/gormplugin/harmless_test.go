package gormplugin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Secret has an integer key, and a field of 12 bytes that GORM ignores.
type Secret struct {
	ID    uint
	Name  string   `gorm:"size:20"`
	Nonce [12]byte `gorm:"-"`
}

// TestRowOfARefusedQuery scans what Row returns of a query that the plugin refuses, and of
// others that fail. Scan returns the error.
func TestRowOfARefusedQuery(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		if err := db.Create(&User{Name: "a"}).Error; err != nil {
			t.Fatal(err)
		}
		tx := db.Begin()
		defer tx.Rollback()
		for mode, db := range map[string]*gorm.DB{
			"plain": db, "prepared": db.Session(&gorm.Session{PrepareStmt: true}), "transaction": tx, "prepared transaction": tx.Session(&gorm.Session{PrepareStmt: true}),
		} {
			var name string
			refused := func() *gorm.DB { return db.Model(&User{}).Select("name").Where("id = ?", 7) }
			_, rowsErr := refused().Rows()
			for what, err := range map[string]error{
				"Row":        refused().Row().Scan(&name),
				"Row.Err":    refused().Row().Err(),
				"Rows":       rowsErr,
				"gorm.G":     gorm.G[Entry](db).Select("name").Where("id = ?", "abc").Row(ctx).Scan(&name),
				"Scan":       refused().Scan(&name).Error,
				"a subquery": db.Table("users").Select("name").Where("id IN (?)", db.Model(&User{}).Select("id").Where("id = ?", 7)).Row().Scan(&name),
			} {
				if !errors.Is(err, gorm.ErrInvalidData) {
					t.Errorf("%s, %s: %v", mode, what, err)
				}
			}
			if err := db.Model(7).Row().Scan(&name); err == nil {
				t.Errorf("%s, Model(7): no error", mode)
			}
			if err := db.Model(&User{}).Select("name").Where("name = ?", "a").Row().Scan(&name); err != nil || name != "a" {
				t.Errorf("%s, a row: %q, %v", mode, name, err)
			}
		}
	})
}

// TestIgnoredFieldsAreIgnored also of models with integer keys.
func TestIgnoredFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Secret{}}, func(t *testing.T, db *gorm.DB) {
		s := Secret{Name: "a", Nonce: [12]byte{1}}
		err := errors.Join(db.Create(&s).Error, db.Model(&s).Update("name", "b").Error, db.Save(&s).Error, db.Delete(&s).Error)
		if err != nil {
			t.Error(err)
		}
	}, gormplugin.New(gormplugin.WithModels(&Secret{})))
}

// A Creature has a key of hex digits, and toys whose owners may have other strings for keys.
type Creature struct {
	ID     sqltype.Hex `gorm:"size:24"`
	Charms []Charm     `gorm:"polymorphic:Owner"`
}

type Charm struct {
	ID        sqltype.Hex `gorm:"size:24"`
	OwnerID   string      `gorm:"size:40"`
	OwnerType string      `gorm:"size:20"`
}

// TestTextKeyInAStringField stores the digits, with the plugin as without it.
func TestTextKeyInAStringField(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Creature{}, &Charm{}}, func(t *testing.T, db *gorm.DB) {
		c := Creature{Charms: []Charm{{}, {}}}
		err := db.Create(&c).Error
		var read Creature
		if err := errors.Join(err, db.Preload("Charms").First(&read, "id = ?", c.ID).Error); err != nil {
			t.Fatal(err)
		}
		if len(read.Charms) != 2 || read.Charms[0].OwnerID != oid.ID(c.ID).Hex() || db.Model(&c).Association("Charms").Count() != 2 {
			t.Errorf("read %+v", read)
		}
	})
}

// TestStringsOfExpressions reads strings that hold no raw ID, and is refused those that do.
func TestStringsOfExpressions(t *testing.T) {
	t.Parallel()
	type row struct{ ID, Name string }
	type count struct {
		BossID string
		N      int
	}
	eachDB(t, []any{&Peer[oid.ID]{}}, func(t *testing.T, db *gorm.DB) {
		hex := "lower(hex(id))"
		if db.Dialector.Name() == "postgres" {
			hex = "encode(id, 'hex')"
		}
		peers := func() *gorm.DB { return db.Model(&Peer[oid.ID]{}) }
		var digits []string
		for name, tx := range map[string]*gorm.DB{
			"Select with an argument": peers().Select(hex+" AS id, ? AS name", "x").Find(&[]row{}),
			"Table of a subquery":     peers().Table("(?) AS peers", peers().Select(hex+" AS id, name")).Find(&[]row{}),
			"clause.Select":           peers().Clauses(clause.Select{Expression: clause.Expr{SQL: "name AS boss_id, count(*) AS n"}}).Group("name").Find(&[]count{}),
			"Pluck":                   peers().Pluck(hex, &digits),
			"Select and Find":         peers().Select(hex).Find(&digits),
		} {
			if tx.Error != nil {
				t.Errorf("%s: %v", name, tx.Error)
			}
		}
		for name, tx := range map[string]*gorm.DB{
			"Find":               peers().Find(&[]row{}),
			"Pluck":              peers().Pluck("boss_id", &digits),
			"Select and Find":    peers().Select("peers.id").Find(&digits),
			"Distinct and Pluck": peers().Distinct().Pluck("ID", &digits),
		} {
			if !errors.Is(tx.Error, gorm.ErrInvalidField) {
				t.Errorf("%s: %v", name, tx.Error)
			}
		}
	}, gormplugin.New(gormplugin.WithModels(&Peer[oid.ID]{})))
}

// TestMigrationsOfOthers are those of the program itself, of other columns, of other databases
// and of integer models. They pass while a key is still a number.
func TestMigrationsOfOthers(t *testing.T) {
	t.Parallel()
	p := gormplugin.New(gormplugin.WithModels(&Peer[oid.ID]{}))
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, old := open(t), open(t)
			kind := db.Dialector.Name()
			number := map[string]string{"sqlite": "integer", "postgres": "bigint", "mysql": "bigint unsigned"}[kind]
			for _, db := range []*gorm.DB{db, old} {
				if err := db.Exec(fmt.Sprintf("CREATE TABLE peers (id %s PRIMARY KEY, name varchar(20), mark integer, boss_id %s, legacy varchar(20))", number, number)).Error; err != nil {
					t.Fatal(err)
				}
			}
			use(t, old, p)
			use(t, db, gormplugin.New(gormplugin.WithModels(&Peer[oid.ID]{})))
			// The plugin of the old database knows the model with IDs, too.
			fresh := migrated(t, use(t, open(t), p), []any{&Peer[oid.ID]{}})
			if err := fresh.Create(&Peer[oid.ID]{Name: "a"}).Error; err != nil {
				t.Fatal(err)
			}
			alters := map[string]func() error{
				"DropColumn":                func() error { return db.Migrator().DropColumn(&Peer[oid.ID]{}, "legacy") },
				"another column":            func() error { return db.Migrator().AlterColumn(&Peer[oid.ID]{}, "Name") },
				"a model of another":        func() error { return old.Migrator().AlterColumn(&Peer[uint]{}, "Name") },
				"the integer of an integer": func() error { return old.Migrator().AlterColumn(&Peer[uint]{}, "BossID") },
			}
			switch kind {
			case "postgres":
				alters["SQL of the program"] = func() error {
					return db.Exec("ALTER TABLE peers ALTER COLUMN boss_id TYPE bytea USING decode(lpad(to_hex(boss_id), 24, '0'), 'hex')").Error
				}
			case "mysql":
				alters["SQL of the program"] = func() error { return db.Exec("ALTER TABLE peers MODIFY COLUMN boss_id binary(12)").Error }
			}
			for what, alter := range alters {
				if err := alter(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			log := sent(db, func(db *gorm.DB) {
				for _, field := range []string{"ID", "BossID"} {
					if err := db.Migrator().AlterColumn(&Peer[oid.ID]{}, field); field == "ID" && !errors.Is(err, gorm.ErrInvalidData) {
						t.Errorf("the key becomes an ID: %v", err)
					}
				}
			})
			for line := range strings.SplitSeq(log, "\n") {
				if isAlter := strings.HasPrefix(line, "ALTER") || strings.HasPrefix(line, "CREATE TABLE `peers__temp`"); isAlter && strings.Contains(line, "id") &&
					!strings.Contains(line, "boss_id") && !strings.HasSuffix(line, "/* refused and not sent */") {
					t.Errorf("a refused statement is logged as %s", line)
				}
			}
		})
	}
}
