package cond

import (
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

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
func (m Model) idColumn(call string, names []string) (clause.Column, error) {
	column, named := clause.PrimaryColumn, "primary key"
	if len(names) > 0 {
		named = strings.Join(names, ", ") // of which no column has the name
		column.Name = named
	}
	if table, name, ok := strings.Cut(column.Name, "."); ok {
		column.Table, column.Name = table, name
	}
	field, found := m.Named(column)
	switch {
	case ids.IsColumn(field):
		return found, nil
	case m.Schema == nil && len(names) == 0:
		return column, fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w", call, named, gorm.ErrInvalidField)
	case m.schemaOf(column.Table) == nil:
		return column, nil
	}
	return column, fmt.Errorf("gormplugin.%s(%s): not an ID column of %s: %w", call, named, m.Table, gorm.ErrInvalidField)
}
