package gormplugin

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// CreatedBetween is the condition that an ID was made in [from, to). IDs hold whole
// seconds, so from is rounded down and to is rounded up, as in [oid.Range]. Pass it to
// Where, Not, Or, Joins and the generics:
//
//	db.Where(gormplugin.CreatedBetween(from, to)).Find(&users)
//
// The column is the model's primary key unless one is named. The name is a column
// or field of the model, or table.column in a join. It is an error if the column
// doesn't hold IDs.
func CreatedBetween(from, to time.Time, column ...string) clause.Expression {
	lo, hi := oid.Range(from, to)
	return within{call: "CreatedBetween", column: column, bounds: []bound{{">=", lo}, {"<", hi}}}
}

// CreatedSince is the condition that an ID was made at t, rounded down to the second, or
// later. The column is that of [CreatedBetween].
func CreatedSince(t time.Time, column ...string) clause.Expression {
	return within{call: "CreatedSince", column: column, bounds: []bound{{">=", oid.MinAt(t)}}}
}

// CreatedBefore is the condition that an ID was made before t, rounded up to the second.
// The column is that of [CreatedBetween].
func CreatedBefore(t time.Time, column ...string) clause.Expression {
	return within{call: "CreatedBefore", column: column, bounds: []bound{{"<", oid.Until(t)}}}
}

// within is the condition that the IDs of a column are within bounds.
type within struct {
	call   string
	column []string // none for the primary key
	bounds []bound

	known *clause.Column // the column in the SQL, once it is looked up
	form  reflect.Type   // what the column holds
	err   error          // why the column doesn't hold IDs
}

type bound struct {
	operator string
	id       oid.ID
}

// in returns the condition with the column and the form that c knows.
func (w within) in(c *conditions) within {
	column := clause.Column{Table: clause.CurrentTable, Name: clause.PrimaryKey}
	if len(w.column) > 0 {
		column.Name = w.column[0]
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	w.form = idType
	field, known := fieldOf(c, column)
	if known && !isID(field) || len(w.column) > 1 {
		w.err = badColumn(w.call, strings.Join(w.column, ", "), c)
	} else if known {
		column.Name = field.DBName
		if t := idTypeIn(field.IndirectFieldType); !isBinary(t) { // sqltype.ZeroNull would make NULL of a bound that is zero
			w.form = t
		}
	}
	w.known = &column
	return w
}

// Build writes the condition in brackets, because GORM puts NOT before it as it is.
func (w within) Build(builder clause.Builder) {
	if w.known == nil {
		c := conditions{}
		if stmt, ok := builder.(*gorm.Statement); ok {
			c = conditionsOf(stmt)
		}
		w = w.in(&c)
	}
	if w.err != nil {
		refusal{w.err}.Build(builder)
		return
	}
	builder.WriteByte('(')
	for i, b := range w.bounds {
		if i > 0 {
			builder.WriteString(" AND ")
		}
		builder.WriteQuoted(*w.known)
		builder.WriteString(" " + b.operator + " ")
		builder.AddVar(builder, inForm(w.form, b.id))
	}
	builder.WriteByte(')')
}

// fieldOf returns the field of column, which is nil if there is none. It is not
// known if the column's table is not, as with db.Table and joins that are SQL.
func fieldOf(c *conditions, column clause.Column) (field *schema.Field, known bool) {
	if c.schema == nil {
		return nil, column.Name == clause.PrimaryKey
	}
	s := c.schemaOf(column.Table)
	if s == nil {
		return nil, false
	}
	return lookUp(s, column.Name), true
}

// badColumn returns the error of a call for a column that doesn't hold IDs.
func badColumn(call, column string, c *conditions) error {
	if column == "" || column == clause.PrimaryKey {
		column = "primary key"
	}
	if c.schema == nil {
		return fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w", call, column, gorm.ErrInvalidField)
	}
	return fmt.Errorf("gormplugin.%s(%s): not an ID column of %s: %w", call, column, c.table, gorm.ErrInvalidField)
}
