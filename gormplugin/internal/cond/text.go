package cond

import (
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// operators are those that cutTest knows, longer ones before those that they begin with.
var operators = []string{"=", "<=>", "<>", "<=", "<", "!=", ">=", ">", "in", "not in", "between", "not between"}

// orders are the operators that compare by order.
var orders = []string{"<", "<=", ">", ">=", "between", "not between"}

// cutTest cuts sql into a column, or several in brackets, and an operator in lower case, if
// sql is nothing but these and placeholders. The whole and its parts may be in brackets.
// Whether these match is left to the database.
func cutTest(sql string) (column string, more []string, operator string, ok bool) {
	s := scanner{sql}
	isOpen := s.take("(")
	for s.take("(") {
	}
	column = s.name()
	for isOpen && s.take(",") {
		more = append(more, s.name())
	}
	for isOpen && s.take(")") {
	}
	if known := slices.IndexFunc(operators, s.take); known >= 0 {
		operator = operators[known]
	}
	if strings.HasSuffix(operator, "between") && (!s.take("?") || !s.take("and")) {
		return "", nil, "", false
	}
	n := strings.Count(s.rest, "?")
	isList := more != nil || operator == "in" || operator == "not in"
	return column, more, operator, operator != "" && strings.Trim(s.rest, "?(),"+spaces) == "" && (n == 1 || n > 1 && isList)
}

// A scanner reads SQL from the left.
type scanner struct{ rest string }

const spaces = " \t\r\n"

// take cuts off the words, in any case and with any space before them. It reports false
// if the rest doesn't begin with them.
func (s *scanner) take(words string) bool {
	rest := s.rest
	for word := range strings.SplitSeq(words, " ") {
		rest = strings.TrimLeft(rest, spaces)
		if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
			return false
		}
		rest = rest[len(word):]
	}
	s.rest = rest
	return true
}

// name cuts off the name of a column, with its quotes. It is "" if nothing comes after it.
func (s *scanner) name() string {
	rest := strings.TrimLeft(s.rest, spaces)
	end := max(0, strings.IndexAny(rest, "=<>!(),?@"+spaces))
	s.rest = rest[end:]
	return rest[:end]
}

// withPlaceholders returns SQL with placeholders for names. GORM finds their values.
func withPlaceholders(expr clause.NamedExpr) clause.Expr {
	var r recorder
	expr.Build(&r)
	return clause.Expr{SQL: r.SQL.String(), Vars: r.Vars}
}

// A recorder is a statement that keeps the values of an expression as they are.
type recorder struct{ gorm.Statement }

// AddVar keeps values, each for a placeholder.
func (r *recorder) AddVar(_ clause.Writer, vars ...any) {
	r.Vars = append(r.Vars, vars...)
	r.WriteString("?" + strings.Repeat(",?", len(vars)-1))
}

// isLiteral reports whether text is one value in SQL, or a sum of numbers. A database
// takes it for true, or for a number that MySQL and SQLite compare with each key. GORM takes
// a number that an int can hold for a key, so here that is gorm.Expr.
func isLiteral(text string) bool {
	const digits = "0123456789"
	is := strings.ContainsAny(text, digits) && strings.Trim(text, digits+"abcdefABCDEFxX+-. \t\r\n") == ""
	if is {
		_, err := strconv.Atoi(text)
		is = err != nil
	}
	return is || strings.EqualFold(strings.TrimSpace(text), "true")
}

// isHex reports whether text is 24 hex digits.
func isHex(text string) bool {
	var id oid.ID
	return len(text) == 2*len(id) && id.Scan(text) == nil
}

// quotes removes the quotes of SQL from a name.
var quotes = strings.NewReplacer("`", "", `"`, "")
