package gormplugin

import (
	"fmt"
	"reflect"
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

// refuseOrphans makes an upsert fail if GORM would go on to save rows that belong
// to one that was skipped and so has no id: their foreign key would be zero.
func refuseOrphans(db *gorm.DB, key *schema.Field, rows []row) {
	if db.Error != nil {
		return
	}
	stmt := db.Statement
	relations := &stmt.Schema.Relationships
	for _, relation := range slices.Concat(relations.HasOne, relations.HasMany, relations.Many2Many) {
		refersToKey := func(ref *schema.Reference) bool { return ref.OwnPrimaryKey && ref.PrimaryKey == key }
		if !slices.ContainsFunc(relation.References, refersToKey) || !saved(stmt, relation) {
			continue
		}
		hasOrphans := func(r row) bool {
			if r.fields != nil || !isZero(r.valueOf(stmt.Context, key)) {
				return false
			}
			others, zero := relation.Field.ValueOf(stmt.Context, r.value)
			list := reflect.Indirect(reflect.ValueOf(others))
			return !zero && (list.Kind() != reflect.Slice || list.Len() > 0)
		}
		if slices.ContainsFunc(rows, hasOrphans) {
			db.AddError(createError(stmt, "%s.%s belongs to a row that conflicts with another and so has no id; find that row first: %w",
				stmt.Schema.Name, relation.Name, gorm.ErrPrimaryKeyRequired))
			return
		}
	}
}

// refuseHalfJoined makes the INSERT into a join table that GORM sends for a
// many-to-many relation fail if one of its ends has no id. A join table without a
// key of its own needs no such check: there the ends are the key.
func refuseHalfJoined(db *gorm.DB) {
	stmt := db.Statement
	if _, ok := stmt.Clauses["ON CONFLICT"]; !ok || db.Error != nil || stmt.Schema == nil || stmt.SQL.Len() > 0 {
		return
	}
	s := stmt.Schema
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		if relation.Type != schema.BelongsTo || relation.Field == nil || relation.Field.Schema == s {
			continue // no relation that a many-to-many one has made
		}
		for _, ref := range relation.References {
			field := s.LookUpField(ref.ForeignKey.DBName)
			if field == nil || !isID(field) || !(&column{field: field}).holdsID() {
				continue // one that can be NULL may be left out
			}
			half := func(r row) bool { return isZero(r.valueOf(stmt.Context, field)) }
			if slices.ContainsFunc(rowsOf(stmt), half) {
				db.AddError(createError(stmt, "%s.%s is zero: what it refers to conflicts with another row and so has no id; find that row first: %w",
					s.Name, field.Name, gorm.ErrPrimaryKeyRequired))
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
