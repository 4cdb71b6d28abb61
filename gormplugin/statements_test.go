package gormplugin_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A statement is what a program calls, and what GORM sends of it: the SQL, or the error.
type statement struct {
	name string
	tx   *gorm.DB
	want string
}

// TestWhatStatementsSend shows the SQL that statements with IDs become, apart from those of
// TestWhatConditionsSend. A row is a subtest, such as TestWhatStatementsSend/updates/Update,_zero.
func TestWhatStatementsSend(t *testing.T) {
	db := openDry(t, gormplugin.New())
	for name, rows := range map[string][]statement{
		"joins":      joinStatements(db),
		"tables":     tableStatements(db),
		"refusals":   refusedStatements(db),
		"having":     havingStatements(db),
		"updates":    updateStatements(db),
		"upserts":    upsertStatements(db),
		"maps":       mapStatements(db),
		"deletes":    deleteStatements(db),
		"subqueries": subqueryStatements(db),
		"models":     modelStatements(db),
		"zero":       zeroStatements(db),
		"ranges":     rangeStatements(db),
		"lists":      listStatements(db),
	} {
		t.Run(name, func(t *testing.T) {
			for _, tt := range rows {
				t.Run(tt.name, func(t *testing.T) {
					if got := sentBy(tt.tx); got != tt.want {
						t.Errorf("sent %s\nwant %s", got, tt.want)
					}
				})
			}
		})
	}
}

// Joins by relations, in SQL, and in clauses.
func joinStatements(db *gorm.DB) []statement {
	hex := map[string]any{"id": a.Hex()}
	on, onHex := joinBy("id", a), joinBy("boss_id", a.Hex())
	return []statement{
		{"join", db.Select("1").Joins("Owner", db.Where(hex)).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id AND Owner.id = A"},
		{"join, right", db.Select("1").Joins("Owner", db.Where(a)).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id AND Owner.id = A"},
		{"join, bad", db.Select("1").Joins("Owner", db.Where("id = ?", 7)).Find(&[]pet{}), notID("person.ID", "int")},
		{"nested join", db.Select("1").Joins("Owner").Joins("Owner.Boss", db.Where(hex)).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id,Owner__Boss.id AS Owner__Boss__id,Owner__Boss.boss_id AS Owner__Boss__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id LEFT JOIN people Owner__Boss ON Owner.boss_id = Owner__Boss.id AND Owner__Boss.id = A"},
		{"join without a condition", db.Select("1").Joins("Owner").Find(&[]pet{}, hex), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id WHERE pets.id = A"},
		{"clause of joins", db.Clauses(clause.From{Joins: []clause.Join{on, onHex}}).Find(&[]pet{}), "SELECT pets.id,pets.name,pets.owner_id,pets.typed,pets.text,pets.option,pets.maybe FROM pets JOIN people ON people.id = A JOIN people ON people.boss_id = A"},
		{"clause of joins, right", db.Clauses(clause.From{Joins: []clause.Join{on}}).Find(&[]pet{}), "SELECT pets.id,pets.name,pets.owner_id,pets.typed,pets.text,pets.option,pets.maybe FROM pets JOIN people ON people.id = A"},

		{"join, by its name", db.Select("1").Joins("Owner", db.Where(map[string]any{"Owner.id": a.Hex()})).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id AND Owner.id = A"},
		{"join, the key", db.Select("1").Joins("Owner", db.Where(clause.Eq{Column: clause.PrimaryColumn, Value: a})).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id AND Owner.id = A"},
		{"join in SQL", db.Select("1").Joins("JOIN people p ON p.id = pets.owner_id", db.Where("id = ?", 7)).Find(&[]pet{}), "SELECT 1 FROM pets JOIN people p ON p.id = pets.owner_id"},
		{"join, condition on another table", db.Select("1").Joins("Owner").Where("others.id = ?", 7).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id WHERE others.id = 7"},
		{"join without a model", db.Table("pets").Joins("Owner", db.Where("others.id = ?", 7)).Find(&[]map[string]any{}), "SELECT * FROM pets Owner"},
	}
}

func joinBy(column string, value any) clause.Join {
	eq := clause.Eq{Column: clause.Column{Table: "people", Name: column}, Value: value}
	return clause.Join{Table: clause.Table{Name: "people"}, ON: clause.Where{Exprs: []clause.Expression{eq}}}
}

// Statements without a model.
func tableStatements(db *gorm.DB) []statement {
	return []statement{
		{"query of a table", db.Table("pets").Where("others.id = ?", 7).Find(&[]map[string]any{}), "SELECT * FROM pets WHERE others.id = 7"},
		{"query of a table by a column", db.Table("pets").Where(clause.Eq{Column: clause.Column{Table: "others", Name: "id"}, Value: 7}).Find(&[]map[string]any{}), "SELECT * FROM pets WHERE others.id = 7"},
		{"Update of a table", db.Table("pets").Where("others.id = ?", 7).Update("name", "x"), `UPDATE pets SET name="x" WHERE others.id = 7`},
		{"Create in a table", db.Table("pets").Create(map[string]any{"name": "x"}), `INSERT INTO pets (name) VALUES ("x")`},
		{"Delete from a table", db.Table("pets").Where("name = ?", "x").Delete(nil), `DELETE FROM pets WHERE name = "x"`},
		{"Delete of an ID from a table", db.Table("pets").Delete(a), "WHERE conditions required"},
	}
}

// Several conditions, of which some are refused.
func refusedStatements(db *gorm.DB) []statement {
	pets := func() *gorm.DB { return db.Model(&pet{}) }
	return []statement{
		{"the second refused", db.Where("name = ?", "x").Where("id = ?", 7).Find(&[]pet{}), notID("pet.ID", "int")},
		{"two refused", db.Where("id = ?", 7).Where("text = ?", true).Find(&[]pet{}), notID("pet.ID", "int")},
		{"two refused, Update", pets().Where("id = ?", 7).Where("text = ?", true).Update("name", "x"), notID("pet.ID", "int")},
		{"a subquery refused after a name", db.Where("name = ?", "x").Where("id IN (?)", pets().Select("id").Where("id = ?", 7)).Find(&[]pet{}), notID("pet.ID", "int")},
	}
}

// HAVING.
func havingStatements(db *gorm.DB) []statement {
	pets := func() *gorm.DB { return db.Model(&pet{}) }
	eq := func(column string, value any) clause.Expression { return clause.Eq{Column: column, Value: value} }
	return []statement{
		{"HAVING", pets().Select("text").Group("text").Having(eq("text", a)).Find(&[]pet{}), `SELECT text FROM pets GROUP BY text HAVING text = "a"`},
		{"HAVING, right", pets().Select("id").Group("id").Having(eq("id", a)).Find(&[]pet{}), "SELECT id FROM pets GROUP BY id HAVING id = A"},
		{"HAVING, bad", pets().Select("id").Group("id").Having(eq("id", 7)).Find(&[]pet{}), notID("pet.ID", "int")},
	}
}

// Updates.
func updateStatements(db *gorm.DB) []statement {
	pets := func() *gorm.DB { return db.Model(&pet{}) }
	held := a
	return []statement{
		{"Update", pets().Where(a).Update("text", b), `UPDATE pets SET text="b" WHERE pets.id = A`},
		{"Update, right", pets().Where(a).Update("owner_id", b), "UPDATE pets SET owner_id=B WHERE pets.id = A"},
		{"Update, NULL", pets().Where(a).Update("owner_id", nil), "UPDATE pets SET owner_id=NULL WHERE pets.id = A"},
		{"Update, number", pets().Where(a).Update("owner_id", 7), "gormplugin.Update(pet.OwnerID): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Update, zero", pets().Where(a).Update("owner_id", oid.ID{}), "UPDATE pets SET owner_id=ZERO WHERE pets.id = A"},
		{"Update of the key", pets().Where(a).Update("id", b.Hex()), "UPDATE pets SET id=B WHERE pets.id = A"},
		{"Update of the key, zero", pets().Where(a).Update("id", oid.ID{}), `gormplugin.Update(pet.ID): this would set the key to zero: leave the key out with Omit("ID"): primary key required`},
		{"Update of the key, zero as text", pets().Where(a).Update("id", oid.ID{}.Hex()), `gormplugin.Update(pet.ID): this would set the key to zero: leave the key out with Omit("ID"): primary key required`},
		{"Update of the key, NULL", pets().Where(a).Update("id", nil), `gormplugin.Update(pet.ID): this would set the key to zero: leave the key out with Omit("ID"): primary key required`},
		{"Update, expression", pets().Where(a).Update("owner_id", gorm.Expr("id")), "UPDATE pets SET owner_id=id WHERE pets.id = A"},
		{"Update, subquery", pets().Where(a).Update("owner_id", db.Model(&person{}).Select("id").Where(b)), "UPDATE pets SET owner_id=(SELECT id FROM people WHERE people.id = B) WHERE pets.id = A"},
		{"Updates, map", pets().Where(a).Updates(map[string]any{"name": 7, "option": b.Hex(), "text": b}), `UPDATE pets SET name=7,option=B,text="b" WHERE pets.id = A`},
		{"Updates, bad map", pets().Where(a).Updates(map[string]any{"name": "x", "text": 7}), "gormplugin.Update(pet.Text): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Updates, struct", pets().Where(a).Updates(pet{Text: sqltype.Hex(b)}), `UPDATE pets SET text="b" WHERE pets.id = A`},
		{"Updates of a row", db.Model(&pet{ID: a}).Updates(map[string]any{"text": b}), `UPDATE pets SET text="b" WHERE id = A`},
		{"Update, empty list", pets().Where(a).Update("owner_id", []any{}), "gormplugin.Update(pet.OwnerID): []interface {} of length 0 is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Update, list", pets().Where(a).Update("owner_id", []any{7}), "gormplugin.Update(pet.OwnerID): []interface {} of length 1 is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Update, numbers", pets().Where(a).Update("owner_id", []int{7}), "gormplugin.Update(pet.OwnerID): []int of length 1 is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Update, 12 numbers", pets().Where(a).Update("owner_id", [12]int8{}), "gormplugin.Update(pet.OwnerID): [12]int8 is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Update of rows", db.Model(&[]pet{{ID: a}, {ID: b}}).Update("name", "x"), `UPDATE pets SET name="x" WHERE id IN (A,B)`},
		{"Update of a row with a pointer", db.Model(&optional{ID: &held}).Updates(map[string]any{"name": "x"}), `UPDATE optionals SET name="x" WHERE id = A`},
		{"Updates of a struct with a pointer", db.Updates(&optional{ID: &held, Name: "y"}), `UPDATE optionals SET name="y" WHERE id = A`},
		{"Update of a pointer, number", db.Model(&optional{}).Where("id = ?", held).Update("id", 7), "gormplugin.Update(optional.ID): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"Update, bad condition", pets().Where("id = ?", 7).Update("name", "x"), notID("pet.ID", "int")},
		{"Update, zero condition", pets().Where("id = ?", oid.ID{}).Update("name", "x"), `UPDATE pets SET name="x" WHERE id = ZERO`},
		{"Update, no condition", pets().Update("name", "x"), "WHERE conditions required"},
	}
}

// Upserts.
func upsertStatements(db *gorm.DB) []statement {
	eq := func(column string, value any) clause.Expression { return clause.Eq{Column: column, Value: value} }
	where := func(exprs ...clause.Expression) clause.Where { return clause.Where{Exprs: exprs} }
	return []statement{
		{"upsert", db.Clauses(clause.OnConflict{
			Columns:     []clause.Column{{Name: "text"}},
			TargetWhere: where(eq("option", a.Hex())),
			Where:       where(eq("typed", a.Hex())),
			DoUpdates:   clause.Assignments(map[string]any{"text": b}),
		}).Select("ID").Create(&pet{ID: a}), `INSERT INTO pets (id) VALUES (A) ON CONFLICT (text)  WHERE option = A DO UPDATE SET text="b" WHERE typed = A `},
		{"upsert, right", db.Clauses(clause.OnConflict{
			Columns:     []clause.Column{{Name: "text"}},
			TargetWhere: where(eq("option", a)),
			Where:       where(eq("typed", a)),
			DoUpdates:   clause.Assignments(map[string]any{"option": b}),
		}).Select("ID").Create(&pet{ID: a}), "INSERT INTO pets (id) VALUES (A) ON CONFLICT (text)  WHERE option = A DO UPDATE SET option=B WHERE typed = A "},
		{"upsert, bad assignment", db.Clauses(clause.OnConflict{DoUpdates: clause.Assignments(map[string]any{"text": 7})}).Create(&pet{ID: a}), "gormplugin.Update(pet.Text): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"upsert, bad target", db.Clauses(clause.OnConflict{TargetWhere: where(eq("text", 7)), DoNothing: true}).Create(&pet{ID: a}), notID("pet.Text", "int")},
		{"upsert, bad condition", db.Clauses(clause.OnConflict{Where: where(eq("text", 7)), DoNothing: true}).Create(&pet{ID: a}), notID("pet.Text", "int")},
	}
}

// Rows in maps.
func mapStatements(db *gorm.DB) []statement {
	pets := func() *gorm.DB { return db.Model(&pet{}) }
	held := a
	heldText := a.Hex()
	return []statement{
		{"map", pets().Create(map[string]any{"id": a, "text": b}), `INSERT INTO pets (id,text) VALUES (A,"b")`},
		{"map, right", pets().Create(map[string]any{"id": a, "owner_id": b}), "INSERT INTO pets (id,owner_id) VALUES (A,B)"},
		{"map, hex", pets().Create(map[string]any{"id": a.Hex(), "text": b.Hex()}), `INSERT INTO pets (id,text) VALUES (A,"b")`},
		{"map, bytes", pets().Create(map[string]any{"id": a[:], "name": "x"}), `INSERT INTO pets (id,name) VALUES (A,"x")`},
		{"map, pointer to an ID", pets().Create(map[string]any{"id": &held}), "INSERT INTO pets (id) VALUES (A)"},
		{"map, pointer to text", pets().Create(map[string]any{"id": &heldText}), "INSERT INTO pets (id) VALUES (A)"},
		{"map, number for a key", pets().Create(map[string]any{"id": 7}), "gormplugin.Create(pet.ID): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"map, bad text for a key", pets().Create(map[string]any{"id": "A1001"}), "gormplugin.Create(pet.ID): text of 5 bytes is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"map, number", pets().Create(map[string]any{"id": a, "text": 7}), "gormplugin.Create(pet.Text): int is not an ID: pass an ID or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"},
		{"map, zero elsewhere", pets().Create(map[string]any{"id": a, "text": oid.ID{}}), `INSERT INTO pets (id,text) VALUES (A,"000000000000000000000000")`},
		{"map, bytes of a named type", pets().Create(map[string]any{"id": rawID(a[:])}), "INSERT INTO pets (id) VALUES (A)"},
		{"map, rows with one ID in common", pets().Create([]map[string]any{{"id": a, "owner_id": nil}, {"id": b, "owner_id": a.Hex()}}), "INSERT INTO pets (id,owner_id) VALUES (A,NULL),(B,A)"},
		{"map, subquery in a list", pets().Create(map[string]any{"id": a, "owner_id": []any{db.Model(&person{}).Select("id").Where(b)}}), "INSERT INTO pets (id,owner_id) VALUES (A,(SELECT id FROM people WHERE people.id = B))"},
		{"map, subquery in a struct", pets().Create(map[string]any{"id": a, "owner_id": struct{ *gorm.DB }{db.Model(&person{}).Select("id").Where(b)}}), "INSERT INTO pets (id,owner_id) VALUES (A,SELECT id FROM people WHERE people.id = B)"},
		{"map, expression", pets().Create(map[string]any{"id": gorm.Expr("new_id()")}), "INSERT INTO pets (id) VALUES (new_id())"},
		{"map, nil", pets().Create([]map[string]any{{"id": a}, nil}), "gormplugin.Create([]map[string]interface {}): a row is a nil map: unsupported data"},
		{"maps", pets().Create([]map[string]any{{"id": a, "text": sqltype.Hex(a)}, {"id": b, "text": b}}), `INSERT INTO pets (id,text) VALUES (A,"a"),(B,"b")`},
		{"pointer to maps", pets().Create(&[]map[string]any{{"id": a, "option": a}, {"id": b, "option": nil}}), "INSERT INTO pets (id,option) VALUES (A,A),(B,NULL)"},
		{"pointer to a map", pets().Create(&map[string]any{"id": a, "text": a}), `INSERT INTO pets (id,text) VALUES (A,"a")`},
	}
}

// Deletes.
func deleteStatements(db *gorm.DB) []statement {
	pets := func() *gorm.DB { return db.Model(&pet{}) }
	held := a
	return []statement{
		{"Delete by ID", db.Delete(&pet{}, a), "DELETE FROM pets WHERE pets.id = A"},
		{"Delete of a row", db.Delete(&pet{ID: a}), "DELETE FROM pets WHERE pets.id = A"},
		{"Delete of rows", db.Delete(&[]pet{{ID: a}, {ID: b}}), "DELETE FROM pets WHERE pets.id IN (A,B)"},
		{"Delete of pointers to rows", db.Delete([]*pet{{ID: a}, {ID: b}}), "DELETE FROM pets WHERE pets.id IN (A,B)"},
		{"Delete of an array of rows", db.Delete(&[2]pet{{ID: a}, {ID: b}}), "DELETE FROM pets WHERE pets.id IN (A,B)"},
		{"Delete of nothing", pets().Where(a).Delete(nil), "DELETE FROM pets WHERE pets.id = A"},
		{"Delete of nothing without a model", db.Delete(nil), `unsupported data type: <nil>`},
		{"Delete of rows of any type", pets().Where(a).Delete([]any{pet{ID: b}}), "gormplugin.Delete([]interface {}): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of a row that looks like an option", db.Delete(&flagged{ID: a}), "DELETE FROM flaggeds WHERE flaggeds.id = A"},
		{"Delete of an option", pets().Where(a).Delete(sql.Null[oid.ID]{V: b, Valid: true}), "gormplugin.Delete(sql.Null[github.com/oidkit/oidkit/oid.ID]): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of a number of another key", db.Model(&numbered{}).Where("id = ?", 1).Delete(7), "DELETE FROM numbereds WHERE id = 1"},
		{"Delete of an ID of a model", pets().Delete(a), "gormplugin.Delete(oid.ID): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of a pointer to an ID", pets().Delete(&held), "gormplugin.Delete(*oid.ID): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of IDs", pets().Delete([]oid.ID{a, b}), "gormplugin.Delete([]oid.ID): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of a number", pets().Delete(7), "gormplugin.Delete(int): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of text", pets().Delete("x"), "gormplugin.Delete(string): this is not a row: write Delete(&pet{}, id): unsupported data"},
		{"Delete of a map", pets().Where(b).Delete(map[string]any{"id": a}), "DELETE FROM pets WHERE pets.id = B AND pets.id = A"},
		{"Delete of a part of a row", pets().Where(a).Delete(&struct{ ID oid.ID }{a}), "DELETE FROM pets WHERE pets.id = A AND pets.id = A"},
		{"Delete of two fields of a row", pets().Where(b).Delete(&struct {
			ID   oid.ID
			Name string
		}{a, "x"}), `DELETE FROM pets WHERE pets.id = B AND pets.id = A`},
		{"Delete of nothing after an error", failed(db.Session(&gorm.Session{}), schema.ErrUnsupportedDataType).Delete(nil), "unsupported data type"},
		{"Delete of an ID without a model", db.Delete(a), `unsupported data type: 65b3f7a20000000000000001: Table not set, please set it like: db.Model(&user) or db.Table("users") (this is an ID, not a model: write Delete(&User{}, id))`},
		{"Delete of a pointer to an ID without a model", db.Delete(&held), `unsupported data type: 65b3f7a20000000000000001: Table not set, please set it like: db.Model(&user) or db.Table("users") (this is an ID, not a model: write Delete(&User{}, id))`},
		{"Delete of a number without a model", db.Delete(7), `unsupported data type: 7: Table not set, please set it like: db.Model(&user) or db.Table("users")`},
		{"Delete by a number", db.Delete(&pet{}, 7), notID("pet.ID", "int")},
		{"Delete by zero", db.Delete(&pet{}, oid.ID{}), "DELETE FROM pets WHERE pets.id = ZERO"},
	}
}

// Subqueries that are refused, in SQL of the program.
func subqueryStatements(db *gorm.DB) []statement {
	pets := func() *gorm.DB { return db.Model(&pet{}) }
	return []statement{
		{"Raw", db.Raw("SELECT * FROM pets WHERE id IN (?)", pets().Select("id").Where("id = ?", 7)).Find(&[]pet{}), notID("pet.ID", "int")},
		{"Raw, right", db.Raw("SELECT * FROM pets WHERE id IN (?)", pets().Select("id").Where("id = ?", a)).Find(&[]pet{}), "SELECT * FROM pets WHERE id IN (SELECT id FROM pets WHERE id = A)"},
		{"Raw, conditions that GORM ignores", db.Raw("DELETE FROM pets").Where("id = ?", 7).Delete(&pet{}), "DELETE FROM pets"},
		{"Raw, after an error", failed(db.Raw("SELECT * FROM pets WHERE id IN (?)", pets().Select("id").Where("id = ?", 7)), errors.New("failed before")).Find(&[]pet{}), "failed before"},
		{"Exec", db.Exec("DELETE FROM pets WHERE id IN (?)", pets().Select("id").Where("id = ?", 7)), notID("pet.ID", "int")},
	}
}

// Models without a key, in another database, and with a type without methods.
func modelStatements(db *gorm.DB) []statement {
	return []statement{
		{"no key", db.Find(&[]keyless{}, a), "SELECT * FROM keylesses WHERE keylesses.owner = A"},
		{"database", db.Where("prefixeds.id = ?", a.Hex()).Find(&[]prefixed{}), "SELECT * FROM main.prefixeds WHERE prefixeds.id = A"},
		{"database, in full", db.Where("main.prefixeds.id = ?", a.Hex()).Find(&[]prefixed{}), "SELECT * FROM main.prefixeds WHERE main.prefixeds.id = A"},
		{"three parts", db.Where("thirds.id = ?", a.Hex()).Find(&[]third{}), "SELECT * FROM one.two.thirds WHERE thirds.id = A"},
		{"another key of bytes", db.Where("id = ?", 7).Find(&[]wideKey{}), "SELECT * FROM wide_keys WHERE id = 7"},
		{"an ID in JSON", db.Where("kept = ?", 7).Find(&[]serialized{}), "SELECT * FROM serializeds WHERE kept = 7"},
		{"zero for a typed key", db.Where("id = ?", oid.ID{}).Find(&[]typed{}), "SELECT * FROM typeds WHERE id = ZERO"},
		{"key in the second place", db.Find(&[]second{}, a), "SELECT * FROM seconds WHERE seconds.id = A"},
		{"no key and one column", db.Find(&[]alone{}, a), "SELECT * FROM alones WHERE alones.x = A"},
		{"no column", db.Find(&[]columnless{}, a), "model accessible fields required"},
		{"column of one letter", db.Where("x = ?", a.Hex()).Find(&[]alone{}), "SELECT * FROM alones WHERE x = A"},
		{"column in mixed case", db.Where("ownerkey = ?", a.Hex()).Find(&[]mixed{}), "SELECT * FROM mixeds WHERE ownerkey = A"},
		{"Like of bare bytes", db.Where(clause.Like{Column: "code", Value: a.Hex()}).Find(&[]coded{}), "SELECT * FROM codeds WHERE code LIKE A"},
		{"Like of a new type", db.Where(clause.Like{Column: "id", Value: a.Hex()}).Find(&[]fresh{}), "SELECT * FROM freshes WHERE id LIKE A"},
		{"Like of a known type", db.Where(clause.Like{Column: "id", Value: a.Hex()}).Find(&[]fresh{}), "SELECT * FROM freshes WHERE id LIKE A"},
		{"bare bytes", db.Where("code = ?", a.Hex()).Find(&[]coded{}), "SELECT * FROM codeds WHERE code = A"},
	}
}

// Queries by zero, which are not found.
func zeroStatements(db *gorm.DB) []statement {
	return []statement{
		{"First by zero", db.First(&pet{}, oid.ID{}), "SELECT * FROM pets WHERE pets.id = ZERO ORDER BY pets.id LIMIT 1"},
		{"Row by zero", db.Model(&pet{}).Where("id = ?", oid.ID{}).Count(new(int64)), "SELECT count(*) FROM pets WHERE id = ZERO"},
	}
}

// Ranges of time.
func rangeStatements(db *gorm.DB) []statement {
	noon := time.Unix(0x65b3f7a2, 500_000_000).UTC()
	return []statement{
		{"CreatedBetween", db.Where(gormplugin.CreatedBetween(noon, noon.Add(time.Hour))).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.id >= x'65b3f7a20000000000000000' AND pets.id < x'65b405b30000000000000000')"},
		{"CreatedSince", db.Where(gormplugin.CreatedSince(noon)).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.id >= x'65b3f7a20000000000000000')"},
		{"CreatedBefore", db.Where(gormplugin.CreatedBefore(noon)).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.id < x'65b3f7a30000000000000000')"},
		{"a zero bound of a column that can be NULL", db.Where(gormplugin.CreatedBefore(time.Time{}, "option")).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.option < ZERO)"},
		{"range of a column", db.Where(gormplugin.CreatedSince(noon, "text")).Find(&[]pet{}), `SELECT * FROM pets WHERE (pets.text >= "65b3f7a20000000000000000")`},
		{"range of a field", db.Where(gormplugin.CreatedSince(noon, "OwnerID")).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.owner_id >= x'65b3f7a20000000000000000')"},
		{"range of a column of a table", db.Where(gormplugin.CreatedSince(noon, "pets.typed")).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.typed >= x'65b3f7a20000000000000000')"},
		{"range of a relation", db.Select("1").Joins("Owner").Where(gormplugin.CreatedSince(noon, "Owner.ID")).Find(&[]pet{}), "SELECT 1,Owner.id AS Owner__id,Owner.boss_id AS Owner__boss_id FROM pets LEFT JOIN people Owner ON pets.owner_id = Owner.id WHERE (Owner.id >= x'65b3f7a20000000000000000')"},
		{"range of an unknown table", db.Where(gormplugin.CreatedSince(noon, "others.id")).Find(&[]pet{}), "SELECT * FROM pets WHERE (others.id >= x'65b3f7a20000000000000000')"},
		{"range of an unknown column", db.Where(gormplugin.CreatedSince(noon, "weight")).Find(&[]pet{}), "gormplugin.CreatedSince(weight): in the table pets, this is not a column of IDs: invalid field"},
		{"range of names", db.Where(gormplugin.CreatedSince(noon, "name")).Find(&[]pet{}), "gormplugin.CreatedSince(name): in the table pets, this is not a column of IDs: invalid field"},
		{"range of two columns", db.Where(gormplugin.CreatedSince(noon, "id", "text")).Find(&[]pet{}), "gormplugin.CreatedSince(id, text): in the table pets, this is not a column of IDs: invalid field"},
		{"range of a composite key", db.Where(gormplugin.CreatedSince(noon)).Find(&[]pair{}), "gormplugin.CreatedSince(primary key): the key of the model is not one column: name the column in the condition: invalid field"},
		{"range without a model", db.Table("pets").Where(gormplugin.CreatedSince(noon, "id")).Find(&[]map[string]any{}), "SELECT * FROM pets WHERE (pets.id >= x'65b3f7a20000000000000000')"},
		{"range of the key without a model", db.Table("pets").Where(gormplugin.CreatedSince(noon)).Find(&[]map[string]any{}), "gormplugin.CreatedSince(primary key): the statement has no model: name the column, or call db.Model: invalid field"},
		{"range in Where", db.Where(gormplugin.CreatedSince(noon)).Find(&[]pet{}), "SELECT * FROM pets WHERE (pets.id >= x'65b3f7a20000000000000000')"},
		{"range in Not", db.Not(gormplugin.CreatedBetween(noon, noon.Add(time.Hour))).Find(&[]pet{}), "SELECT * FROM pets WHERE NOT (pets.id >= x'65b3f7a20000000000000000' AND pets.id < x'65b405b30000000000000000')"},
		{"range in Or", db.Where("name = ?", "x").Or(gormplugin.CreatedSince(noon)).Find(&[]pet{}), `SELECT * FROM pets WHERE name = "x" OR (pets.id >= x'65b3f7a20000000000000000')`},
	}
}

// Lists that can be empty.
func listStatements(db *gorm.DB) []statement {
	return []statement{
		{"IDs", db.Find(&[]pet{}, gormplugin.IDs(a, b)), "SELECT * FROM pets WHERE (pets.id IN (A,B))"},
		{"IDs, typed", db.Find(&[]pet{}, gormplugin.IDs(oid.For[pet](a))), "SELECT * FROM pets WHERE (pets.id = A)"},
		{"IDs, none", db.Find(&[]pet{}, gormplugin.IDs[oid.ID]()), "SELECT * FROM pets WHERE (1 = 0)"},
		{"IDs, Not", db.Not(gormplugin.IDs(a, b)).Find(&[]pet{}), "SELECT * FROM pets WHERE NOT (pets.id IN (A,B))"},
		{"IDs, zero", db.Find(&[]pet{}, gormplugin.IDs(a, oid.ID{})), "SELECT * FROM pets WHERE (pets.id IN (A,ZERO))"},
		{"IDs of text", db.Find(&[]label{}, gormplugin.IDs(a, b)), `SELECT * FROM labels WHERE (labels.id IN ("a","b"))`},
		{"IDs of a model without a key", db.Delete(&keyless{}, gormplugin.IDs(a)), "gormplugin.IDs(primary key): the key of the model is not one column: name the column in the condition: invalid field"},
		{"IDs of a composite key", db.Delete(&pair{}, gormplugin.IDs(a)), "gormplugin.IDs(primary key): the key of the model is not one column: name the column in the condition: invalid field"},
		{"IDs of a number", db.Find(&[]numbered{}, gormplugin.IDs(a)), "gormplugin.IDs(primary key): in the table numbereds, this is not a column of IDs: invalid field"},
		{"IDs without a model", db.Table("pets").Where(gormplugin.IDs(a)).Find(&[]map[string]any{}), "gormplugin.IDs(primary key): the statement has no model: name the column, or call db.Model: invalid field"},
	}
}

type (
	keyless struct {
		Owner oid.ID
		Name  string
	}
	pair struct {
		TeamID oid.ID `gorm:"primaryKey"`
		UserID oid.ID `gorm:"primaryKey"`
	}
	prefixed struct{ ID oid.ID }
	coded    struct {
		ID   oid.ID
		Code bare12
	}
	bare12     [12]byte
	third      struct{ ID oid.ID }
	wideKey    struct{ ID [16]byte }
	serialized struct {
		ID   oid.ID
		Kept oid.ID `gorm:"serializer:json"`
	}
	second struct {
		Name string
		ID   oid.ID
	}
	alone      struct{ X oid.ID }
	columnless struct {
		Skipped string `gorm:"-"`
	}
	mixed struct {
		ID    oid.ID
		Owner oid.ID `gorm:"column:OwnerKey"`
	}
	flagged struct {
		ID    oid.ID
		Valid bool
	}
	fresh struct{ ID oid.For[fresh] }
	rawID []byte
)

func (third) TableName() string { return "one.two.thirds" }

// failed returns tx with an error.
func failed(tx *gorm.DB, err error) *gorm.DB {
	tx.AddError(err)
	return tx
}

func (prefixed) TableName() string { return "main.prefixeds" }

// TestZeroIDIsAValue in conditions. Only a change of all rows but none is refused.
func TestZeroIDIsAValue(t *testing.T) {
	db := openDry(t, gormplugin.New())
	one := func() *gorm.DB { return db.Model(&pet{}) }
	for name, tx := range map[string]*gorm.DB{
		"First":               db.First(&pet{}, oid.ID{}),
		"Not and another":     one().Where("name = ?", "x").Not(oid.ID{}).Update("name", "y"),
		"Not and find":        one().Not(oid.ID{}).Find(&[]pet{}),
		"Not of IDs and find": one().Not(gormplugin.IDs(oid.ID{})).Find(&[]pet{}),
		"Delete by IDs":       db.Delete(&pet{}, gormplugin.IDs(oid.ID{})),
		"Not of others":       db.Not([]oid.ID{{}, a}).Delete(&pet{}),
		"Not of Not":          db.Not(db.Not("id = ?", oid.ID{})).Delete(&pet{}),
		"another column":      db.Where("owner_id <> ?", oid.ID{}).Delete(&pet{}),
	} {
		if tx.Error != nil {
			t.Errorf("%s: %v", name, tx.Error)
		}
	}
	for name, tx := range map[string]*gorm.DB{
		"Not":            db.Not(oid.ID{}).Delete(&pet{}),
		"<>":             one().Where("id <> ?", oid.ID{}).Update("name", "x"),
		"Neq":            db.Where(clause.Neq{Column: "id", Value: oid.ID{}}).Delete(&pet{}),
		"NOT IN":         db.Delete(&pet{}, "id NOT IN ?", []oid.ID{{}, {}}),
		"Not of IDs":     db.Not(gormplugin.IDs(oid.ID{})).Delete(&pet{}),
		"Not of a group": db.Not(db.Where("id = ?", oid.ID{})).Delete(&pet{}),
	} {
		if !errors.Is(tx.Error, gorm.ErrPrimaryKeyRequired) || !strings.HasPrefix(tx.Error.Error(), "gormplugin.Where(pet.ID): no key is the zero ID, so the condition holds for all rows: pass an ID that is not zero: ") {
			t.Errorf("%s: %v", name, tx.Error)
		}
	}
}

type label struct{ ID sqltype.Hex }

type numbered struct{ ID uint }

// TestWhatGenericsSend shows joins under an alias, which only GORM's generics have.
func TestWhatGenericsSend(t *testing.T) {
	db := openDry(t, gormplugin.New())
	var got string
	if err := db.Callback().Query().After("gorm:query").Register("got", func(tx *gorm.DB) { got = sentBy(tx) }); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		in, out any
		want    string
	}{
		"condition of the join":  {a.Hex(), b, "SELECT 1,o.id AS o__id,o.boss_id AS o__boss_id FROM pets LEFT JOIN people o ON pets.owner_id = o.id AND (o.id = A AND o.boss_id <> B) WHERE o.boss_id = B"},
		"condition of the query": {a, b.Hex(), "SELECT 1,o.id AS o__id,o.boss_id AS o__boss_id FROM pets LEFT JOIN people o ON pets.owner_id = o.id AND (o.id = A AND o.boss_id <> B) WHERE o.boss_id = B"},
		"bad in the join":        {7, b, notID("person.ID", "int")},
		"bad in the query":       {a, 7, notID("person.BossID", "int")},
	} {
		got = ""
		// Where comes first, because a dry run of GORM loses a join that does.
		query := gorm.G[pet](db).Where("o.boss_id = ?", tt.out).Joins(clause.LeftJoin.Association("Owner").As("o"), func(join gorm.JoinBuilder, _, _ clause.Table) error {
			join.Where(map[string]any{"o.id": tt.in}).Where("o.boss_id <> ?", b)
			return nil
		})
		query.Select("1").Find(context.Background())
		if got != tt.want {
			t.Errorf("%s: sent %s\nwant %s", name, got, tt.want)
		}
	}

	// An alias of a relation that isn't there.
	_, err := gorm.G[pet](db).Where("n.id = ?", 7).Joins(clause.LeftJoin.Association("Nothing").As("n"), func(gorm.JoinBuilder, clause.Table, clause.Table) error { return nil }).Find(context.Background())
	if err != nil || !strings.HasSuffix(got, " WHERE n.id = 7") {
		t.Errorf("unknown relation: sent %s, %v", got, err)
	}
}
