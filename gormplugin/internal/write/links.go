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
// one of its relations. The error names the call. The text has places for the model, the
// relation and the reason.
func (s *Pass) refuseLinks(call, text string, isBroken func(model.Row, *schema.Relationship, *schema.Reference) bool) {
	relations := &s.stmt.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		for _, ref := range relation.References {
			isHere := func(r model.Row) bool { return isBroken(r, relation, ref) }
			if s.Error != nil || !slices.ContainsFunc(s.rows, isHere) {
				continue
			}
			if isSaved, _ := model.Selects(s.stmt, relation.Name, call == "Create"); isSaved {
				why := fmt.Sprintf(text, s.stmt.Schema.Name, relation.Name, s.whyNoID(ref.PrimaryKey))
				s.AddError(fmt.Errorf("gormplugin.%s(%s): %s: %w", call, s.written(), why, gorm.ErrPrimaryKeyRequired))
			}
		}
	}
}

// whyNoID tells why a row that was stored has no ID in its key.
func (s *Pass) whyNoID(key *schema.Field) string {
	if model.HasDefault(key) && !s.returns() {
		return "has a key that the database makes, and " + s.Dialector.Name() + " doesn't return it; set the key in the program, or remove the tag oid:-"
	}
	return "conflicts with another row and so has no ID; find that row first"
}

// RefuseLost makes a create or update fail if a row would lose its link to the row
// that it belongs to. So would a row of a join table, whose relations GORM has made for
// the INSERT of a many-to-many relation.
func (s *Pass) RefuseLost(call string) {
	_, joins := s.stmt.Clauses["ON CONFLICT"]
	s.refuseLinks(call, "%s.%s %s", func(r model.Row, relation *schema.Relationship, ref *schema.Reference) bool {
		key := s.stmt.Schema.LookUpField(ref.ForeignKey.DBName)
		switch {
		case relation.Type != schema.BelongsTo || relation.Field == nil || !ids.IsColumn(key):
			return false
		case relation.Field.Schema != s.stmt.Schema:
			return joins && s.isZero(r, key)
		case r.IsMap: // of an update, into which GORM has put the foreign key
			return !ids.IsZero(r.Fields[relation.Name]) && ids.IsZero(r.Fields[key.DBName])
		}
		_, zero := relation.Field.ValueOf(s.stmt.Context, r.Value)
		return !zero && s.isZero(r, key)
	})
}

// refuseOrphans makes an INSERT fail if GORM would go on to save rows that belong to a row
// whose key is zero.
func (s *Pass) refuseOrphans() {
	s.refuseLinks("Create", "%s.%s belongs to a row that %s", func(r model.Row, relation *schema.Relationship, ref *schema.Reference) bool {
		if relation.Type == schema.BelongsTo || ref.PrimaryKey != s.plan.Key || r.IsMap || !s.isMade(r) {
			return false
		}
		others, zero := relation.Field.ValueOf(s.stmt.Context, r.Value)
		list := reflect.Indirect(reflect.ValueOf(others))
		return !zero && (list.Kind() != reflect.Slice || list.Len() > 0)
	})
}
