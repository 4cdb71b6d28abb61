package cond

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A comparison is what every condition on ID columns has in common, in whatever form the
// program wrote it. A condition goes one way. read makes a comparison of it, check puts
// the values into the form of the columns, and write makes the condition that the
// database gets.
type comparison struct {
	of       clause.Expression // the condition
	isNamed  bool              // it had names for its arguments
	fields   []*schema.Field   // of the columns; nil for one that holds no IDs
	column   clause.Column     // if there is one
	operator string            // in lower case; "" for several columns
	values   []any             // what the columns are compared with
	depth    int               // how deep the lists in values may be nested
	isNew    bool              // it is written even if no value changes
	err      error             // why it doesn't name IDs

	field [1]*schema.Field // room for one of each, as most conditions have
	value [1]any
}

var comparisons = sync.Pool{New: func() any { return new(comparison) }}

// compare returns what replaces the condition expr. It is nil if expr is right as it is,
// or no comparison with ID columns.
func (w *walk) compare(expr clause.Expression) clause.Expression {
	cmp := comparisons.Get().(*comparison)
	defer comparisons.Put(cmp)
	*cmp = comparison{}
	cmp.fields, cmp.values = cmp.field[:], cmp.value[:]
	if !w.read(expr, cmp) {
		return nil
	}
	changed := cmp.check()
	if cmp.err != nil {
		return w.refuse(cmp.err)
	}
	if w.Changes && cmp.isZero(w.isNot) {
		w.everyone = fmt.Errorf("gormplugin.Where(%s): no key is the zero ID, so the condition holds for all rows: %w", ids.Name(cmp.fields[0]), gorm.ErrPrimaryKeyRequired)
	}
	if list, ok := w.long(cmp); ok {
		return cmp.write(list, nil)
	}
	if !changed && !cmp.isNew {
		return nil
	}
	return cmp.write(nil, cmp.values)
}

// isZero reports whether the comparison, under NOT or not, holds for all rows but one whose
// key is zero.
func (cmp *comparison) isZero(isNot bool) bool {
	excludes := cmp.operator == "<>" || cmp.operator == "!=" || cmp.operator == "not in"
	names := cmp.operator == "=" || cmp.operator == "<=>" || cmp.operator == "in"
	return (excludes && !isNot || names && isNot) && cmp.fields[0].PrimaryKey && areZero(cmp.values)
}

// areZero reports whether values hold nothing but zero IDs, also in lists.
func areZero(values []any) bool {
	return !slices.ContainsFunc(values, func(value any) bool {
		if list, ok := listOf(value); ok {
			return !areZero(list)
		}
		id, err := ids.Of(value)
		return err != nil || !id.IsZero()
	})
}

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
		cmp.isNamed = true
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
	list, ok := listOf(eq.Value)
	if !ok {
		cmp.isNew = isAlone(eq.Column)
		return m.readValue(eq, one, cmp)
	}
	cmp.isNew = true
	return len(list) > 0 && m.readIn(eq.Column, list, many, cmp) // GORM makes a condition of an empty list that no row meets
}

// readIn reads a test for one of a list. The list may be the bytes of an ID that GORM has
// taken apart.
func (m Model) readIn(column any, list []any, operator string, cmp *comparison) bool {
	if columns, ok := column.([]clause.Column); ok {
		return readTuples(m, columns, list, cmp)
	}
	id, isLone := fromBytes(list)
	if !m.readColumn(column, cmp) {
		if field, _ := m.Field(column); isLone && isAlone(column) && field != nil && field.IndirectFieldType.Kind() != reflect.Uint8 {
			cmp.err = fmt.Errorf("gormplugin.Where(%s): the key is not an ID: name the column, as in \"owner_id = ?\": %w", ids.Name(field), gorm.ErrInvalidData)
		}
		return cmp.err != nil
	}
	if isLone {
		cmp.of, cmp.isNew = clause.Eq{}, true
		if operator == "not in" {
			cmp.of = clause.Neq{}
		}
		return m.readValue(clause.Eq{Column: column, Value: id}, "=", cmp)
	}
	cmp.operator, cmp.values, cmp.isNew = operator, list, cmp.isNew || isAlone(column)
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
		// SQL as it is. There 24 digits are a number, which is true for every row. GORM
		// takes a number for a key, and so are IDs taken here. Other values are refused.
		if !isHex(expr.SQL) && (!isLiteral(expr.SQL) || LookUp(m.Schema, expr.SQL) != nil) {
			return false
		}
		return m.read(clause.Eq{Column: clause.PrimaryColumn, Value: expr.SQL}, cmp)
	}
	if len(expr.Vars) != strings.Count(expr.SQL, "?") {
		return false
	}
	t, ok := cutTest(expr.SQL)
	if ok && t.more != nil {
		return readTuples(m, append([]string{t.column}, t.more...), expr.Vars, cmp)
	}
	cmp.operator, cmp.values, cmp.depth = t.operator, expr.Vars, 1
	return ok && m.readColumn(t.column, cmp)
}

// readTuples reads a comparison of several columns.
func readTuples[T any](m Model, columns []T, values []any, cmp *comparison) bool {
	cmp.fields = make([]*schema.Field, len(columns))
	for i, column := range columns {
		if field, _ := m.Field(column); ids.IsColumn(field) {
			cmp.fields[i] = field
		}
	}
	cmp.values, cmp.depth = values, 2
	return true
}

// readColumn reads a column. It reports whether the column holds IDs.
func (m Model) readColumn(column any, cmp *comparison) bool {
	cmp.fields[0], cmp.column = m.Field(column)
	return ids.IsColumn(cmp.fields[0])
}

// isAlone reports whether column is the stand-in for the primary key.
func isAlone(column any) bool {
	named, _ := column.(clause.Column)
	return named.Name == clause.PrimaryKey
}

// check puts the values into the form of the columns, and reports whether that changes
// one. Changes are made in a copy.
func (cmp *comparison) check() (changed bool) {
	for i, value := range cmp.values {
		if cmp.err != nil {
			return false
		}
		if sent, other := cmp.convert(i, value, cmp.depth); other {
			cmp.values, changed = With(cmp.values, changed, i, sent), true
		}
	}
	return changed
}

// convert returns a value in the form of the columns, and whether that differs. The value
// has the place i, and may be a list, nested no deeper than depth.
func (cmp *comparison) convert(i int, value any, depth int) (sent any, changed bool) {
	field := cmp.fields[i%len(cmp.fields)]
	if depth > 0 {
		if len(cmp.fields) == 1 && cmp.isRight(value) {
			return value, false
		}
		if list, ok := listOf(value); ok {
			for j, part := range list {
				if sent, other := cmp.convert(j, part, depth-1); other {
					list, changed = With(list, changed, j, sent), true
				}
			}
			return list, changed
		}
	}
	if field == nil || cmp.err != nil {
		return value, false
	}
	sent, changed, _, err := ids.Convert(field, value)
	if err == nil {
		return sent, changed
	}
	if errors.Is(err, ids.ErrOther) {
		cmp.err = fmt.Errorf("gormplugin.Where(%s): %w: %w", ids.Name(field), err, gorm.ErrInvalidData)
		return value, false
	}
	isText := reflect.Indirect(reflect.ValueOf(value)).Kind() == reflect.String
	if isText && isOrder(cmp.operator) && !ids.IsBinary(field) {
		return value, false // a prefix is a bound of hex digits
	}
	kind := err.Error()
	if _, isByte := value.(uint8); isByte {
		kind = fmt.Sprintf("a list of %d bytes", len(cmp.values))
	}
	remedy := "pass an ID, a list of IDs, or 24 hex digits"
	switch value.(type) {
	case time.Time, *time.Time:
		remedy = "use CreatedSince, or oid.MinAt(t)"
	default:
		if isText {
			remedy = "parse it with " + parser(reflect.Indirect(reflect.ValueOf(value)).String()) + " first, or " + remedy
		}
	}
	cmp.err = fmt.Errorf("gormplugin.Where(%s): %s is not an ID: %s; gorm.Expr passes anything: %w", ids.Name(field), kind, remedy, gorm.ErrInvalidData)
	return value, false
}

// parser names the function that reads text, if text is an ID. A text in a form of package
// public has 26 digits, after an underscore if the form has a prefix.
func parser(text string) string {
	if digits := text[strings.LastIndexByte(text, '_')+1:]; len(digits) == len("6gj58nyjar56vf5y205p9xf0ej") {
		return "Parse of its form"
	}
	return "oid.Parse"
}

// isRight reports whether value is a slice of IDs in the form of the column, which need
// no change. It allocates nothing.
func (cmp *comparison) isRight(value any) bool {
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Slice && ids.IsSentAs(cmp.fields[0], v.Type().Elem())
}

// write returns the condition with values, or the one that a long list is. It is of the
// same kind as the condition that was read, because GORM's NOT and OR treat kinds in
// different ways.
func (cmp *comparison) write(long clause.Expression, values []any) clause.Expression {
	if of, ok := cmp.of.(clause.Expr); ok {
		if long != nil {
			of.SQL, values = "?", []any{long}
		}
		if cmp.isNamed {
			return clause.NamedExpr{SQL: of.SQL, Vars: values}
		}
		return clause.Expr{SQL: of.SQL, Vars: values, WithoutParentheses: of.WithoutParentheses}
	}
	if long != nil {
		return long
	}
	if in, ok := cmp.of.(clause.IN); ok {
		if cmp.operator != "" { // and not of several columns
			in.Column = cmp.column
		}
		return clause.IN{Column: in.Column, Values: values}
	}
	eq := clause.Eq{Column: cmp.column, Value: values[0]}
	if cmp.operator == "in" || cmp.operator == "not in" {
		eq.Value = values
	}
	return reflect.ValueOf(eq).Convert(reflect.TypeOf(cmp.of)).Interface().(clause.Expression)
}

// listOf returns the elements of value if GORM takes it for a list.
func listOf(value any) (list []any, ok bool) {
	switch v := value.(type) {
	case nil, driver.Valuer, gorm.Valuer, clause.Expression:
		return nil, false
	case []any:
		return v, true
	}
	v := reflect.Indirect(reflect.ValueOf(value))
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array || v.Type().Elem().Kind() == reflect.Uint8 {
		return nil, false
	}
	list = make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list, true
}

// fromBytes returns the ID that values are the bytes of, if GORM has made a list
// of numbers of it.
func fromBytes(values []any) (id oid.ID, ok bool) {
	if len(values) != len(id) {
		return oid.ID{}, false
	}
	for i, value := range values {
		if id[i], ok = value.(uint8); !ok {
			return oid.ID{}, false
		}
	}
	return id, true
}

// With returns list with v at i. It copies the list unless that is a copy.
func With[T any](list []T, isCopy bool, i int, v T) []T {
	if !isCopy {
		list = slices.Clone(list)
	}
	list[i] = v
	return list
}
