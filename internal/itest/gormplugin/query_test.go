package gormplugin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// TestConditions passes IDs in all the ways that need no repair.
func TestConditions(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		id := ids[1]
		for name, tx := range map[string]*gorm.DB{
			`"id = ?"`:         db.Where("id = ?", id),
			`"id = ?" pointer`: db.Where("id = ?", &id),
			`"id = ?" bytes`:   db.Where("id = ?", id[:]),
			`"id = ?" hex`:     db.Where("id = ?", id.Hex()),
			`"id"`:             db.Where("id", id),
			"named":            db.Where("id = @id", map[string]any{"id": id}),
			"IN":               db.Where("id IN ?", []oid.ID{id, oid.New()}),
			"IN pointers":      db.Where("id IN ?", []*oid.ID{&id}),
			"NOT IN":           db.Where("id NOT IN ?", []oid.ID{ids[0], ids[2]}),
			"tuples":           db.Where("(id, name) IN ?", [][]any{{id, "b"}, {ids[0], "b"}}),
			"greater":          db.Where("id > ? AND id < ?", ids[0], ids[2]),
			"struct":           db.Where(Item{ID: id}),
			"map of list":      db.Where(map[string]any{"id": []oid.ID{id}}),
		} {
			var names []string
			if err := tx.Model(&Item{}).Pluck("name", &names).Error; err != nil || !slices.Equal(names, []string{"b"}) {
				t.Errorf("%s: %q, %v", name, names, err)
			}
		}
	})
}

func TestScanning(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}, &Entry{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		threeEntries(t, db, ids)
		var list []oid.ID
		if err := db.Model(&Item{}).Order("id").Pluck("id", &list).Error; err != nil || !slices.Equal(list, ids) {
			t.Errorf("Pluck: %v, %v", list, err)
		}
		var pointers []*oid.ID
		if err := db.Model(&Item{}).Order("id").Pluck("id", &pointers).Error; err != nil || len(pointers) != 3 || *pointers[2] != ids[2] {
			t.Errorf("Pluck into pointers: %v, %v", pointers, err)
		}
		var refs []sqltype.ZeroNull
		if err := db.Model(&Item{}).Pluck("box_id", &refs).Error; err != nil || len(refs) != 3 || !refs[0].IsZero() {
			t.Errorf("Pluck of NULL: %v, %v", refs, err)
		}
		// GORM scans NULL into the value behind the pointer.
		if err := db.Model(&Item{}).Pluck("box_id", &pointers).Error; !errors.Is(err, oid.ErrSyntax) {
			t.Errorf("Pluck of NULL into pointers: %v", err)
		}
		var small []struct{ ID oid.For[Item] }
		if err := db.Model(&Item{}).Order("id DESC").Scan(&small).Error; err != nil || len(small) != 3 || oid.ID(small[0].ID) != ids[2] {
			t.Errorf("Scan into structs: %v, %v", small, err)
		}
		var one oid.ID
		if err := db.Model(&Item{}).Select("id").Where("name = ?", "b").Row().Scan(&one); err != nil || one != ids[1] {
			t.Errorf("Row.Scan: %v, %v", one, err)
		}
		var distinct int64
		if err := db.Model(&Item{}).Distinct("id").Count(&distinct).Error; err != nil || distinct != 3 {
			t.Errorf("Distinct: %d, %v", distinct, err)
		}
		found, err := gorm.G[Entry](db).Last(context.Background())
		if err != nil || found.ID != ids[2] {
			t.Errorf("Last: %v, %v", found, err)
		}
		var m map[string]any
		if err := db.Model(&Item{}).Where(ids[1]).Take(&m).Error; err != nil || m["name"] != "b" {
			t.Errorf("Take into a map: %v, %v", m, err)
		}
	})
}

// TestScanIntoOneID pins that GORM takes a lone oid.ID for a list to scan rows into.
func TestScanIntoOneID(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		var id oid.ID
		if err := db.Model(&Item{}).Select("id").Where(ids[1]).Scan(&id).Error; err == nil && id == ids[1] {
			t.Error("GORM has learned this: say so in the documentation")
		}
	})
}

// TestStringsThatWouldHoldIDsAreRefused reads the 12 bytes of an ID into strings of the
// program, which is an error. Text of the column or of an expression passes.
func TestStringsThatWouldHoldIDsAreRefused(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		type response struct{ ID, Name string }
		var list []response
		var one response
		var pointers []*struct{ ID *string }
		var plucked []string
		for name, tx := range map[string]*gorm.DB{
			"Find":           db.Model(&Item{}).Find(&list),
			"First":          db.Model(&Item{}).First(&one, ids[1]),
			"pointers":       db.Model(&Item{}).Find(&pointers),
			"Select":         db.Model(&Item{}).Select("name", "id").Find(&list),
			"Select as text": db.Model(&Item{}).Select("name, items.id").Find(&list),
			"Pluck":          db.Model(&Item{}).Pluck("id", &plucked),
			"a list":         db.Model(&Item{}).Select("id").Find(&plucked),
		} {
			if !errors.Is(tx.Error, gorm.ErrInvalidField) || !strings.Contains(fmt.Sprint(tx.Error), "read it into oid.ID") {
				t.Errorf("%s: %v", name, tx.Error)
			}
		}
		if len(list)+len(pointers)+len(plucked) > 0 || one != (response{}) {
			t.Errorf("read %v, %v, %v, %v", list, one, pointers, plucked)
		}
		hex := map[string]string{"postgres": "encode(id, 'hex') AS id", "mysql": "lower(hex(id)) AS id", "sqlite": "lower(hex(id)) AS id"}[db.Name()]
		if err := db.Model(&Item{}).Select(hex, "name").Where(ids[1]).Find(&list).Error; err != nil || len(list) != 1 || list[0].ID != ids[1].Hex() {
			t.Errorf("an expression: %v, %v", list, err)
		}
		if err := db.Model(&Item{}).Select("name").Where(ids[1]).Find(&list).Error; err != nil || len(list) != 1 || list[0] != (response{Name: "b"}) {
			t.Errorf("another column: %v, %v", list, err)
		}
		if err := db.Model(&Item{}).Order("name").Pluck("name", &plucked).Error; err != nil || len(plucked) != 3 {
			t.Errorf("Pluck of another column: %v, %v", plucked, err)
		}
		var digits []struct{ ID oid.ID }
		if err := db.Model(&Item{}).Where(ids[1]).Find(&digits).Error; err != nil || len(digits) != 1 || digits[0].ID != ids[1] {
			t.Errorf("an oid.ID: %v, %v", digits, err)
		}
	})
}

// TestScanGetsTheRawBytes pins a limit. The plugin doesn't see what Scan reads into.
func TestScanGetsTheRawBytes(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		for name, tx := range map[string]*gorm.DB{"Scan": db.Model(&Item{}).Where(ids[1]), "Raw": db.Raw("SELECT id FROM items WHERE id = ?", ids[1])} {
			var scanned []struct{ ID string }
			if err := tx.Scan(&scanned).Error; err != nil || len(scanned) != 1 || scanned[0].ID != string(ids[1][:]) {
				t.Errorf("%s: %q, %v: say so in the documentation", name, scanned, err)
			}
		}
	})
}

// TestMapsWithoutAModel pins that they hold bytes, and that glebarez/sqlite reads them
// only into a list, by Find.
func TestMapsWithoutAModel(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		items := func() *gorm.DB { return db.Table("items").Select("id").Where("id = ?", ids[1]) }
		check := func(name string, m map[string]any, err error) {
			t.Helper()
			if db.Name() == "sqlite" && name != "list" {
				if err == nil || !strings.Contains(err.Error(), "unsupported Scan, storing driver.Value type []uint8 into type *[][]uint8") {
					t.Errorf("%s: %v: say so in the documentation", name, err)
				}
				return
			}
			if b, ok := m["id"].([]byte); err != nil || !ok || string(b) != string(ids[1][:]) {
				t.Errorf("%s: %T %v, %v", name, m["id"], m["id"], err)
			}
		}
		var list []map[string]any
		if err := items().Find(&list).Error; err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		check("list", list[0], nil)
		one, raw, row := map[string]any{}, map[string]any{}, map[string]any{}
		check("single", one, items().Take(&one).Error)
		check("Raw", raw, db.Raw("SELECT id FROM items WHERE id = ?", ids[1]).Scan(&raw).Error)
		rows, err := items().Rows()
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			check("ScanRows", row, db.ScanRows(rows, &row))
		}
	})
}

// TestMaxOfIDs pins that PostgreSQL before 18 has no max for bytea. The first or
// last ID is one ORDER BY away.
func TestMaxOfIDs(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		var last oid.ID
		err := db.Model(&Item{}).Select("max(id)").Row().Scan(&last)
		if db.Name() == "postgres" {
			if err == nil {
				t.Log("this PostgreSQL has it")
			}
		} else if err != nil || last != ids[2] {
			t.Errorf("max: %v, %v", last, err)
		}
		if err := db.Model(&Item{}).Select("id").Order("id DESC").Limit(1).Row().Scan(&last); err != nil || last != ids[2] {
			t.Errorf("ORDER BY: %v, %v", last, err)
		}
	})
}

// TestEveryByteSurvives stores IDs of all byte values over each way to send them.
func TestEveryByteSurvives(t *testing.T) {
	t.Parallel()
	opens := map[string]func(t *testing.T) *gorm.DB{
		"postgres, simple protocol": func(t *testing.T) *gorm.DB {
			return open(t, postgres.New(postgres.Config{DSN: pgserver.Database(t), PreferSimpleProtocol: true}))
		},
	}
	for _, e := range mysqlserver.Engines() {
		opens[e.Name+", interpolated"] = func(t *testing.T) *gorm.DB { return openMySQL(t, e, "&interpolateParams=true") }
		opens[e.Name+", latin1"] = func(t *testing.T) *gorm.DB { return openMySQL(t, e, "&charset=latin1") }
	}
	for name, open := range databases {
		opens[name] = open
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, use(t, open(t)), []any{&Doc{}})
			docs := make([]Doc, 256)
			for i := range docs {
				for j := range docs[i].ID {
					docs[i].ID[j] = byte(i + 7*j)
				}
			}
			if err := db.Create(&docs).Error; err != nil {
				t.Fatal(err)
			}
			var found []Doc
			if err := db.Order("id").Find(&found).Error; err != nil || len(found) != len(docs) {
				t.Fatalf("%d rows, %v", len(found), err)
			}
			for i := range found {
				if found[i].ID[0] != byte(i) || found[i].ID != docs[i].ID {
					t.Errorf("row %d is %v", i, found[i].ID)
				}
				if err := db.First(&Doc{}, docs[i].ID).Error; err != nil {
					t.Errorf("%v: %v", docs[i].ID, err)
				}
			}
		})
	}
}

func TestSerializedIDs(t *testing.T) {
	t.Parallel()
	type Listed struct {
		ID   oid.ID            `gorm:"size:12"`
		List []oid.ID          `gorm:"serializer:json;size:1000"`
		Map  map[string]oid.ID `gorm:"serializer:json;size:1000"`
	}
	eachDB(t, []any{&Listed{}}, func(t *testing.T, db *gorm.DB) {
		id := oid.New()
		row := Listed{List: []oid.ID{id, {}}, Map: map[string]oid.ID{"a": id}}
		if err := db.Create(&row).Error; err != nil {
			t.Fatal(err)
		}
		var found Listed
		if err := db.First(&found, row.ID).Error; err != nil || !slices.Equal(found.List, row.List) || found.Map["a"] != id {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// TestDefaultTag has a key that the database would make if it were left out.
func TestDefaultTag(t *testing.T) {
	t.Parallel()
	type Made struct {
		ID   oid.ID `gorm:"size:12;default:'\\x0102030405060708090a0b0c'"`
		Name string
	}
	type Later struct {
		ID   oid.ID `gorm:"size:12;default:'\\x0102030405060708090a0b0c';oid:-"`
		Name string
	}
	db := migrated(t, use(t, openPostgres(t)), []any{&Made{}, &Later{}})
	rows := []Made{{}, {ID: oid.New()}}
	id := rows[1].ID
	if err := db.Create(&rows).Error; err != nil || rows[0].ID.IsZero() || rows[1].ID != id || !stored(t, db, &Made{}, rows[0].ID) {
		t.Errorf("%v, %v", rows, err)
	}
	later := Later{}
	if err := db.Create(&later).Error; err != nil || later.ID != oid.MustParse("0102030405060708090a0b0c") {
		t.Errorf("left to the database: %v, %v", later.ID, err)
	}
}

// TestTextColumnTakesNoID pins that a text column needs another type than oid.ID.
func TestTextColumnTakesNoID(t *testing.T) {
	t.Parallel()
	type Text struct {
		ID   oid.ID `gorm:"type:char(24)"`
		Name string
	}
	for name, open := range databases {
		if name == "sqlite" {
			continue // it has no types
		}
		db := migrated(t, use(t, open(t)), []any{&Text{}})
		id := zeroByte().New()
		id[3] = 0xff // no text
		if err := db.Create(&Text{ID: id}).Error; err == nil {
			t.Errorf("%s took it", name)
		}
	}
}

// TestHexAloneIsAnID passes a string of digits as the only argument. Without the
// plugin it is a number, which is true for every row.
func TestHexAloneIsAnID(t *testing.T) {
	t.Parallel()
	const digits = "593022350402930471035822"
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, open(t), []any{&Box{}, &Item{}})
			for _, plugin := range []bool{false, true} {
				if plugin {
					use(t, db)
				}
				db.Where("1 = 1").Delete(&Item{})
				if err := db.Create(&[]Item{{ID: oid.MustParse(digits), Name: "a"}, {ID: oid.New(), Name: "b"}}).Error; err != nil {
					t.Fatal(err)
				}
				tx := db.Delete(&Item{}, digits)
				switch {
				case plugin && (tx.Error != nil || tx.RowsAffected != 1):
					t.Errorf("with the plugin: %d rows of 2, %v", tx.RowsAffected, tx.Error)
				case !plugin && name != "postgres" && tx.RowsAffected != 2:
					t.Errorf("without the plugin: %d rows of 2, %v", tx.RowsAffected, tx.Error)
				case !plugin && name == "postgres" && tx.Error == nil:
					t.Errorf("without the plugin: %d rows, no error", tx.RowsAffected)
				}
			}
		})
	}
}

// TestDeleteOfAllNeedsPermission shows that GORM's own guard still stands.
func TestDeleteOfAllNeedsPermission(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		threeItems(t, db)
		for name, tx := range map[string]*gorm.DB{
			"no condition": db.Delete(&Item{}), "zero struct": db.Delete(&Item{ID: oid.ID{}}), "soft": db.Delete(&SoftItem{}),
			"Update": db.Model(&Item{}).Update("name", "x"),
		} {
			if !errors.Is(tx.Error, gorm.ErrMissingWhereClause) {
				t.Errorf("%s: %v", name, tx.Error)
			}
		}
		if got := sent(db, func(db *gorm.DB) { db.Delete(&Item{ID: oid.New()}) }); !strings.Contains(got, "id") {
			t.Errorf("sent %s", got)
		}
	})
}
