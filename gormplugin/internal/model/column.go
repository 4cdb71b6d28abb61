package model

import (
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// NameOf returns the column of field for a clause.
func NameOf(field *schema.Field) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: field.DBName}
}

// IsAssignable reports whether field, a key or a field tagged oid, is given new IDs.
func IsAssignable(field *schema.Field) bool {
	if tag, ok := field.TagSettings["OID"]; ok {
		return tag == "auto"
	}
	return len(field.Schema.PrimaryFields) == 1 && !isForeignKey(field)
}

// isForeignKey reports whether field refers to another row. The relation may
// be one of its own model, or a has-one or has-many of a model that GORM has
// parsed.
func isForeignKey(field *schema.Field) bool {
	relations := &field.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	isByField := func(ref *schema.Reference) bool { return ref.ForeignKey == field }
	for _, relation := range relations.Relations {
		if slices.ContainsFunc(relation.References, isByField) {
			return true
		}
	}
	return false
}

// HasDefault reports whether the database fills the column of field if the INSERT doesn't.
// The tag autoIncrement doesn't count as a default: it may be left from an integer key.
func HasDefault(field *schema.Field) bool {
	return field != nil && field.HasDefaultValue && !field.AutoIncrement
}

// IDIn returns where v, a value of a field that can be set, holds its ID. A pointer
// that is nil is set to a new one.
func IDIn(v reflect.Value) *oid.ID {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return (*oid.ID)(v.Bytes()) // cheaper than v.Addr().Interface()
}

// IsSelected reports whether the INSERT writes field.
func IsSelected(stmt *gorm.Statement, field *schema.Field) bool {
	if len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return field.Creatable
	}
	selected, _ := Selects(stmt, field.DBName, true)
	return selected
}

// Select makes the INSERT write field where a Select leaves it out. The INSERT leaves
// field out only if the statement or a tag names it for that.
func Select(stmt *gorm.Statement, field *schema.Field) {
	if len(stmt.Selects) == 0 {
		return
	}
	if selected, named := Selects(stmt, field.DBName, true); !selected && !named {
		// Clip, because a session that is used again holds the same slice.
		stmt.Selects = append(slices.Clip(stmt.Selects), field.DBName)
	}
}

// Selects reports whether the statement, which creates or else updates rows, writes the
// column or relation of the name, and whether a Select, an Omit or a tag names it.
func Selects(stmt *gorm.Statement, name string, creates bool) (selected, named bool) {
	columns, restricted := stmt.SelectAndOmitColumns(creates, !creates)
	selected, named = columns[name]
	return selected || !named && !restricted, named
}
