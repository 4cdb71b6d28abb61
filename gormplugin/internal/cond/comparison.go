package cond

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A comparison is what every condition on ID columns has in common, in whatever form the
// program wrote it. A condition goes one way. read makes a comparison of it, convert puts
// the values into the form of the columns, and write makes the condition that the
// database gets.
type comparison struct {
	of       clause.Expression // the condition
	fields   []*schema.Field   // of the columns; nil for one that holds no IDs
	column   clause.Column     // if there is one
	operator string            // in lower case; "" for several columns
	values   []any             // what the columns are compared with
	isNew    bool              // it is written even if no value changes
	isDigits bool              // it is 24 hex digits, without a column
	err      error             // why it doesn't name IDs

	field [1]*schema.Field // room for one of each, as most conditions have
	value [1]any
}

// isZero reports whether the comparison, under NOT or not, holds for all rows but one whose
// key is zero.
func (cmp *comparison) isZero(isNot bool) bool {
	operators, values := []string{"<>", "!=", "not in"}, cmp.values
	if isNot {
		operators = []string{"=", "<=>", "in"}
	}
	if len(values) == 1 {
		if list, ok := listOf(values[0]); ok {
			values = list
		}
	}
	return slices.Contains(operators, cmp.operator) && cmp.fields[0].PrimaryKey && !slices.ContainsFunc(values, func(value any) bool {
		id, err := ids.Of(cmp.fields[0], reflect.ValueOf(value))
		return err != nil || !id.IsZero()
	})
}

// convert returns a value in the form of the columns, and whether that differs. The value
// has the place i, and may be a list.
func (cmp *comparison) convert(i int, value any) (sent any, changed bool) {
	field, v := cmp.fields[i%len(cmp.fields)], reflect.ValueOf(value)
	if len(cmp.fields) == 1 && v.Kind() == reflect.Slice && ids.IsSentAs(field, v.Type().Elem()) {
		return value, false // at once, because lists may be long
	}
	if list, ok := listOf(value); ok {
		return Mapped(list, cmp.convert)
	}
	if field == nil || cmp.err != nil {
		return value, false
	}
	sent, changed, _, err := ids.Convert(field, value)
	if err == nil {
		return sent, changed
	}
	text := reflect.Indirect(v)
	isText := text.Kind() == reflect.String
	if isText && slices.Contains(orders, cmp.operator) && !ids.IsBinary(field) {
		return value, false // a prefix is a bound of hex digits
	}
	remedy := "pass an ID, a list of IDs, or 24 hex digits"
	switch value.(type) {
	case uint8:
		err = fmt.Errorf("a list of %d bytes", len(cmp.values))
	case time.Time, *time.Time:
		remedy = "use CreatedSince, or oid.MinAt(t)"
	default:
		if isText {
			remedy = "parse it with " + parser(text.String()) + " first, or " + remedy
		}
	}
	cmp.err = ids.Refused("Where", field, err, remedy)
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

// write returns the condition with its values. It is of the kind of cmp.of, because GORM's
// NOT and OR treat kinds in different ways.
func (cmp *comparison) write() clause.Expression {
	switch of := cmp.of.(type) {
	case clause.Expr:
		of.Vars = cmp.values
		return of
	case clause.IN:
		if cmp.operator != "" { // and not of several columns
			of.Column = cmp.column
		}
		of.Values = cmp.values
		return of
	}
	eq := clause.Eq{Column: cmp.column, Value: cmp.values[0]}
	if cmp.operator == "in" || cmp.operator == "not in" {
		eq.Value = cmp.values
	}
	return reflect.ValueOf(eq).Convert(reflect.TypeOf(cmp.of)).Interface().(clause.Expression)
}

// writeList returns the condition with list in place of its list. GORM writes a list of one
// value as a list only for an Eq, which NOT and OR treat as an IN.
func (cmp *comparison) writeList(list []any) clause.Expression {
	cmp.values = list
	switch cmp.of.(type) {
	case clause.Expr:
		cmp.values = []any{list}
	case clause.IN:
		cmp.of = clause.Eq{}
	}
	return cmp.write()
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

// Mapped returns list with what of returns for its values that change, and whether any does.
// It is a copy then.
func Mapped[T any](list []T, of func(i int, value T) (T, bool)) (mapped []T, changed bool) {
	mapped = list
	for i, value := range list {
		other, differs := of(i, value)
		if !differs {
			continue
		}
		if !changed {
			mapped, changed = slices.Clone(list), true
		}
		mapped[i] = other
	}
	return mapped, changed
}
