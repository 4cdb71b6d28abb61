package gormplugin

import (
	"fmt"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// beforeUpdate runs right before an UPDATE is built.
func beforeUpdate(db *gorm.DB) {
	repair(db)
	refuseLost(db)
}

// refuseLost makes a create or update fail if a row would lose its link to what
// it belongs to. GORM saves that first, with ON CONFLICT DO NOTHING: if it
// conflicts with another row than its own, by its email say, it has no id, and the
// foreign key would be zero or NULL.
func refuseLost(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || stmt.SQL.Len() > 0 {
		return
	}
	for _, relation := range stmt.Schema.Relationships.BelongsTo {
		for _, ref := range relation.References {
			if ref.OwnPrimaryKey || !isID(ref.PrimaryKey) || !isID(ref.ForeignKey) || !saved(stmt, relation) {
				continue
			}
			lost := func(r row) bool {
				if r.fields != nil {
					return false
				}
				if _, zero := relation.Field.ValueOf(stmt.Context, r.value); zero {
					return false
				}
				return isZero(r.valueOf(stmt.Context, ref.ForeignKey))
			}
			if slices.ContainsFunc(rowsOf(stmt), lost) {
				db.AddError(fmt.Errorf("gormplugin: %s.%s conflicts with another row and so has no id; find that row first: %w",
					stmt.Schema.Name, relation.Name, gorm.ErrPrimaryKeyRequired))
				return
			}
		}
	}
}

// saved reports whether GORM saves the relation with the statement.
func saved(stmt *gorm.Statement, relation *schema.Relationship) bool {
	if len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return true
	}
	columns, restricted := stmt.SelectAndOmitColumns(true, false)
	selected, named := columns[relation.Name]
	return selected || !named && !restricted
}
