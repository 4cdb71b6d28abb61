package gormplugin_test

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
)

// A Spelled row has a column in mixed case.
type Spelled struct {
	ID    oid.ID `gorm:"size:12"`
	Owner oid.ID `gorm:"size:12;column:OwnerId"`
}

// TestSpellingsOfAConditionAreLookedAt shows that a condition on an ID is known in
// every spelling that MySQL takes, right and wrong.
func TestSpellingsOfAConditionAreLookedAt(t *testing.T) {
	t.Parallel()
	eachMySQL(t, func(t *testing.T, dsn string) {
		db := migrated(t, use(t, open(t, mysql.Open(dsn+"&sql_mode=%27%27"))), []any{&Spelled{}})
		rows := []Spelled{{ID: oid.New()}, {ID: oid.New()}, {ID: oid.New()}}
		for i := range rows {
			rows[i].Owner = rows[i].ID
		}
		if err := db.Create(&rows).Error; err != nil {
			t.Fatal(err)
		}
		type named struct{ ID any }
		for name, where := range map[string]func(db *gorm.DB, v any) *gorm.DB{
			"NULL-safe":                        func(db *gorm.DB, v any) *gorm.DB { return db.Where("id <=> ?", v) },
			"brackets":                         func(db *gorm.DB, v any) *gorm.DB { return db.Where("(id = ?)", v) },
			"CRLF":                             func(db *gorm.DB, v any) *gorm.DB { return db.Where("id\r\n= ?", v) },
			"two spaces":                       func(db *gorm.DB, v any) *gorm.DB { return db.Not("id NOT  IN ?", []any{v}) },
			"quoted":                           func(db *gorm.DB, v any) *gorm.DB { return db.Where("`id`", v) },
			"quoted key of a map":              func(db *gorm.DB, v any) *gorm.DB { return db.Where(map[string]any{"`spelleds`.`id`": v}) },
			"lower case":                       func(db *gorm.DB, v any) *gorm.DB { return db.Where("ownerid = ?", v) },
			"upper case":                       func(db *gorm.DB, v any) *gorm.DB { return db.Where("OWNERID", v) },
			"struct of arguments":              func(db *gorm.DB, v any) *gorm.DB { return db.Where("id = @ID", named{v}) },
			"pointer to a struct of arguments": func(db *gorm.DB, v any) *gorm.DB { return db.Where("id = @ID", &named{v}) },
			"argument given twice": func(db *gorm.DB, v any) *gorm.DB {
				return db.Where("id = @id", sql.Named("id", rows[1].ID), sql.Named("id", v))
			},
			"BETWEEN of names": func(db *gorm.DB, v any) *gorm.DB {
				return db.Where("id BETWEEN @from AND @to", sql.Named("from", v), sql.Named("to", v))
			},
			"BETWEEN of one name": func(db *gorm.DB, v any) *gorm.DB {
				return db.Where("id between @v and @v", map[string]any{"v": v})
			},
			"IN of names": func(db *gorm.DB, v any) *gorm.DB {
				return db.Where("id IN (@a, @b)", sql.Named("a", v), sql.Named("b", v))
			},
			"IN of placeholders":       func(db *gorm.DB, v any) *gorm.DB { return db.Where("id in (?,?)", v, v) },
			"column in brackets":       func(db *gorm.DB, v any) *gorm.DB { return db.Where("(id) IN (?)", v) },
			"both in brackets":         func(db *gorm.DB, v any) *gorm.DB { return db.Where("((`id` ) IN (?))", v) },
			"NOT IN of placeholders":   func(db *gorm.DB, v any) *gorm.DB { return db.Not("(id NOT IN ( ?, ? ))", v, v) },
			"IN of a list and a value": func(db *gorm.DB, v any) *gorm.DB { return db.Where("id in (?, ?)", []any{v}, v) },
			"tuples":                   func(db *gorm.DB, v any) *gorm.DB { return db.Where("(id, OwnerId) IN ?", [][]any{{v, v}}) },
			"tuples in brackets":       func(db *gorm.DB, v any) *gorm.DB { return db.Where("(`id`,ownerid) in (?)", [][]any{{v, v}}) },
			"arrays for tuples":        func(db *gorm.DB, v any) *gorm.DB { return db.Where("(id, OwnerId) IN ?", [][2]any{{v, v}}) },
			"tuples of placeholders":   func(db *gorm.DB, v any) *gorm.DB { return db.Where("(id, OwnerId) IN ((?, ?), (?, ?))", v, v, v, v) },
			"tuples by name": func(db *gorm.DB, v any) *gorm.DB {
				return db.Where("(id, OwnerId) IN @list", sql.Named("list", [][]any{{v, v}}))
			},
			"one tuple": func(db *gorm.DB, v any) *gorm.DB { return db.Where("(id, OwnerId) = (?, ?)", v, v) },
		} {
			var held any = rows[0].ID
			for kind, v := range map[string]any{"id": rows[0].ID, "hex": rows[0].ID.Hex(), "*any": &held} {
				var found []Spelled
				if err := where(db, v).Find(&found).Error; err != nil || len(found) != 1 || found[0].ID != rows[0].ID {
					t.Errorf("%s, %s: %d rows, %v, want the one of the ID", name, kind, len(found), err)
				}
			}
			tx := where(db, 0).Delete(&Spelled{})
			if !errors.Is(tx.Error, gorm.ErrInvalidData) || tx.RowsAffected > 0 {
				t.Errorf("%s, 0: %d rows deleted, %v, want gorm.ErrInvalidData", name, tx.RowsAffected, tx.Error)
			}
		}
		for _, number := range []string{"0", "99999999999999999999", "1234567890123456789012345"} {
			if err := db.Delete(&Spelled{}, number).Error; !errors.Is(err, gorm.ErrInvalidData) {
				t.Errorf("Delete(%s): %v, want gorm.ErrInvalidData", number, err)
			}
		}
		if n := count(t, db, &Spelled{}); n != 3 {
			t.Errorf("%d rows of 3 left", n)
		}
	})
}

// A Prefixed row is in a table that the model names with its database.
type Prefixed struct{ ID oid.ID }

func (Prefixed) TableName() string { return "main.prefixeds" }

func TestTableWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	db := use(t, openSQLite(t))
	if err := db.Exec("CREATE TABLE prefixeds (id blob PRIMARY KEY)").Error; err != nil {
		t.Fatal(err)
	}
	row := Prefixed{}
	if err := db.Create(&row).Error; err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"id", "prefixeds.id", "main.prefixeds.id"} {
		var found []Prefixed
		if err := db.Find(&found, column+" = ?", row.ID.Hex()).Error; err != nil || len(found) != 1 {
			t.Errorf("%s: %d rows, %v", column, len(found), err)
		}
		if err := db.Delete(&Prefixed{}, column+" = ?", 0).Error; !errors.Is(err, gorm.ErrInvalidData) {
			t.Errorf("%s = 0: %v, want gorm.ErrInvalidData", column, err)
		}
	}
}
