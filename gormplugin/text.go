package gormplugin

import (
	"database/sql"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// text mends a condition in SQL text. The text is only 24 hex digits, or it is one
// or more columns, an operator and placeholders.
func (c *conditions) text(expr clause.Expr) clause.Expression {
	if len(expr.Vars) == 0 {
		// A string without arguments, db.First(&user, "65b3…"), would go into the
		// SQL as it is. There 24 digits are a number, which is true for every
		// row. So is any number that is too long for GORM to take it for a key.
		isHex := false
		if len(expr.SQL) == 2*len(oid.ID{}) {
			_, err := oid.Parse(expr.SQL)
			isHex = err == nil
		}
		if isHex || isLongNumber(expr.SQL) {
			return c.expr(clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: clause.PrimaryKey}, Value: expr.SQL})
		}
		return nil
	}
	if columns := cutTuple(expr.SQL); columns != nil {
		return c.tupleText(expr, columns)
	}
	t, ok := cutTest(expr.SQL)
	if !ok || len(expr.Vars) != strings.Count(expr.SQL, "?") {
		return nil
	}
	field, column := c.field(t.column)
	if !isID(field) {
		return nil
	}
	vars := expr.Vars
	zeroAllowed := !field.PrimaryKey || isOrder(t.operator)
	isIn := len(vars) == 1 && (t.operator == "in" || t.operator == "not in")
	if len(vars) == 1 && inOrder(field, vars[0], zeroAllowed) {
		if !isLong(c.stmt, reflect.ValueOf(vars[0]).Len()) {
			return nil
		}
		if ids, ok := vars[0].([]oid.ID); ok && isIn {
			return t.of(c.longIDs(field, column, ids))
		}
	}
	changed := false
	for i, v := range expr.Vars {
		sent, converted, err := c.listOrValue(field, v, zeroAllowed)
		if err != nil {
			return c.refuse(err)
		}
		if list, _ := sent.([]any); isIn && isLong(c.stmt, len(list)) {
			if long := c.long(field, column, list); long != nil {
				return t.of(long)
			}
		}
		if converted {
			vars, changed = with(vars, changed, i, sent), true
		}
	}
	if !changed {
		return nil
	}
	return clause.Expr{SQL: expr.SQL, Vars: vars, WithoutParentheses: expr.WithoutParentheses}
}

// isLongNumber reports whether text is a number that an int can't hold.
func isLongNumber(text string) bool {
	if strings.Trim(text, "+-0123456789") != "" {
		return false // without the error that Atoi would allocate
	}
	_, err := strconv.Atoi(text)
	return errors.Is(err, strconv.ErrRange)
}

// tupleText mends a condition in SQL text that compares several columns, such as
// "(a, b) IN ?". A part may be zero, because no row matches then.
func (c *conditions) tupleText(expr clause.Expr, columns []string) clause.Expression {
	fields := make([]*schema.Field, len(columns))
	for i, column := range columns {
		if field, _ := c.field(column); isID(field) {
			fields[i] = field
		}
	}
	if len(expr.Vars) != strings.Count(expr.SQL, "?") {
		return nil
	}
	vars, changed := expr.Vars, false
	for i, v := range expr.Vars {
		sent, converted, err := partFor(fields, i, v)
		if err != nil {
			return c.refuse(err)
		}
		if converted {
			vars, changed = with(vars, changed, i, sent), true
		}
	}
	if !changed {
		return nil
	}
	return clause.Expr{SQL: expr.SQL, Vars: vars, WithoutParentheses: expr.WithoutParentheses}
}

// namedText mends a condition in SQL text with names for its arguments.
func (c *conditions) namedText(expr clause.NamedExpr) clause.Expression {
	text, names := cutNames(expr.SQL)
	if len(names) == 0 {
		return c.text(clause.Expr{SQL: expr.SQL, Vars: expr.Vars})
	}
	vars := make([]any, len(names))
	for i, name := range names {
		value, ok := argument(expr.Vars, name)
		if !ok { // such as a variable of MySQL
			value = clause.Expr{SQL: "@" + name}
		}
		vars[i] = value
	}
	return c.text(clause.Expr{SQL: text, Vars: vars})
}

// argument returns the value of the named argument. The last of vars that has the
// name wins, as in GORM. It is a named argument, a map, or a struct with fields.
func argument(vars []any, name string) (value any, ok bool) {
	for _, v := range slices.Backward(vars) {
		switch v := v.(type) {
		case sql.NamedArg:
			value, ok = v.Value, v.Name == name
		case map[string]any:
			value, ok = v[name]
		default:
			value, ok = structArgument(reflect.Indirect(reflect.ValueOf(v)), name)
		}
		if ok {
			return value, true
		}
	}
	return nil, false
}

// structArgument returns the field of v, if that is a struct, that has the name.
func structArgument(v reflect.Value, name string) (value any, ok bool) {
	if v.Kind() != reflect.Struct {
		return nil, false
	}
	field, ok := v.Type().FieldByName(name)
	if !ok {
		return nil, false
	}
	found, err := v.FieldByIndexErr(field.Index)
	if err != nil || !found.CanInterface() {
		return nil, false
	}
	return found.Interface(), true
}
