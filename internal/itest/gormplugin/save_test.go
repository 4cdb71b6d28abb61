package gormplugin_test

import (
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

// A Wallet has a unique email.
type Wallet[K any] struct {
	ID      K      `gorm:"size:40;primaryKey"`
	Email   string `gorm:"size:40;uniqueIndex"`
	Balance int
}

func (Wallet[K]) TableName() string { return "wallets" }

// TestSaveTouchesTheRowThatItNames saves rows whose email another row has. That is a
// duplicate key on every database, also where an upsert would take the other row.
func TestSaveTouchesTheRowThatItNames(t *testing.T) {
	t.Parallel()
	t.Run("oid.ID", func(t *testing.T) { testSave(t, func(id oid.ID) oid.ID { return id }) })
	t.Run("oid.For", func(t *testing.T) { testSave(t, func(id oid.ID) oid.For[User] { return oid.For[User](id) }) })
	t.Run("Hex", func(t *testing.T) { testSave(t, func(id oid.ID) sqltype.Hex { return sqltype.Hex(id) }) })
}

func testSave[K ~[12]byte](t *testing.T, key func(oid.ID) K) {
	t.Parallel()
	type wallet = Wallet[K]
	eachDB(t, []any{&wallet{}}, func(t *testing.T, db *gorm.DB) {
		modes := []string{""}
		if db.Dialector.Name() == "mysql" {
			modes = []string{"", "STRICT_TRANS_TABLES", "ANSI_QUOTES,STRICT_ALL_TABLES"}
		}
		for _, mode := range modes {
			undo := db.Begin()
			if db.Dialector.Name() == "mysql" && !strings.Contains(mode, "ANSI") {
				if err := undo.Exec("SET SESSION sql_mode = ?", mode).Error; err != nil {
					t.Fatal(err)
				}
			}
			stored := []wallet{{ID: key(oid.New()), Email: "a@x", Balance: 100}, {ID: key(oid.New()), Email: "b@x", Balance: 100}}
			if err := undo.Create(&stored).Error; err != nil {
				t.Fatal(err)
			}
			for name, save := range map[string]func(db *gorm.DB) *gorm.DB{
				"one": func(db *gorm.DB) *gorm.DB {
					return db.Save(&wallet{ID: key(oid.New()), Email: "a@x", Balance: 2})
				},
				"one without an ID": func(db *gorm.DB) *gorm.DB { return db.Save(&wallet{Email: "a@x", Balance: 2}) },
				"a list": func(db *gorm.DB) *gorm.DB {
					return db.Save([]*wallet{{ID: key(oid.New()), Email: "n@x"}, {ID: key(oid.New()), Email: "b@x", Balance: 2}})
				},
				"a list without IDs": func(db *gorm.DB) *gorm.DB { return db.Save(&[]wallet{{Email: "n@x"}, {Email: "b@x", Balance: 2}}) },
				"omit":               func(db *gorm.DB) *gorm.DB { return db.Omit("Balance").Save(&wallet{ID: key(oid.New()), Email: "a@x"}) },
			} {
				point := undo.SavePoint("p")
				err := save(undo.Session(&gorm.Session{})).Error
				undo.RollbackTo("p")
				var balances []int
				if err := errors.Join(point.Error, undo.Model(&wallet{}).Order("email").Pluck("balance", &balances).Error); err != nil {
					t.Fatal(err)
				}
				if err == nil || len(balances) != 2 || balances[0] != 100 || balances[1] != 100 {
					t.Errorf("sql_mode %q, %s: %v, the balances are %v", mode, name, err, balances)
				}
				if db.Dialector.Name() == "mysql" && !strings.HasSuffix(name, "an ID") && (!errors.Is(err, gorm.ErrDuplicatedKey) || !strings.HasPrefix(err.Error(), "gormplugin.Save(")) {
					t.Errorf("sql_mode %q, %s: %v", mode, name, err)
				}
			}
			fresh := wallet{ID: key(oid.New()), Email: "c@x", Balance: 1}
			if err := undo.Save(&fresh).Error; err != nil {
				t.Errorf("a new row: %v", err)
			}
			fresh.Balance = 2
			list := []wallet{fresh, {Email: "d@x", Balance: 2}}
			if err := undo.Save(&list).Error; err != nil || list[0].ID != fresh.ID {
				t.Errorf("a list of a stored row and a new one: %v, %v", list, err)
			}
			var n int64
			if err := undo.Model(&wallet{}).Where("balance = 2").Count(&n).Error; err != nil || n != 2 {
				t.Errorf("a list of a stored row and a new one: %d rows, %v", n, err)
			}
			byEmail := clause.OnConflict{Columns: []clause.Column{{Name: "email"}}, UpdateAll: true}
			byHand := wallet{ID: key(oid.New()), Email: "a@x", Balance: 7}
			if err := undo.Clauses(byEmail).Create(&byHand).Error; err != nil || byHand.ID != stored[0].ID {
				t.Errorf("an upsert by email: %v, %v", byHand, err)
			}
			if db.Dialector.Name() == "mysql" {
				// Save of one row selects all columns, and skips the hooks.
				for name, tx := range map[string]*gorm.DB{"": undo, " of all columns": undo.Select("*"), " without hooks": undo.Session(&gorm.Session{SkipHooks: true})} {
					byHand = wallet{ID: key(oid.New()), Email: "a@x", Balance: 8}
					if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&byHand).Error; err != nil || byHand.ID != stored[0].ID {
						t.Errorf("an upsert by any column%s: %v, %v", name, byHand, err)
					}
				}
			}
			undo.Rollback()
		}
	}, gormplugin.New(gormplugin.WithModels(&wallet{})))
}

// TestSaveOfOneRowByManyPrograms saves the same new row from many goroutines. Each succeeds.
func TestSaveOfOneRowByManyPrograms(t *testing.T) {
	t.Parallel()
	type wallet = Wallet[oid.ID]
	eachDB(t, []any{&wallet{}}, func(t *testing.T, db *gorm.DB) {
		for range 20 {
			id := oid.New()
			var all sync.WaitGroup
			for n := range 4 {
				all.Go(func() {
					row := wallet{ID: id, Email: fmt.Sprint(id, n), Balance: n}
					err := db.Save(&row).Error
					for err != nil && strings.Contains(err.Error(), "Deadlock") { // as without the plugin
						err = db.Save(&row).Error
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
	})
}
