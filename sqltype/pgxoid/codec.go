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

// A codec of this package wraps the codec that was registered for a type, and passes
// on every value that isn't an ID. Wrapping IDs in a type with the method TextValue
// would be less code. But pgx also uses that method for a bytea if it doesn't know the
// type, or if the format is text. It would then store 24 ASCII characters.

// A form is an ID of any type: an oid.ID, an oid.For, a type of package sqltype except
// UUID, or a struct that embeds one of them. Only these types have both methods.
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

// byteaCodec writes IDs without an allocation, and reads only values of 12 bytes.
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
	start := len(buf)
	buf, err := value.(id).AppendText(buf)
	if err != nil {
		return nil, err
	}
	n, err := hex.Decode(buf[start:], buf[start:]) // allocates nothing, unlike BytesValue
	return buf[:start+n], err
}

type encodeEscaped struct{}

func (encodeEscaped) Encode(value any, buf []byte) ([]byte, error) {
	return value.(id).AppendText(append(buf, `\x`...))
}

// refuseUUID is the plan for a sqltype.UUID in a bytea: pgx would store its 36
// characters.
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
		return lengthError(target, "bytea", len(src), "the 12 bytes of an ID")
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

// textCodec writes IDs as 24 hex digits, and reads only 24 hex digits.
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
