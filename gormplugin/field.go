package gormplugin

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

var (
	idType      = reflect.TypeFor[oid.ID]()
	valuerType  = reflect.TypeFor[driver.Valuer]()
	scannerType = reflect.TypeFor[sql.Scanner]()
)

// isBytes12 reports whether t is an array of 12 bytes, such as oid.ID, oid.For, the
// column types of sqltype, and the drivers' own ObjectID.
func isBytes12(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.Len() == len(oid.ID{}) && t.Elem().Kind() == reflect.Uint8
}

// idTypeIn returns the type of 12 bytes that t holds. It is t itself, or the first
// field of a struct such as sql.Null[oid.ID]. It is nil if t holds no ID.
func idTypeIn(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.NumField() == 2 && t.Field(1).Name == "Valid" {
		t = t.Field(0).Type
	}
	if !isBytes12(t) {
		return nil
	}
	return t
}

// forms says of each type of 12 bytes that was met whether it is sent as these bytes.
// The type that GORM keeps in a field is of no use for this. GORM changes it while it
// parses the models that the field refers to.
var forms sync.Map // of bool by reflect.Type

// isBinary reports whether t, a type of 12 bytes, is sent as these bytes. Otherwise it
// is sent in another form, such as the text of sqltype.Hex.
func isBinary(t reflect.Type) bool {
	if t == idType {
		return true
	}
	if known, ok := forms.Load(t); ok {
		return known.(bool)
	}
	binary := true
	if t.Implements(valuerType) {
		sample := oid.ID{1}
		value, _ := reflect.ValueOf(sample).Convert(t).Interface().(driver.Valuer).Value()
		bytes, _ := value.([]byte)
		binary = string(bytes) == string(sample[:])
	}
	forms.Store(t, binary)
	return binary
}

// isID reports whether the column of field holds IDs, in any form. It is the
// question of conditions.
func isID(field *schema.Field) bool {
	return field != nil && field.Serializer == nil && idTypeIn(field.IndirectFieldType) != nil
}

// isBinaryID reports whether the column of field holds IDs as 12 bytes. It is the
// question of migrations.
func isBinaryID(field *schema.Field) bool {
	return isID(field) && isBinary(idTypeIn(field.IndirectFieldType))
}

// isPlainID reports whether field is an ID, or a pointer to one, that the plugin
// can set in place. It is the question of keys.
func isPlainID(field *schema.Field) bool {
	t := field.FieldType
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return field.Serializer == nil && isBytes12(t) && t.Implements(valuerType) && reflect.PointerTo(t).Implements(scannerType)
}

// nameOf names field for error messages.
func nameOf(field *schema.Field) string { return field.Schema.Name + "." + field.Name }

// lookUp returns the field of s that GORM takes name for, nil if there is none.
func lookUp(s *schema.Schema, name string) *schema.Field {
	switch {
	case name != clause.PrimaryKey:
		if field := s.LookUpField(name); field != nil {
			return field
		}
		for _, column := range s.DBNames { // SQL takes any case
			if strings.EqualFold(column, name) {
				return s.FieldsByDBName[column]
			}
		}
	case s.PrioritizedPrimaryField != nil:
		return s.PrioritizedPrimaryField
	case len(s.DBNames) > 0:
		return s.FieldsByDBName[s.DBNames[0]]
	}
	return nil
}

// relationOf returns the relation of s that has the name, which may be a path such
// as Manager.Company. It is nil if there is none.
func relationOf(s *schema.Schema, name string) *schema.Relationship {
	first, rest, nested := strings.Cut(name, ".")
	s.Relationships.Mux.RLock()
	relation := s.Relationships.Relations[first]
	s.Relationships.Mux.RUnlock()
	if relation == nil || !nested {
		return relation
	}
	return relationOf(relation.FieldSchema, rest)
}

// schemaOf returns the schema to which s is related that has the table, or nil.
func schemaOf(s *schema.Schema, table string) *schema.Schema {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		if relation.FieldSchema.Table == table {
			return relation.FieldSchema
		}
		if relation.JoinTable != nil && relation.JoinTable.Table == table {
			return relation.JoinTable
		}
	}
	return nil
}
