package mend

import (
	"fmt"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// GORM checks the values in the fields of a struct. It stores values in a map, or
// passed to Update, as they are. MySQL makes 12 bytes of a number, and SQLite
// stores the number.

// storedFor returns the form in which the statement made by call stores value in
// the column of field. It also returns whether the form differs from value.
func storedFor(call string, field *schema.Field, value any) (stored any, changed bool, err error) {
	if list, _ := value.([]any); len(list) == 1 {
		if _, ok := list[0].(*gorm.DB); ok { // what GORM makes of a subquery
			return value, false, nil
		}
	}
	stored, changed, isZero, err := ids.Convert(field, value)
	switch {
	case field.PrimaryKey && (isZero || call == "Update" && ids.IsZero(value)): // or NULL
		return nil, false, fmt.Errorf("gormplugin.%s(%s): this would set the key to zero: leave the key out with Omit(%q): %w", call, ids.Name(field), field.Name, gorm.ErrPrimaryKeyRequired)
	case err != nil:
		return nil, false, ids.Refused(call, field, err, "pass an ID or 24 hex digits")
	case isZero: // NULL in a column of sqltype.ZeroNull
		_, null := ids.Pointer(field)
		return null, true, nil
	}
	return stored, changed, nil
}

// assignments returns the assignments of an UPDATE, or of ON CONFLICT, mended, and whether
// that changed any. A key must not become zero or NULL.
func assignments(m cond.Model, set clause.Set) (mended clause.Set, changed bool, err error) {
	mended, changed = cond.Mapped(set, func(_ int, assignment clause.Assignment) (_ clause.Assignment, changed bool) {
		if field, _ := m.Named(assignment.Column); err == nil && ids.IsColumn(field) {
			assignment.Value, changed, err = storedFor("Update", field, assignment.Value)
		}
		return assignment, changed
	})
	return mended, changed, err
}

// mapValues mends the rows of an INSERT that are maps, in place. GORM has made the values
// for this statement.
func mapValues(m cond.Model, stmt *gorm.Statement, values clause.Values) (err error) {
	if _, ok := model.MapRows(stmt.Dest); !ok {
		return nil
	}
	for i, column := range values.Columns {
		field, _ := m.Named(column)
		if !ids.IsColumn(field) {
			continue
		}
		for _, row := range values.Values {
			if row[i], _, err = storedFor("Create", field, row[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// upsertClause returns the ON CONFLICT clause mended.
func upsertClause(m cond.Model, conflict clause.OnConflict) (_ clause.Expression, err error) {
	if conflict.DoUpdates, _, err = assignments(m, conflict.DoUpdates); err != nil {
		return nil, err
	}
	for _, where := range []*clause.Where{&conflict.Where, &conflict.TargetWhere} {
		if where.Exprs, _, err = m.Mend(where.Exprs); err != nil {
			return nil, err
		}
	}
	return conflict, nil
}
