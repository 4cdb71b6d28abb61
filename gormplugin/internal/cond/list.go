package cond

import (
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm/clause"
)

// Lists that are longer than this are not sent one parameter per ID, if the column holds IDs
// as bytes. PostgreSQL takes 65,535 parameters, MySQL as many, SQLite 32,766 unless it was
// built otherwise.
var longest = map[string]int{"postgres": 1000, "mysql": 30_000, "sqlite": 30_000}

// long returns what stands in the place of a list that is too long to be sent value by
// value. It is nil if the list is short, if one of the values is not an ID, or if the
// program's text has more than one placeholder. The list goes to PostgreSQL as one
// parameter, and elsewhere in the SQL. Its IDs are hex digits.
//
// The type of the array is named because some of pgx's modes send all parameters as text.
// PostgreSQL hashes the values of a subquery, or looks them up in the index. It doesn't hash
// those of ANY in the generic plan of a prepared statement. That plan takes an array for 10
// values. It takes the one row of json_array_elements for 100, which makes 1,000 values, so
// that it is the plan that PostgreSQL would make for the shortest of these lists.
func (m Model) long(cmp *comparison) []any {
	most, known := longest[m.Dialect]
	if !known || cmp.operator != "in" && cmp.operator != "not in" || !ids.IsBinary(cmp.fields[0]) {
		return nil
	}
	list, isText := reflect.ValueOf(&cmp.values).Elem(), reflect.TypeOf(cmp.of) == reflect.TypeFor[clause.Expr]()
	if isText {
		list = reflect.ValueOf(cmp.values[0])
	}
	if list.Kind() != reflect.Slice || list.Len() <= most || isText && len(cmp.values) > 1 {
		return nil
	}
	open, shut := "x'", "'"
	if m.Dialect == "postgres" {
		open, shut = `"\\x`, `"`
	}
	text := make([]byte, 0, list.Len()*len(`"\\x65b3f7a20123456789abcdef",`))
	for i := range list.Len() {
		id, err := ids.Of(cmp.fields[0], list.Index(i))
		if err != nil {
			return nil
		}
		text, _ = id.AppendText(append(text, open...))
		text = append(append(text, shut...), ',')
	}
	all := string(text[:len(text)-1])
	if m.Dialect == "postgres" {
		return []any{clause.Expr{SQL: "SELECT unnest(?::bytea[]) FROM json_array_elements('[0]')", Vars: []any{"{" + all + "}"}}}
	}
	return []any{clause.Expr{SQL: all}}
}
