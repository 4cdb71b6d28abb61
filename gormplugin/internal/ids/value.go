package ids

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

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
		switch {
		case err == nil:
		case err == errNull || isSubquery(v):
			return value, false, false, nil
		default:
			return nil, false, false, err
		}
	}
	own := typeOf(field)
	switch t := reflect.TypeOf(value); {
	case t == own, t.Kind() == reflect.Pointer && t.Elem() == own:
		return value, false, id.IsZero(), nil
	case t == idType && formOf(own) == binary:
		return value, false, id.IsZero(), nil
	}
	return In(field, id), true, id.IsZero(), nil
}

// In returns id as a value of the type that the column of field holds.
func In(field *schema.Field, id oid.ID) any {
	if own := typeOf(field); own.Implements(valuerType) {
		return reflect.ValueOf(id).Convert(own).Interface()
	}
	return id
}

// Bound is In for a bound. The zero ID is a bound like any other, but a type that is sent
// as bytes, such as sqltype.ZeroNull, may make NULL of it.
func Bound(field *schema.Field, id oid.ID) any {
	if IsBinary(field) {
		return id
	}
	return In(field, id)
}

// Of returns the ID in value. The value is of a type of 12 bytes, a driver.Valuer that
// gives an ID, 24 hex digits, or 12 bytes. An error tells the kind of value.
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
	if v := reflect.ValueOf(value); formOf(v.Type()) != foreign { // of sql.Null[oid.ID]
		reflect.Copy(reflect.ValueOf(&id).Elem(), v)
		return id, nil
	}
	switch value.(type) {
	case string, []byte:
		if id.Scan(value) == nil {
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
	t := reflect.TypeOf(value)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	field, _ := t.FieldByName("DB")
	return field.Anonymous && field.Type == reflect.TypeFor[*gorm.DB]()
}

// IsZero reports whether value is nil, zero, or points to zero.
func IsZero(value any) bool {
	v := reflect.Indirect(reflect.ValueOf(value))
	return !v.IsValid() || v.IsZero()
}

// IsNull reports whether value is NULL in the database.
func IsNull(value any) bool {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && v.IsNil() {
		return true
	}
	valuer, ok := value.(driver.Valuer)
	if !ok {
		return false
	}
	sent, _ := valuer.Value()
	return sent == nil
}
