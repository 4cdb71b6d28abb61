package gormplugin_test

import (
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A pet has an ID in a column of each form.
type pet struct {
	ID      oid.ID
	Name    string
	OwnerID *oid.ID
	Owner   *person
	Typed   oid.For[person]
	Text    sqltype.Hex
	Option  sqltype.ZeroNull
	Maybe   sql.Null[oid.ID]
	Tags    []tag `gorm:"many2many:pet_tags"`
}

type person struct {
	ID     oid.ID
	BossID oid.ID
	Boss   *person
	Pets   []pet `gorm:"foreignKey:OwnerID"`
}

type tag struct {
	ID   oid.ID
	Code sqltype.Hex
}

// a and b are IDs. In what is sent they are A and B as bytes, and a and b as text.
var (
	a = oid.MustParse("65b3f7a20000000000000001")
	b = oid.MustParse("65b3f7a20000000000000002")
)

// sentBy returns the SQL of tx with short names for IDs, or its error.
func sentBy(tx *gorm.DB) string {
	if tx.Error != nil {
		return tx.Error.Error()
	}
	return short(gormplugin.Explain(tx))
}

// short returns sql with short names for a, b, zero and the IDs of a generator.
func short(sql string) string {
	const zero = "x'000000000000000000000000'"
	names := strings.NewReplacer(zero, "ZERO", "x'"+a.Hex()+"'", "A", "x'"+b.Hex()+"'", "B", a.Hex(), "a", b.Hex(), "b", "`", "")
	return made.ReplaceAllString(names.Replace(sql), "#$1")
}

// notID returns the error of a condition that is not an ID.
func notID(field, kind string) string {
	return "gormplugin.Where(" + field + "): " + kind + " is not an ID: pass an ID, a list of IDs, or 24 hex digits; to pass another value, use gorm.Expr: unsupported data"
}

// notText returns the error of a condition that is text of n bytes.
func notText(field string, n int) string {
	return strings.Replace(notID(field, fmt.Sprintf("text of %d bytes", n)), "pass an ID", "parse it with oid.Parse first, or pass an ID", 1)
}

// TestExpressionsOfProgramsStay shows that changes are made in copies. A program may use
// an expression again, for another model or in another goroutine.
func TestExpressionsOfProgramsStay(t *testing.T) {
	db := openDry(t, gormplugin.New())
	eq := clause.Eq{Column: "text", Value: a}
	exprs := func() []clause.Expression { return []clause.Expression{eq, clause.Eq{Column: "name", Value: "x"}, eq} }
	for name, made := range map[string]func() any{
		"IN":     func() any { return clause.IN{Column: "text", Values: []any{a, a}} },
		"tuples": func() any { return clause.IN{Column: columns("id", "text"), Values: []any{[]any{a, a}, []any{a, a}}} },
		"And":    func() any { return clause.AndConditions{Exprs: exprs()} },
		"Or":     func() any { return clause.OrConditions{Exprs: exprs()} },
		"Not":    func() any { return clause.NotConditions{Exprs: exprs()} },
		"Where":  func() any { return clause.Where{Exprs: exprs()} },
		"Expr":   func() any { return clause.Expr{SQL: "text IN (?, ?)", Vars: []any{a, a}} },
		"tuple":  func() any { return clause.Expr{SQL: "(text, text) = (?, ?)", Vars: []any{a, a}} },
		"lists":  func() any { return clause.Expr{SQL: "(id, text) IN ?", Vars: []any{[]any{[]any{a, a}, []any{a, a}}}} },
	} {
		expr := made()
		first := sentBy(db.Where(expr).Find(&[]pet{}))
		if !reflect.DeepEqual(expr, made()) {
			t.Errorf("%s: the expression is %v now", name, expr)
		}
		if second := sentBy(db.Where(expr).Find(&[]pet{})); second != first || !strings.Contains(first, `"a"`) {
			t.Errorf("%s: sent %s, then %s", name, first, second)
		}
	}
	join := joinBy("boss_id", a.Hex())
	if got := sentBy(db.Clauses(clause.From{Joins: []clause.Join{join}}).Find(&[]pet{})); !strings.HasSuffix(got, " ON people.boss_id = A") {
		t.Errorf("joined: sent %s", got)
	}
	if !reflect.DeepEqual(join, joinBy("boss_id", a.Hex())) {
		t.Errorf("the join is %v now", join)
	}
}
