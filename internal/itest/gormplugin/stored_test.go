package gormplugin_test

import (
	"database/sql"
	"errors"
	"maps"
	"strings"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Stored row has a column of each type that holds IDs.
type Stored struct {
	ID     oid.ID           `gorm:"size:12"`
	Owner  oid.ID           `gorm:"size:12"`
	Option *oid.ID          `gorm:"size:12"`
	Zero   sqltype.ZeroNull `gorm:"size:12"`
	Std    sql.Null[oid.ID] `gorm:"size:12"`
	Typed  oid.For[Spelled] `gorm:"size:12"`
	Hex    sqltype.Hex      `gorm:"size:24"`
	Name   string           `gorm:"size:20;unique"`
}

// storedColumns are the columns of a Stored row that are not its key, and whether
// each can be NULL in a struct.
var storedColumns = map[string]bool{"owner": false, "option": true, "zero": true, "std": true, "typed": false, "hex": false}

// storedWays are the ways to store v in a column of the row named a.
var storedWays = map[string]func(db *gorm.DB, row Stored, column string, v any) error{
	"Update": func(db *gorm.DB, row Stored, column string, v any) error {
		return db.Model(&Stored{}).Where("id = ?", row.ID).Update(column, v).Error
	},
	"UpdateColumn": func(db *gorm.DB, row Stored, column string, v any) error {
		return db.Model(&Stored{}).Where("id = ?", row.ID).UpdateColumn(column, v).Error
	},
	"Updates": func(db *gorm.DB, row Stored, column string, v any) error {
		return db.Model(&Stored{ID: row.ID}).Updates(map[string]any{column: v}).Error
	},
	"Updates of a table's column": func(db *gorm.DB, row Stored, column string, v any) error {
		return db.Model(&Stored{}).Where(row.ID).Updates(map[string]any{strings.ToUpper(column): v}).Error
	},
	"UpdateColumns": func(db *gorm.DB, row Stored, column string, v any) error {
		return db.Model(&Stored{ID: row.ID}).UpdateColumns(map[string]any{column: v}).Error
	},
	"Assign": func(db *gorm.DB, row Stored, column string, v any) error {
		return db.Where("name = ?", "a").Assign(map[string]any{column: v}).FirstOrCreate(&Stored{}).Error
	},
	"ON CONFLICT": func(db *gorm.DB, row Stored, column string, v any) error {
		set := clause.Assignments(map[string]any{column: v})
		return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, DoUpdates: set}).
			Create(&Stored{Name: "a", Hex: sqltype.Hex(row.ID)}).Error
	},
	"Create": func(db *gorm.DB, row Stored, column string, v any) error {
		if err := db.Where("name = ?", "a").Delete(&Stored{}).Error; err != nil {
			return err
		}
		fields := map[string]any{"id": row.ID, "owner": row.ID, "typed": row.ID, "hex": row.ID, "name": "a"}
		fields[column] = v
		return db.Model(&Stored{}).Create(fields).Error
	},
	"Create of a list": func(db *gorm.DB, row Stored, column string, v any) error {
		if err := db.Where("name = ?", "a").Delete(&Stored{}).Error; err != nil {
			return err
		}
		return db.Model(&Stored{}).Create([]map[string]any{{"name": "b"}, {"name": "a", column: v}}).Error
	},
}

// TestWhatIsStoredInAnIDColumnIsAnID shows that Update, maps and ON CONFLICT store
// IDs in the form of the column, and nothing else.
func TestWhatIsStoredInAnIDColumnIsAnID(t *testing.T) {
	t.Parallel()
	opens := maps.Clone(databases)
	for _, e := range mysqlserver.Engines() {
		opens[e.Name+" without strict mode"] = func(t *testing.T) *gorm.DB { return openMySQL(t, e, "&sql_mode=%27%27") }
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, use(t, open(t)), []any{&Stored{}})
			row := Stored{Name: "a"}
			if err := db.Create(&row).Error; err != nil {
				t.Fatal(err)
			}
			for way, store := range storedWays {
				for column, nullable := range storedColumns {
					checkStored(t, db, row, way+" "+column, store, column, nullable)
				}
			}
		})
	}
}

// TestZeroIsNullInAZeroNull stores the zero ID in a column of type sqltype.ZeroNull, in
// every way.
func TestZeroIsNullInAZeroNull(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Stored{}}, func(t *testing.T, db *gorm.DB) {
		for way, store := range storedWays {
			for _, zero := range []any{oid.ID{}, oid.ID{}.Hex(), oid.For[Spelled]{}, &oid.ID{}} {
				tx := db.Begin()
				row := Stored{Name: "a", Zero: sqltype.ZeroNull(oid.New())}
				err := errors.Join(tx.Create(&row).Error, store(tx, row, "zero", zero))
				var n int64
				if err == nil {
					err = tx.Model(&Stored{}).Where("name = ? AND zero IS NULL", "a").Count(&n).Error
				}
				tx.Rollback()
				if err != nil || n != 1 {
					t.Errorf("%s of %T: %d rows, %v", way, zero, n, err)
				}
			}
		}
	})
}

// checkStored stores right and wrong values in a column, each in a transaction that
// is rolled back.
func checkStored(t *testing.T, db *gorm.DB, row Stored, name string, store func(*gorm.DB, Stored, string, any) error, column string, nullable bool) {
	t.Helper()
	id := oid.New()
	var held any = id
	right := map[string]any{
		"oid.ID": id, "*oid.ID": &id, "*any": &held, "For": oid.For[Spelled](id), "ZeroNull": sqltype.ZeroNull(id), "Hex": sqltype.Hex(id),
		"UUID": sqltype.UUID(id), "sql.Null": sql.Null[oid.ID]{V: id, Valid: true},
		"hex": id.Hex(), "bytes": id[:],
	}
	wrong := map[string]any{"7": 7, "0": 0, "true": true, "abc": "abc", "5 bytes": id[:5], "16 bytes": [16]byte{}, "NullInt64": sql.NullInt64{Valid: true}}
	if strings.HasPrefix(name, "Assign") { // GORM takes bytes for a list there, and stores nothing
		delete(right, "bytes")
		delete(wrong, "5 bytes")
		delete(wrong, "16 bytes")
	}
	for kind, v := range right {
		tx := db.Begin()
		err := store(tx, row, column, v)
		var n int64
		if err == nil {
			err = tx.Model(&Stored{}).Where("name = ?", "a").Where(map[string]any{column: id}).Count(&n).Error
		}
		tx.Rollback()
		if err != nil || n != 1 {
			t.Errorf("%s = %s: %d rows, %v", name, kind, n, err)
		}
	}
	if nullable {
		for kind, v := range map[string]any{"nil": nil, "nil *oid.ID": (*oid.ID)(nil), "ZeroNull": sqltype.ZeroNull{}, "sql.Null": sql.Null[oid.ID]{}, "gorm.Expr": gorm.Expr("NULL")} {
			tx := db.Begin()
			if err := store(tx, row, column, v); err != nil {
				t.Errorf("%s = %s: %v", name, kind, err)
			}
			tx.Rollback()
		}
	}
	for kind, v := range wrong {
		tx := db.Begin()
		err := store(tx, row, column, v)
		tx.Rollback()
		if !errors.Is(err, gorm.ErrInvalidData) {
			t.Errorf("%s = %s: %v, want gorm.ErrInvalidData", name, kind, err)
		}
	}
}

// TestStoredExpressionsPass shows that columns, expressions and subqueries are
// stored as they are, and that zero is refused for keys only.
func TestStoredExpressionsPass(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Stored{}}, func(t *testing.T, db *gorm.DB) {
		row := Stored{Name: "a", Owner: oid.New()}
		if err := db.Create(&row).Error; err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]any{
			"gorm.Expr": gorm.Expr("id"), "column": clause.Column{Name: "id"}, "zero": oid.ID{},
			"subquery": db.Table("(?) AS x", db.Model(&Stored{}).Select("id").Where(row.ID)).Select("id"),
		} {
			if err := db.Model(&row).UpdateColumn("typed", v).Error; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, zero := range []any{oid.ID{}, oid.ID{}.Hex(), nil} {
			if err := db.Model(&Stored{}).Where(row.ID).Update("id", zero).Error; !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
				t.Errorf("id = %v: %v, want gorm.ErrPrimaryKeyRequired", zero, err)
			}
		}
		// GORM drops the error of Attrs.
		var made Stored
		err := db.Where(map[string]any{"name": "none"}).Attrs(map[string]any{"owner": 7}).FirstOrCreate(&made).Error
		if found := db.Where("owner = ?", oid.ID{}).Take(&Stored{}, "name = ?", "none").Error; err != nil || found != nil || made.ID.IsZero() {
			t.Errorf("Attrs: %v, %v, want a row of no owner", err, found)
		}
	})
}

// GORM writes the new values into the struct before it sends an UPDATE. If the
// UPDATE fails, the struct must keep its key. Otherwise the next statement by it
// would meet other rows.
func TestFailedUpdateKeepsTheKeyOfTheStruct(t *testing.T) {
	t.Parallel()
	type Keyed struct {
		ID   oid.ID `gorm:"size:12;primaryKey"`
		Name string `gorm:"size:20;unique"`
	}
	eachDB(t, []any{&Keyed{}}, func(t *testing.T, db *gorm.DB) {
		rows := []Keyed{{Name: "a"}, {Name: "b"}}
		if err := db.Create(&rows).Error; err != nil {
			t.Fatal(err)
		}
		for name, update := range map[string]func(row *Keyed) *gorm.DB{
			"zero in a map":       func(row *Keyed) *gorm.DB { return db.Model(row).Updates(map[string]any{"id": oid.ID{}}) },
			"a number":            func(row *Keyed) *gorm.DB { return db.Model(row).Update("id", 7) },
			"NULL":                func(row *Keyed) *gorm.DB { return db.Model(row).UpdateColumn("id", nil) },
			"a struct":            func(row *Keyed) *gorm.DB { return db.Model(row).Select("*").Updates(Keyed{Name: "c"}) },
			"another row's key":   func(row *Keyed) *gorm.DB { return db.Model(row).Update("id", rows[1].ID) },
			"another row's value": func(row *Keyed) *gorm.DB { return db.Model(row).Updates(map[string]any{"name": "b"}) },
		} {
			row := rows[0]
			if err := update(&row).Error; err == nil || row.ID != rows[0].ID {
				t.Errorf("%s: %v, and the key in the struct is %v, want an error and %v", name, err, row.ID, rows[0].ID)
			}
		}
		row, id := rows[0], oid.New()
		if err := db.Model(&row).Update("id", id).Error; err != nil || row.ID != id {
			t.Errorf("Update(id) = %v, and the key in the struct is %v, want %v", err, row.ID, id)
		}
	})
}
