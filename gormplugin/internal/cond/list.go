package cond

import (
	"database/sql/driver"
	"reflect"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// Lists that are longer than this are not sent one parameter per ID. PostgreSQL
// takes 65,535 parameters, MySQL as many, SQLite 32,766 unless it was built
// otherwise.
var longest = map[string]int{"postgres": 1000, "mysql": 30_000, "sqlite": 30_000}

// long returns the condition that the column is one of a list, if the list is too long to
// be sent value by value. It isn't ok if the list is short, or if one of the values is not
// an ID.
func (m Model) long(cmp *comparison) (condition members, ok bool) {
	isList := (cmp.operator == "in" || cmp.operator == "not in") && (cmp.depth == 0 || len(cmp.values) == 1)
	most, known := longest[m.Dialect]
	if !known || !isList {
		return members{}, false
	}
	list := cmp.values
	if cmp.depth > 0 {
		v := reflect.ValueOf(list[0])
		if v.Kind() != reflect.Slice || v.Len() <= most {
			return members{}, false
		}
		if ids, ok := list[0].([]oid.ID); ok { // without boxing them
			l := newLiteral(m.Dialect, len(ids))
			for _, id := range ids {
				l.addID(id)
			}
			return l.condition(cmp, false), true
		}
		list, _ = listOf(list[0])
	}
	if len(list) <= most {
		return members{}, false
	}
	l := newLiteral(m.Dialect, len(list))
	isText := false
	for _, value := range list {
		if id, ok := value.(oid.ID); ok {
			l.addID(id)
			continue
		}
		if valuer, ok := value.(driver.Valuer); ok {
			value, _ = valuer.Value()
		}
		switch value := value.(type) {
		case []byte:
			if len(value) != len(oid.ID{}) {
				return members{}, false
			}
			l.addID(oid.ID(value))
		case string:
			if strings.Trim(value, "0123456789abcdef-") != "" {
				return members{}, false
			}
			l.addText(value)
			isText = true
		default:
			return members{}, false
		}
	}
	return l.condition(cmp, isText), true
}

// A literal is a list of IDs as text. On PostgreSQL it is an array, and elsewhere the
// values of IN.
type literal struct {
	strings.Builder
	isArray    bool
	separator  string // before the next one
	open, shut string // around the digits of an ID
	quote      string // around text
}

// newLiteral returns an empty literal with room for n IDs.
func newLiteral(dialect string, n int) *literal {
	l := &literal{separator: "(", open: "x'", shut: "'", quote: "'"}
	if dialect == "postgres" {
		l = &literal{separator: "{", open: `"\\x`, shut: `"`, isArray: true}
	}
	l.Grow(n*len(`"\\x65b3f7a20123456789abcdef",`) + len("{}"))
	return l
}

func (l *literal) addID(id oid.ID) {
	var room [32]byte
	text := append(append(room[:0], l.separator...), l.open...)
	text, _ = id.AppendText(text)
	l.Write(append(text, l.shut...))
	l.separator = ","
}

func (l *literal) addText(text string) {
	l.WriteString(l.separator + l.quote + text + l.quote)
	l.separator = ","
}

// condition returns the condition that the column is in the list, or is not.
func (l *literal) condition(cmp *comparison, isText bool) members {
	m := members{column: cmp.column, isNot: cmp.operator == "not in"}
	if !l.isArray {
		m.list = l.String() + ")"
		return m
	}
	m.list, m.array, m.isIndexed = l.String()+"}", arrayType(cmp.fields[0], isText), isIndexed(cmp.fields[0])
	return m
}

// arrayType returns PostgreSQL's type for a list of values of the column. It must be
// named because some of pgx's modes send all parameters as text.
func arrayType(field *schema.Field, isText bool) string {
	if !isText {
		return "bytea[]"
	}
	switch declared := strings.ToLower(typeTag(field)); {
	case strings.HasPrefix(declared, "uuid"):
		return "uuid[]"
	case strings.HasPrefix(declared, "char"), strings.HasPrefix(declared, "bpchar"):
		return "bpchar[]"
	}
	return "text[]"
}

// typeTag returns the column type that the tag of field names. Without a tag it is
// the type of the key that field refers to, which GORM gives a foreign key.
func typeTag(field *schema.Field) string {
	if declared, ok := field.TagSettings["TYPE"]; ok {
		return declared
	}
	relations := &field.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		for _, ref := range relation.References {
			if ref.ForeignKey == field && ref.PrimaryKey != nil {
				return ref.PrimaryKey.TagSettings["TYPE"]
			}
		}
	}
	return ""
}

// isIndexed reports whether the tags of field say that its column has an index.
func isIndexed(field *schema.Field) bool {
	_, index := field.TagSettings["INDEX"]
	_, unique := field.TagSettings["UNIQUEINDEX"]
	return index || unique || field.Unique || field.PrimaryKey && field == field.Schema.PrimaryFields[0]
}

// members is the condition that a column is one of a list, or is not. The list goes to
// PostgreSQL as one parameter, and elsewhere in the SQL. It holds nothing but hex digits.
//
// PostgreSQL can search ANY by an index. Without an index it hashes the list, but
// not in the generic plan of a prepared statement, which it makes after five
// executions. There it compares each row with each value. It always hashes the
// values of a subquery.
type members struct {
	column    clause.Column
	isNot     bool
	list      string
	array     string // the type of PostgreSQL; "" elsewhere
	isIndexed bool
}

// Build writes the condition.
func (m members) Build(builder clause.Builder) { m.build(builder, m.isNot) }

// NegationBuild writes the opposite condition.
func (m members) NegationBuild(builder clause.Builder) { m.build(builder, !m.isNot) }

func (m members) build(builder clause.Builder, isNot bool) {
	builder.WriteQuoted(m.column)
	operator := " IN "
	if isNot {
		operator = " NOT IN "
	}
	switch {
	case m.array == "":
		builder.WriteString(operator + m.list)
		return
	case m.isIndexed && !isNot:
		builder.WriteString(" = ANY(")
	default:
		builder.WriteString(operator + "(SELECT unnest(")
	}
	builder.AddVar(builder, m.list)
	builder.WriteString("::" + m.array + ")")
	if !m.isIndexed || isNot {
		builder.WriteByte(')')
	}
}
