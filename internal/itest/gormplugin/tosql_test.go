package gormplugin_test

import (
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// TestToSQLCanBeRun sends the SQL that ToSQL prints.
func TestToSQLCanBeRun(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		byID := gormplugin.ToSQL(db, func(tx *gorm.DB) *gorm.DB { return tx.Delete(&Item{}, ids[1]) })
		if tx := db.Exec(byID); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("ToSQL: %d rows, %v\n%s", tx.RowsAffected, tx.Error, byID)
		}
		byList := gormplugin.ToSQL(db, func(tx *gorm.DB) *gorm.DB { return tx.Where("name <> ?", "x").Delete(&Item{}, ids[2:]) })
		if tx := db.Exec(byList); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("by a list: %d rows, %v\n%s", tx.RowsAffected, tx.Error, byList)
		}
		insert := gormplugin.ToSQL(db, func(tx *gorm.DB) *gorm.DB { return tx.Create(&Item{Name: "d"}) })
		if err := db.Exec(insert).Error; err != nil {
			t.Errorf("%v\n%s", err, insert)
		}
		if n := count(t, db, &Item{}); n != 2 {
			t.Errorf("%d rows, want 2", n)
		}
		text := gormplugin.ToSQL(db, func(tx *gorm.DB) *gorm.DB { return tx.Delete(&Item{}, "name = ?", oid.ID{}.Hex()) })
		if tx := db.Exec(text); tx.Error != nil || tx.RowsAffected != 0 {
			t.Errorf("%d rows, %v\n%s", tx.RowsAffected, tx.Error, text)
		}
	})
}
