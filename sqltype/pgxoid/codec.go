package pgxoid

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A codec of this package stands in front of the one that it has found for a type,
// and leaves to that one all that isn't an ID. Wrapping IDs in a type with the
// method TextValue would be less to write, but pgx uses that method for a bytea
// too where it doesn't know the type or the format is text, and stores 24 ASCII
// characters.

// A form is what a column's ID may be: an oid.ID, an oid.For, a type of package
// sqltype but UUID, or what embeds one of them. Only these have both methods.
type form interface {
	pgtype.BytesValuer // nil for NULL
	ProxyBSON() (any, error)
}

// A formTarget is a pointer to a form.
type formTarget interface {
	form
	pgtype.BytesScanner
}

// An id is a form that is never NULL, but for a nil pointer to it, of which pgx
// makes NULL before it asks a codec.
type id interface {
	form
	Hex() string
	AppendText([]byte) ([]byte, error)
	AppendBinary([]byte) ([]byte, error)
}

// asForm returns value, a form or the sql.Null of one, as something whose bytes are
// nil for NULL. Whether it is one depends only on its type, of which a nil pointer
// will do: pgx plans by type.
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

// sqlNull returns the fields of v, if that is an sql.Null of a type that says what
// it holds.
func sqlNull(v reflect.Value) (inner, valid reflect.Value, ok bool) {
	if v.Kind() != reflect.Struct || v.Type().PkgPath() != sqlPackage {
		return inner, valid, false
	}
	inner, valid = v.FieldByName("V"), v.FieldByName("Valid")
	// sql.NullString and its like have no V. The next value of an interface may
	// hold something else.
	ok = inner.IsValid() && valid.IsValid() && inner.Kind() != reflect.Interface
	return inner, valid, ok
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

// lengthError returns the error of target's ScanBytes for a column of that type.
func lengthError(target any, column string, length int, want string) error {
	return &oid.SyntaxError{
		Call:    fmt.Sprintf("%s.ScanBytes(%s)", strings.TrimPrefix(fmt.Sprintf("%T", target), "*"), column),
		Problem: fmt.Sprintf("length %d, want %s", length, want),
	}
}

// byteaCodec writes IDs without an allocation, and reads nothing but 12 bytes.
type byteaCodec struct{ pgtype.Codec }

func (c byteaCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case sqltype.UUID, *sqltype.UUID:
		return refuseUUID{}
	case id:
	default:
		return c.Codec.PlanEncode(m, typeOID, format, value)
	}
	if format == pgtype.BinaryFormatCode {
		return encodeBytes{}
	}
	return encodeEscaped{}
}

type encodeBytes struct{}

func (encodeBytes) Encode(value any, buf []byte) ([]byte, error) {
	return value.(id).AppendBinary(buf)
}

type encodeEscaped struct{}

func (encodeEscaped) Encode(value any, buf []byte) ([]byte, error) {
	return value.(id).AppendText(append(buf, `\x`...))
}

// refuseUUID keeps the 36 characters of a sqltype.UUID out of a bytea.
type refuseUUID struct{}

func (refuseUUID) Encode(any, []byte) ([]byte, error) {
	return nil, errors.New("pgxoid: a sqltype.UUID is for a uuid column: use oid.ID for bytea")
}

func (c byteaCodec) PlanScan(m *pgtype.Map, typeOID uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(formTarget); !ok {
		return c.Codec.PlanScan(m, typeOID, format, target)
	}
	if format == pgtype.BinaryFormatCode {
		return scanBytes{}
	}
	return scanEscaped{}
}

type scanBytes struct{}

func (scanBytes) Scan(src []byte, target any) error {
	if src != nil && len(src) != len(oid.ID{}) {
		return lengthError(target, "bytea", len(src), "the 12 bytes of an id")
	}
	return target.(formTarget).ScanBytes(src)
}

type scanEscaped struct{}

func (scanEscaped) Scan(src []byte, target any) error {
	if want := len(`\x`) + 2*len(oid.ID{}); src != nil && len(src) != want {
		return lengthError(target, "bytea", len(src), `\x and 24 hex digits`)
	}
	return target.(formTarget).ScanBytes(src)
}

// textCodec writes IDs as 24 hex digits, and reads nothing else.
type textCodec struct{ pgtype.Codec }

func (c textCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case sqltype.Hex:
		return encodeHex{}
	case *sqltype.Hex:
		return encodeHexPointer{}
	case id:
		return encodeDigits{}
	}
	if _, ok := asForm(value); ok {
		return encodeFormDigits{}
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

type encodeHex struct{}

func (encodeHex) Encode(value any, buf []byte) ([]byte, error) {
	return oid.ID(value.(sqltype.Hex)).AppendText(buf)
}

type encodeHexPointer struct{}

func (encodeHexPointer) Encode(value any, buf []byte) ([]byte, error) {
	return oid.ID(*value.(*sqltype.Hex)).AppendText(buf)
}

type encodeDigits struct{}

func (encodeDigits) Encode(value any, buf []byte) ([]byte, error) {
	return value.(id).AppendText(buf)
}

type encodeFormDigits struct{}

func (encodeFormDigits) Encode(value any, buf []byte) ([]byte, error) {
	form, _ := asForm(value)
	b, err := form.BytesValue()
	if err != nil || b == nil {
		return nil, err
	}
	return hex.AppendEncode(buf, b), nil
}

func (c textCodec) PlanScan(m *pgtype.Map, typeOID uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(formTarget); ok {
		return scanDigits{}
	}
	return c.Codec.PlanScan(m, typeOID, format, target)
}

type scanDigits struct{}

func (scanDigits) Scan(src []byte, target any) error {
	if src != nil && len(src) != 2*len(oid.ID{}) {
		return lengthError(target, "text", len(src), "24 hex digits")
	}
	return target.(formTarget).ScanBytes(src)
}
