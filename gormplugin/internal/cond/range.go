package cond

import (
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// idColumn returns the column that call names. It is an error if the column holds no IDs, or if
// call names none and the primary key is several columns or none. The table of the column may be
// unknown, as with db.Table and joins that are SQL.
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
	case ids.IsColumn(field) && (len(names) > 0 || field.Schema.PrioritizedPrimaryField != nil):
		return found, nil
	case ids.IsColumn(field):
		return column, fmt.Errorf("gormplugin.%s(%s): the key of the model is not one column: name the column in the condition: %w", call, named, gorm.ErrInvalidField)
	case m.Schema == nil && len(names) == 0:
		return column, fmt.Errorf("gormplugin.%s(%s): the statement has no model: name the column, or call db.Model: %w", call, named, gorm.ErrInvalidField)
	case m.schemaOf(column.Table) == nil:
		return column, nil
	}
	return column, fmt.Errorf("gormplugin.%s(%s): in the table %s, this is not a column of IDs: %w", call, named, m.Table, gorm.ErrInvalidField)
}
