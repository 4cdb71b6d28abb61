package cond

import (
	"database/sql"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// A test is a condition in SQL text that is nothing but a column, an operator and
// placeholders.
type test struct {
	column   string
	operator string // in lower case
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

// isLiteral reports whether text is one value in SQL, or a sum of numbers. A database
// takes it for true, or for a number that MySQL and SQLite compare with each key. GORM takes
// a number that an int can hold for a key, so here that is gorm.Expr.
func isLiteral(text string) bool {
	if strings.EqualFold(strings.TrimSpace(text), "true") {
		return true
	}
	const digits = "0123456789"
	if !strings.ContainsAny(text, digits) || strings.Trim(text, digits+"abcdefABCDEFxX+-. \t\r\n") != "" {
		return false
	}
	_, err := strconv.Atoi(text)
	return err != nil
}

// isHex reports whether text is 24 hex digits.
func isHex(text string) bool {
	if len(text) != 2*len(oid.ID{}) {
		return false // without the error that Parse would allocate
	}
	_, err := oid.Parse(text)
	return err == nil
}

// unquoted returns the name of a column without the quotes of SQL.
func unquoted(name string) string {
	if strings.ContainsAny(name, "`\"") {
		return withoutQuotes(name)
	}
	return name
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

// withoutQuotes returns the name of a column without the quotes of SQL.
func withoutQuotes(name string) string { return strings.NewReplacer("`", "", `"`, "").Replace(name) }
