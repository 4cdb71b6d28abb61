package cond

import (
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A List is the condition that the primary key is one of IDs. It is not a slice, because
// GORM would take a slice apart in SQL text. Without IDs no row meets it.
type List struct{ IDs []any }

// Build writes the condition.
func (l List) Build(builder clause.Builder) {
	if len(l.IDs) == 0 {
		builder.WriteString("(1 = 0)")
		return
	}
	l.of(builder).Build(builder)
}

// NegationBuild writes the condition that the primary key is none of the IDs.
func (l List) NegationBuild(builder clause.Builder) {
	if len(l.IDs) == 0 {
		builder.WriteString("NOT (1 = 0)")
		return
	}
	clause.Not(l.of(builder)).Build(builder)
}

// of returns the condition for the statement that builder is.
func (l List) of(builder clause.Builder) clause.Expression {
	stmt, ok := builder.(*gorm.Statement)
	if !ok || stmt.Schema == nil {
		return clause.IN{Column: clause.PrimaryColumn, Values: l.IDs}
	}
	w := walk{Model: ModelOf(stmt)}
	in := w.ids(l, false)
	if w.err != nil {
		return refusal{w.err}
	}
	return in
}

// ids returns the condition in the form of the key. It is nil for an empty list.
func (w *walk) ids(l List, mustHold bool) clause.Expression {
	if len(l.IDs) == 0 {
		return nil
	}
	if field, _ := w.Field(clause.PrimaryColumn); !ids.IsColumn(field) {
		return w.refuse(w.badColumn("IDs", ""))
	}
	return w.compare(clause.IN{Column: clause.PrimaryColumn, Values: l.IDs}, mustHold)
}

// Within is the condition that the IDs of a column are within bounds.
type Within struct {
	Call   string   // of the program, for errors
	Column []string // none for the primary key
	Bounds []Bound

	known *clause.Column   // the column in the SQL, once it is looked up
	sent  func(oid.ID) any // in the form of the column
	err   error            // why the column doesn't hold IDs
}

// A Bound is an operator and the ID at its right.
type Bound struct {
	Operator string
	ID       oid.ID
}

// in returns the condition with what m knows of its column. The column's table may be
// unknown, as with db.Table and joins that are SQL.
func (w Within) in(m Model) Within {
	column := clause.PrimaryColumn
	if len(w.Column) > 0 {
		column.Name = w.Column[0]
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	w.known, w.sent = &column, func(id oid.ID) any { return id }
	if len(w.Column) > 1 || m.Schema == nil && column.Name == clause.PrimaryKey {
		w.err = m.badColumn(w.Call, strings.Join(w.Column, ", "))
		return w
	}
	if m.Schema == nil {
		return w
	}
	s := m.schemaOf(column.Table)
	if s == nil {
		return w
	}
	field := LookUp(s, column.Name)
	if !ids.IsColumn(field) {
		w.err = m.badColumn(w.Call, strings.Join(w.Column, ", "))
		return w
	}
	column.Name, w.sent = field.DBName, func(id oid.ID) any { return ids.Bound(field, id) }
	return w
}

// Build writes the condition in brackets, because GORM puts NOT before it as it is.
func (w Within) Build(builder clause.Builder) {
	if w.known == nil {
		m := Model{}
		if stmt, ok := builder.(*gorm.Statement); ok {
			m = ModelOf(stmt)
		}
		w = w.in(m)
	}
	if w.err != nil {
		refusal{w.err}.Build(builder)
		return
	}
	builder.WriteByte('(')
	for i, bound := range w.Bounds {
		if i > 0 {
			builder.WriteString(" AND ")
		}
		builder.WriteQuoted(*w.known)
		builder.WriteString(" " + bound.Operator + " ")
		builder.AddVar(builder, w.sent(bound.ID))
	}
	builder.WriteByte(')')
}

// badColumn returns the error of a call for a column that doesn't hold IDs.
func (m Model) badColumn(call, column string) error {
	if column == "" {
		column = "primary key"
	}
	if m.Schema == nil {
		return fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w", call, column, gorm.ErrInvalidField)
	}
	return fmt.Errorf("gormplugin.%s(%s): not an ID column of %s: %w", call, column, m.Table, gorm.ErrInvalidField)
}

// A refusal writes an error among the values of a statement.
type refusal struct{ err error }

// Build writes the refusal.
func (r refusal) Build(builder clause.Builder) { builder.AddVar(builder, Refused{r.err}) }
