package cond

import (
	"database/sql/driver"
	"reflect"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
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
	most, known := longest[m.Dialect]
	if !known || cmp.operator != "in" && cmp.operator != "not in" {
		return members{}, false
	}
	list := reflect.ValueOf(&cmp.values).Elem()
	if cmp.depth > 0 && len(cmp.values) == 1 {
		list = reflect.ValueOf(cmp.values[0])
	}
	if list.Kind() != reflect.Slice || list.Len() <= most {
		return members{}, false
	}
	field, isArray := cmp.fields[0], m.Dialect == "postgres"
	isText := !ids.IsBinary(field)
	open, shut, quote := "x'", "'", "'"
	if isArray {
		open, shut, quote = `"\\x`, `"`, ""
	}
	var text strings.Builder
	text.Grow(list.Len() * len(`"\\x65b3f7a20123456789abcdef",`))
	var id oid.ID
	room := reflect.ValueOf(&id).Elem()
	for i := range list.Len() {
		value := list.Index(i)
		if value.Kind() == reflect.Interface {
			value = value.Elem()
		}
		if !value.IsValid() {
			return members{}, false
		}
		if value.Type() == room.Type() {
			room.Set(value) // without boxing it
		} else if known, err := ids.Of(value.Interface()); err == nil {
			id = known
		} else {
			return members{}, false
		}
		if i > 0 {
			text.WriteByte(',')
		}
		if isText {
			sent, _ := ids.In(field, id).(driver.Valuer).Value()
			digits, ok := sent.(string)
			if !ok || strings.Trim(digits, "0123456789abcdef-") != "" {
				return members{}, false
			}
			text.WriteString(quote + digits + quote)
			continue
		}
		var digits [2 * len(id)]byte
		hex, _ := id.AppendText(digits[:0])
		text.WriteString(open)
		text.Write(hex)
		text.WriteString(shut)
	}
	condition = members{column: cmp.column, isNot: cmp.operator == "not in", list: "(" + text.String() + ")"}
	if isArray {
		condition.list, condition.array = "{"+text.String()+"}", arrayType(field, isText)
	}
	return condition, true
}

// arrayType returns PostgreSQL's type for a list of values of the column. It must be
// named because some of pgx's modes send all parameters as text.
func arrayType(field *schema.Field, isText bool) string {
	declared := strings.ToLower(string(field.DataType)) // GORM gives a foreign key that of the key
	switch {
	case !isText:
		return "bytea[]"
	case strings.HasPrefix(declared, "uuid"):
		return "uuid[]"
	case strings.HasPrefix(declared, "char"), strings.HasPrefix(declared, "bpchar"):
		return "bpchar[]"
	}
	return "text[]"
}

// members is the condition that a column is one of a list, or is not. The list goes to
// PostgreSQL as one parameter, and elsewhere in the SQL. It holds nothing but hex digits.
//
// PostgreSQL always hashes the values of a subquery, or looks them up in the index. It
// doesn't hash those of ANY in the generic plan of a prepared statement.
type members struct {
	column clause.Column
	isNot  bool
	list   string
	array  string // the type of PostgreSQL; "" elsewhere
}

// Build writes the condition.
func (m members) Build(builder clause.Builder) { m.build(builder, m.isNot) }

// NegationBuild writes the opposite condition.
func (m members) NegationBuild(builder clause.Builder) { m.build(builder, !m.isNot) }

func (m members) build(builder clause.Builder, isNot bool) {
	builder.WriteQuoted(m.column)
	if isNot {
		builder.WriteString(" NOT")
	}
	builder.WriteString(" IN ")
	if m.array == "" {
		builder.WriteString(m.list)
		return
	}
	builder.WriteString("(SELECT unnest(")
	builder.AddVar(builder, m.list)
	builder.WriteString("::" + m.array + "))")
}
