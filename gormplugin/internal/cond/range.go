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
// becomes one of GORM, in brackets, because GORM puts NOT before it as it is.
type own struct {
	of func(m Model) (expr clause.Expression, everyone, err error)
}

// Build writes the condition. Its clause has been mended, unless the condition is a value
// in SQL text or the plugin is missing.
func (o own) Build(builder clause.Builder) {
	stmt, ok := builder.(*gorm.Statement)
	if !ok {
		builder.AddError(fmt.Errorf("gormplugin: %T builds no statement of GORM: %w", builder, gorm.ErrInvalidDB))
		return
	}
	expr, _, err := o.of(ModelOf(stmt))
	if stmt.Plugins[Plugin] == nil {
		err = fmt.Errorf("gormplugin: db.Use(gormplugin.New(…)) is missing: %w", gorm.ErrInvalidDB)
	}
	if err != nil {
		Refuse(stmt, err)
		return
	}
	expr.Build(builder)
}

// OneOf is the condition that the primary key is one of the IDs. Without IDs no row meets
// it. It is not a slice, because GORM would take a slice apart in SQL text.
func OneOf(list []any) clause.Expression {
	return own{func(m Model) (expr clause.Expression, everyone, err error) {
		if len(list) == 0 {
			return sealed{clause.Expr{SQL: "(1 = 0)"}}, nil, nil
		}
		if _, _, err := m.idColumn("IDs", nil); err != nil {
			return nil, nil, err
		}
		w := walk{Model: m}
		in := clause.Expression(clause.IN{Column: clause.PrimaryColumn, Values: list})
		if mended := w.compare(in); mended != nil {
			in = mended
		}
		return sealed{clause.Expr{SQL: "(?)", Vars: []any{in}}}, w.everyone, w.err
	}}
}

// Within is the condition that the IDs of a column are within bounds. The text has two
// placeholders for each bound, for the column and the ID. Without a column it is the primary
// key. Call is that of the program, for errors.
func Within(call string, column []string, text string, bounds ...oid.ID) clause.Expression {
	return own{func(m Model) (expr clause.Expression, everyone, err error) {
		named, sent, err := m.idColumn(call, column)
		if err != nil {
			return nil, nil, err
		}
		var vars []any
		for _, bound := range bounds {
			vars = append(vars, named, sent(bound))
		}
		return sealed{clause.Expr{SQL: text, Vars: vars}}, nil, nil
	}}
}

// A sealed condition is one to which GORM adds no further brackets.
type sealed struct{ clause.Expression }

// idColumn returns the column that call names, and the form in which it takes IDs. It is an
// error if the column holds none. Its table may be unknown, as with db.Table and joins that
// are SQL.
func (m Model) idColumn(call string, names []string) (column clause.Column, sent func(oid.ID) any, err error) {
	column = clause.PrimaryColumn
	if len(names) > 0 {
		column.Name = names[0]
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	asIs := func(id oid.ID) any { return id }
	if m.Schema == nil {
		if column.Name == clause.PrimaryKey || len(names) > 1 {
			err = fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w",
				call, nameOf(names), gorm.ErrInvalidField)
		}
		return column, asIs, err
	}
	s := m.schemaOf(column.Table)
	if s == nil && len(names) < 2 {
		return column, asIs, nil
	}
	if s != nil && len(names) < 2 {
		if field := LookUp(s, column.Name); ids.IsColumn(field) {
			column.Name = field.DBName
			return column, func(id oid.ID) any { return ids.In(field, id) }, nil
		}
	}
	return column, nil, fmt.Errorf("gormplugin.%s(%s): not an ID column of %s: %w", call, nameOf(names), m.Table, gorm.ErrInvalidField)
}

// nameOf names the columns that a call names.
func nameOf(names []string) string {
	if len(names) == 0 {
		return "primary key"
	}
	return strings.Join(names, ", ")
}
