package gormplugin_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// TestPageOnGORM runs the code of docs/gorm.md. internal/contract/docs checks that each line of
// the page stands here.
func TestPageOnGORM(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			type User struct {
				gormplugin.ModelFor[User] // ID oid.For[User], CreatedAt, UpdatedAt, DeletedAt
				Name                      string
			}
			type Order struct {
				ID       oid.ID        // the primary key; it needs no tag
				Number   string        `gorm:"uniqueIndex;size:20"`
				UserID   oid.For[User] // the type of the key that it refers to
				User     User
				ParentID sqltype.ZeroNull // the zero ID is stored as NULL
			}
			install := func() error {
				err := db.Use(gormplugin.New(gormplugin.WithModels(&User{}, &Order{}))) // once, right after gorm.Open
				if err != nil {
					return err
				}
				err = db.AutoMigrate(&User{}, &Order{})
				return err
			}
			if err := install(); err != nil {
				t.Fatal(err)
			}

			// What each statement of a block affects.
			var rows []int64
			count := func(tx *gorm.DB) {
				if tx.Error != nil {
					t.Error(tx.Error)
				}
				rows = append(rows, tx.RowsAffected)
			}
			for _, err := range []error{
				db.Callback().Create().Register("page", count), db.Callback().Query().Register("page", count),
				db.Callback().Update().Register("page", count), db.Callback().Delete().Register("page", count),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			block := func(name string, run func() error, want ...int64) {
				t.Helper()
				rows = nil
				if err := run(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if !slices.Equal(rows, want) {
					t.Errorf("%s affected %v rows, want %v", name, rows, want)
				}
			}

			user := User{Name: "Ann"}
			if err := db.Create(&user).Error; err != nil {
				t.Fatal(err)
			}
			from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
			var ids []oid.ID
			var last oid.ID
			var text string
			block("insert", func() error {
				order := Order{Number: "A1001", UserID: user.ID}
				if err := db.Create(&order).Error; err != nil { // order.ID is set before the INSERT is sent
					return err
				}
				orders := []Order{{Number: "A1002", UserID: user.ID}, {Number: "A1003", UserID: user.ID}}
				err := db.Create(&orders).Error // consecutive IDs, one INSERT
				ids, text = []oid.ID{orders[0].ID, orders[1].ID}, order.ID.Hex()
				return err
			}, 1, 2)
			block("past", func() error {
				id, err := oid.NewAt(from)
				if err != nil {
					return err
				}
				err = db.Create(&Order{ID: id, Number: "A0417", UserID: user.ID}).Error
				return err
			}, 1)
			block("list", func() error {
				var orders []Order
				db.Where("id IN ?", ids).Find(&orders)
				db.Where("user_id = ?", user.ID).Find(&orders)
				db.Preload("User").Where(gormplugin.IDs(ids...)).Find(&orders) // no IDs: no rows
				db.Where("id > ?", last).Order("id").Limit(50).Find(&orders)   // the page after last; the zero ID gives the first page
				return nil
			}, 2, 4, 1, 2, 4)
			block("created", func() error {
				var orders []Order
				db.Where(gormplugin.CreatedBetween(from, to)).Find(&orders)
				db.Where(gormplugin.CreatedSince(from)).Where("number LIKE ?", "A%").Find(&orders)
				db.Where(gormplugin.CreatedSince(from, "user_id")).Find(&orders)        // orders whose user was created at or after from
				db.Joins("User", db.Where(gormplugin.CreatedSince(from))).Find(&orders) // the same, by the key of the joined model
				db.Not(gormplugin.CreatedBefore(to)).Find(&orders)                      // Not and Or take these conditions too
				return nil
			}, 4, 4, 4, 4, 0)
			order := Order{Number: "A1003", UserID: user.ID}
			block("upsert", func() error {
				upsert := clause.OnConflict{Columns: []clause.Column{{Name: "number"}}, DoUpdates: clause.AssignmentColumns([]string{"number"})}
				err := db.Clauses(upsert).Create(&order).Error // order.ID is then the ID of the stored row
				if stored := ids[1]; order.ID != stored {
					t.Errorf("the upsert gave %v, want %v", order.ID, stored)
				}
				if err != nil {
					return err
				}
				order := Order{Number: "A1003", UserID: user.ID}
				err = db.Clauses(clause.OnConflict{DoNothing: true}).Create(&order).Error // RowsAffected tells whether the row was skipped
				if !order.ID.IsZero() {
					t.Errorf("the row that was skipped has %v", order.ID)
				}
				rows = nil // databases count an upsert in their own ways
				return err
			})
			block("rules", func() error {
				var taken int64
				db.Model(&Order{}).Where("number = ? AND id <> ?", "A1001", order.ID).Count(&taken) // rule 4: this text is not checked
				ids := ids[:0]
				db.Where("user_id = ?", user.ID).Delete(&Order{}, gormplugin.IDs(ids...)) // rule 3: without IDs, this deletes nothing
				var response []struct{ ID oid.ID }                                        // rule 5: the JSON is the 24 hex digits
				db.Model(&Order{}).Where("user_id = ?", user.ID).Find(&response)
				if taken != 1 {
					t.Errorf("%d orders have the number", taken)
				}
				return nil
			}, 1, 0, 4)
			block("read, update and delete", func() error {
				id, err := oid.Parse(text) // text of a URL
				if err != nil {
					return err
				}
				var order Order
				if err := db.First(&order, id).Error; errors.Is(err, gorm.ErrRecordNotFound) {
					return err // no such order; the zero ID gives this error too
				}
				db.Model(&order).Update("number", "A1004")
				db.Delete(&Order{}, id)
				return nil
			}, 1, 1, 1)
		})
	}
}
