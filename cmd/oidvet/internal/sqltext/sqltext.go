// Package sqltext reads the SQL in programs as far as oidvet needs it: which columns meet
// which placeholders, and which columns a statement returns. It skips what it isn't sure of.
package sqltext

import (
	"regexp"
	"slices"
	"strings"
)

// A Column is a column of a table, in lower case. Both names are "" for an expression, and
// for a column whose table the text doesn't tell.
type Column struct{ Table, Name string }

// A Meeting is a placeholder whose value a statement compares with a column, or stores in it.
type Meeting struct {
	Column
	Param string // "1" for the first ? or $1, and the name for :name and @name
	Op    string // =, <, in, between …, as if the column stood at the left. "" for a value that is stored
}

// A Statement is what Parse found in a text.
type Statement struct {
	Meetings []Meeting
	Results  []Column // what a query returns, in order, up to *. nil if that isn't known
	Params   int      // the number of placeholders written as ?
}

// Parse reads the text of a statement, or a condition on the table that is given. The
// map has the table by each name that a condition may use for it.
func Parse(text string, tables map[string]string) Statement {
	p := &parser{tables: make(map[string]string)}
	p.tokens, p.Params = tokens(text)
	for alias, table := range tables {
		p.tables[alias] = table
	}
	p.from()
	p.meet()
	p.results()
	return p.Statement
}

type parser struct {
	Statement
	tokens  []token
	tables  map[string]string // by alias
	derived bool              // a table is a query
}

// at returns a token, or a sign that stands for the end.
func (p *parser) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{}
	}
	return p.tokens[i]
}

func (p *parser) is(i int, texts ...string) bool {
	return slices.Contains(texts, p.at(i).text) && p.at(i).kind != param
}

// from collects the tables of the statement and their aliases.
func (p *parser) from() {
	for i, t := range p.tokens {
		switch {
		case t.kind != keyword:
		case t.text == "from" || t.text == "join" || t.text == "into" || t.text == "using":
			p.table(i + 1)
		case t.text == "update" && !p.is(i-1, "for", "do", "key"):
			p.table(i + 1)
		}
	}
}

// table reads one table or several at i.
func (p *parser) table(i int) {
	for p.is(i, "only", "lateral") {
		i++
	}
	t := p.at(i)
	if t.kind != name {
		p.derived = p.derived || t.text == "(" || t.kind == keyword
		return
	}
	p.add(t.text, t.text)
	i++
	if p.is(i, "as") {
		i++
	}
	if alias := p.at(i); alias.kind == name {
		p.add(alias.text, t.text)
		i++
	}
	if p.is(i, ",") {
		p.table(i + 1)
	}
}

// add notes an alias. One that two tables have is of neither.
func (p *parser) add(alias, table string) {
	if other, ok := p.tables[alias]; ok && other != table {
		table = ""
	}
	p.tables[alias] = table
}

// column returns the column that a token is.
func (p *parser) column(t token) Column {
	if t.kind != name {
		return Column{}
	}
	table := p.tables[t.table]
	if t.table == "" && !p.derived {
		for _, other := range p.tables {
			if table != "" && table != other {
				return Column{}
			}
			table = other
		}
	}
	if table == "" {
		return Column{}
	}
	return Column{table, t.text}
}

// starts reports whether an operand may start at i: what is before doesn't belong to it.
func (p *parser) starts(i int) bool {
	before := p.at(i - 1)
	return before == token{} || before.kind == keyword || before.text == "(" || before.text == "," || before.text == ";"
}

// ends reports whether an operand ends before i.
func (p *parser) ends(i int) bool {
	after := p.at(i)
	return after == token{} || after.kind == keyword || after.text == ")" || after.text == "," || after.text == ";"
}

// flipped is the operator after its operands have changed places.
var flipped = map[string]string{"=": "=", "<>": "<>", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// meet collects the placeholders and the columns that they meet.
func (p *parser) meet() {
	setting := false // within SET a = $1, b = $2
	for i, t := range p.tokens {
		switch {
		case p.is(i, "values"):
			p.values(i)
		case p.is(i, "set"), p.is(i, "update") && p.is(i-1, "key"):
			setting = true
		case p.is(i, "where", "from", "returning", "when", "order", "limit", "select", ";"):
			setting = false
		case t.kind != param:
		case p.ends(i + 1):
			column, op := p.left(i)
			if setting && op == "=" {
				op = ""
			}
			p.meeting(column, t, op)
		case p.starts(i) && p.ends(i+3): // $1 < id
			if op := flipped[p.at(i+1).text]; op != "" {
				p.meeting(p.column(p.at(i+2)), t, op)
			}
		}
	}
}

func (p *parser) meeting(column Column, t token, op string) {
	if column != (Column{}) {
		p.Meetings = append(p.Meetings, Meeting{column, t.text, op})
	}
}

// left returns the column that is compared with the placeholder at i, at its left, and
// the operator.
func (p *parser) left(i int) (Column, string) {
	op := p.at(i - 1).text
	switch {
	case flipped[op] != "":
		return p.operand(i - 2), op
	case p.is(i-1, "between"):
		return p.operand(i - 2), op
	case p.is(i-1, "and") && p.is(i-3, "between") && p.at(i-2).kind == param:
		return p.operand(i - 4), "and"
	case p.is(i-1, "in"):
		return p.operand(i - 2), op
	}
	// A list: IN ($1, $2), ANY ($1) or (a, b) < ($1, $2).
	first := i
	for p.is(first-1, ",") && p.starts(first-2) {
		first -= 2
	}
	if !p.is(first-1, "(") {
		return Column{}, ""
	}
	before := first - 2
	op = p.at(before).text
	switch {
	case p.is(before, "in"):
		return p.operand(before - 1), op
	case p.is(before, "any", "all", "some") && flipped[p.at(before-1).text] != "":
		return p.operand(before - 2), "in"
	case flipped[op] != "" && p.is(before-1, ")"):
		return p.inRow(before-1, (i-first)/2), op
	}
	return Column{}, ""
}

// operand returns the column at i, if nothing before belongs to it.
func (p *parser) operand(i int) Column {
	if p.is(i, "not") {
		i--
	}
	if !p.starts(i) {
		return Column{}
	}
	return p.column(p.at(i))
}

// inRow returns the column with an index in a row of columns, such as (a, b), that ends
// at i.
func (p *parser) inRow(i, index int) Column {
	open := i - 1
	for p.is(open-1, ",") {
		open -= 2
	}
	at := open + 2*index
	if !p.is(open-1, "(") || !p.starts(open-1) || at >= i {
		return Column{}
	}
	return p.column(p.at(at))
}

// values collects the placeholders that INSERT INTO t (a, b) VALUES ($1, $2) stores. The
// word VALUES is at i.
func (p *parser) values(i int) {
	var columns []Column
	open := i - 1
	for ; p.at(open).text != "" && !p.is(open, "("); open-- {
		if p.at(open).kind == name {
			columns = append(columns, p.column(p.at(open)))
		}
	}
	if !p.is(i-1, ")") || p.at(open-1).kind != name {
		return
	}
	slices.Reverse(columns)
	depth, index := 0, 0
	for i++; p.ends(i) || depth > 0 || p.is(i, "("); i++ {
		switch t := p.at(i); {
		case t.text == "(":
			depth++
			if depth == 1 {
				index = 0
			}
		case t.text == ")":
			depth--
		case t.text == "," && depth == 1:
			index++
		case t.kind == param && depth == 1 && index < len(columns) && p.starts(i) && p.ends(i+1):
			p.meeting(columns[index], t, "")
		case t == token{}, t.kind == keyword && depth == 0:
			return
		}
	}
}

// results collects the columns that the statement returns.
func (p *parser) results() {
	start := slices.IndexFunc(p.tokens, func(t token) bool { return t.kind == keyword && (t.text == "select" || t.text == "returning") })
	if start < 0 || slices.ContainsFunc(p.tokens, func(t token) bool {
		return t.kind == keyword && (t.text == "union" || t.text == "with" || t.text == "intersect" || t.text == "except")
	}) {
		return
	}
	item, depth := 0, 0 // the number of tokens of an item before this one
	var column Column
	for i := start + 1; ; i++ {
		t := p.at(i)
		end := t == token{} || depth == 0 && p.is(i, "from", "where", "into", ";")
		switch {
		case end || depth == 0 && t.text == ",":
			p.Results = append(p.Results, column)
			column, item = Column{}, 0
		case t.text == "(":
			depth++
			column = Column{}
			item++
		case t.text == ")":
			depth--
			item++
		case p.is(i, "distinct") && item == 0:
		case t.text == "*" && item == 0:
			t.kind = name
			p.Results = append(p.Results, p.column(t))
			return
		case item == 0:
			column = p.column(t)
			item++
		case p.is(i, "as"), t.kind == name && (p.is(i-1, "as") || item == 1):
			item++ // the name of the column
		default:
			column = Column{}
			item++
		}
		if end {
			return
		}
	}
}

// Types returns the types of the columns in the tables that a text creates.
func Types(text string) map[Column]string {
	types := make(map[Column]string)
	for _, create := range creation.FindAllStringSubmatch(text, -1) {
		var column string
		depth, item := 0, 0 // the number of tokens before this one in the description of a column
		list, _ := tokens(create[2])
		for _, t := range list {
			switch {
			case t.text == "(":
				depth++
			case t.text == ")":
				depth--
			case t.text == "," && depth == 0:
				item = -1
			case item == 0:
				column = t.text
			case item == 1:
				types[Column{strings.ToLower(create[1]), column}] = t.text
			}
			if item++; depth < 0 {
				break
			}
		}
	}
	return types
}

// creation matches the start of a table up to the end of the statement.
var creation = regexp.MustCompile("(?is)create\\s+(?:temp(?:orary)?\\s+|unlogged\\s+)?table\\s+(?:if\\s+not\\s+exists\\s+)?(?:[`\"]?\\w+[`\"]?\\.)?[`\"]?(\\w+)[`\"]?\\s*\\(([^;]*)")
