package gormplugin_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Safe row has its own ID in every column that holds IDs.
type Safe struct {
	ID        oid.ID      `gorm:"size:12"`
	OtherID   oid.ID      `gorm:"size:12"`
	Text      sqltype.Hex `gorm:"size:24"`
	Dashed    dashed      `gorm:"size:36"`
	OptionID  *oid.ID     `gorm:"size:12"`
	Name      string      `gorm:"size:20"`
	Gone      bool
	DeletedAt gorm.DeletedAt
}

type safetyValue struct {
	name string
	of   func(ids []oid.ID) any
	rows []string
	zero bool // the zero ID: it names no row, and is refused where a key must be it
	list bool
}

// safetyValues are the values that conditions are given, and the rows that they
// name. A nil list of rows is a value that must be refused.
var safetyValues = []safetyValue{
	{name: "oid.ID", of: func(ids []oid.ID) any { return ids[1] }, rows: []string{"b"}},
	{name: "*oid.ID", of: func(ids []oid.ID) any { return &ids[1] }, rows: []string{"b"}},
	{name: "oid.For", of: func(ids []oid.ID) any { return oid.For[Safe](ids[1]) }, rows: []string{"b"}},
	{name: "ZeroNull", of: func(ids []oid.ID) any { return sqltype.ZeroNull(ids[1]) }, rows: []string{"b"}},
	{name: "Hex", of: func(ids []oid.ID) any { return sqltype.Hex(ids[1]) }, rows: []string{"b"}},
	{name: "dashed", of: func(ids []oid.ID) any { return dashed(ids[1]) }, rows: []string{"b"}},
	{name: "objectID", of: func(ids []oid.ID) any { type objectID [12]byte; return objectID(ids[1]) }, rows: []string{"b"}},
	{name: "sql.Null", of: func(ids []oid.ID) any { return sql.Null[oid.ID]{V: ids[1], Valid: true} }, rows: []string{"b"}},
	{name: "NullString", of: func(ids []oid.ID) any { return sql.NullString{String: ids[1].Hex(), Valid: true} }, rows: []string{"b"}},
	{name: "hex", of: func(ids []oid.ID) any { return ids[1].Hex() }, rows: []string{"b"}},
	{name: "bytes", of: func(ids []oid.ID) any { return ids[1][:] }, rows: []string{"b"}},
	{name: "[]oid.ID", of: func(ids []oid.ID) any { return ids[1:] }, rows: []string{"b", "c"}, list: true},
	{name: "[]oid.ID of one", of: func(ids []oid.ID) any { return ids[1:2] }, rows: []string{"b"}, list: true},
	{name: "[]oid.For", of: func(ids []oid.ID) any { return []oid.For[Safe]{oid.For[Safe](ids[1]), oid.For[Safe](ids[2])} }, rows: []string{"b", "c"}, list: true},
	{name: "[]*oid.ID", of: func(ids []oid.ID) any { return []*oid.ID{&ids[1], &ids[2]} }, rows: []string{"b", "c"}, list: true},
	{name: "[]string of hex", of: func(ids []oid.ID) any { return []string{ids[1].Hex(), ids[2].Hex()} }, rows: []string{"b", "c"}, list: true},
	{name: "[]any", of: func(ids []oid.ID) any { return []any{ids[1], ids[2].Hex()} }, rows: []string{"b", "c"}, list: true},
	{name: "[]Hex", of: func(ids []oid.ID) any { return []sqltype.Hex{sqltype.Hex(ids[1]), sqltype.Hex(ids[2])} }, rows: []string{"b", "c"}, list: true},

	{name: "zero", of: func([]oid.ID) any { return oid.ID{} }, zero: true, rows: []string{}},
	{name: "zero For", of: func([]oid.ID) any { return oid.For[Safe]{} }, zero: true, rows: []string{}},
	{name: "list with zero", of: func(ids []oid.ID) any { return []oid.ID{ids[1], {}} }, rows: []string{"b"}, list: true},
	{name: "list of zero For", of: func([]oid.ID) any { return []oid.For[Safe]{{}} }, zero: true, rows: []string{}, list: true},
	{name: "zero bytes", of: func([]oid.ID) any { return make([]byte, 12) }, zero: true, rows: []string{}},
	{name: "zero hex", of: func([]oid.ID) any { return oid.ID{}.Hex() }, zero: true, rows: []string{}},

	{name: "0", of: func([]oid.ID) any { return 0 }},
	{name: "uint(0)", of: func([]oid.ID) any { return uint(0) }},
	{name: "int64(7)", of: func([]oid.ID) any { return int64(7) }},
	{name: "*int", of: func([]oid.ID) any { return new(int) }},
	{name: "false", of: func([]oid.ID) any { return false }},
	{name: "true", of: func([]oid.ID) any { return true }},
	{name: "1.5", of: func([]oid.ID) any { return 1.5 }},
	{name: `"0"`, of: func([]oid.ID) any { return "0" }},
	{name: `"10"`, of: func([]oid.ID) any { return "10" }},
	{name: "[16]byte", of: func([]oid.ID) any { return [16]byte{} }},
	{name: "5 bytes", of: func(ids []oid.ID) any { return ids[1][:5] }},
	{name: "13 bytes", of: func(ids []oid.ID) any { return append(ids[1][:], 0) }},
	{name: "uuid.UUID", of: func([]oid.ID) any { return uuid.UUID{} }},
	{name: "NullInt64", of: func([]oid.ID) any { return sql.NullInt64{Valid: true} }},
	{name: "time.Duration", of: func([]oid.ID) any { return time.Duration(0) }},
	{name: "[]int", of: func([]oid.ID) any { return []int{0, 1} }, list: true},
	{name: "[]uint of one", of: func([]oid.ID) any { return []uint{0} }, list: true},
	{name: "[]any of int", of: func(ids []oid.ID) any { return []any{ids[1], 0} }, list: true},
	{name: "[]string", of: func([]oid.ID) any { return []string{"a", "b"} }, list: true},
	{name: "[]bool", of: func([]oid.ID) any { return []bool{false} }, list: true},
}

// safetyForms are the ways to meet an ID column.
var safetyForms = []struct {
	name    string
	where   func(db *gorm.DB, v any) *gorm.DB
	key     bool // the column is the primary key
	not     bool // the rows are those that are not named
	inner   bool // the condition is one of OR or of a subquery
	noList  bool // takes no list
	onlyOne bool // takes nothing but a list
	text    bool // a column of text, for which SQL would take text as it is
}{
	{name: "lone", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(v) }},
	{name: "Not, lone", key: true, not: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Not(v) }},
	{name: "Or, lone", key: true, inner: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("name = ?", "none").Or(v) }},
	{name: "nested", key: true, inner: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Where("name <> ?", "none").Where(fresh(db).Where(fresh(db).Where(v)).Or("name = ?", "none"))
	}},
	{name: "pair", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id", v) }},
	{name: "pair of foreign key", where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("other_id", v) }},
	{name: "pair of nullable key", where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("option_id", v) }},
	{name: "pair of text", text: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("text", v) }},
	{name: "pair of dashed text", text: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("dashed", v) }},
	{name: "Not pair", key: true, not: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Not("id", v) }},
	{name: "map", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(map[string]any{"id": v}) }},
	{name: "map with table", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(map[string]any{"saves.id": v}) }},
	{name: "map of foreign key", where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(map[string]any{"other_id": v}) }},
	{name: "Not map", key: true, not: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Not(map[string]any{"id": v}) }},
	{name: "map of any", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(map[any]any{"id": v}) }},
	{name: "id = ?", key: true, noList: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id = ?", v) }},
	{name: "saves.id=?", key: true, noList: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("saves.id=?", v) }},
	{name: "ID = ?", key: true, noList: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("ID = ?", v) }},
	{name: "id <> ?", key: true, noList: true, not: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id <> ?", v) }},
	{name: "id = @v", key: true, noList: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id = @v", sql.Named("v", v)) }},
	{name: "other_id = ?", noList: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("other_id = ?", v) }},
	{name: "text = ?", text: true, noList: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("text = ?", v) }},
	{name: "id IN ?", key: true, onlyOne: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id IN ?", v) }},
	{name: "id IN (?)", key: true, onlyOne: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id IN (?)", v) }},
	{name: "id in(?)", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id in(?)", v) }},
	{name: "id NOT IN ?", key: true, not: true, onlyOne: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("id NOT IN ?", v) }},
	{name: "other_id IN ?", onlyOne: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where("other_id IN ?", v) }},
	{name: "clause.Eq", key: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(clause.Eq{Column: "id", Value: v}) }},
	{name: "clause.Eq of a column", where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Where(clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: "other_id"}, Value: v})
	}},
	{name: "clause.Eq of a raw column", key: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Where(clause.Eq{Column: clause.Column{Name: "saves.id", Raw: true}, Value: v})
	}},
	{name: "clause.Neq", key: true, not: true, where: func(db *gorm.DB, v any) *gorm.DB { return db.Where(clause.Neq{Column: "id", Value: v}) }},
	{name: "clause.IN", key: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Where(clause.IN{Column: clause.PrimaryColumn, Values: []any{v}})
	}},
	{name: "Clauses", key: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Clauses(clause.Where{Exprs: []clause.Expression{clause.Or(clause.Eq{Column: "id", Value: v})}})
	}},
	{name: "scope", key: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Scopes(func(tx *gorm.DB) *gorm.DB { return tx.Where(map[string]any{"id": v}) })
	}},
	{name: "subquery", key: true, inner: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Where("id IN (?)", gorm.Expr("?", fresh(db).Table("(?) AS x", fresh(db).Model(&Safe{}).Select("id").Where(map[string]any{"id": v})).Select("x.id")))
	}},
	{name: "Not subquery", key: true, not: true, inner: true, where: func(db *gorm.DB, v any) *gorm.DB {
		return db.Where("id NOT IN (?)", gorm.Expr("?", fresh(db).Table("(?) AS x", fresh(db).Model(&Safe{}).Select("id").Where(map[string]any{"id": v})).Select("x.id")))
	}},
}

func fresh(db *gorm.DB) *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }

// safetyKinds are the kinds of statements. A query returns the names of the rows
// that it found. Any other returns the names of the rows that it left as they were.
var safetyKinds = []struct {
	name    string
	changes bool
	run     func(db *gorm.DB) ([]string, error)
}{
	{name: "Find", run: func(db *gorm.DB) ([]string, error) {
		var list []Safe
		err := db.Find(&list).Error
		return namesOf(list), err
	}},
	{name: "First", run: func(db *gorm.DB) ([]string, error) {
		var s Safe
		if err := db.First(&s).Error; err != nil {
			return nil, err
		}
		return []string{"first"}, nil
	}},
	{name: "Pluck", run: func(db *gorm.DB) (names []string, err error) {
		return names, db.Model(&Safe{}).Pluck("name", &names).Error
	}},
	{name: "Rows", run: func(db *gorm.DB) (names []string, err error) {
		rows, err := db.Model(&Safe{}).Select("name").Rows()
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		return names, rows.Err()
	}},
	{name: "Update", changes: true, run: func(db *gorm.DB) ([]string, error) {
		return nil, db.Model(&Safe{}).Update("gone", true).Error
	}},
	{name: "Updates", changes: true, run: func(db *gorm.DB) ([]string, error) { return nil, db.Updates(&Safe{Gone: true}).Error }},
	{name: "UpdateColumn", changes: true, run: func(db *gorm.DB) ([]string, error) {
		return nil, db.Model(&Safe{}).UpdateColumn("gone", true).Error
	}},
	{name: "soft Delete", changes: true, run: func(db *gorm.DB) ([]string, error) { return nil, db.Delete(&Safe{}).Error }},
	{name: "Delete", changes: true, run: func(db *gorm.DB) ([]string, error) { return nil, db.Unscoped().Delete(&Safe{}).Error }},
}

// genericKinds are the kinds of generic statements. They return how many rows they
// found or changed.
var genericKinds = map[string]func(db *gorm.DB, v any) (int, error){
	"Find": func(db *gorm.DB, v any) (int, error) {
		list, err := gorm.G[Safe](db).Where(v).Find(context.Background())
		return len(list), err
	},
	"Update": func(db *gorm.DB, v any) (int, error) {
		return gorm.G[Safe](db).Where(v).Update(context.Background(), "gone", true)
	},
	"Delete": func(db *gorm.DB, v any) (int, error) { return gorm.G[Safe](db).Where(v).Delete(context.Background()) },
}

func namesOf(list []Safe) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// TestNoStatementTouchesARowThatWasNotNamed is the table of values × forms × kinds
// of statements × databases. A statement finds or changes exactly the rows that
// its condition names, or it is an error and nothing was sent. On PostgreSQL and on MySQL in
// strict mode, which refuse more, every fifth case runs unless OIDKIT_LONG is set.
func TestNoStatementTouchesARowThatWasNotNamed(t *testing.T) {
	t.Parallel()
	opens := maps.Clone(databases)
	for _, e := range mysqlserver.Engines() {
		opens[e.Name+" without strict mode"] = func(t *testing.T) *gorm.DB { return openMySQL(t, e, "&sql_mode=%27%27") }
	}
	for name, open := range opens {
		every := 1
		if !isLong && (name == "postgres" || likeMySQL[name] != nil) {
			every = 5
		}
		part := 0
		for values := range slices.Chunk(safetyValues, (len(safetyValues)+2)/3) {
			part++
			t.Run(fmt.Sprintf("%s, part %d of 3", name, part), func(t *testing.T) {
				t.Parallel()
				testSafety(t, open, values, every)
			})
		}
	}
}

// testSafety tests every nth case of the values, in a database of its own.
func testSafety(t *testing.T, open func(*testing.T) *gorm.DB, values []safetyValue, every int) {
	db := migrated(t, use(t, open(t)), []any{&Safe{}})
	ids := make([]oid.ID, 3)
	zeroByte().Fill(ids)
	var rows []Safe
	for i, id := range ids {
		rows = append(rows, Safe{ID: id, OtherID: id, Text: sqltype.Hex(id), Dashed: dashed(id), OptionID: &id, Name: string(rune('a' + i))})
	}
	if err := db.Create(&rows).Error; err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, value := range values {
		for _, form := range safetyForms {
			if value.list && form.noList || !value.list && form.onlyOne {
				continue
			}
			want := value.rows
			if form.not {
				want = slices.DeleteFunc([]string{"a", "b", "c"}, func(name string) bool { return slices.Contains(value.rows, name) })
			}
			for _, kind := range safetyKinds {
				if cases++; cases%every > 0 {
					continue
				}
				name := fmt.Sprintf("%s, %s, %s", kind.name, form.name, value.name)
				v := value.of(slices.Clone(ids))
				if value.rows == nil || value.zero && form.key && !form.inner && kind.changes && form.not {
					checkRefused(t, db, name, func(tx *gorm.DB) ([]string, error) { return kind.run(form.where(tx, v)) }, value.zero)
					continue
				}
				tx := db
				if kind.changes {
					tx = db.Begin()
				}
				got, err := kind.run(form.where(tx, v))
				if kind.changes {
					var left []string
					if err := tx.Model(&Safe{}).Where("gone = ?", false).Pluck("name", &left).Error; err != nil {
						t.Fatal(err)
					}
					got = slices.DeleteFunc([]string{"a", "b", "c"}, func(name string) bool { return slices.Contains(left, name) })
					tx.Rollback()
				}
				if kind.name == "First" {
					if found := err == nil; found != (len(want) > 0) || err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
						t.Errorf("%s: %v, want %q", name, err, want)
					}
					continue
				}
				slices.Sort(got)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: rows %q, %v, want %q", name, got, err, want)
				}
			}
			checkIntact(t, db, form.name+", "+value.name)
		}
	}
	for _, value := range values {
		cases += len(genericKinds)
		for kind, run := range genericKinds {
			v, name := value.of(slices.Clone(ids)), fmt.Sprintf("%s, generic, %s", kind, value.name)
			if value.rows == nil {
				checkRefused(t, db, name, func(tx *gorm.DB) ([]string, error) {
					n, err := run(tx, v)
					return make([]string, n), err
				}, value.zero)
				continue
			}
			tx := db.Begin()
			if n, err := run(tx, v); err != nil || n != len(value.rows) {
				t.Errorf("%s: %d rows, %v, want %q", name, n, err, value.rows)
			}
			tx.Rollback()
		}
	}
	checkIntact(t, db, "generic")
	t.Logf("%d cases", cases)
}

// checkRefused runs a statement that must not be sent.
func checkRefused(t *testing.T, db *gorm.DB, name string, run func(*gorm.DB) ([]string, error), zero bool) {
	t.Helper()
	tx := db.Session(&gorm.Session{SkipDefaultTransaction: true, Context: context.Background()})
	pool := &countingPool{ConnPool: tx.Statement.ConnPool}
	tx.Statement.ConnPool = pool
	got, err := run(tx)
	query := !strings.HasPrefix(name, "U") && !strings.Contains(name, "Delete")
	switch {
	case err == nil || len(got) > 0:
		t.Errorf("%s: rows %q, %v, want an error", name, got, err)
	case zero && (!errors.Is(err, gorm.ErrPrimaryKeyRequired) || errors.Is(err, gorm.ErrRecordNotFound) != query):
		t.Errorf("%s: %v, want gorm.ErrPrimaryKeyRequired, and gorm.ErrRecordNotFound for queries", name, err)
	case !zero && !errors.Is(err, gorm.ErrInvalidData):
		t.Errorf("%s: %v, want gorm.ErrInvalidData", name, err)
	case pool.sent > 0:
		t.Errorf("%s: %d statements were sent", name, pool.sent)
	case !strings.HasPrefix(err.Error(), "gormplugin.Where(Safe."):
		t.Errorf("%s: %v, want an error that names the column", name, err)
	}
}

// checkIntact checks that all rows are as they were.
func checkIntact(t *testing.T, db *gorm.DB, name string) {
	t.Helper()
	var left int64
	if err := db.Model(&Safe{}).Where("gone = ?", false).Count(&left).Error; err != nil || left != 3 {
		t.Fatalf("%s: %d rows of 3 left as they were, %v", name, left, err)
	}
}

// A countingPool counts the statements that are sent.
type countingPool struct {
	gorm.ConnPool
	sent int
}

func (p *countingPool) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	p.sent++
	return p.ConnPool.PrepareContext(ctx, query)
}

func (p *countingPool) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	p.sent++
	return p.ConnPool.ExecContext(ctx, query, args...)
}

func (p *countingPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	p.sent++
	return p.ConnPool.QueryContext(ctx, query, args...)
}

func (p *countingPool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	p.sent++
	return p.ConnPool.QueryRowContext(ctx, query, args...)
}

// A dashed is an ID in a column of text. The text has dashes between the hex
// digits.
type dashed oid.ID

// Value returns the hex digits with a dash before and after them.
func (d dashed) Value() (driver.Value, error) { return "-" + oid.ID(d).Hex() + "-", nil }

// Scan reads what Value returns.
func (d *dashed) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		text = string(src.([]byte))
	}
	return (*oid.ID)(d).Scan(strings.Trim(text, "-"))
}
