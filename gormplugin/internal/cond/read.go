package cond

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// read sets cmp to the comparison that expr is. It reports false if expr is none on ID
// columns.
func (m Model) read(expr clause.Expression, cmp *comparison) bool {
	cmp.of = expr
	switch expr := expr.(type) {
	case clause.IN:
		return m.readIn(expr.Column, expr.Values, "in", cmp)
	case clause.Eq:
		return m.readEqual(expr, "=", "in", cmp)
	case clause.Neq:
		return m.readEqual(clause.Eq(expr), "<>", "not in", cmp)
	case clause.Gt:
		return m.readValue(clause.Eq(expr), ">", cmp)
	case clause.Gte:
		return m.readValue(clause.Eq(expr), ">=", cmp)
	case clause.Lt:
		return m.readValue(clause.Eq(expr), "<", cmp)
	case clause.Lte:
		return m.readValue(clause.Eq(expr), "<=", cmp)
	case clause.Like:
		return m.readValue(clause.Eq(expr), "<", cmp) && ids.IsBinary(cmp.fields[0])
	case clause.Expr:
		return m.readText(expr, cmp)
	case clause.NamedExpr:
		return m.read(withPlaceholders(expr), cmp)
	}
	return false
}

// readValue reads a comparison of a column with one value.
func (m Model) readValue(eq clause.Eq, operator string, cmp *comparison) bool {
	cmp.operator, cmp.values[0] = operator, eq.Value
	return m.readColumn(eq.Column, cmp)
}

// readEqual reads a test for a value, or for one of a list.
func (m Model) readEqual(eq clause.Eq, one, many string, cmp *comparison) bool {
	list, isList := listOf(eq.Value)
	cmp.isNew = isList || isAlone(eq.Column)
	if isList {
		return len(list) > 0 && m.readIn(eq.Column, list, many, cmp) // GORM makes a condition of an empty list that no row meets
	}
	return m.readValue(eq, one, cmp)
}

// readIn reads a test for one of a list. The list may be the bytes of an ID that GORM has
// taken apart.
func (m Model) readIn(column any, list []any, operator string, cmp *comparison) bool {
	if columns, ok := column.([]clause.Column); ok {
		return readTuples(m, columns, list, cmp)
	}
	cmp.operator, cmp.values, cmp.isNew = operator, list, cmp.isNew || isAlone(column)
	if !m.readColumn(column, cmp) || cmp.err != nil {
		return cmp.err != nil
	}
	if id, isLone := fromBytes(list); isLone && operator == "in" {
		cmp.of, cmp.operator, cmp.values, cmp.isNew = clause.Eq{}, "=", []any{id}, true
	}
	if len(list) == 1 {
		if inner, ok := listOf(list[0]); ok {
			cmp.values, cmp.isNew = inner, true
		}
	}
	return true
}

// readText reads a condition in SQL text. The text is only one value, or it is one or
// more columns, an operator and placeholders.
func (m Model) readText(expr clause.Expr, cmp *comparison) bool {
	if len(expr.Vars) == 0 {
		// A string without arguments, db.First(&user, "65b3…"), would go into the
		// SQL as it is. There 24 digits can be a number that selects every row. GORM
		// takes a number for a key, and so are IDs taken here. Other values are refused.
		if !isHex(expr.SQL) && (!isLiteral(expr.SQL) || LookUp(m.Schema, expr.SQL) != nil) {
			return false
		}
		cmp.isDigits = isHex(expr.SQL)
		return m.read(clause.Eq{Column: clause.PrimaryColumn, Value: expr.SQL}, cmp)
	}
	column, more, operator, ok := cutTest(expr.SQL)
	if ok = ok && len(expr.Vars) == strings.Count(expr.SQL, "?"); ok && more != nil {
		return readTuples(m, append([]string{column}, more...), expr.Vars, cmp)
	}
	cmp.operator, cmp.values = operator, expr.Vars
	return ok && m.readColumn(column, cmp)
}

// readTuples reads a comparison of several columns.
func readTuples[T any](m Model, columns []T, values []any, cmp *comparison) bool {
	cmp.fields = make([]*schema.Field, len(columns))
	for i, column := range columns {
		if field, _ := m.Field(column); ids.IsColumn(field) {
			cmp.fields[i] = field
		}
	}
	cmp.values = values
	return true
}

// readColumn reads a column. It reports whether the column holds IDs. If it stands for a
// primary key that doesn't, and a value is an ID all the same, it sets the error of cmp too.
func (m Model) readColumn(column any, cmp *comparison) bool {
	cmp.fields[0], cmp.column = m.Field(column)
	field := cmp.fields[0]
	if field == nil || ids.IsColumn(field) || !isAlone(column) {
		return ids.IsColumn(field)
	}
	_, isBytes := fromBytes(cmp.values)
	isNumber := field.GORMDataType == schema.Int || field.GORMDataType == schema.Uint
	if cmp.isDigits || isBytes && field.IndirectFieldType.Kind() != reflect.Uint8 || isNumber && slices.ContainsFunc(cmp.values, isID) {
		cmp.err = fmt.Errorf("gormplugin.Where(%s): the primary key is not an ID: name the column of the ID, as in \"owner_id = ?\": %w", ids.Name(field), gorm.ErrInvalidData)
	}
	return cmp.err != nil
}

// isID reports whether value is an ID, or the text of one. MySQL takes the digits that such a
// text begins with for a number.
func isID(value any) bool {
	text, _ := value.(string)
	return isHex(text) || value != nil && ids.TypeIn(reflect.TypeOf(value)) != nil
}

// isAlone reports whether column is the stand-in for the primary key.
func isAlone(column any) bool {
	named, _ := column.(clause.Column)
	return named.Name == clause.PrimaryKey
}

// fromBytes returns the ID that values are the bytes of, if GORM has made a list
// of numbers of it.
func fromBytes(values []any) (id oid.ID, ok bool) {
	ok = len(values) == len(id)
	for i := 0; ok && i < len(id); i++ {
		id[i], ok = values[i].(uint8)
	}
	return id, ok
}
