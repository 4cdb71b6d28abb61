package write

import (
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/model"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// An INSERT with ON CONFLICT may store a row under another ID than its own, or not
// at all. If the database can return the ID of each row, prepareUpsert asks it to.
// Otherwise settle asks afterwards which IDs are in the table.

// PrepareUpsert runs before an INSERT is built.
func (s *Pass) PrepareUpsert() {
	key := s.plan.Key
	if key == nil {
		return
	}
	makes := key.HasDefault() && s.rows.Any(s.isMade)
	if makes && !s.returns() {
		s.refuseOrphans()
	}
	conflict, ok := conflictOf(s.stmt)
	if !ok {
		return
	}
	// GORM matches the rows that come back with its own by their order. A row that
	// is skipped doesn't come back, and a map isn't matched at all.
	skips := conflict.DoNothing || len(conflict.Where.Exprs) > 0
	switch {
	case s.returns() && (makes || skips && s.reads()):
		s.returnKey()
		s.capture()
	case !key.IsSelected(s.stmt) || s.keepsKey(conflict):
		return
	case s.returns() && !skips && !s.rows.IsMaps:
		s.returnKey()
		return
	}
	s.conflict, s.unsettled = conflict, true
}

// isMade reports whether the database makes the key of the row.
func (s *Pass) isMade(r model.Row) bool {
	return !s.plan.Key.IsSelected(s.stmt) || ids.IsZero(r.ValueOf(s.stmt.Context, s.plan.Key.Field))
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
		return len(conflict.Columns) == 1 && cond.LookUp(s.plan.Schema, conflict.Columns[0].Name) == s.plan.Schema.PrioritizedPrimaryField
	}
}

// reads reports whether GORM reads columns that the INSERT returns.
func (s *Pass) reads() bool {
	_, asked := s.stmt.Clauses["RETURNING"]
	return asked || len(s.stmt.Schema.FieldsWithDefaultDBValue) > 0
}

// returnKey makes the statement return the key of each row. It keeps the other
// columns that are returned.
func (s *Pass) returnKey() {
	key := s.plan.Key.Field
	var columns []clause.Column
	if c, ok := s.stmt.Clauses["RETURNING"]; ok {
		returning, _ := c.Expression.(clause.Returning)
		if columns = returning.Columns; len(columns) == 0 || columns[0].Name == "*" {
			return // it returns all
		}
	} else {
		for _, field := range s.stmt.Schema.FieldsWithDefaultDBValue {
			if field.Readable {
				columns = append(columns, clause.Column{Name: field.DBName})
			}
		}
	}
	if !slices.ContainsFunc(columns, func(c clause.Column) bool { return c.Name == key.DBName }) {
		columns = append(slices.Clip(columns), clause.Column{Name: key.DBName})
	}
	s.stmt.Clauses["RETURNING"] = clause.Clause{Name: "RETURNING", Expression: clause.Returning{Columns: columns}}
}
