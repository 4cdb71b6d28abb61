package gormplugin

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// refuseValue returns the error of a condition on the column of field that names
// value. The error tells the kind of the value and the remedy, but not the value.
func refuseValue(field *schema.Field, value any, kind string) error {
	return fmt.Errorf("gormplugin.Where(%s): %s is not an ID: %s; gorm.Expr passes anything: %w", nameOf(field), kind, remedy(value), gorm.ErrInvalidData)
}

// remedy tells what to pass in a condition instead of value.
func remedy(value any) string {
	switch value.(type) {
	case time.Time, *time.Time:
		return "use CreatedSince, or oid.MinAt(t)"
	}
	const ids = "pass an ID, a list of IDs, or 24 hex digits"
	if reflect.Indirect(reflect.ValueOf(value)).Kind() == reflect.String {
		return "parse it with oid.Parse first, or " + ids
	}
	return ids
}

// errNull is the error of idOf for NULL.
var errNull = errors.New("NULL")

// valueFor returns the form in which a condition on the column of field sends
// value. It also returns whether the form differs from value. NULL, columns,
// expressions and subqueries stay as they are. An ID goes out in the form of the
// column. Anything else is an error. The zero ID is an error too unless it is
// allowed, because no row has it for its key.
func valueFor(field *schema.Field, value any, zeroAllowed bool) (sent any, changed bool, err error) {
	sent, changed, isZero, err := convert(field, value)
	switch {
	case err != nil:
		return nil, false, refuseValue(field, value, err.Error())
	case isZero && !zeroAllowed:
		return nil, false, fmt.Errorf("gormplugin.Where(%s): %w", nameOf(field), errZeroID)
	}
	return sent, changed, nil
}

// convert returns value in the form of the column of field, whether that differs
// from value, and whether it is the zero ID. If value can't be in such a column,
// the error tells its kind.
func convert(field *schema.Field, value any) (sent any, changed, isZero bool, err error) {
	var id oid.ID
	switch v := value.(type) {
	case nil:
		return nil, false, false, nil
	case oid.ID:
		id = v
	case clause.Expression, clause.Column, clause.Table, *gorm.DB, gorm.Valuer:
		return value, false, false, nil
	default:
		id, err = idOf(v)
		switch {
		case err == nil:
		case err == errNull || isSubquery(v):
			return value, false, false, nil
		default:
			return nil, false, false, err
		}
	}
	form := idTypeIn(field.IndirectFieldType)
	switch t := reflect.TypeOf(value); {
	case t == form, t.Kind() == reflect.Pointer && t.Elem() == form:
		return value, false, id.IsZero(), nil
	case t == idType && isBinary(form):
		return value, false, id.IsZero(), nil
	}
	return inForm(form, id), true, id.IsZero(), nil
}

// inForm returns id as a value of type form, which an ID column holds.
func inForm(form reflect.Type, id oid.ID) any {
	if !form.Implements(valuerType) {
		return id
	}
	return reflect.ValueOf(id).Convert(form).Interface()
}

// idOf returns the ID in value. The value is of a type of 12 bytes, a driver.Valuer
// that gives an ID, 24 hex digits, or 12 bytes. The error is errNull for NULL.
// Otherwise the error tells the kind of value.
func idOf(value any) (id oid.ID, err error) {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return oid.ID{}, errNull
		}
		if v.Kind() == reflect.Interface { // of a pointer to any
			v = v.Elem()
			continue
		}
		if valuer, ok := v.Interface().(driver.Valuer); ok && !v.Type().Elem().Implements(valuerType) {
			return idOfValuer(valuer)
		}
		v = v.Elem()
	}
	valuer, isValuer := v.Interface().(driver.Valuer)
	if isBytes12(v.Type()) {
		reflect.Copy(reflect.ValueOf(&id).Elem(), v)
		if id.IsZero() && isValuer { // sqltype.ZeroNull is NULL then
			if value, _ := valuer.Value(); value == nil {
				return oid.ID{}, errNull
			}
		}
		return id, nil
	}
	if isValuer {
		return idOfValuer(valuer)
	}
	switch {
	case v.Kind() == reflect.String:
		if err := id.Scan(v.String()); err != nil {
			return oid.ID{}, fmt.Errorf("text of %d bytes", v.Len())
		}
		return id, nil
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		if err := id.Scan(v.Bytes()); err != nil {
			return oid.ID{}, fmt.Errorf("%T of %d bytes", value, v.Len())
		}
		return id, nil
	}
	return oid.ID{}, fmt.Errorf("%T", value)
}

// idOfValuer returns the ID that valuer gives.
func idOfValuer(valuer driver.Valuer) (id oid.ID, err error) {
	value, err := valuer.Value()
	switch {
	case err != nil:
		return oid.ID{}, fmt.Errorf("%T, whose Value fails", valuer)
	case value == nil:
		return oid.ID{}, errNull
	}
	if t := reflect.TypeOf(value); isBytes12(t) { // of sql.Null[oid.ID]
		reflect.Copy(reflect.ValueOf(&id).Elem(), reflect.ValueOf(value))
		return id, nil
	}
	switch value.(type) {
	case string, []byte:
		if id.Scan(value) == nil {
			return id, nil
		}
	}
	return oid.ID{}, fmt.Errorf("%T", valuer)
}

// isSubquery reports whether GORM takes value for a subquery although it isn't a
// *gorm.DB. Such a value is a struct that embeds one.
func isSubquery(value any) bool {
	t := reflect.TypeOf(value)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	field, _ := t.FieldByName("DB")
	return field.Anonymous && field.Type == reflect.TypeFor[*gorm.DB]()
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

// inOrder reports whether value is a slice of IDs in the form of field, which need
// no change. It allocates nothing.
func inOrder(field *schema.Field, value any, zeroAllowed bool) bool {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice {
		return false
	}
	t, form := v.Type().Elem(), idTypeIn(field.IndirectFieldType)
	if t != form && (t != idType || !isBinary(form)) {
		return false
	}
	for i := range v.Len() {
		if !zeroAllowed && v.Index(i).IsZero() {
			return false
		}
	}
	return true
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

// A test is a condition in SQL text that is nothing but a column, an operator and
// placeholders.
type test struct {
	column   string
	operator string // in lower case
}

// of returns in, the condition that the column is one of a list, or its negation if
// that is the operator.
func (t test) of(in clause.Expression) clause.Expression {
	if t.operator == "not in" {
		return clause.Not(in)
	}
	return in
}

// operators are those that a test may have. Only IN takes more than one placeholder.
var operators = []string{"=", "<>", "!=", "<=", ">=", "<", ">", "<=>", "in", "not in", "between ? and", "not between ? and"}

// isOrder reports whether operator compares by order, for which the zero ID is a
// bound like any other.
func isOrder(operator string) bool {
	return strings.HasPrefix(operator, "<") && operator != "<>" && operator != "<=>" || strings.HasPrefix(operator, ">") || strings.Contains(operator, "between")
}

// cutTest returns the test that sql is. Its last placeholder may be in brackets.
func cutTest(sql string) (t test, ok bool) {
	sql = strings.TrimSpace(sql)
	bare, ok := withoutBrackets(sql)
	if !ok && strings.HasPrefix(sql, "(") && strings.HasSuffix(sql, ")") {
		sql = strings.TrimSpace(sql[1 : len(sql)-1])
		bare, ok = withoutBrackets(sql)
	}
	if ok {
		sql = bare
	}
	first := strings.IndexAny(sql, " \t\r\n=<>!")
	if first < 0 {
		return test{}, false
	}
	t.column = unquoted(sql[:first])
	operator := strings.TrimSpace(sql[first:])
	if inner, open := cutBrackets(operator); open {
		operator = inner
	} else if operator, ok = strings.CutSuffix(operator, "?"); !ok {
		return test{}, false
	}
	t.operator, ok = operatorOf(operator)
	return t, ok
}

// withoutBrackets returns sql without the brackets around its column: "(id) = ?" is
// "id = ?". It isn't ok if sql has none.
func withoutBrackets(sql string) (bare string, ok bool) {
	column, rest, _ := strings.Cut(sql, ")")
	column, ok = strings.CutPrefix(column, "(")
	if !ok || strings.ContainsAny(column, "(?@,") || rest == "" {
		return sql, false
	}
	return strings.TrimSpace(column) + " " + rest, true
}

// cutTuple returns the columns of sql, such as "(a, b) IN ?". There are none unless sql
// is only columns in brackets, an operator and placeholders, which may be in brackets.
func cutTuple(sql string) (columns []string) {
	sql = strings.TrimSpace(sql)
	if !strings.HasPrefix(sql, "(") {
		return nil
	}
	list, rest, _ := strings.Cut(sql[1:], ")")
	if !strings.Contains(list, ",") || strings.ContainsAny(list, "?@(") {
		return nil
	}
	operator := strings.TrimRight(rest, "?(), \t\r\n")
	if _, ok := operatorOf(operator); !ok || !strings.Contains(rest[len(operator):], "?") {
		return nil
	}
	for column := range strings.SplitSeq(list, ",") {
		columns = append(columns, unquoted(strings.TrimSpace(column)))
	}
	return columns
}

// cutBrackets cuts brackets that hold only placeholders from the end of sql.
func cutBrackets(sql string) (before string, ok bool) {
	bracket := strings.LastIndex(sql, "(")
	if bracket < 0 {
		return sql, false
	}
	before = sql[:bracket]
	inner, ok := strings.CutSuffix(sql[bracket+1:], ")")
	if !ok || strings.Trim(inner, "?, \t\r\n") != "" {
		return sql, false
	}
	if operator, _ := operatorOf(before); strings.Count(inner, "?") > 1 && operator != "in" && operator != "not in" {
		return sql, false
	}
	return before, true
}

// operatorOf returns the operator that sql is, in lower case.
func operatorOf(sql string) (operator string, ok bool) {
	sql = strings.TrimSpace(sql)
	if strings.ContainsAny(sql, "\t\r\n") || strings.Contains(sql, "  ") {
		sql = strings.Join(strings.Fields(sql), " ")
	}
	for _, known := range operators {
		if strings.EqualFold(sql, known) {
			return known, true
		}
	}
	return "", false
}

// cutNames returns sql with a placeholder for each name, and the names.
func cutNames(sql string) (text string, names []string) {
	before, rest, found := strings.Cut(sql, "@")
	text = before
	for found {
		end := strings.IndexAny(rest, " ,)\"'`\r\n;") // where a name ends to GORM
		if end < 0 {
			end = len(rest)
		}
		names = append(names, rest[:end])
		before, rest, found = strings.Cut(rest[end:], "@")
		text += "?" + before
	}
	return text, names
}

// unquoted returns the name of a column without the quotes of SQL.
func unquoted(name string) string {
	if strings.ContainsAny(name, "`\"") {
		return withoutQuotes(name)
	}
	return name
}
