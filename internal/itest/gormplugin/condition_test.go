package gormplugin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// An Item is deleted for good, a SoftItem is kept.
type Item struct {
	ID    oid.ID `gorm:"size:12"`
	Name  string
	BoxID *oid.ID `gorm:"size:12"`
	Box   *Box
}

type SoftItem struct {
	ID        oid.ID `gorm:"size:12"`
	Name      string
	DeletedAt gorm.DeletedAt
}

type Box struct {
	ID    oid.ID `gorm:"size:12"`
	Name  string
	Items []Item
}

// zeroByte makes IDs that hold a zero byte each. Their first byte is 'k', which is
// not a digit, so that MySQL takes them for the number 0.
func zeroByte() *oid.Generator {
	return &oid.Generator{
		Process: [5]byte{9, 8, 0, 7, 6},
		Now:     func() time.Time { return time.Unix(0x6b123456, 0) },
	}
}

// threeItems stores items named a, b and c, and as many soft ones of the same IDs.
func threeItems(t *testing.T, db *gorm.DB) []oid.ID {
	t.Helper()
	ids := make([]oid.ID, 3)
	zeroByte().Fill(ids)
	var items []Item
	var soft []SoftItem
	for i, id := range ids {
		name := string(rune('a' + i))
		items = append(items, Item{ID: id, Name: name})
		soft = append(soft, SoftItem{ID: id, Name: name})
	}
	if err := errors.Join(db.Create(&items).Error, db.Create(&soft).Error); err != nil {
		t.Fatal(err)
	}
	return ids
}

// threeEntries stores entries of the IDs, named a, b and c. All statements with generics use the
// type Entry: GORM's methods for a type take two seconds to compile.
func threeEntries(t *testing.T, db *gorm.DB, ids []oid.ID) {
	t.Helper()
	if err := db.Create([]Entry{{ID: ids[0], Name: "a"}, {ID: ids[1], Name: "b"}, {ID: ids[2], Name: "c"}}).Error; err != nil {
		t.Fatal(err)
	}
}

// TestLoneIDWithoutThePlugin shows why the plugin mends conditions. GORM itself
// makes a list of numbers of a single ID.
func TestLoneIDWithoutThePlugin(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, open(t), []any{&Box{}, &Item{}, &SoftItem{}})
			ids := threeItems(t, db)
			first := db.First(&Item{}, ids[1])
			deleted := db.Delete(&Item{}, ids[1])
			switch name {
			case "mysql": // in strict mode, which is its default
				if first.Error != nil || deleted.RowsAffected != 0 || !strings.Contains(fmt.Sprint(deleted.Error), "Error 1292") {
					t.Errorf("First: %v; Delete: %d rows, %v", first.Error, deleted.RowsAffected, deleted.Error)
				}
			case "sqlite":
				if !errors.Is(first.Error, gorm.ErrRecordNotFound) || deleted.RowsAffected != 0 || deleted.Error != nil {
					t.Errorf("First: %v; Delete: %d rows, %v", first.Error, deleted.RowsAffected, deleted.Error)
				}
			case "postgres":
				if first.Error == nil || deleted.Error == nil {
					t.Errorf("First: %v; Delete: %v", first.Error, deleted.Error)
				}
			case "mariadb":
				if first.Error != nil || deleted.RowsAffected != 3 || deleted.Error != nil {
					t.Errorf("First: %v; Delete: %d rows of 3, %v", first.Error, deleted.RowsAffected, deleted.Error)
				}
			}
		})
	}
}

// TestLoneIDIsOneCondition passes an ID as the only argument to every method that
// takes conditions.
func TestLoneIDIsOneCondition(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	names := func(db *gorm.DB) ([]string, error) {
		var list []string
		err := db.Order("name").Pluck("name", &list).Error
		return list, err
	}
	one := func(i Item, err error) ([]string, error) { return []string{i.Name}, err }
	all := func(items []Item, err error) ([]string, error) {
		var list []string
		for _, i := range items {
			list = append(list, i.Name)
		}
		slices.Sort(list)
		return list, err
	}
	entryNames := func(entries []Entry, err error) ([]string, error) {
		var list []string
		for _, e := range entries {
			list = append(list, e.Name)
		}
		slices.Sort(list)
		return list, err
	}
	queries := []struct {
		name string
		run  func(db *gorm.DB, ids []oid.ID) ([]string, error)
		want []string
	}{
		{"First", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var i Item
			err := db.First(&i, ids[1]).Error
			return one(i, err)
		}, []string{"b"}},
		{"Take", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var i Item
			err := db.Take(&i, ids[1]).Error
			return one(i, err)
		}, []string{"b"}},
		{"Last", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var i Item
			err := db.Last(&i, ids[1]).Error
			return one(i, err)
		}, []string{"b"}},
		{"Find", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, ids[1]).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find pointer", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, &ids[1]).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find oid.For", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, oid.For[Item](ids[1])).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find sqltype.ZeroNull", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, sqltype.ZeroNull(ids[1])).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find bson.ObjectID", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			type objectID [12]byte // as the drivers define it
			var list []Item
			err := db.Find(&list, objectID(ids[1])).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find bytes", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, ids[1][:]).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find hex", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, ids[1].Hex()).Error
			return all(list, err)
		}, []string{"b"}},
		{"Find two", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, ids[1], ids[2]).Error
			return all(list, err)
		}, []string{"b", "c"}},
		{"Find list", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, ids[1:]).Error
			return all(list, err)
		}, []string{"b", "c"}},
		{"Find list of one", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Find(&list, ids[1:2]).Error
			return all(list, err)
		}, []string{"b"}},
		{"Where", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(ids[1]))
		}, []string{"b"}},
		{"Not", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Not(ids[1]))
		}, []string{"a", "c"}},
		{"Or", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(ids[0]).Or(ids[1]))
		}, []string{"a", "b"}},
		{"group", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where("name <> ?", "x").Where(db.Where(ids[0]).Or(db.Where(ids[2]).Not(ids[1]))))
		}, []string{"a", "c"}},
		{"subquery", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where("id IN (?)", db.Model(&Item{}).Select("id").Where(ids[1])))
		}, []string{"b"}},
		{"map of bytes", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(map[string]any{"id": ids[1][:]}))
		}, []string{"b"}},
		{"map of id", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(map[string]any{"id": ids[1]}))
		}, []string{"b"}},
		{"map of list", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(map[string]any{"id": ids[1:]}))
		}, []string{"b", "c"}},
		{"map of table and bytes", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(map[string]any{"items.id": ids[1][:]}))
		}, []string{"b"}},
		{"map of alias and bytes", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Table("items AS i").Model(&Item{}).Where(map[string]any{"i.id": ids[1][:]}))
		}, []string{"b"}},
		{"map of relation and bytes", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list []Item
			err := db.Joins("Box").Not(map[string]any{"Box.id": ids[1][:]}).Or(map[string]any{"items.id": ids[1][:]}).Find(&list).Error
			return all(list, err)
		}, []string{"b"}},
		{"struct", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Where(&Item{ID: ids[1]}))
		}, []string{"b"}},
		{"Having", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Select("name").Group("id, name").Having(ids[1]))
		}, []string{"b"}},
		{"scope", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return names(db.Model(&Item{}).Scopes(func(tx *gorm.DB) *gorm.DB { return tx.Where(ids[1]) }))
		}, []string{"b"}},
		{"Rows", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			rows, err := db.Model(&Item{}).Select("name").Where(ids[1]).Rows()
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			var list []string
			for rows.Next() {
				var name string
				if err := rows.Scan(&name); err != nil {
					return nil, err
				}
				list = append(list, name)
			}
			return list, rows.Err()
		}, []string{"b"}},
		{"Row", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var name string
			err := db.Model(&Item{}).Select("name").Where(ids[1]).Row().Scan(&name)
			return []string{name}, err
		}, []string{"b"}},
		{"FindInBatches", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			var list, batch []Item
			err := db.Where(ids[1]).FindInBatches(&batch, 1, func(*gorm.DB, int) error {
				list = append(list, batch...)
				return nil
			}).Error
			return all(list, err)
		}, []string{"b"}},
		{"generic First", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			e, err := gorm.G[Entry](db).Where(ids[1]).First(ctx)
			return []string{e.Name}, err
		}, []string{"b"}},
		{"generic Find", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return entryNames(gorm.G[Entry](db).Where(ids[1]).Or(ids[2]).Find(ctx))
		}, []string{"b", "c"}},
		{"generic Not", func(db *gorm.DB, ids []oid.ID) ([]string, error) {
			return entryNames(gorm.G[Entry](db).Not(ids[1]).Find(ctx))
		}, []string{"a", "c"}},
	}
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}, &Entry{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		threeEntries(t, db, ids)
		for _, q := range queries {
			got, err := q.run(db, ids)
			if err != nil || !slices.Equal(got, q.want) {
				t.Errorf("%s: %q, %v, want %q", q.name, got, err, q.want)
			}
		}
		var n int64
		if err := db.Model(&Item{}).Where(ids[1]).Count(&n).Error; err != nil || n != 1 {
			t.Errorf("Count: %d, %v", n, err)
		}
		if err := gorm.G[Entry](db).Where(ids[1]).Select("name").Scan(ctx, &[]Entry{}); err != nil {
			t.Errorf("generic Scan: %v", err)
		}
	})
}

// TestLoneIDChangesOneRow does the same with updates and deletes.
func TestLoneIDChangesOneRow(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	changes := map[string]func(db *gorm.DB, id oid.ID) (rows int64, err error){
		"Update": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Model(&Item{}).Where(id).Update("name", "x")
			return tx.RowsAffected, tx.Error
		},
		"Updates": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Where(id).Updates(&Item{Name: "x"})
			return tx.RowsAffected, tx.Error
		},
		"UpdateColumn": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Model(&Item{}).Where(id).UpdateColumn("name", "x")
			return tx.RowsAffected, tx.Error
		},
		"Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Delete(&Item{}, id)
			return tx.RowsAffected, tx.Error
		},
		"Delete hex": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Delete(&Item{}, id.Hex())
			return tx.RowsAffected, tx.Error
		},
		"map of table and bytes Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Where(map[string]any{"items.id": id[:]}).Delete(&Item{})
			return tx.RowsAffected, tx.Error
		},
		"clause.Where Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Where(clause.Where{Exprs: db.Session(&gorm.Session{NewDB: true}).Statement.BuildCondition(id)}).Delete(&Item{})
			return tx.RowsAffected, tx.Error
		},
		"Where Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Where(id).Delete(&Item{})
			return tx.RowsAffected, tx.Error
		},
		"soft Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Delete(&SoftItem{}, id)
			return tx.RowsAffected, tx.Error
		},
		"Unscoped Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			tx := db.Unscoped().Delete(&SoftItem{}, id)
			return tx.RowsAffected, tx.Error
		},
		"generic Update": func(db *gorm.DB, id oid.ID) (int64, error) {
			n, err := gorm.G[Entry](db).Where(id).Update(ctx, "name", "x")
			return int64(n), err
		},
		"generic Delete": func(db *gorm.DB, id oid.ID) (int64, error) {
			n, err := gorm.G[Entry](db).Where(id).Delete(ctx)
			return int64(n), err
		},
	}
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}, &Entry{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		threeEntries(t, db, ids)
		for name, change := range changes {
			tx := db.Begin()
			rows, err := change(tx, ids[1])
			if err != nil || rows != 1 {
				t.Errorf("%s: %d rows, %v, want 1", name, rows, err)
			}
			var left []string
			for _, model := range []any{&Item{}, &SoftItem{}, &Entry{}} {
				var names []string
				if err := tx.Model(model).Where("name <> ?", "x").Order("name").Pluck("name", &names).Error; err != nil {
					t.Fatal(err)
				}
				left = append(left, names...)
			}
			slices.Sort(left)
			if !slices.Equal(left, []string{"a", "a", "a", "b", "b", "c", "c", "c"}) {
				t.Errorf("%s: left as they were: %q", name, left)
			}
			tx.Rollback()
		}
	})
}

// TestSubqueryThatIsRefused deletes the rows that are not in the list of a subquery. If the
// subquery is refused, the delete must not hit all rows.
func TestSubqueryThatIsRefused(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		threeItems(t, db)
		ids := func() *gorm.DB { return db.Model(&Item{}).Select("id").Where("id = ?", 7) }
		for name, tx := range map[string]*gorm.DB{
			"Delete":      db.Where("id NOT IN (?)", ids()).Delete(&Item{}),
			"soft Delete": db.Where("id NOT IN (?)", ids()).Delete(&SoftItem{}),
			"Update":      db.Model(&Item{}).Not("id IN (?)", ids()).Update("name", "x"),
			"Find":        db.Where("id IN (?)", ids()).Find(&[]Item{}),
			"Exec":        db.Exec("DELETE FROM items WHERE id NOT IN (?)", ids()),
		} {
			if tx.Error == nil || tx.RowsAffected != 0 {
				t.Errorf("%s: %d rows, %v, want none and an error", name, tx.RowsAffected, tx.Error)
			}
		}
		for _, model := range []any{&Item{}, &SoftItem{}} {
			var n int64
			if db.Model(model).Where("name <> ?", "x").Count(&n); n != 3 {
				t.Errorf("%d rows of 3 left as they were", n)
			}
		}
	})
}

// TestIDIsNoRow passes IDs where GORM takes rows.
func TestIDIsNoRow(t *testing.T) {
	t.Parallel()
	type Token struct { // a row of the form of sql.Null
		ID    oid.ID `gorm:"size:12"`
		Valid bool
	}
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}, &Token{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		for _, value := range []any{ids[0], &ids[0], ids, &ids, oid.For[Item](ids[0]), sqltype.ZeroNull(ids[0])} {
			for _, model := range []any{&Item{}, &SoftItem{}} {
				tx := db.Model(model).Where("name <> ?", "x").Delete(value)
				if !errors.Is(tx.Error, gorm.ErrInvalidData) || tx.RowsAffected != 0 {
					t.Errorf("%T: Delete(%T): %d rows, %v", model, value, tx.RowsAffected, tx.Error)
				}
			}
		}
		tokens := []Token{{}, {}, {}}
		if err := errors.Join(db.Create(&tokens).Error, db.Delete(&tokens[0]).Error, db.Delete(tokens[1:]).Error); err != nil || count(t, db, &Token{}) != 0 {
			t.Errorf("%d rows of 0 left, %v", count(t, db, &Token{}), err)
		}
		if n := count(t, db, &Item{}) + count(t, db, &SoftItem{}); n != 6 {
			t.Errorf("%d rows of 6 left", n)
		}
	})
}

// TestLoneIDForAnotherKeyIsRefused passes an ID where the key is a number or text. Its
// bytes would be the keys of other rows.
func TestLoneIDForAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	type Number struct{ ID uint }
	type Text struct {
		ID string `gorm:"size:24"`
	}
	type Small struct{ ID uint8 }
	eachDB(t, []any{&Number{}, &Text{}, &Small{}}, func(t *testing.T, db *gorm.DB) {
		var id oid.ID
		numbers, texts, keys := make([]Number, len(id)), make([]Text, len(id)), make([]uint8, len(id))
		for i := range id {
			id[i] = byte(i + 1)
			numbers[i].ID, texts[i].ID, keys[i] = uint(id[i]), fmt.Sprint(id[i]), id[i]
		}
		if err := errors.Join(db.Create(&numbers).Error, db.Create(&texts).Error, db.Create(&Small{ID: 7}).Error); err != nil {
			t.Fatal(err)
		}
		for name, tx := range map[string]*gorm.DB{
			"Delete": db.Delete(&Number{}, id), "Delete, typed": db.Delete(&Number{}, oid.For[Text](id)), "Delete by text": db.Delete(&Text{}, id),
			"Delete, hex": db.Delete(&Number{}, sqltype.Hex(id)), "Delete, pointer": db.Delete(&Number{}, &id), "Delete by digits": db.Delete(&Number{}, id.Hex()),
			"Delete by decimal digits": db.Delete(&Number{}, "650000000000000000000000"), "Delete, list": db.Delete(&Number{}, []oid.ID{id}),
			"Delete text by decimal digits": db.Delete(&Text{}, "650000000000000000000000"), "Delete, texts": db.Delete(&Number{}, []string{id.Hex()}), "Where, UUID": db.Where(sqltype.UUID(id)).Delete(&Number{}),
			"Not": db.Not(id).Delete(&Number{}), "Find": db.Find(&[]Number{}, id), "Update": db.Model(&Text{}).Where(id).Update("id", "x"),
		} {
			if !errors.Is(tx.Error, gorm.ErrInvalidData) || tx.RowsAffected != 0 {
				t.Errorf("%s: %d rows, %v, want gorm.ErrInvalidData", name, tx.RowsAffected, tx.Error)
			}
		}
		if a, b := count(t, db, &Number{}), count(t, db, &Text{}); a != len(id) || b != len(id) {
			t.Errorf("%d and %d rows left", a, b)
		}
		if tx := db.Find(&[]Small{}, keys); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("twelve keys of one byte: %d rows, %v, want 1", tx.RowsAffected, tx.Error)
		}
		if tx := db.Find(&[]Number{}, []uint{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}); tx.Error != nil || tx.RowsAffected != 12 {
			t.Errorf("twelve numbers: %d rows, %v, want 12", tx.RowsAffected, tx.Error)
		}
	})
}

// TestTwelveIDsStayAList shows that a list of as many IDs as an ID has bytes is
// no ID.
func TestTwelveIDsStayAList(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}}, func(t *testing.T, db *gorm.DB) {
		items := make([]Item, 13)
		if err := db.Create(&items).Error; err != nil {
			t.Fatal(err)
		}
		var ids []oid.ID
		var pointers []*oid.ID
		for i := range items[:12] {
			ids = append(ids, items[i].ID)
			pointers = append(pointers, &items[i].ID)
		}
		for _, list := range []any{ids, pointers, [12]oid.ID(ids)} {
			var found []Item
			if err := db.Find(&found, list).Error; err != nil || len(found) != 12 {
				t.Errorf("Find(%T): %d items, %v", list, len(found), err)
			}
		}
		tx := db.Where(map[string]any{"id": ids}).Delete(&Item{})
		if tx.Error != nil || tx.RowsAffected != 12 {
			t.Errorf("Delete: %d rows, %v", tx.RowsAffected, tx.Error)
		}
	})
}

// TestEmptyListFindsAll pins that GORM makes no condition of an empty list.
func TestEmptyListFindsAll(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		threeItems(t, db)
		var items []Item
		if err := db.Find(&items, []oid.ID{}).Error; err != nil || len(items) != 3 {
			t.Errorf("Find: %d items, %v", len(items), err)
		}
		if err := db.Delete(&Item{}, []oid.ID{}).Error; !errors.Is(err, gorm.ErrMissingWhereClause) {
			t.Errorf("Delete: %v", err)
		}
	})
}

// TestNilPointerAlonePanics pins a fault of GORM's, which calls Value on it.
// See https://github.com/go-gorm/gorm/issues/1833.
func TestNilPointerAlonePanics(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Box{}, &Item{}})
	defer func() {
		if recover() == nil {
			t.Error("GORM has learned to take a nil pointer: say so in the documentation")
		}
	}()
	db.First(&Item{}, (*oid.ID)(nil))
}

func TestLoneIDInJoinsPreloadAndAssociation(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}}, func(t *testing.T, db *gorm.DB) {
		box, other := Box{Name: "box", Items: []Item{{Name: "a"}, {Name: "b"}}}, Box{Name: "other", Items: []Item{{Name: "c"}}}
		if err := db.Create([]*Box{&box, &other}).Error; err != nil {
			t.Fatal(err)
		}
		b := box.Items[1].ID

		var joined []Item
		if err := db.Joins("Box", db.Where(other.ID)).Order("items.name").Find(&joined).Error; err != nil {
			t.Fatal(err)
		}
		if len(joined) != 3 || joined[0].Box != nil || joined[2].Box == nil || joined[2].Box.ID != other.ID {
			t.Errorf("Joins: %+v", joined)
		}

		var loaded Box
		if err := db.Preload("Items", b).First(&loaded, box.ID).Error; err != nil || len(loaded.Items) != 1 || loaded.Items[0].Name != "b" {
			t.Errorf("Preload: %+v, %v", loaded.Items, err)
		}

		var found []Item
		if err := db.Model(&box).Association("Items").Find(&found, b); err != nil || len(found) != 1 || found[0].Name != "b" {
			t.Errorf("Association: %+v, %v", found, err)
		}
	})
}

// TestRepairLeavesSharedConditionsAlone uses one prepared query in many goroutines.
func TestRepairLeavesSharedConditionsAlone(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		prepared := db.Where("name <> ?", "x").Where(db.Where(ids[1]).Or(ids[2])).Session(&gorm.Session{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 {
					var items []Item
					if err := prepared.Find(&items).Error; err != nil || len(items) != 2 {
						t.Errorf("%d items, %v", len(items), err)
					}
				}
			})
		}
		wg.Wait()
	})
}
