package gormplugin

import (
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A Scope is a condition on the IDs of a column. Pass it to db.Scopes. It is also a
// clause.Expression, which all other methods for conditions take:
//
//	db.Scopes(gormplugin.CreatedSince(t)).Find(&users)
//	db.Not(gormplugin.CreatedSince(t)).Find(&users)
//	gorm.G[User](db).Where(gormplugin.CreatedSince(t)).Find(ctx)
//
// The column is the model's primary key unless one is named. The name is a column
// or field of the model, or table.column in a join. It is an error if the column
// doesn't hold IDs.
type Scope func(*gorm.DB) *gorm.DB

var _ clause.Expression = Scope(nil)

// CreatedBetween holds for IDs made in [from, to). IDs hold whole seconds, so from
// is rounded down and to is rounded up, as in [oid.Range].
func CreatedBetween(from, to time.Time, column ...string) Scope {
	lo, hi := oid.Range(from, to)
	return within{"CreatedBetween", column, []bound{{">=", lo}, {"<", hi}}}.scope()
}

// CreatedSince holds for IDs made at t, rounded down to the second, or later.
func CreatedSince(t time.Time, column ...string) Scope {
	return within{"CreatedSince", column, []bound{{">=", oid.MinAt(t)}}}.scope()
}

// CreatedBefore holds for IDs made before t, rounded up to the second.
func CreatedBefore(t time.Time, column ...string) Scope {
	return within{"CreatedBefore", column, []bound{{"<", oid.Until(t)}}}.scope()
}

// Build writes the condition. It makes Scope a clause.Expression. It applies the
// scope to an empty query and writes the conditions that the scope added.
func (s Scope) Build(builder clause.Builder) {
	stmt, ok := builder.(*gorm.Statement)
	if !ok {
		builder.AddError(fmt.Errorf("gormplugin.Scope.Build(%T): not a statement of GORM: %w", builder, gorm.ErrNotImplemented))
		return
	}
	c := s(stmt.DB.Session(&gorm.Session{NewDB: true})).Statement.Clauses["WHERE"]
	where, _ := c.Expression.(clause.Where)
	clause.AndConditions(where).Build(builder)
}

// within is the condition that the IDs of a column are within bounds.
type within struct {
	call   string
	column []string // none for the primary key
	bounds []bound
}

type bound struct {
	operator string
	id       oid.ID
}

func (w within) scope() Scope {
	return func(db *gorm.DB) *gorm.DB { return db.Where(w) }
}

// Build writes the condition in brackets, because GORM puts NOT before it as it is.
func (w within) Build(builder clause.Builder) {
	column := clause.Column{Table: clause.CurrentTable, Name: clause.PrimaryKey}
	if len(w.column) > 0 {
		column.Name = w.column[0]
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	form := idType
	if stmt, ok := builder.(*gorm.Statement); ok {
		field, known := fieldOf(stmt, column)
		if known && !isID(field) || len(w.column) > 1 {
			refusal{badColumn(w.call, strings.Join(w.column, ", "), stmt)}.Build(builder)
			return
		}
		if known {
			column.Name = field.DBName
			if t := idTypeIn(field.IndirectFieldType); !isBinary(t) { // sqltype.ZeroNull would make NULL of a bound that is zero
				form = t
			}
		}
	}
	builder.WriteByte('(')
	for i, b := range w.bounds {
		if i > 0 {
			builder.WriteString(" AND ")
		}
		builder.WriteQuoted(column)
		builder.WriteString(" " + b.operator + " ")
		builder.AddVar(builder, inForm(form, b.id))
	}
	builder.WriteByte(')')
}

// fieldOf returns the field of column, which is nil if there is none. It is not
// known if the column's table is not, as with db.Table and joins that are SQL.
func fieldOf(stmt *gorm.Statement, column clause.Column) (field *schema.Field, known bool) {
	if stmt.Schema == nil {
		return nil, column.Name == clause.PrimaryKey
	}
	c := conditionsOf(stmt)
	s := c.schemaOf(column.Table)
	if s == nil {
		return nil, false
	}
	return lookUp(s, column.Name), true
}

// badColumn returns the error of a call for a column of stmt that doesn't hold IDs.
func badColumn(call, column string, stmt *gorm.Statement) error {
	if column == "" || column == clause.PrimaryKey {
		column = "primary key"
	}
	if stmt.Schema == nil {
		return fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w", call, column, gorm.ErrInvalidField)
	}
	return fmt.Errorf("gormplugin.%s(%s): not an ID column of %s: %w", call, column, stmt.Table, gorm.ErrInvalidField)
}
