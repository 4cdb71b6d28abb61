package gormplugin_test

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A listed row has an ID in every column that a long list is sent for in another way.
type listed struct {
	ID      oid.ID
	Plain   oid.ID
	Indexed oid.ID       `gorm:"index"`
	Unique  oid.ID       `gorm:"unique"`
	Uniques oid.ID       `gorm:"uniqueIndex"`
	Text    sqltype.Hex  `gorm:"index"`
	UUID    sqltype.UUID `gorm:"type:uuid"`
	Wide    wide
	Odd     odd
	OwnID   oid.ID
	Typed   oid.For[listed]
}

// A parts row has a key of two parts, of which only the first has an index.
type parts struct {
	One oid.ID `gorm:"primaryKey"`
	Two oid.ID `gorm:"primaryKey"`
}

// A wide ID is stored with more bytes, and an odd one as text with other letters.
type (
	wide [12]byte
	odd  [12]byte
)

func (w wide) Value() (driver.Value, error) { return append(w[:], 0), nil }
func (o odd) Value() (driver.Value, error)  { return "id " + oid.ID(o).Hex(), nil }

// TestLongLists shows the lengths from which lists are sent in another form, and the
// form.
func TestLongLists(t *testing.T) {
	list := func(n int) []oid.ID {
		ids := slices.Repeat([]oid.ID{a}, n)
		ids[n-1] = b
		return ids
	}
	// text returns the same list as text, with what is before and after each ID.
	text := func(n int, open, before, after, shut string) string {
		var digits []string
		for _, id := range list(n) {
			digits = append(digits, before+id.Hex()+after)
		}
		return open + strings.Join(digits, ",") + shut
	}
	const n = 1001
	bytes := text(n, "{", `"\\x`, `"`, "}")
	in := func(column string, values any) clause.Expression {
		return clause.Eq{Column: clause.Column{Name: column}, Value: values}
	}
	for _, tt := range []struct {
		name, dialect string
		tx            func(db *gorm.DB) *gorm.DB
		want          string // after WHERE
		arg           string // the one that it is sent with
	}{
		{"key", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(in("id", list(n))) }, "id IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key, Not", "postgres", func(db *gorm.DB) *gorm.DB { return db.Not(in("id", list(n))) }, "id NOT IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key, <>", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(clause.Neq{Column: "id", Value: list(n)}) }, "id NOT IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key, IDs", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(gormplugin.IDs(list(n)...)) }, "(listeds.id IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]')))", bytes},
		{"key, not IDs", "postgres", func(db *gorm.DB) *gorm.DB { return db.Not(gormplugin.IDs(list(n)...)) }, "NOT (listeds.id IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]')))", bytes},
		{"key, text", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", list(n)) }, "id IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key, NOT IN as text", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("listeds.id NOT IN (?)", list(n)) }, "listeds.id NOT IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key, values", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", boxed(list(n))) }, "id IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key, values NOT IN", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("id NOT IN ?", boxed(list(n))) }, "id NOT IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"no index", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(in("plain", list(n))) }, "plain IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"no index, text", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("plain IN (?)", list(n)) }, "plain IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"index", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(in("indexed", list(n))) }, "indexed IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"unique", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(in("unique", list(n))) }, "unique IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"unique index", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(in("uniques", list(n))) }, "uniques IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},

		{"typed column", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where(in("typed", typedIDs(list(n)))) }, "typed IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"typed column, text", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("typed IN ?", typedIDs(list(n))) }, "typed IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"typed column, IDs", "postgres", func(db *gorm.DB) *gorm.DB { return db.Where("typed IN ?", list(n)) }, "typed IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", bytes},
		{"key", "mysql", func(db *gorm.DB) *gorm.DB { return db.Where(in("id", list(30_001))) }, "id IN " + text(30_001, "(", "x'", "'", ")"), ""},
		{"key, Not", "mysql", func(db *gorm.DB) *gorm.DB { return db.Not(in("id", list(30_001))) }, "id NOT IN " + text(30_001, "(", "x'", "'", ")"), ""},
		{"key, text", "sqlite", func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", list(30_001)) }, "id IN " + text(30_001, "(", "x'", "'", ")"), ""},
		{"key, NOT IN as text", "sqlite", func(db *gorm.DB) *gorm.DB { return db.Where("id NOT IN ?", list(30_001)) }, "id NOT IN " + text(30_001, "(", "x'", "'", ")"), ""},
	} {
		t.Run(tt.dialect+" "+tt.name, func(t *testing.T) {
			tx := tt.tx(openNamed(t, tt.dialect)).Find(&[]listed{})
			got := strings.TrimPrefix(strings.ReplaceAll(tx.Statement.SQL.String(), "`", ""), "SELECT * FROM listeds WHERE ")
			var vars []any
			if tt.arg != "" {
				vars = []any{tt.arg}
			}
			if got != tt.want || !slices.Equal(tx.Statement.Vars, vars) || tx.Error != nil {
				t.Errorf("sent %.100s with %d values, the first %.100s\nwant %.100s with %.100s; error %v", got, len(tx.Statement.Vars), fmt.Sprint(tx.Statement.Vars...), tt.want, tt.arg, tx.Error)
			}
		})
	}

	db := openNamed(t, "postgres")
	for column, want := range map[string]string{"one": " one IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))", "two": " two IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))"} {
		if got := db.Where(column+" IN ?", list(n)).Find(&[]parts{}).Statement.SQL.String(); !strings.HasSuffix(got, want) {
			t.Errorf("a part of the key: sent %s, want %s", got, want)
		}
	}
	if got := db.Where("owner IN ?", list(n)).Find(&[]keyless{}).Statement.SQL.String(); !strings.HasSuffix(got, " owner IN (SELECT unnest(?::bytea[]) FROM json_array_elements('[0]'))") {
		t.Errorf("no key: sent %s", got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func typedIDs(ids []oid.ID) (list []oid.For[listed]) {
	for _, id := range ids {
		list = append(list, oid.For[listed](id))
	}
	return list
}

func boxed(ids []oid.ID) (list []any) {
	for _, id := range ids {
		list = append(list, id)
	}
	return list
}

// TestUUIDColumnTakesTextOfItsUUIDs compares a column of UUIDs with the text that it holds,
// and with texts that it can't hold.
func TestUUIDColumnTakesTextOfItsUUIDs(t *testing.T) {
	own := must(sqltype.UUID(a).Value()).(string)
	for text, ok := range map[string]bool{own: true, strings.ToUpper(own): true, a.Hex(): true, own[1:]: false, "00000000-0000-4000-8000-000000000000": false} {
		tx := openNamed(t, "postgres").Where(clause.Eq{Column: clause.Column{Name: "uuid"}, Value: text}).Find(&[]listed{})
		if !ok {
			if !errors.Is(tx.Error, gorm.ErrInvalidData) {
				t.Errorf("%s: %v", text, tx.Error)
			}
			continue
		}
		if tx.Error != nil || len(tx.Statement.Vars) != 1 || tx.Statement.Vars[0] != any(sqltype.UUID(a)) {
			t.Errorf("%s: sent %v, %v, want the UUID of %s", text, tx.Statement.Vars, tx.Error, a)
		}
	}
}

// TestListsThatStay shows the lists that keep one parameter per value.
func TestListsThatStay(t *testing.T) {
	ids := slices.Repeat([]oid.ID{a}, 70_000)
	mixed := append(boxed(ids[:5000]), gorm.Expr("NULL"))
	for _, tt := range []struct {
		dialect, column string
		values          any
		want            int
	}{
		{"postgres", "id", ids[:1000], 1000},
		{"mysql", "id", ids[:30_000], 30_000},
		{"sqlite", "id", ids[:30_000], 30_000},
		{"other", "id", ids, 70_000},
		{"postgres", "plain", mixed, 5000},
		{"postgres", "plain", append(boxed(ids[:5000]), nil), 5001},
		{"postgres", "text", ids[:5000], 5000},
		{"postgres", "uuid", ids[:5000], 5000},
		{"mysql", "text", ids[:40_000], 40_000},
		{"postgres", "wide", ids[:5000], 5000},
		{"postgres", "odd", ids[:5000], 5000},
	} {
		for _, call := range []string{" IN ?", "map"} {
			db := openNamed(t, tt.dialect)
			if call == "map" {
				db = db.Where(clause.Eq{Column: tt.column, Value: tt.values})
			} else {
				db = db.Where(tt.column+call, tt.values)
			}
			if tx := db.Find(&[]listed{}); tx.Error != nil || len(tx.Statement.Vars) != tt.want {
				t.Errorf("%s, %s, %s: %d parameters, %v, want %d", tt.dialect, tt.column, call, len(tx.Statement.Vars), tx.Error, tt.want)
			}
		}
	}
	db := openNamed(t, "postgres")
	ids[7] = oid.ID{}
	for name, tx := range map[string]*gorm.DB{
		"text": db.Where("id IN ?", ids), "IDs": db.Where(gormplugin.IDs(ids...)), "list": db.Where(ids), "NOT IN": db.Where("id NOT IN ?", ids),
	} {
		if tx := tx.Find(&[]listed{}); tx.Error != nil || len(tx.Statement.Vars) != 1 {
			t.Errorf("%s: a long list with the zero ID: %d parameters, %v", name, len(tx.Statement.Vars), tx.Error)
		}
	}
	if tx := db.Where("plain IN ?", ids).Find(&[]listed{}); tx.Error != nil || len(tx.Statement.Vars) != 1 {
		t.Errorf("a long list with the zero ID for another column: %d parameters, %v", len(tx.Statement.Vars), tx.Error)
	}
	text := append(slices.Repeat([]any{a.Hex()}, 2000), gorm.Expr("NULL"))
	for _, tx := range []*gorm.DB{db.Where("plain IN ?", text), db.Where(clause.IN{Column: "plain", Values: text})} {
		if tx = tx.Find(&[]listed{}); len(tx.Statement.Vars) != 2000 || tx.Statement.Vars[0] != a {
			t.Errorf("text and an expression: %d parameters, the first %T, %v", len(tx.Statement.Vars), tx.Statement.Vars[0], tx.Error)
		}
	}
	if tx := db.Where("plain IN (?, ?)", ids[:5000], b).Find(&[]listed{}); len(tx.Statement.Vars) != 5001 {
		t.Errorf("IN of a list and an ID: %d parameters, %v, want one per value", len(tx.Statement.Vars), tx.Error)
	}
	if tx := db.Where("id = ?", ids[:7]).Find(&[]listed{}); len(tx.Statement.Vars) != 7 {
		t.Errorf("id = (…): %d parameters", len(tx.Statement.Vars))
	}
	if tx := db.Where("plain = ?", ids[:5000]).Find(&[]listed{}); len(tx.Statement.Vars) != 5000 {
		t.Errorf("plain = (…): %d parameters, want one per value, because only IN takes a list", len(tx.Statement.Vars))
	}
}

// A foreign builder is one that isn't GORM's.
type foreign struct {
	strings.Builder
	vars []any
	err  error
}

func (f *foreign) WriteQuoted(field any) {
	c := field.(clause.Column)
	f.WriteString(c.Table + "." + c.Name)
}

func (f *foreign) AddVar(_ clause.Writer, vars ...any) {
	f.WriteString(strings.TrimSuffix(strings.Repeat("?,", len(vars)), ","))
	f.vars = append(f.vars, vars...)
}

func (f *foreign) AddError(err error) error {
	f.err = errors.Join(f.err, err)
	return err
}

// TestForeignBuilders shows that expressions of this package need a statement of GORM, and
// that other builders and other statements stay as they are.
func TestForeignBuilders(t *testing.T) {
	for name, expr := range map[string]clause.Expression{"IDs": gormplugin.IDs(a, b), "CreatedSince": gormplugin.CreatedSince(a.Timestamp(), "id")} {
		var f foreign
		expr.Build(&f)
		if f.String() != "" || !errors.Is(f.err, gorm.ErrInvalidDB) {
			t.Errorf("%s: %s with %v, %v", name, f.String(), f.vars, f.err)
		}
	}
	tx := openDry(t, gormplugin.New()).Where(gormplugin.CreatedSince(a.Timestamp())).Find(&[]pet{})
	var f foreign
	tx.ClauseBuilders["WHERE"](clause.Clause{Name: "WHERE", Expression: clause.Expr{SQL: "1 = 1"}}, &f)
	if got, want := f.String(), "WHERE 1 = 1"; got != want {
		t.Errorf("a clause: %s, want %s", got, want)
	}

	// A builder of the dialect stays. It may take values back.
	plain, err := gorm.Open(named{name: "dummy"}, &gorm.Config{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	plain.ClauseBuilders["WHERE"] = func(_ clause.Clause, builder clause.Builder) {
		builder.(*gorm.Statement).Vars = nil
		builder.WriteString("WHERE 2 = 2")
	}
	if err := plain.Use(gormplugin.New()); err != nil {
		t.Fatal(err)
	}
	query := plain.Model(&pet{}).Select("?", 1).Where("name = ?", "x").Find(&[]pet{})
	if got, want := sentBy(query), "SELECT 1 FROM pets WHERE 2 = 2"; strings.Replace(got, "?", "1", 1) != want {
		t.Errorf("a builder of the dialect: sent %s, want %s", got, want)
	}
}

// TestLongListsOfZeroIDsChangeNoRow shows that a list is refused as a short one is, whose
// condition holds for all rows.
func TestLongListsOfZeroIDsChangeNoRow(t *testing.T) {
	for _, dialect := range []string{"postgres", "mysql", "sqlite"} {
		err := openNamed(t, dialect).Delete(&listed{}, "id NOT IN ?", make([]oid.ID, 70_000)).Error
		if !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("%s: %v", dialect, err)
		}
	}
}
