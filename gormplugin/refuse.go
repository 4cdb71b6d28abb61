package gormplugin

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// GORM saves the row that a row belongs to first, with ON CONFLICT DO NOTHING. If that row
// conflicts with another, for example by its email, it has no ID, and neither have the
// foreign keys that refer to it. The plugin refuses rows with such keys.

// refuseLinks makes a create or update fail if isBroken is true of a row, for a reference of
// one of the relations. The error names the call. The text has places for the model, the
// relation and the reason.
func (s *pass) refuseLinks(call, text string, relations []*schema.Relationship, isBroken func(row, *schema.Relationship, *schema.Reference) bool) {
	for _, relation := range relations {
		for _, ref := range relation.References {
			isHere := func(r row) bool { return isBroken(r, relation, ref) }
			if s.Error == nil && s.rows.any(isHere) && s.isSaved(relation, call == "Create") {
				why := fmt.Sprintf(text, s.stmt.Schema.Name, relation.Name, s.whyNoID(ref.PrimaryKey))
				s.AddError(fmt.Errorf("gormplugin.%s(%s): %s: %w", call, s.written(), why, gorm.ErrPrimaryKeyRequired))
			}
		}
	}
}

// whyNoID tells why a row that was stored has no ID in its key.
func (s *pass) whyNoID(key *schema.Field) string {
	if hasDefault(key) && !s.returns() {
		return "has a key that the database makes, and " + s.Dialector.Name() + " doesn't return it; set the key in the program, or remove the tag oid:-"
	}
	return "conflicts with another row and so has no ID; find that row first"
}

// refuseLost makes a create or update fail if a row would lose its link to the row
// that it belongs to.
func (s *pass) refuseLost(call string) {
	s.refuseLinks(call, "%s.%s %s", s.stmt.Schema.Relationships.BelongsTo, func(r row, relation *schema.Relationship, ref *schema.Reference) bool {
		switch {
		case !ids.IsColumn(ref.ForeignKey):
			return false
		case r.isMap: // of an update, into which GORM has put the foreign key
			return !ids.IsZero(r.fields[relation.Name]) && ids.IsZero(r.fields[ref.ForeignKey.DBName])
		}
		_, zero := relation.Field.ValueOf(s.stmt.Context, r.value)
		return !zero && ids.IsZero(r.valueOf(s.stmt.Context, ref.ForeignKey))
	})
}

// refuseOrphans makes an INSERT fail if GORM would go on to save rows that belong to a row
// whose key is zero.
func (s *pass) refuseOrphans() {
	relations, key := &s.stmt.Schema.Relationships, s.plan.key.field
	all := slices.Concat(relations.HasOne, relations.HasMany, relations.Many2Many)
	s.refuseLinks("Create", "%s.%s belongs to a row that %s", all, func(r row, relation *schema.Relationship, ref *schema.Reference) bool {
		if ref.PrimaryKey != key || r.isMap || !s.isMade(r) {
			return false
		}
		others, zero := relation.Field.ValueOf(s.stmt.Context, r.value)
		list := reflect.Indirect(reflect.ValueOf(others))
		return !zero && (list.Kind() != reflect.Slice || list.Len() > 0)
	})
}

// refuseHalfJoined makes the INSERT into a join table fail if one of its ends has
// no ID. GORM sends that INSERT for a many-to-many relation, which has made the relations
// of the join table. Without a key of its own the table needs no such check, because its
// ends are the key.
func (s *pass) refuseHalfJoined() {
	if _, ok := s.stmt.Clauses["ON CONFLICT"]; !ok {
		return
	}
	var ends []*schema.Relationship
	relations := &s.stmt.Schema.Relationships
	relations.Mux.RLock()
	for _, relation := range relations.Relations {
		if relation.Type == schema.BelongsTo && relation.Field != nil && relation.Field.Schema != s.stmt.Schema {
			ends = append(ends, relation)
		}
	}
	relations.Mux.RUnlock()
	s.refuseLinks("Create", "%s.%s %s", ends, func(r row, _ *schema.Relationship, ref *schema.Reference) bool {
		field := s.stmt.Schema.LookUpField(ref.ForeignKey.DBName)
		return ids.IsColumn(field) && ids.IsZero(r.valueOf(s.stmt.Context, field))
	})
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

// refuseStrings makes a query fail that reads IDs of 12 bytes into strings of the program.
// GORM would put the raw bytes there. Digits would be no better, because Scan and Rows,
// which no plugin sees, would still give bytes. Only a query that selects no expression is
// known to read columns of the model.
func (p *plugin) refuseStrings(db *gorm.DB) {
	stmt := db.Statement
	t := reflect.TypeOf(stmt.Dest)
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t == stmt.Schema.ModelType || stmt.TableExpr != nil && len(stmt.TableExpr.Vars) > 0 || !p.plan(stmt.Schema).hasIDs {
		return
	}
	refuse := func(name string, field *schema.Field) {
		db.AddError(fmt.Errorf("gormplugin.Find(%s): the column of %s is read into a string: make it %s, whose JSON is text: %w",
			name, ids.Name(field), field.FieldType, gorm.ErrInvalidField))
	}
	selected, _ := stmt.Clauses["SELECT"].Expression.(clause.Select)
	switch {
	case t.Kind() == reflect.String: // of Pluck, or of one column
		column := clause.Column{Name: strings.Join(stmt.Selects, ",")}
		if len(selected.Columns) == 1 {
			column = selected.Columns[0]
		}
		if field, _ := cond.ModelOf(stmt).Named(column); ids.IsBinary(field) {
			refuse(fmt.Sprintf("%T", stmt.Dest), field)
		}
	case t.Kind() == reflect.Struct && len(stmt.Selects) == 0 && stmt.Clauses["SELECT"].Expression == nil:
		dest := &gorm.Statement{DB: db}
		if dest.Parse(reflect.New(t).Interface()) != nil {
			return // GORM reports it
		}
		for _, own := range dest.Schema.Fields {
			if field := stmt.Schema.LookUpField(own.DBName); own.DBName != "" && ids.IsString(own) && ids.IsBinary(field) {
				refuse(ids.Name(own), field)
				return
			}
		}
	}
}
