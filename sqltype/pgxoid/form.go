package pgxoid

import (
	"database/sql"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
)

// A codec of this package wraps the codec that was registered for a type, and passes
// on most values that aren't IDs. Wrapping IDs in a type with the method TextValue
// would be less code. But pgx also uses that method for a bytea if it doesn't know the
// type, or if the format is text. It would then store 24 ASCII characters.

// A form is an ID that has both methods: an oid.ID, an oid.For, a public.ID, a type of
// package sqltype except UUID, or a struct that embeds one of them.
type form interface {
	pgtype.BytesValuer // nil for NULL
	ProxyBSON() (any, error)
}

// A formTarget is a pointer to a form.
type formTarget interface {
	form
	pgtype.BytesScanner
}

// An ID is a form that is never NULL. A nil pointer to it is NULL, but pgx handles
// nil pointers before it calls a codec.
type id interface {
	form
	Hex() string
	AppendText([]byte) ([]byte, error)
}

// asForm returns value, a form or the sql.Null of one, as a BytesValuer that returns
// nil for NULL. The second result depends only on value's type, because pgx keeps one
// plan per type, so value may be a nil pointer.
func asForm(value any) (pgtype.BytesValuer, bool) {
	if value, ok := value.(form); ok {
		return value, true
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Zero(v.Type().Elem())
		} else {
			v = v.Elem()
		}
	}
	inner, valid, ok := sqlNull(v)
	if !ok {
		return nil, false
	}
	innerForm, ok := asForm(inner.Interface())
	if !ok {
		return nil, false
	}
	return nullForm{innerForm, valid.Bool() && !(inner.Kind() == reflect.Pointer && inner.IsNil())}, true
}

var sqlPackage = reflect.TypeFor[sql.Null[oid.ID]]().PkgPath()

// sqlNull returns the fields of v if v is an sql.Null whose type argument is not an
// interface.
func sqlNull(v reflect.Value) (inner, valid reflect.Value, ok bool) {
	if v.Kind() == reflect.Struct && v.Type().PkgPath() == sqlPackage {
		inner, valid = v.FieldByName("V"), v.FieldByName("Valid")
	}
	// sql.NullString and similar types have no V. An interface may hold another type
	// in the next value.
	return inner, valid, inner.IsValid() && inner.Kind() != reflect.Interface
}

// nullForm is the form in an sql.Null.
type nullForm struct {
	pgtype.BytesValuer
	valid bool
}

func (n nullForm) BytesValue() ([]byte, error) {
	if !n.valid {
		return nil, nil
	}
	return n.BytesValuer.BytesValue()
}

// lengthError returns the error of target's ScanBytes for a bad length in a column of
// the given type.
func lengthError(target any, column string, length int, want string) error {
	return &oid.SyntaxError{
		Call:    fmt.Sprintf("%s.ScanBytes(%s)", strings.TrimPrefix(fmt.Sprintf("%T", target), "*"), column),
		Problem: fmt.Sprintf("length %d, want %s", length, want),
	}
}
