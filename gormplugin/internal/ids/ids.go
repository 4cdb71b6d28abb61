// Package ids says which columns of GORM's models hold IDs and which values are IDs. It
// brings values into the form of a column.
package ids

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
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
		return binary
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
	t := field.FieldType
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return field.Serializer == nil && formOf(t) != foreign && t.Implements(valuerType) && reflect.PointerTo(t).Implements(scannerType)
}

// IsBare reports whether the type of field is an array of 12 bytes without methods, such
// as type UserID oid.ID. No driver can send or read it.
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

// errNull is the error of Of for NULL.
var errNull = errors.New("NULL")

// Convert returns value in the form of the column of field, whether that differs from
// value, and whether it is the zero ID. NULL, columns, expressions and subqueries stay
// as they are. If value can't be in such a column, the error tells its kind.
func Convert(field *schema.Field, value any) (sent any, changed, isZero bool, err error) {
	var id oid.ID
	switch v := value.(type) {
	case nil:
		return nil, false, false, nil
	case oid.ID:
		id = v
	case clause.Expression, clause.Column, clause.Table, *gorm.DB, gorm.Valuer:
		return value, false, false, nil
	default:
		id, err = Of(v)
		if err != nil && err != errNull {
			if read, ok := readText(field, v); ok {
				id, err = read, nil
			}
		}
		if err == errNull || err != nil && isSubquery(v) {
			return value, false, false, nil
		}
		if err != nil {
			return nil, false, false, err
		}
	}
	t := reflect.TypeOf(value)
	if err := misfit(field, reflect.ValueOf(value)); err != nil {
		return nil, false, false, err
	}
	if IsSentAs(field, t) || t.Kind() == reflect.Pointer && t.Elem() == typeOf(field) {
		return value, false, id.IsZero(), nil
	}
	return In(field, id), true, id.IsZero(), nil
}

// In returns id as a value that is sent in the form of the column of field. The zero ID is
// sent as such, also where the type of the column makes NULL of it.
func In(field *schema.Field, id oid.ID) any {
	if IsBinary(field) {
		return id
	}
	return reflect.ValueOf(id).Convert(typeOf(field)).Interface()
}

// Of returns the ID in value: an array of 12 bytes, a driver.Valuer that gives an ID, 24
// hex digits, or 12 bytes. An error tells the kind of value.
func Of(value any) (id oid.ID, err error) {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return oid.ID{}, errNull
		}
		if v.Kind() == reflect.Interface { // of a pointer to any
			v = v.Elem()
			continue
		}
		if valuer, ok := v.Interface().(driver.Valuer); ok && !v.Type().Elem().Implements(valuerType) {
			return ofValuer(valuer)
		}
		v = v.Elem()
	}
	if formOf(v.Type()) != foreign {
		reflect.Copy(reflect.ValueOf(&id).Elem(), v)
		if id.IsZero() && IsNull(v.Interface()) { // as sqltype.ZeroNull is
			return oid.ID{}, errNull
		}
		return id, nil
	}
	if valuer, ok := v.Interface().(driver.Valuer); ok {
		return ofValuer(valuer)
	}
	switch {
	case v.Kind() == reflect.String:
		if err := id.Scan(v.String()); err != nil {
			return oid.ID{}, fmt.Errorf("text of %d bytes", v.Len())
		}
		return id, nil
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		if err := id.Scan(v.Bytes()); err != nil {
			return oid.ID{}, fmt.Errorf("%T of %d bytes", value, v.Len())
		}
		return id, nil
	}
	return oid.ID{}, fmt.Errorf("%T", value)
}

// ofValuer returns the ID that valuer gives.
func ofValuer(valuer driver.Valuer) (id oid.ID, err error) {
	value, err := valuer.Value()
	switch {
	case err != nil:
		return oid.ID{}, fmt.Errorf("%T, whose Value fails", valuer)
	case value == nil:
		return oid.ID{}, errNull
	}
	if _, again := value.(driver.Valuer); !again || formOf(reflect.TypeOf(value)) != foreign { // as in sql.Null[oid.ID]
		if id, err := Of(value); err == nil {
			return id, nil
		}
	}
	return oid.ID{}, fmt.Errorf("%T", valuer)
}

// readText returns the ID that value is in the column's own form, such as the text of a
// UUID in a column of sqltype.UUID.
func readText(field *schema.Field, value any) (id oid.ID, ok bool) {
	if valuer, isValuer := value.(driver.Valuer); isValuer {
		value, _ = valuer.Value()
	}
	if v := reflect.Indirect(reflect.ValueOf(value)); v.Kind() == reflect.String {
		return Read(field, v.String())
	}
	return oid.ID{}, false
}

// Read returns the ID that the column of field holds as value.
func Read(field *schema.Field, value any) (id oid.ID, ok bool) {
	held, own := Pointer(field)
	scanner, ok := own.(sql.Scanner)
	if !ok || scanner.Scan(value) != nil {
		return oid.ID{}, false
	}
	return *held, true
}

// isSubquery reports whether GORM takes value for a subquery although it isn't a
// *gorm.DB. Such a value is a struct that embeds one.
func isSubquery(value any) bool {
	v := reflect.Indirect(reflect.ValueOf(value))
	if v.Kind() != reflect.Struct {
		return false
	}
	field, _ := v.Type().FieldByName("DB")
	return field.Anonymous && field.Type == reflect.TypeFor[*gorm.DB]()
}

// IsZero reports whether value is nil, zero, or points to zero.
func IsZero(value any) bool {
	v := reflect.Indirect(reflect.ValueOf(value))
	return !v.IsValid() || v.IsZero()
}

// IsNull reports whether value is NULL in the database.
func IsNull(value any) bool {
	if v := reflect.ValueOf(value); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return true
	}
	valuer, ok := value.(driver.Valuer)
	if !ok {
		return false
	}
	sent, _ := valuer.Value()
	return sent == nil
}
