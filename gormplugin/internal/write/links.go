package write

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// GORM saves the row that a row belongs to first, with ON CONFLICT DO NOTHING. If that row
// conflicts with another, for example by its email, it has no ID, and neither have the
// foreign keys that refer to it. The plugin refuses rows with such keys.

// refuseLinks makes a create or update fail if isBroken is true of a row, for a reference of
// one of the relations. The error names the call. The text has places for the model, the
// relation and the reason.
func (s *Pass) refuseLinks(call, text string, relations []*schema.Relationship, isBroken func(model.Row, *schema.Relationship, *schema.Reference) bool) {
	for _, relation := range relations {
		for _, ref := range relation.References {
			isHere := func(r model.Row) bool { return isBroken(r, relation, ref) }
			if isSaved, _ := model.Selects(s.stmt, relation.Name, call == "Create"); s.Error == nil && isSaved && slices.ContainsFunc(s.rows, isHere) {
				why := s.whyNoID(ref.PrimaryKey, "conflicts with another row and so has no ID: find the other row first")
				why = fmt.Sprintf(text, s.stmt.Schema.Name, relation.Name, why)
				s.AddError(fmt.Errorf("gormplugin.%s(%s): %s: %w", call, s.written(), why, gorm.ErrPrimaryKeyRequired))
			}
		}
	}
}

// whyNoID tells why a row that was stored has no ID in its key. Conflict is the reason
// unless the database keeps the key to itself.
func (s *Pass) whyNoID(key *schema.Field, conflict string) string {
	if model.HasDefault(key) && !s.returns() {
		return "has a key that the database makes, and " + s.Dialector.Name() + " doesn't return it: set the key in the program, or remove the tag oid:-"
	}
	return conflict
}

// RefuseLost makes a create or update fail if a row would lose its link to the row
// that it belongs to.
func (s *Pass) RefuseLost(call string) {
	s.refuseLinks(call, "%s.%s %s", s.stmt.Schema.Relationships.BelongsTo, func(r model.Row, relation *schema.Relationship, ref *schema.Reference) bool {
		switch {
		case !ids.IsColumn(ref.ForeignKey):
			return false
		case r.IsMap: // of an update, into which GORM has put the foreign key
			return !ids.IsZero(r.Fields[relation.Name]) && ids.IsZero(r.Fields[ref.ForeignKey.DBName])
		}
		_, zero := relation.Field.ValueOf(s.stmt.Context, r.Value)
		return !zero && s.isZero(r, ref.ForeignKey)
	})
}

// refuseOrphans makes an INSERT fail if GORM would go on to save rows that belong to a row
// whose key is zero.
func (s *Pass) refuseOrphans() {
	relations, key := &s.stmt.Schema.Relationships, s.plan.Key
	all := slices.Concat(relations.HasOne, relations.HasMany, relations.Many2Many)
	s.refuseLinks("Create", "%s.%s belongs to a row that %s", all, func(r model.Row, relation *schema.Relationship, ref *schema.Reference) bool {
		if ref.PrimaryKey != key || r.IsMap || !s.isMade(r) {
			return false
		}
		others, zero := relation.Field.ValueOf(s.stmt.Context, r.Value)
		list := reflect.Indirect(reflect.ValueOf(others))
		return !zero && (list.Kind() != reflect.Slice || list.Len() > 0)
	})
}

// RefuseHalfJoined makes the INSERT into a join table fail if one of its ends has
// no ID. GORM sends that INSERT for a many-to-many relation, which has made the relations
// of the join table. Without a key of its own the table needs no such check, because its
// ends are the key.
func (s *Pass) RefuseHalfJoined() {
	if _, ok := s.stmt.Clauses["ON CONFLICT"]; !ok {
		return
	}
	var ends []*schema.Relationship
	relations := &s.stmt.Schema.Relationships
	relations.Mux.RLock()
	for _, relation := range relations.Relations {
		// GORM notes relations of other models here too, before it knows their type.
		if relation.Schema == s.stmt.Schema && relation.Type == schema.BelongsTo && relation.Field != nil && relation.Field.Schema != s.stmt.Schema {
			ends = append(ends, relation)
		}
	}
	relations.Mux.RUnlock()
	s.refuseLinks("Create", "%s.%s %s", ends, func(r model.Row, _ *schema.Relationship, ref *schema.Reference) bool {
		field := s.stmt.Schema.LookUpField(ref.ForeignKey.DBName)
		return ids.IsColumn(field) && s.isZero(r, field)
	})
}
