package pgxoid

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/sqltype"
)

// jsonCodec encodes and decodes an ID that is a complete json or jsonb value. pgx
// itself would send the bytes that the ID's method Value returns, and the server
// refuses them. encoding/json handles IDs inside of a value.
type jsonCodec struct {
	pgtype.Codec
	jsonb bool
}

// jsonbVersion is the first byte of a jsonb in the binary format.
const jsonbVersion = 1

func (c jsonCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if !isLone(value) {
		return c.Codec.PlanEncode(m, typeOID, format, value)
	}
	if c.jsonb && format == pgtype.BinaryFormatCode {
		return encodeJSON{[]byte{jsonbVersion}}
	}
	return encodeJSON{}
}

// isLone reports whether value is only an ID. A document that embeds an ID has the same
// methods, but isn't one.
func isLone(value any) bool {
	t := reflect.TypeOf(value)
	if is[sqltype.UUID](t) {
		return true
	}
	if _, ok := asForm(value); !ok {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if inner, _, ok := sqlNull(reflect.Zero(t)); ok {
		return isLone(inner.Interface())
	}
	return t.Kind() != reflect.Struct || t.NumField() == 1
}

// encodeJSON writes prefix, and the JSON of a value for which isLone returns true. A
// public.ID is written in its form, as in all JSON.
type encodeJSON struct{ prefix []byte }

func (plan encodeJSON) Encode(value any, buf []byte) ([]byte, error) {
	if form, ok := asForm(value); ok { // a sqltype.UUID is never NULL
		if b, err := form.BytesValue(); err != nil || b == nil {
			return nil, err
		}
		for null, ok := form.(nullForm); ok; null, ok = form.(nullForm) {
			form = null.BytesValuer
		}
		value = form
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return append(append(buf, plan.prefix...), text...), nil
}

func (c jsonCodec) PlanScan(m *pgtype.Map, typeOID uint32, format int16, target any) pgtype.ScanPlan {
	if target == nil || !isLoneTarget(reflect.TypeOf(target)) {
		return c.Codec.PlanScan(m, typeOID, format, target)
	}
	return scanJSON{c.jsonb && format == pgtype.BinaryFormatCode}
}

// jsonTarget is a pointer to an ID that reads the ID from JSON.
type jsonTarget interface {
	json.Unmarshaler
	Scan(any) error
	ProxyBSON() (any, error)
}

// isLoneTarget reports whether t is a pointer to an ID, to a pointer to one, or to an
// sql.Null of one.
func isLoneTarget(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer {
		return false
	}
	value := reflect.Zero(t.Elem())
	if t.Implements(reflect.TypeFor[jsonTarget]()) {
		return isLone(value.Interface())
	}
	if inner, _, ok := sqlNull(value); ok {
		return isLoneTarget(reflect.PointerTo(inner.Type()))
	}
	return isLoneTarget(t.Elem())
}

// scanJSON reads into a target for which isLoneTarget returns true.
type scanJSON struct{ versioned bool }

var errVersion = errors.New("pgxoid: the jsonb value has a version that pgxoid does not know")

func (plan scanJSON) Scan(src []byte, target any) error {
	if plan.versioned && src != nil {
		if len(src) == 0 || src[0] != jsonbVersion {
			return errVersion
		}
		src = src[1:]
	}
	// JSON's null is read as NULL. A variable must not silently keep its old value.
	if string(src) == "null" {
		src = nil
	}
	return scanJSONInto(reflect.ValueOf(target), src)
}

func scanJSONInto(target reflect.Value, src []byte) error {
	if lone, ok := target.Interface().(jsonTarget); ok {
		if src == nil {
			return lone.Scan(nil)
		}
		return lone.UnmarshalJSON(src)
	}
	target = target.Elem()
	if src == nil {
		target.SetZero()
		return nil
	}
	if inner, valid, ok := sqlNull(target); ok {
		into := reflect.New(inner.Type())
		if err := scanJSONInto(into, src); err != nil {
			return err
		}
		inner.Set(into.Elem())
		valid.SetBool(true)
		return nil
	}
	into := reflect.New(target.Type().Elem())
	if err := scanJSONInto(into, src); err != nil {
		return err
	}
	target.Set(into)
	return nil
}
