package gormplugin

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A Scope is a condition on the ids of a column. It is what db.Scopes takes, and
// a clause.Expression for all else that takes conditions:
//
//	db.Scopes(gormplugin.CreatedSince(t)).Find(&users)
//	db.Not(gormplugin.CreatedSince(t)).Find(&users)
//	gorm.G[User](db).Where(gormplugin.CreatedSince(t)).Find(ctx)
//
// The column is the model's primary key, or the one that is named: a column or
// field of the model, or table.column in a join. It is an error if it doesn't hold
// ids.
type Scope func(*gorm.DB) *gorm.DB

var _ clause.Expression = Scope(nil)

// CreatedBetween holds for ids made in [from, to). Ids hold whole seconds: from is
// rounded down and to is rounded up, as by [oid.Range].
func CreatedBetween(from, to time.Time, column ...string) Scope {
	lo, hi := oid.Range(from, to)
	return within{"CreatedBetween", column, []bound{{">=", lo}, {"<", hi}}}.scope()
}

// CreatedSince holds for ids made at t, rounded down to the second, or later.
func CreatedSince(t time.Time, column ...string) Scope {
	lo, _ := oid.Range(t, t)
	return within{"CreatedSince", column, []bound{{">=", lo}}}.scope()
}

// CreatedBefore holds for ids made before t, rounded up to the second.
func CreatedBefore(t time.Time, column ...string) Scope {
	_, hi := oid.Range(time.Unix(math.MinInt32, 0), t)
	return within{"CreatedBefore", column, []bound{{"<", hi}}}.scope()
}

// After holds for ids that come after id: the next page, in ascending order, of
// one that ended with id. For the first page id is zero.
//
//	db.Scopes(gormplugin.After(last)).Order("id").Limit(50).Find(&users)
func After(id oid.ID, column ...string) Scope {
	return within{"After", column, []bound{{">", id}}}.scope()
}

// Before holds for ids that come before id: the next page, in descending order, of
// one that ended with id. For the first page id is zero, which stands for the end.
//
//	db.Scopes(gormplugin.Before(last)).Order("id DESC").Limit(50).Find(&users)
func Before(id oid.ID, column ...string) Scope {
	if id.IsZero() {
		return within{"Before", column, []bound{{"<=", oid.MaxAt(time.Unix(math.MaxUint32, 0))}}}.scope()
	}
	return within{"Before", column, []bound{{"<", id}}}.scope()
}

// Build writes the condition. It makes Scope a clause.Expression: the condition is
// what the scope, applied to a query of its own, adds to that.
func (s Scope) Build(builder clause.Builder) {
	stmt, ok := builder.(*gorm.Statement)
	if !ok {
		builder.AddError(fmt.Errorf("gormplugin: a Scope within %T: %w", builder, gorm.ErrNotImplemented))
		return
	}
	c := s(stmt.DB.Session(&gorm.Session{NewDB: true})).Statement.Clauses["WHERE"]
	if where, ok := c.Expression.(clause.Where); ok {
		clause.AndConditions(where).Build(builder)
	}
}

// within is the condition that the ids of a column are within bounds.
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

// Build writes the condition, in brackets of its own: GORM puts NOT before it as
// it is.
func (w within) Build(builder clause.Builder) {
	column := clause.Column{Table: clause.CurrentTable, Name: clause.PrimaryKey}
	if len(w.column) > 0 {
		column.Name = w.column[0]
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	if stmt, ok := builder.(*gorm.Statement); ok {
		field, known := fieldOf(stmt, column)
		if known && !isID(field) {
			builder.AddError(fmt.Errorf("gormplugin: %s: %s of %s doesn't hold ids: %w", w.call, nameOf(column), stmt.Table, gorm.ErrInvalidField))
			return
		}
		if known {
			column.Name = field.DBName
		}
	}
	builder.WriteByte('(')
	for i, b := range w.bounds {
		if i > 0 {
			builder.WriteString(" AND ")
		}
		builder.WriteQuoted(column)
		builder.WriteString(" " + b.operator + " ")
		builder.AddVar(builder, b.id)
	}
	builder.WriteByte(')')
}

// fieldOf returns the field of column, which is nil if there is none. It is not
// known if the column's table is not, as with db.Table and joins that are SQL.
func fieldOf(stmt *gorm.Statement, column clause.Column) (field *schema.Field, known bool) {
	s := stmt.Schema
	if s == nil {
		return nil, column.Name == clause.PrimaryKey
	}
	if column.Table != clause.CurrentTable && column.Table != stmt.Table {
		relation := relationOf(s, column.Table)
		if relation == nil {
			return nil, false
		}
		s = relation.FieldSchema
	}
	return lookUp(s, column.Name), true
}

func nameOf(column clause.Column) string {
	if column.Name == clause.PrimaryKey {
		return "primary key"
	}
	return column.Name
}
