package cond

import (
	"reflect"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
)

// Lists that are longer than this are not sent one parameter per ID, if the column holds IDs
// as bytes. PostgreSQL takes 65,535 parameters, MySQL as many, SQLite 32,766 unless it was
// built otherwise.
var longest = map[string]int{"postgres": 1000, "mysql": 30_000, "sqlite": 30_000}

// long returns the condition that the column is one of a list, if the list is too long to
// be sent value by value. It isn't ok if the list is short, or if one of the values is not
// an ID.
func (m Model) long(cmp *comparison) (condition members, ok bool) {
	most, known := longest[m.Dialect]
	if !known || cmp.operator != "in" && cmp.operator != "not in" || !ids.IsBinary(cmp.fields[0]) {
		return members{}, false
	}
	list := reflect.ValueOf(&cmp.values).Elem()
	if cmp.depth > 0 && len(cmp.values) == 1 {
		list = reflect.ValueOf(cmp.values[0])
	}
	if list.Kind() != reflect.Slice || list.Len() <= most {
		return members{}, false
	}
	open, shut := "x'", "'"
	if m.Dialect == "postgres" {
		open, shut = `"\\x`, `"`
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
		var digits [2 * len(id)]byte
		hex, _ := id.AppendText(digits[:0])
		text.WriteString(open)
		text.Write(hex)
		text.WriteString(shut)
	}
	condition = members{column: cmp.column, isNot: cmp.operator == "not in", list: "(" + text.String() + ")"}
	if m.Dialect == "postgres" {
		condition.list, condition.isArray = "{"+text.String()+"}", true
	}
	return condition, true
}

// members is the condition that a column is one of a list, or is not. The list goes to
// PostgreSQL as one parameter, and elsewhere in the SQL. It holds nothing but hex digits.
//
// The type of the array is named because some of pgx's modes send all parameters as text.
// PostgreSQL always hashes the values of a subquery, or looks them up in the index. It
// doesn't hash those of ANY in the generic plan of a prepared statement.
type members struct {
	column  clause.Column
	isNot   bool
	list    string
	isArray bool // of PostgreSQL
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
	if !m.isArray {
		builder.WriteString(m.list)
		return
	}
	builder.WriteString("(SELECT unnest(")
	builder.AddVar(builder, m.list)
	builder.WriteString("::bytea[]))")
}
