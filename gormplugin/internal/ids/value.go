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
	switch value.(type) {
	case nil, clause.Expression, clause.Column, clause.Table, subquery, gorm.Valuer:
		return value, false, false, nil
	}
	v := reflect.ValueOf(value)
	id, err := Of(field, v)
	if err == errNull {
		return value, false, false, nil
	}
	if err != nil {
		text, _ := Sent(value).(string)
		own, ok := Read(field, text) // such as that of a UUID
		if !ok || errors.Is(err, gorm.ErrInvalidData) {
			return nil, false, false, err
		}
		id = own
	}
	if t := v.Type(); IsSentAs(field, t) || t.Kind() == reflect.Pointer && t.Elem() == typeOf(field) {
		return value, false, id.IsZero(), nil
	}
	if IsBinary(field) {
		return id, true, id.IsZero(), nil
	}
	// The zero ID is sent as such, also where the type of the column makes NULL of it.
	return reflect.ValueOf(id).Convert(typeOf(field)).Interface(), true, id.IsZero(), nil
}

// A subquery is a *gorm.DB, or a struct that embeds one.
type subquery interface {
	Session(*gorm.Session) *gorm.DB
}

// Of returns the ID in value: an array of 12 bytes, 24 hex digits, 12 bytes, or what is sent
// as one of these. An error tells the kind of value, or that it is an ID of another model than
// the column of field holds.
func Of(field *schema.Field, value reflect.Value) (id oid.ID, err error) {
	v := value
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface { // a pointer may be one to any
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
		return id, misfit(field, v.Type())
	}
	sent := Sent(value.Interface())
	switch {
	case sent == nil:
		return oid.ID{}, errNull
	case id.Scan(sent) == nil:
		return id, misfit(field, TypeIn(v.Type())) // such as of an sql.Null
	case v.Kind() == reflect.String:
		return oid.ID{}, fmt.Errorf("text of %d bytes", v.Len())
	case v.Kind() == reflect.Slice:
		return oid.ID{}, fmt.Errorf("%s of length %d", value.Type(), v.Len())
	}
	return oid.ID{}, fmt.Errorf("%s", value.Type())
}

// Sent returns what a driver is given for value, or value itself if no driver takes it.
func Sent(value any) driver.Value {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	sent, err := driver.DefaultParameterConverter.ConvertValue(value)
	if err != nil {
		return value
	}
	return sent
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
	if !errors.Is(why, gorm.ErrInvalidData) {
		why = fmt.Errorf("%w is not an ID: %s; to pass another value, use gorm.Expr: %w", why, remedy, gorm.ErrInvalidData)
	}
	return fmt.Errorf("gormplugin.%s(%s): %w", call, Name(field), why)
}

// IsZero reports whether value is nil, zero, or points to zero.
func IsZero(value any) bool {
	v := reflect.Indirect(reflect.ValueOf(value))
	return !v.IsValid() || v.IsZero()
}

// IsNull reports whether value is NULL in the database.
func IsNull(value any) bool { return Sent(value) == nil }
