package write

import (
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// An INSERT with ON CONFLICT may store a row under another ID than its own, or not
// at all. If the database can return the ID of each row, PrepareUpsert asks it to.
// Otherwise Settle asks afterwards which IDs are in the table.

// PrepareUpsert runs before an INSERT is built.
func (s *Pass) PrepareUpsert() {
	key := s.plan.Key
	if key == nil {
		return
	}
	makes := model.HasDefault(key) && slices.ContainsFunc(s.rows, s.isMade)
	if makes && !s.returns() {
		s.refuseOrphans()
	}
	conflict, ok := conflictOf(s.stmt)
	if !ok {
		return
	}
	// GORM matches the rows that come back with its own by their order. A skipped row may
	// not come back, and a map isn't matched at all.
	skips := conflict.DoNothing || len(conflict.Where.Exprs) > 0
	_, reads := s.stmt.Clauses["RETURNING"]
	reads = s.returns() && (makes || skips && (reads || len(s.stmt.Schema.FieldsWithDefaultDBValue) > 0))
	if !reads && (!model.IsSelected(s.stmt, key) || s.keepsKey(conflict)) {
		return
	}
	if reads || s.returns() && !skips {
		s.stmt.Clauses["RETURNING"] = clause.Clause{Name: "RETURNING", Expression: returning{s.withKey(), s}}
	}
	s.conflict, s.unsettled = conflict, true
}

// conflictOf returns what the INSERT does with rows that conflict. It isn't ok if such
// a row is an error.
func conflictOf(stmt *gorm.Statement) (conflict clause.OnConflict, ok bool) {
	if conflict, ok = stmt.Clauses["ON CONFLICT"].Expression.(clause.OnConflict); ok {
		return conflict, true
	}
	insert, _ := stmt.Clauses["INSERT"].Expression.(clause.Insert)
	return clause.OnConflict{DoNothing: true}, strings.Contains(strings.ToUpper(insert.Modifier), "IGNORE")
}

// keepsKey reports whether rows can conflict only with the row of their own key.
// On MySQL they conflict by every unique column, whatever the clause says.
func (s *Pass) keepsKey(conflict clause.OnConflict) bool {
	switch {
	case s.guarded:
		return true
	case model.IsMySQL(s.DB) || conflict.OnConstraint != "":
		return false
	case len(conflict.Columns) == 0:
		return conflict.UpdateAll // GORM then adds the key
	default:
		return len(conflict.Columns) == 1 && cond.LookUp(s.stmt.Schema, conflict.Columns[0].Name) == s.stmt.Schema.PrioritizedPrimaryField
	}
}
