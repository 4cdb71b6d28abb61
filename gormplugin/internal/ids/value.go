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
	case oid.ID:
		id = v
	case nil, clause.Expression, clause.Column, clause.Table, subquery, gorm.Valuer:
		return value, false, false, nil
	default:
		id, err = Of(v)
		if err == errNull {
			return value, false, false, nil
		}
		if err != nil {
			id, err = readText(field, v, err)
		}
	}
	if err == nil {
		err = misfit(field, reflect.ValueOf(value))
	}
	if err != nil {
		return nil, false, false, err
	}
	t := reflect.TypeOf(value)
	if IsSentAs(field, t) || t.Kind() == reflect.Pointer && t.Elem() == typeOf(field) {
		return value, false, id.IsZero(), nil
	}
	return In(field, id), true, id.IsZero(), nil
}

// A subquery is a *gorm.DB, or a struct that embeds one.
type subquery interface {
	Session(*gorm.Session) *gorm.DB
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
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface { // a pointer may be one to any
		if v.IsNil() {
			return oid.ID{}, errNull
		}
		valuer, ok := v.Interface().(driver.Valuer)
		if ok && v.Kind() == reflect.Pointer && !v.Type().Elem().Implements(valuerType) {
			return ofValuer(valuer)
		}
		v = v.Elem()
	}
	if !v.IsValid() {
		return oid.ID{}, errNull
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
	kind := fmt.Sprintf("%T", value)
	switch {
	case v.Kind() == reflect.String:
		kind, err = "text", id.Scan(v.String())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		err = id.Scan(v.Bytes())
	default:
		return oid.ID{}, errors.New(kind)
	}
	if err != nil {
		return oid.ID{}, fmt.Errorf("%s of %d bytes", kind, v.Len())
	}
	return id, nil
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
// UUID in a column of sqltype.UUID, or else the error.
func readText(field *schema.Field, value any, otherwise error) (id oid.ID, err error) {
	if valuer, isValuer := value.(driver.Valuer); isValuer {
		value, _ = valuer.Value()
	}
	if v := reflect.Indirect(reflect.ValueOf(value)); v.Kind() == reflect.String {
		if id, ok := Read(field, v.String()); ok {
			return id, nil
		}
	}
	return oid.ID{}, otherwise
}

// Read returns the ID that the column of field holds as value. It isn't ok if there is none.
func Read(field *schema.Field, value any) (id oid.ID, ok bool) {
	if value == nil || !IsColumn(field) {
		return oid.ID{}, false
	}
	held, own := Pointer(field)
	scanner, ok := own.(sql.Scanner)
	if !ok || scanner.Scan(value) != nil {
		return oid.ID{}, false
	}
	return *held, true
}

// Refused returns the error of a call that compares the column of field with what is not one
// of its IDs, or stores it there, for the reason of Convert.
func Refused(call string, field *schema.Field, why error, remedy string) error {
	if _, ok := why.(other); !ok {
		why = fmt.Errorf("%w is not an ID: %s; gorm.Expr passes anything", why, remedy)
	}
	return fmt.Errorf("gormplugin.%s(%s): %w: %w", call, Name(field), why, gorm.ErrInvalidData)
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
