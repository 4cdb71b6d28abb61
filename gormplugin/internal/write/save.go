package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// GORM's Save inserts a row with ON CONFLICT on its key. MySQL has no such clause: it updates
// the row that conflicts by any unique column, which may be another one. On MySQL the plugin
// therefore adds an assignment that fails unless the row that conflicts has the same key.

// overflow is a sum that is too great in every sql_mode. It depends on the row, because some
// servers work out constants beforehand.
const overflow = "18446744073709551615 + "

// GuardSave runs before an INSERT is built.
func (s *Pass) GuardSave() {
	conflict, ok := s.stmt.Clauses["ON CONFLICT"].Expression.(clause.OnConflict)
	keys := s.stmt.Schema.PrimaryFields
	if !ok || !model.IsMySQL(s.DB) || !isSave(s.stmt, conflict) || !slices.ContainsFunc(keys, ids.IsColumn) {
		return
	}
	var vars []any
	for _, key := range keys {
		vars = append(vars, clause.Column{Name: key.DBName}, clause.Column{Name: key.DBName})
	}
	same := strings.Repeat("? = VALUES(?) AND ", len(keys)-1) + "? = VALUES(?)"
	first := clause.Column{Name: keys[0].DBName}
	conflict.DoUpdates = clause.Set{{Column: first, Value: clause.Expr{
		SQL:  "IF(" + same + ", ?, " + overflow + "LENGTH(?) + 1)",
		Vars: append(vars, first, first),
	}}}
	s.stmt.AddClause(conflict) // GORM appends its assignments
	s.guarded = true
}

// isSave reports whether Save made the clause. Save of a list, and of associations, leaves a
// setting. Save of one row selects all columns and skips the hooks, which it has called.
func isSave(stmt *gorm.Statement, conflict clause.OnConflict) bool {
	_, isList := stmt.Get("gorm:update_track_time")
	isOne := stmt.SkipHooks && len(conflict.Columns) == 0 && slices.Contains(stmt.Selects, "*")
	isByKey := !slices.ContainsFunc(conflict.Columns, func(c clause.Column) bool {
		field := stmt.Schema.LookUpField(c.Name)
		return field == nil || !field.PrimaryKey
	})
	return conflict.UpdateAll && conflict.DoUpdates == nil && isByKey && (isList || isOne)
}

// NameDuplicate makes the error of the assignment one of a duplicate key.
func (s *Pass) NameDuplicate() {
	if s.guarded && s.Error != nil && strings.Contains(s.Error.Error(), overflow) {
		s.Error = fmt.Errorf("gormplugin.Save(%s): another row has the same value in a unique column: %w (%w)", s.written(), gorm.ErrDuplicatedKey, s.Error)
	}
}
