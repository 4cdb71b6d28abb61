// Package ids says which columns of GORM's models hold IDs and which values are IDs. It
// brings values into the form of a column.
package ids

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

var (
	idType      = reflect.TypeFor[oid.ID]()
	valuerType  = reflect.TypeFor[driver.Valuer]()
	scannerType = reflect.TypeFor[sql.Scanner]()
)

// A form is how the values of a type are sent.
type form int

const (
	foreign form = iota // the type is not that of an ID
	binary              // as 12 bytes
	text                // as hex digits or a UUID
)

// forms holds the form of each type of 12 bytes that was met. The type that GORM keeps
// in a field is of no use for this. GORM changes it while it parses the models that the
// field refers to.
var forms sync.Map // of form by reflect.Type

// formOf returns the form of t. Not every type of 12 bytes holds IDs. A type of another
// library, such as one of rs/xid, may send other text.
func formOf(t reflect.Type) form {
	if t == idType {
		return binary // at once, because lists may be long
	}
	if t.Kind() != reflect.Array || t.Len() != len(oid.ID{}) || t.Elem().Kind() != reflect.Uint8 {
		return foreign
	}
	if known, ok := forms.Load(t); ok {
		return known.(form)
	}
	f := binary
	if t.Implements(valuerType) {
		sample := oid.ID{1}
		value, _ := reflect.ValueOf(sample).Convert(t).Interface().(driver.Valuer).Value()
		bytes, _ := value.([]byte)
		switch {
		case string(bytes) == string(sample[:]):
		case value == sample.Hex(), strings.HasPrefix(t.PkgPath(), "github.com/oidkit/oidkit/"):
			f = text
		default:
			f = foreign
		}
	}
	forms.Store(t, f)
	return f
}

// TypeIn returns the type of an ID that t holds. It is t itself, or the first field of a
// struct such as sql.Null[oid.ID]. It is nil if t holds no ID.
func TypeIn(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.NumField() == 2 && t.Field(1).Name == "Valid" {
		t = t.Field(0).Type
	}
	if formOf(t) == foreign {
		return nil
	}
	return t
}

// typeOf returns the type of an ID that the column of field holds.
func typeOf(field *schema.Field) reflect.Type { return TypeIn(field.IndirectFieldType) }

// IsColumn reports whether the column of field holds IDs, in any form. It is the
// question of conditions.
func IsColumn(field *schema.Field) bool {
	return field != nil && field.Serializer == nil && typeOf(field) != nil
}

// IsBinary reports whether the column of field holds IDs as 12 bytes. It is the question
// of migrations.
func IsBinary(field *schema.Field) bool {
	return IsColumn(field) && formOf(typeOf(field)) == binary
}

// IsKey reports whether field is an ID, or a pointer to one, that can be set in place. It
// is the question of keys.
func IsKey(field *schema.Field) bool {
	t := field.IndirectFieldType
	return field.Serializer == nil && formOf(t) != foreign && t.Implements(valuerType) && reflect.PointerTo(t).Implements(scannerType)
}

// IsBare reports whether the type of field is an array of 12 bytes without Value, such as
// type UserID oid.ID. No driver can send or read it.
func IsBare(field *schema.Field) bool {
	t := field.IndirectFieldType
	return IsColumn(field) && t.Kind() == reflect.Array && !reflect.PointerTo(t).Implements(valuerType) &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[gorm.Valuer]())
}

// IsString reports whether field is a string of Go that takes the text of its column as it
// is.
func IsString(field *schema.Field) bool {
	t := field.IndirectFieldType
	return field.Serializer == nil && t.Kind() == reflect.String && !reflect.PointerTo(t).Implements(scannerType)
}

// Name names field for error messages.
func Name(field *schema.Field) string { return field.Schema.Name + "." + field.Name }

// Pointer returns a new value that reads and holds the ID of a column of field, such as
// the text of sqltype.UUID, and where it holds the ID.
func Pointer(field *schema.Field) (id *oid.ID, scanner any) {
	v := reflect.New(typeOf(field))
	return (*oid.ID)(v.Elem().Bytes()), v.Interface()
}

// IsSentAs reports whether the column of field takes values of type t as they are.
func IsSentAs(field *schema.Field, t reflect.Type) bool {
	own := typeOf(field)
	return t == own || t == idType && formOf(own) == binary
}
