package gormplugin_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A condition is what a program passes to Where, and what GORM sends of it.
type condition struct {
	name  string
	where any
	args  []any
	want  string // after WHERE, or the error
}

// TestWhatConditionsSend shows the SQL that conditions on IDs become. A row is a subtest, such
// as TestWhatConditionsSend/lists/IN,_zero.
func TestWhatConditionsSend(t *testing.T) {
	db := openDry(t, gormplugin.New())
	for name, rows := range map[string][]condition{
		"operators":  operatorConditions,
		"lists":      listConditions,
		"tuples":     tupleConditions,
		"groups":     groupConditions,
		"values":     valueConditions,
		"subqueries": subqueryConditions(db),
		"alone":      aloneConditions,
		"text":       textConditions,
		"names":      nameConditions,
		"columns":    columnConditions,
	} {
		t.Run(name, func(t *testing.T) {
			for _, tt := range rows {
				t.Run(tt.name, func(t *testing.T) {
					tx := db.Where(tt.where, tt.args...).Find(&[]pet{})
					if got := strings.TrimPrefix(sentBy(tx), "SELECT * FROM pets WHERE "); got != tt.want {
						t.Errorf("sent %s\nwant %s", got, tt.want)
					}
				})
			}
		})
	}
}

// Comparisons with one value.
var operatorConditions = []condition{
	{"Eq", clause.Eq{Column: "text", Value: a}, nil, `text = "a"`},
	{"Neq", clause.Neq{Column: "text", Value: a}, nil, `text <> "a"`},
	{"Gt", clause.Gt{Column: "text", Value: a}, nil, `text > "a"`},
	{"Gte", clause.Gte{Column: "text", Value: a}, nil, `text >= "a"`},
	{"Lt", clause.Lt{Column: "text", Value: a}, nil, `text < "a"`},
	{"Lte", clause.Lte{Column: "text", Value: a}, nil, `text <= "a"`},
	{"order of the zero ID", clause.Lt{Column: "id", Value: sqltype.Hex{}}, nil, "id < ZERO"},
	{"order of a number", clause.Lt{Column: "id", Value: 7}, nil, notID("pet.ID", "int")},
	{"order that is right", clause.Lt{Column: "id", Value: a}, nil, "id < A"},
	{"order of another column", clause.Lt{Column: "name", Value: 7}, nil, "name < 7"},
	{"Like of bytes", clause.Like{Column: "id", Value: a.Hex()}, nil, "id LIKE A"},
	{"Like of text", clause.Like{Column: "text", Value: "65b3%"}, nil, `text LIKE "65b3%"`},
	{"Neq, bad value", clause.Neq{Column: "id", Value: 7}, nil, notID("pet.ID", "int")},
	{"Neq, zero", clause.Neq{Column: "id", Value: oid.ID{}}, nil, "id <> ZERO"},
	{"Like of an optional ID", clause.Like{Column: "option", Value: a.Hex()}, nil, "option LIKE A"},
}

// Comparisons with lists.
var listConditions = []condition{
	{"Eq, list", clause.Eq{Column: "text", Value: []oid.ID{a, b}}, nil, `text IN ("a","b")`},
	{"Eq, right list", clause.Eq{Column: "id", Value: []oid.ID{a, b}}, nil, "id IN (A,B)"},
	{"Eq, empty list", clause.Eq{Column: "id", Value: []oid.ID{}}, nil, "id = (NULL)"},
	{"Eq, bad list", clause.Eq{Column: "id", Value: []any{a, 7}}, nil, notID("pet.ID", "int")},
	{"Neq, list", clause.Neq{Column: "text", Value: []oid.ID{a, b}}, nil, `text NOT IN ("a","b")`},
	{"Neq, right list", clause.Neq{Column: "id", Value: []oid.ID{a, b}}, nil, "id NOT IN (A,B)"},
	{"Neq, bad list", clause.Neq{Column: "id", Value: []any{a, 7}}, nil, notID("pet.ID", "int")},
	{"IN", clause.IN{Column: "text", Values: []any{a, sqltype.Hex(b)}}, nil, `text IN ("a","b")`},
	{"IN, a list in the list", clause.IN{Column: "text", Values: []any{[]oid.ID{a, b}}}, nil, `text IN ("a","b")`},
	{"IN, right", clause.IN{Column: "id", Values: []any{a, b}}, nil, "id IN (A,B)"},
	{"IN, zero", clause.IN{Column: "id", Values: []any{a, oid.ID{}}}, nil, "id IN (A,ZERO)"},
	{"IN, only zero", clause.IN{Column: "id", Values: []any{oid.ID{}, oid.ID{}}}, nil, "id IN (ZERO,ZERO)"},
	{"IN, zero elsewhere", clause.IN{Column: "owner_id", Values: []any{a, oid.ID{}}}, nil, "owner_id IN (A,ZERO)"},
	{"IN, none", clause.IN{Column: "id"}, nil, "id IN (NULL)"},
	{"IN, column of another kind", clause.IN{Column: 7, Values: []any{7}}, nil, "7 = 7"},
	{"IN, a right list in the list", clause.IN{Column: "id", Values: []any{[]oid.ID{a, b}}}, nil, "id IN (A,B)"},
}

// Comparisons of several columns.
var tupleConditions = []condition{
	{"tuples", clause.IN{Column: columns("id", "text"), Values: []any{[]any{a, a}, []any{a, b}}}, nil, `(id,text) IN ((A,"a"),(A,"b"))`},
	{"tuples, both parts", clause.IN{Column: columns("id", "text"), Values: []any{[]any{a.Hex(), a}}}, nil, `(id,text) IN ((A,"a"))`},
	{"tuples, right", clause.IN{Column: columns("id", "text"), Values: []any{[]any{a, sqltype.Hex(a)}}}, nil, `(id,text) IN ((A,"a"))`},
	{"tuples, zero", clause.IN{Column: columns("id", "text"), Values: []any{[]any{oid.ID{}, a}}}, nil, `(id,text) IN ((ZERO,"a"))`},
	{"tuples, bad", clause.IN{Column: columns("id", "text"), Values: []any{[]any{a, a}, []any{a, 7}}}, nil, notID("pet.Text", "int")},
	{"tuples, another column", clause.IN{Column: columns("name", "text"), Values: []any{[]any{7, a}}}, nil, `(name,text) IN ((7,"a"))`},
	{"text, tuples", "(id, text) IN ?", []any{[][]any{{a, a}, {b, b}}}, `(id, text) IN ((A,"a"),(B,"b"))`},
	{"text, tuples right", "(id, text) IN ?", []any{[][]any{{a, sqltype.Hex(a)}}}, `(id, text) IN ((A,"a"))`},
	{"text, tuples bad", "(id, text) IN ?", []any{[][]any{{a, a}, {b, 7}}}, notID("pet.Text", "int")},
	{"text, tuples of others", "(name, name) IN ?", []any{[][]any{{7, 7}}}, "(name, name) IN ((7,7))"},
	{"text, one tuple", "(name, text) = (?, ?)", []any{a, a}, `(name, text) = (A, "a")`},
	{"text, tuples, one argument missing", "(id, text) = (?, ?)", []any{7}, "(id, text) = (7, ?)"},
	{"text, tuples after a space", " (id, text) IN ?", []any{[][]any{{a, a}}}, ` (id, text) IN ((A,"a"))`},
	{"text, a tuple with zero", "(id, text) = (?, ?)", []any{oid.ID{}, a}, `(id, text) = (ZERO, "a")`},
	{"text, tuples with zero", "(id, text) IN ?", []any{[][]any{{oid.ID{}, a}}}, `(id, text) IN ((ZERO,"a"))`},
	{"tuples of another length", clause.IN{Column: columns("id", "text"), Values: []any{[]any{a, a}, []any{7}}}, nil, notID("pet.ID", "int")},
	{"arrays for tuples", clause.IN{Column: columns("id", "text"), Values: []any{[]any{a, a}, [2]oid.ID{a, b}}}, nil, `(id,text) IN ((A,"a"),(A,"b"))`},
	{"arrays for tuples, bad", clause.IN{Column: columns("id", "text"), Values: []any{[2]any{a, 7}}}, nil, notID("pet.Text", "int")},
	{"a list of one column", clause.IN{Column: columns("text"), Values: []any{a, b}}, nil, `(text) IN ("a","b")`},
}

// Comparisons within others.
var groupConditions = []condition{
	{"zero and another", clause.And(clause.Eq{Column: "name", Value: "x"}, clause.Eq{Column: "id", Value: oid.ID{}}), nil, `name = "x" AND id = ZERO`},
	{"zero or another", clause.Or(clause.Eq{Column: "name", Value: "x"}, clause.Eq{Column: "id", Value: oid.ID{}}), nil, `(name = "x" OR id = ZERO)`},
	{"not zero", clause.Not(clause.Eq{Column: "id", Value: oid.ID{}}), nil, "id <> ZERO"},
	{"not in a list of zero", clause.Not(clause.IN{Column: "id", Values: []any{oid.ID{}}}), nil, "id <> ZERO"},
	{"lone zero in OR", clause.Or(clause.Eq{Column: "id", Value: oid.ID{}}), nil, "id = ZERO"},
	{"And", clause.And(clause.Eq{Column: "text", Value: a}, clause.Eq{Column: "name", Value: "x"}), nil, `text = "a" AND name = "x"`},
	{"And, right", clause.And(clause.Eq{Column: "id", Value: a}, clause.Eq{Column: "name", Value: "x"}), nil, `id = A AND name = "x"`},
	{"Or", clause.Or(clause.Eq{Column: "name", Value: "x"}, clause.Eq{Column: "text", Value: a}), nil, `(name = "x" OR text = "a")`},
	{"Or, right", clause.Or(clause.Eq{Column: "name", Value: "x"}, clause.Eq{Column: "id", Value: a}), nil, `(name = "x" OR id = A)`},
	{"Not", clause.Not(clause.Eq{Column: "text", Value: a}), nil, `text <> "a"`},
	{"Not, right", clause.Not(clause.Eq{Column: "id", Value: a}), nil, "id <> A"},
	{"Where", clause.Where{Exprs: []clause.Expression{clause.Eq{Column: "text", Value: a}}}, nil, `text = "a"`},
	{"Where, right", clause.Where{Exprs: []clause.Expression{clause.Eq{Column: "id", Value: a}}}, nil, "id = A"},
}

// Values of each form that a program may have.
var valueConditions = []condition{
	{"valuer", clause.Eq{Column: "text", Value: valuer{a[:], nil}}, nil, `text = "a"`},
	{"valuer of text", clause.Eq{Column: "id", Value: valuer{a.Hex(), nil}}, nil, "id = A"},
	{"valuer of a number", clause.Eq{Column: "id", Value: valuer{int64(7), nil}}, nil, notID("pet.ID", "gormplugin_test.valuer")},
	{"valuer of short bytes", clause.Eq{Column: "id", Value: valuer{a[:11], nil}}, nil, notID("pet.ID", "gormplugin_test.valuer")},
	{"valuer of NULL", clause.Eq{Column: "owner_id", Value: valuer{nil, nil}}, nil, "owner_id IS NULL"},
	{"valuer that fails", clause.Eq{Column: "id", Value: valuer{nil, errors.New("no")}}, nil, notID("pet.ID", "gormplugin_test.valuer")},
	{"pointer to a valuer", clause.Eq{Column: "text", Value: &valuer{a[:], nil}}, nil, `text = "a"`},
	{"sql.Null", clause.Eq{Column: "text", Value: sql.Null[oid.ID]{V: a, Valid: true}}, nil, `text = "a"`},
	{"sql.Null, NULL", clause.Eq{Column: "text", Value: sql.Null[oid.ID]{V: a}}, nil, "text IS NULL"},
	{"ZeroNull", clause.Eq{Column: "id", Value: sqltype.ZeroNull(a)}, nil, "id = A"},
	{"ZeroNull, NULL", clause.Eq{Column: "id", Value: sqltype.ZeroNull{}}, nil, "id IS NULL"},
	{"pointer to an ID", clause.Eq{Column: "text", Value: &a}, nil, `text = "a"`},
	{"pointer to an ID, right", clause.Eq{Column: "id", Value: &a}, nil, "id = A"},
	{"to a typed ID", clause.Eq{Column: "typed", Value: a}, nil, "typed = A"},
	{"to an option", clause.Eq{Column: "option", Value: a}, nil, "option = A"},
	{"to sql.Null", clause.Eq{Column: "maybe", Value: a.Hex()}, nil, "maybe = A"},
	{"text type", clause.Eq{Column: "id", Value: json(a.Hex())}, nil, "id = A"},
	{"text that is not an ID", clause.Eq{Column: "id", Value: "A1001"}, nil, notText("pet.ID", 5)},
	{"boolean", clause.Eq{Column: "id", Value: true}, nil, notID("pet.ID", "bool")},
	{"nil pointer", clause.Eq{Column: "owner_id", Value: (*oid.ID)(nil)}, nil, "owner_id IS NULL"},
	{"nil pointer for the key", clause.Eq{Column: "id", Value: (*oid.ID)(nil)}, nil, "id IS NULL"},
	{"nil pointer in a list", clause.IN{Column: "id", Values: []any{a, (*oid.ID)(nil)}}, nil, "id IN (A,NULL)"},
	{"bytes of a column", clause.Eq{Column: "text", Value: a[:]}, nil, `text = "a"`},
	{"short bytes of a column", clause.Eq{Column: "id", Value: a[:11]}, nil, notID("pet.ID", "[]uint8 of length 11")},
	{"valuer by its pointer", clause.Eq{Column: "text", Value: &pointerValuer{a}}, nil, `text = "a"`},
	{"pointer to an expression by its pointer", &pointerExpr{}, nil, "1 = 1"},
	{"nil pointer to an expression by its pointer", (*pointerExpr)(nil), nil, "1 = 1"},
	{"expression", clause.Eq{Column: "id", Value: gorm.Expr("7")}, nil, "id = 7"},
	{"column", clause.Eq{Column: "id", Value: clause.Column{Name: "owner_id"}}, nil, "id = owner_id"},
	{"NULL for the key", clause.Eq{Column: "id", Value: nil}, nil, "id IS NULL"},
	{"array of 12 bytes", clause.Eq{Column: "id", Value: [12]byte(a)}, nil, "id = A"},
	{"array of zeros for the key", clause.Eq{Column: "id", Value: [12]byte{}}, nil, "id = ZERO"},
	{"array of zeros", clause.Eq{Column: "text", Value: [12]byte{}}, nil, `text = "000000000000000000000000"`},
	{"pointer to a UUID", clause.Eq{Column: "id", Value: ptr(sqltype.UUID(a))}, nil, "id = A"},
	{"pointer to any text", clause.Eq{Column: "id", Value: ptr(any(a.Hex()))}, nil, "id = A"},
	{"pointer to any ID", clause.Eq{Column: "text", Value: ptr(any(a))}, nil, `text = "a"`},
	{"pointer to any number", clause.Eq{Column: "id", Value: ptr(any(7))}, nil, notID("pet.ID", "*interface {}")},
	{"struct that embeds another DB", clause.Eq{Column: "id", Value: struct{ DB }{}}, nil, notID("pet.ID", "struct { gormplugin_test.DB }")},
}

func subqueryConditions(db *gorm.DB) []condition {
	return []condition{
		{"subquery", clause.Eq{Column: "id", Value: db.Model(&person{}).Select("id").Where("id = ?", a)}, nil, "id = SELECT id FROM people WHERE id = A"},
		{"bad subquery", clause.Eq{Column: "id", Value: db.Model(&person{}).Select("id").Where("id = ?", 7)}, nil, notID("person.ID", "int")},
		{"struct that embeds a *gorm.DB", clause.Eq{Column: "id", Value: struct{ *gorm.DB }{db.Model(&person{}).Select("id")}}, nil, "id = SELECT id FROM people"},
		{"struct with a *gorm.DB", clause.Eq{Column: "id", Value: struct{ DB *gorm.DB }{db}}, nil, notID("pet.ID", "struct { DB *gorm.DB }")},
		{"pointer to a struct that embeds a *gorm.DB", clause.Eq{Column: "id", Value: &struct{ *gorm.DB }{db.Model(&person{}).Select("id")}}, nil, "id = SELECT id FROM people"},
	}
}

// Values and text that are the only argument.
var aloneConditions = []condition{
	{"lone key", a, nil, "pets.id = A"},
	{"lone key, typed", oid.For[pet](a), nil, "pets.id = A"},
	{"bytes", a[:], nil, "pets.id = A"},
	{"two keys", a, []any{b}, "pets.id IN (A,B)"},
	{"eleven bytes", a[:11], nil, notID("pet.ID", "a list of 11 bytes")},
	{"twelve numbers", []any{uint8(1), uint8(2), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, nil, notID("pet.ID", "a list of 12 bytes")},
	{"lone text, hex", a.Hex(), nil, "pets.id = A"},
	{"lone text, hex without a digit", "abcdefabcdefabcdefabcdef", nil, "pets.id = x'abcdefabcdefabcdefabcdef'"},
	{"lone text, a long number", "1234567890123456789", nil, notText("pet.ID", 19)},
	{"lone text, 18 digits", "123456789012345678", nil, notText("pet.ID", 18)},
	{"lone text, SQL", "1 = 1 OR 1234567890", nil, "1 = 1 OR 1234567890"},
	{"lone text, long SQL", "name IS NOT NULL AND 2 > 1", nil, "name IS NOT NULL AND 2 > 1"},
	{"lone text, 11 digits", "99999999999", nil, notText("pet.ID", 11)},
	{"text, the least number that is too long", "9223372036854775808", nil, notText("pet.ID", 19)},
	{"lone text, a long negative number", "-12345678901234567890", nil, notText("pet.ID", 21)},
	{"text, a negative number that is too long", "-9223372036854775809", nil, notText("pet.ID", 20)},
	{"text, a number as an expression", gorm.Expr("1"), nil, "1"},
}

// Text with placeholders.
var textConditions = []condition{
	{"text, =", "text = ?", []any{a}, `text = "a"`},
	{"text, = right", "id = ?", []any{a}, "id = A"},
	{"text, = zero", "id = ?", []any{oid.ID{}}, "id = ZERO"},
	{"text, > zero", "id > ?", []any{oid.ID{}}, "id > ZERO"},
	{"text, <> zero", "id <> ?", []any{oid.ID{}}, "id <> ZERO"},
	{"text, = zero elsewhere", "owner_id = ?", []any{oid.ID{}}, "owner_id = ZERO"},
	{"text, IN", "text IN ?", []any{[]oid.ID{a, b}}, `text IN ("a","b")`},
	{"text, IN right", "id IN ?", []any{[]oid.ID{a, b}}, "id IN (A,B)"},
	{"text, IN zero", "id IN ?", []any{[]oid.ID{a, {}}}, "id IN (A,ZERO)"},
	{"text, IN only zero", "id IN ?", []any{[]oid.ID{{}, {}}}, "id IN (ZERO,ZERO)"},
	{"text, IN zero elsewhere", "owner_id IN ?", []any{[]oid.ID{a, {}}}, "owner_id IN (A,ZERO)"},
	{"text, NOT IN", "text NOT IN (?)", []any{[]oid.ID{a, b}}, `text NOT IN ("a","b")`},
	{"text, IN two", "text IN (?,?)", []any{a, b}, `text IN ("a","b")`},
	{"text, IN, the second", "id IN (?, ?)", []any{a, b.Hex()}, "id IN (A, B)"},
	{"text, BETWEEN", "text BETWEEN ? AND ?", []any{a, b}, `text BETWEEN "a" AND "b"`},
	{"text, BETWEEN zero", "id BETWEEN ? AND ?", []any{oid.ID{}, b}, "id BETWEEN ZERO AND B"},
	{"text, a placeholder too many", "text = ?", []any{a, b}, "text = A"},
	{"text, a placeholder missing", "text IN (?, ?)", []any{a}, "text IN (A, ?)"},
	{"text, of another column", "name = ?", []any{7}, "name = 7"},
	{"text, more than a test", "id + 0 = ?", []any{7}, "id + 0 = 7"},
	{"text, two tests", "id = ? OR id = ?", []any{7, 7}, "id = 7 OR id = 7"},
	{"text, NULL", "owner_id = ?", []any{nil}, "owner_id = NULL"},
	{"text, < zero", "id < ?", []any{oid.ID{}}, "id < ZERO"},
	{"text, <= zero", "id <= ?", []any{oid.ID{}}, "id <= ZERO"},
	{"text, >= zero", "id >= ?", []any{oid.ID{}}, "id >= ZERO"},
	{"text, <=> zero", "id <=> ?", []any{oid.ID{}}, "id <=> ZERO"},
	{"text, != zero", "id != ?", []any{oid.ID{}}, "id != ZERO"},
	{"text, NOT BETWEEN zero", "id NOT BETWEEN ? AND ?", []any{oid.ID{}, a}, "id NOT BETWEEN ZERO AND A"},
	{"text, BETWEEN numbers", "id BETWEEN ? AND ?", []any{a, 7}, notID("pet.ID", "int")},
	{"text, array", "text IN ?", []any{[2]oid.ID{a, b}}, `text IN ("a","b")`},
	{"text, lists of which the second is bad", "id IN (?, ?)", []any{[]oid.ID{a, b}, 7}, notID("pet.ID", "int")},
	{"text, zero for a key in brackets", "(id) = ?", []any{oid.ID{}}, "(id) = ZERO"},
}

// Text with names.
var nameConditions = []condition{
	{"names", "text IN (@one, @two)", []any{sql.Named("one", a), sql.Named("two", b)}, `text IN ("a", "b")`},
	{"names, map", "text = @one", []any{map[string]any{"one": a}}, `text = "a"`},
	{"names, the last wins", "text = @one", []any{sql.Named("one", a), sql.Named("one", b)}, `text = "b"`},
	{"names, one missing", "text = @two", []any{sql.Named("one", a)}, "text = @two"},
	{"names, struct", "text = @ID", []any{struct{ ID oid.ID }{a}}, `text = "a"`},
	{"names, no such field", "text = @Other", []any{struct{ ID oid.ID }{a}}, "text = @Other"},
	{"names, field not exported", "text = @id", []any{struct{ id oid.ID }{a}}, "text = @id"},
	{"names and placeholders", "text = @one OR id = ?", []any{sql.Named("one", a)}, "text = @one OR id = "},
	{"named expression without a name", clause.NamedExpr{SQL: "id = ?", Vars: []any{7}}, nil, notID("pet.ID", "int")},
	{"named expression with a placeholder", clause.NamedExpr{SQL: "id = ? OR id = @one", Vars: []any{map[string]any{"one": 7}}}, nil, `id = "map[one:7]" OR id = 7`},
	{"named expression without its struct", clause.NamedExpr{SQL: "id = @one", Vars: []any{7}}, nil, "id = @one"},
	{"names, one of two missing", "id IN (@one, @two)", []any{sql.Named("one", 7)}, "id IN (7, @two)"},
}

// Columns, as maps name them.
var columnConditions = []condition{
	{"map, table", map[string]any{"pets.text": a}, nil, `pets.text = "a"`},
	{"map, field", map[string]any{"Text": a}, nil, `pets.text = "a"`},
	{"map, quotes", map[string]any{"`pets`.`text`": a}, nil, `pets.text = "a"`},
	{"map, relation", map[string]any{"Owner.id": a.Hex()}, nil, "Owner.id = A"},
	{"Eq of another table", clause.Eq{Column: clause.Column{Table: "others", Name: "id"}, Value: 7}, nil, "others.id = 7"},
	{"map, nested relation of another model", map[string]any{"Owner__Pets.text": a}, nil, `Owner__Pets.text = "a"`},
	{"map, nested relation", map[string]any{"Owner__Boss.boss_id": a.Hex()}, nil, "Owner__Boss.boss_id = A"},
	{"map, table of a relation", map[string]any{"people.id": a.Hex()}, nil, "people.id = A"},
	{"map, join table", map[string]any{"pet_tags.tag_id": a.Hex()}, nil, "pet_tags.tag_id = A"},
	{"map, table of a many-to-many relation", map[string]any{"tags.code": a}, nil, `tags.code = "a"`},
	{"map, unknown table", map[string]any{"others.id": 7}, nil, "others.id = 7"},
	{"map, unknown column of a table", map[string]any{"pets.weight": 7}, nil, "pets.weight = 7"},
	{"map, unknown column", map[string]any{"weight": 7}, nil, "pets.weight = 7"},
	{"map, column in upper case", map[string]any{"TEXT": a}, nil, `pets.text = "a"`},
	{"map, table in upper case", map[string]any{"PETS.TEXT": a}, nil, `PETS.text = "a"`},
	{"map, field of a table", map[string]any{"pets.Text": a}, nil, `pets.text = "a"`},
}

func ptr[T any](v T) *T { return &v }

// A valuer gives any value to a driver.
type valuer struct {
	value any
	err   error
}

func (v valuer) Value() (driver.Value, error) { return v.value, v.err }

// A pointerValuer has its method on the pointer, and so has a pointerExpr.
type (
	pointerValuer struct{ id oid.ID }
	pointerExpr   struct{}
)

func (v *pointerValuer) Value() (driver.Value, error) { return v.id[:], nil }
func (*pointerExpr) Build(builder clause.Builder)     { builder.WriteString("1 = 1") }

type json string

// A DB is not GORM's.
type DB struct{ Name string }
