package cond

import (
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Plugin is the name under which the plugin is registered.
const Plugin = "oidkit"

// An own condition is one of this module. When the model of its statement is known, it
// becomes conditions of GORM, in brackets, because GORM puts NOT before it as it is.
type own struct {
	of func(m Model) (all []clause.Expression, err error)
}

// Build writes the condition. Its clause has been mended, unless the condition is a value
// in SQL text, the statement has no model, or the plugin is missing.
func (o own) Build(builder clause.Builder) {
	stmt, ok := builder.(*gorm.Statement)
	if !ok {
		builder.AddError(fmt.Errorf("gormplugin: %T builds no statement of GORM: %w", builder, gorm.ErrInvalidDB))
		return
	}
	w := walk{Model: ModelOf(stmt)}
	expr := w.expr(o)
	if stmt.Plugins[Plugin] == nil {
		w.err = fmt.Errorf("gormplugin: db.Use(gormplugin.New(…)) is missing: %w", gorm.ErrInvalidDB)
	}
	if w.err != nil {
		Refuse(stmt, w.err)
		return
	}
	expr.Build(builder)
}

// Sealed conditions stand in brackets. GORM adds no others.
type sealed []clause.Expression

// Build writes the conditions.
func (s sealed) Build(builder clause.Builder) {
	builder.WriteByte('(')
	clause.Where{Exprs: s}.Build(builder)
	builder.WriteByte(')')
}

// OneOf is the condition that the primary key is one of the IDs. Without IDs no row meets
// it. It is not a slice, because GORM would take a slice apart in SQL text.
func OneOf(list []any) clause.Expression {
	return own{func(m Model) (all []clause.Expression, err error) {
		if len(list) == 0 {
			return []clause.Expression{clause.Expr{SQL: "1 = 0"}}, nil
		}
		key, err := m.idColumn("IDs", nil)
		return []clause.Expression{clause.IN{Column: key, Values: list}}, err
	}}
}

// Within is the condition that the IDs of a column are within the bounds that are not nil.
// Without a column it is the primary key. Call is that of the program, for errors.
func Within(call string, columns []string, from, until *oid.ID) clause.Expression {
	return own{func(m Model) (all []clause.Expression, err error) {
		column, err := m.idColumn(call, columns)
		if from != nil {
			all = append(all, clause.Gte{Column: column, Value: *from})
		}
		if until != nil {
			all = append(all, clause.Lt{Column: column, Value: *until})
		}
		return all, err
	}}
}

// idColumn returns the column that call names. It is an error if the column holds no IDs. Its
// table may be unknown, as with db.Table and joins that are SQL.
func (m Model) idColumn(call string, names []string) (column clause.Column, err error) {
	column = clause.PrimaryColumn
	named := "primary key"
	if len(names) > 0 {
		named = strings.Join(names, ", ") // of which no column has the name
		column.Name = named
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	s := m.schemaOf(column.Table)
	switch {
	case m.Schema == nil && column.Name == clause.PrimaryKey:
		return column, fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w", call, named, gorm.ErrInvalidField)
	case s == nil:
		return column, nil
	}
	field := LookUp(s, column.Name)
	if !ids.IsColumn(field) {
		return column, fmt.Errorf("gormplugin.%s(%s): not an ID column of %s: %w", call, named, m.Table, gorm.ErrInvalidField)
	}
	column.Name = field.DBName
	return column, nil
}
