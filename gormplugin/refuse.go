package gormplugin

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// GORM saves the row that a row belongs to first, with ON CONFLICT DO NOTHING. If that row
// conflicts with another, for example by its email, it has no ID, and neither have the
// foreign keys that refer to it. The plugin refuses rows with such keys.

// references goes through the references of relations.
func references(relations []*schema.Relationship) iter.Seq2[*schema.Relationship, *schema.Reference] {
	return func(yield func(*schema.Relationship, *schema.Reference) bool) {
		for _, relation := range relations {
			for _, ref := range relation.References {
				if !yield(relation, ref) {
					return
				}
			}
		}
	}
}

// refuseLost makes a create or update fail if a row would lose its link to the row
// that it belongs to. The error names the call.
func (s *pass) refuseLost(call string) {
	for relation, ref := range references(s.stmt.Schema.Relationships.BelongsTo) {
		if !ids.IsColumn(ref.ForeignKey) {
			continue
		}
		isLost := func(r row) bool {
			if r.isMap { // of an update, into which GORM has put the foreign key
				return !ids.IsZero(r.fields[relation.Name]) && ids.IsZero(r.fields[ref.ForeignKey.DBName])
			}
			_, zero := relation.Field.ValueOf(s.stmt.Context, r.value)
			return !zero && ids.IsZero(r.valueOf(s.stmt.Context, ref.ForeignKey))
		}
		if s.Error == nil && s.rows.any(isLost) && s.isSaved(relation, call == "Create") {
			s.AddError(fmt.Errorf("gormplugin.%s(%s): %s.%s conflicts with another row and so has no ID; find that row first: %w",
				call, s.dest(), s.stmt.Schema.Name, relation.Name, gorm.ErrPrimaryKeyRequired))
		}
	}
}

// refuseOrphans makes an upsert fail if GORM would go on to save rows that belong
// to a row that was skipped.
func (s *pass) refuseOrphans() {
	relations, key := &s.stmt.Schema.Relationships, s.plan.key.field
	for relation, ref := range references(slices.Concat(relations.HasOne, relations.HasMany, relations.Many2Many)) {
		if ref.PrimaryKey != key {
			continue
		}
		hasOrphans := func(r row) bool {
			if r.isMap || !ids.IsZero(r.valueOf(s.stmt.Context, key)) {
				return false
			}
			others, zero := relation.Field.ValueOf(s.stmt.Context, r.value)
			list := reflect.Indirect(reflect.ValueOf(others))
			return !zero && (list.Kind() != reflect.Slice || list.Len() > 0)
		}
		if s.Error == nil && s.rows.any(hasOrphans) && s.isSaved(relation, true) {
			s.AddError(s.errorf("%s.%s belongs to a row that conflicts with another and so has no ID; find that row first: %w",
				s.stmt.Schema.Name, relation.Name, gorm.ErrPrimaryKeyRequired))
		}
	}
}

// refuseHalfJoined makes the INSERT into a join table fail if one of its ends has
// no ID. GORM sends that INSERT for a many-to-many relation. A join table without a
// key of its own needs no such check, because its ends are the key.
func (s *pass) refuseHalfJoined() {
	if _, ok := s.stmt.Clauses["ON CONFLICT"]; !ok {
		return
	}
	relations := &s.stmt.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		if relation.Type != schema.BelongsTo || relation.Field == nil || relation.Field.Schema == s.stmt.Schema {
			continue // no relation that a many-to-many one has made
		}
		for _, ref := range relation.References {
			field := s.stmt.Schema.LookUpField(ref.ForeignKey.DBName)
			isHalf := func(r row) bool { return ids.IsZero(r.valueOf(s.stmt.Context, field)) }
			if s.Error == nil && ids.IsColumn(field) && s.rows.any(isHalf) {
				s.AddError(s.errorf("%s.%s is zero: what it refers to conflicts with another row and so has no ID; find that row first: %w",
					s.stmt.Schema.Name, field.Name, gorm.ErrPrimaryKeyRequired))
			}
		}
	}
}

// isSaved reports whether GORM saves the relation with the statement, which creates or
// else updates rows.
func (s *pass) isSaved(relation *schema.Relationship, creates bool) bool {
	columns, restricted := s.stmt.SelectAndOmitColumns(creates, !creates)
	selected, named := columns[relation.Name]
	return selected || !named && !restricted
}

// refuseDeleteOfID makes Model(&User{}).Delete(id) fail. GORM expects rows there.
// It looks for the key of a row in a byte of an ID and panics. It ignores a number.
func refuseDeleteOfID(db *gorm.DB) {
	stmt := db.Statement
	if errors.Is(db.Error, schema.ErrUnsupportedDataType) && isLoneID(stmt.Dest) {
		db.Error = fmt.Errorf("%w (this is an ID, not a model: write Delete(&User{}, id))", db.Error)
	}
	if !isBuilding(db) || !slices.ContainsFunc(stmt.Schema.PrimaryFields, ids.IsColumn) {
		return
	}
	t := rowType(stmt.ReflectValue.Type())
	isRow := t == stmt.Schema.ModelType || t.Kind() == reflect.Map || t.Kind() == reflect.Struct && ids.TypeIn(t) == nil
	if !isRow {
		db.AddError(fmt.Errorf("gormplugin.Delete(%T): this is not a row; write Delete(&%s{}, id): %w", stmt.Dest, stmt.Schema.Name, gorm.ErrInvalidData))
	}
}

// isLoneID reports whether v is an ID, or a pointer to one.
func isLoneID(v any) bool {
	t := reflect.TypeOf(v)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && t.Kind() == reflect.Array && ids.TypeIn(t) != nil
}
