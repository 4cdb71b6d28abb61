package gormplugin

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// errZeroID is wrapped by the error of a condition that is the zero ID.
var errZeroID = fmt.Errorf("the zero ID: %w", gorm.ErrPrimaryKeyRequired)

// A refusal stands in a statement for a condition that must not be sent. It puts
// a value there that makes the statement fail. The value survives where GORM
// drops the error, which is in subqueries.
type refusal struct{ err error }

// Build writes the value that carry finds.
func (r refusal) Build(builder clause.Builder) { builder.AddVar(builder, refused(r)) }

// refused is the value of a refusal. No driver can send it.
type refused struct{ err error }

// Value returns the error of the refusal.
func (r refused) Value() (driver.Value, error) { return nil, r.err }

// carry makes the statement fail if vars, which are some of its values, hold a
// refusal. The refusal may be one of a subquery.
func carry(stmt *gorm.Statement, vars []any) {
	for _, v := range vars {
		if r, ok := v.(refused); ok {
			stmt.AddError(refusedBy(stmt, r.err))
			return
		}
	}
}

// refusedBy returns the error of stmt for a refusal. A query by the zero ID finds
// no record, as a query by the number 0 does.
func refusedBy(stmt *gorm.Statement, err error) error {
	if errors.Is(err, errZeroID) && slices.Contains(stmt.DB.Statement.BuildClauses, "SELECT") {
		return notFound{err}
	}
	return err
}

// notFound is an error that is gorm.ErrRecordNotFound too.
type notFound struct{ error }

// Unwrap returns the errors that it is.
func (e notFound) Unwrap() []error { return []error{e.error, gorm.ErrRecordNotFound} }

// refuseZeroKeys makes the INSERT fail if it would store a key that is zero or,
// which SQLite takes as well, left out. Only keys that are not assigned can be.
func (in insert) refuseZeroKeys() {
	var zero []string
	for _, c := range in.plan.columns {
		if !c.field.PrimaryKey || c.hasDefault() {
			continue
		}
		isZeroIn := func(r row) bool { return isZero(r.valueOf(in.stmt.Context, c.field)) }
		if !c.isSelected(in.stmt) {
			in.AddError(createError(in.stmt, "%s is left out and has no default: %w", c, gorm.ErrPrimaryKeyRequired))
		} else if !c.isAssignable() && in.rows.any(isZeroIn) {
			zero = append(zero, c.String())
		}
	}
	switch len(zero) {
	case 0:
	case 1:
		in.AddError(createError(in.stmt, "%s is zero: set it, or tag it oid:auto: %w", zero[0], gorm.ErrPrimaryKeyRequired))
	default:
		in.AddError(createError(in.stmt, "%s are zero: set them, or tag them oid:auto: %w", strings.Join(zero, " and "), gorm.ErrPrimaryKeyRequired))
	}
}

// refuseDeleteOfID makes Model(&User{}).Delete(id) fail. GORM expects rows there.
// It looks for the key of a row in a byte of an ID and panics. It ignores a number.
func refuseDeleteOfID(db *gorm.DB) {
	stmt := db.Statement
	if errors.Is(db.Error, schema.ErrUnsupportedDataType) && isLoneID(stmt.Dest) {
		db.Error = fmt.Errorf("%w (this is an ID, not a model: write Delete(&User{}, id))", db.Error)
	}
	if !isBuilding(db) || !slices.ContainsFunc(stmt.Schema.PrimaryFields, isID) {
		return
	}
	t := stmt.ReflectValue.Type()
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	isRow := t == stmt.Schema.ModelType || t.Kind() == reflect.Map || t.Kind() == reflect.Struct && idTypeIn(t) == nil
	if !isRow {
		db.AddError(fmt.Errorf("gormplugin.Delete(%T): this is not a row; write Delete(&%s{}, id): %w", stmt.Dest, stmt.Schema.Name, gorm.ErrInvalidData))
	}
}

// nameAlias adds what to write to the error for a key of a type such as type UserID
// oid.ID. Such a type has no methods, so no driver can send it.
func nameAlias(db *gorm.DB) {
	if db.Error == nil || db.Statement.Schema == nil || !strings.Contains(db.Error.Error(), "unsupported type") {
		return
	}
	for _, field := range db.Statement.Schema.Fields {
		if t := field.IndirectFieldType; field.Serializer == nil && isBytes12(t) && !t.Implements(valuerType) {
			db.Error = fmt.Errorf("%w (%s has no methods: write type %s = oid.For[%s])", db.Error, t, t.Name(), db.Statement.Schema.Name)
			return
		}
	}
}

// isLoneID reports whether v is an ID, or a pointer to one.
func isLoneID(v any) bool {
	t := reflect.TypeOf(v)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && isBytes12(t)
}

// refuseLost makes a create or update fail if a row would lose its link to the row
// that it belongs to. GORM saves that row first, with ON CONFLICT DO NOTHING. If
// that row conflicts with another, for example by its email, it has no ID. The
// foreign key would then be zero or NULL. The error names the call.
func refuseLost(db *gorm.DB, call string) {
	if !isBuilding(db) {
		return
	}
	stmt := db.Statement
	for _, relation := range stmt.Schema.Relationships.BelongsTo {
		for _, ref := range relation.References {
			if !isID(ref.ForeignKey) {
				continue
			}
			isLost := func(r row) bool {
				if r.isMap { // of an update, into which GORM has put the foreign key
					other := reflect.ValueOf(r.fields[relation.Name])
					return other.IsValid() && !other.IsZero() && isZero(r.fields[ref.ForeignKey.DBName])
				}
				if _, zero := relation.Field.ValueOf(stmt.Context, r.value); zero {
					return false
				}
				return isZero(r.valueOf(stmt.Context, ref.ForeignKey))
			}
			if rowsOf(stmt).any(isLost) && isSaved(stmt, relation, call == "Create") {
				db.AddError(fmt.Errorf("gormplugin.%s(%T): %s.%s conflicts with another row and so has no ID; find that row first: %w",
					call, stmt.Dest, stmt.Schema.Name, relation.Name, gorm.ErrPrimaryKeyRequired))
				return
			}
		}
	}
}

// refuseOrphans makes an upsert fail if GORM would go on to save rows that belong
// to a row that was skipped. Such a row has no ID, so their foreign key would be
// zero.
func (in insert) refuseOrphans() {
	if in.Error != nil {
		return
	}
	relations := &in.stmt.Schema.Relationships
	for _, relation := range slices.Concat(relations.HasOne, relations.HasMany, relations.Many2Many) {
		refersToKey := func(ref *schema.Reference) bool { return ref.PrimaryKey == in.plan.key.field }
		if !slices.ContainsFunc(relation.References, refersToKey) {
			continue
		}
		hasOrphans := func(r row) bool {
			if r.isMap || !isZero(r.valueOf(in.stmt.Context, in.plan.key.field)) {
				return false
			}
			others, zero := relation.Field.ValueOf(in.stmt.Context, r.value)
			list := reflect.Indirect(reflect.ValueOf(others))
			return !zero && (list.Kind() != reflect.Slice || list.Len() > 0)
		}
		if in.rows.any(hasOrphans) && isSaved(in.stmt, relation, true) {
			in.AddError(createError(in.stmt, "%s.%s belongs to a row that conflicts with another and so has no ID; find that row first: %w",
				in.stmt.Schema.Name, relation.Name, gorm.ErrPrimaryKeyRequired))
			return
		}
	}
}

// refuseHalfJoined makes the INSERT into a join table fail if one of its ends has
// no ID. GORM sends that INSERT for a many-to-many relation. A join table without a
// key of its own needs no such check, because its ends are the key.
func (in insert) refuseHalfJoined() {
	if _, ok := in.stmt.Clauses["ON CONFLICT"]; !ok || in.Error != nil {
		return
	}
	s := in.stmt.Schema
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		if relation.Type != schema.BelongsTo || relation.Field == nil || relation.Field.Schema == s {
			continue // no relation that a many-to-many one has made
		}
		for _, ref := range relation.References {
			field := s.LookUpField(ref.ForeignKey.DBName)
			if !isID(field) {
				continue
			}
			isHalf := func(r row) bool { return isZero(r.valueOf(in.stmt.Context, field)) }
			if in.rows.any(isHalf) {
				in.AddError(createError(in.stmt, "%s.%s is zero: what it refers to conflicts with another row and so has no ID; find that row first: %w",
					s.Name, field.Name, gorm.ErrPrimaryKeyRequired))
				return
			}
		}
	}
}

// isSaved reports whether GORM saves the relation with the statement, which creates or
// else updates rows.
func isSaved(stmt *gorm.Statement, relation *schema.Relationship, creates bool) bool {
	columns, restricted := stmt.SelectAndOmitColumns(creates, !creates)
	selected, named := columns[relation.Name]
	return selected || !named && !restricted
}
