package pgxoid

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// refusal is the plan for a value that isn't right for its column.
type refusal struct{ err error }

func (r refusal) Encode(any, []byte) ([]byte, error) { return nil, r.err }

var errTimeInBytea = errors.New("pgxoid: a time is not an ID, and as a lower bound of IDs it would match every row: " +
	"pass oid.MinAt(t), or both bounds of oid.Range(from, to)")

// isTime reports whether value is a time. pgx would send the text of its String method,
// such as 2026-11-23 23:46:46 +0000 UTC, and no ID since 2001 is less.
func isTime(value any) bool {
	switch value.(type) {
	case pgtype.BytesValuer:
		return false
	case pgtype.TimestamptzValuer, pgtype.TimestampValuer, pgtype.DateValuer:
		return true
	case driver.Valuer:
		return false // pgx plans again for the result of Value
	case interface {
		AppendFormat(b []byte, layout string) []byte
	}:
		return true // a time.Time, a pointer to one, or a struct that embeds one
	}
	return false
}

var errList = errors.New("pgxoid: a list is not an ID: write = ANY($1) in place of IN ($1), or pass one ID")

// isList reports whether value is a list of IDs, for which pgx would find no plan.
func isList(value any) bool { return value != nil && elementOf(reflect.TypeOf(value)) != nil }

// isUnknownID reports whether value is an array of 12 bytes that nobody has registered, such
// as a bson.ObjectID. pgx would send the text of its String method, ObjectID("65b3…"), and
// no ID since April 2012 is less. pgx itself dereferences pointers.
func isUnknownID(value any) bool {
	switch value.(type) {
	case pgtype.BytesValuer, driver.Valuer:
		return false
	}
	t := reflect.TypeOf(value)
	return t != nil && t.Kind() == reflect.Array && t.ConvertibleTo(reflect.TypeFor[oid.ID]())
}

func errUnknownID(value any) error {
	return fmt.Errorf("pgxoid: pgx doesn't know %T as an ID: convert the value to an oid.ID, or call pgxoid.RegisterFor before pgx loads the domain objectid", value)
}

// isObjectid reports whether a type that pgx has loaded is the domain objectid, of any
// schema.
func isObjectid(m *pgtype.Map, typeOID uint32) bool {
	t, ok := m.TypeForOID(typeOID)
	return ok && (t.Name == "objectid" || strings.HasSuffix(t.Name, ".objectid"))
}

// planObjectid returns the plan for a value that isn't an ID in a column of the domain
// objectid. The 12 bytes of an ID are fine. A string never gets here, because pgx sends a
// string to every type as it is. The server refuses it unless it gives 12 bytes.
func (c byteaCodec) planObjectid(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case []byte, pgtype.BytesValuer:
		return checkedBytes{c.Codec.PlanEncode(m, typeOID, pgtype.BinaryFormatCode, value), format}
	case driver.Valuer:
		return checkedValue{m, typeOID, format}
	}
	t := reflect.TypeOf(value)
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return nil // pgx converts it to a []byte
	}
	pointed := t
	for pointed.Kind() == reflect.Pointer {
		pointed = pointed.Elem()
	}
	if t != pointed && pointed.Kind() != reflect.String {
		return nil // pgx plans again for the value that it points to
	}
	return refusal{errNoObjectid(t.String())}
}

func errNoObjectid(what string) error {
	return fmt.Errorf("pgxoid: %s is not an ID, and the domain objectid holds only IDs: pass an oid.ID, such as the result of oid.Parse", what)
}

// checkedBytes encodes a value whose bytes must be those of an ID.
type checkedBytes struct {
	bytes  pgtype.EncodePlan
	format int16
}

func (p checkedBytes) Encode(value any, buf []byte) ([]byte, error) {
	b, err := p.bytes.Encode(value, []byte{})
	if err != nil || b == nil {
		return nil, err
	}
	if len(b) != len(oid.ID{}) {
		return nil, errNoObjectid(fmt.Sprintf("a value of %d bytes", len(b)))
	}
	id := oid.ID(b)
	if p.format == pgtype.BinaryFormatCode {
		return append(buf, id[:]...), nil
	}
	return escaped[oid.ID]{}.Encode(id, buf)
}

// checkedValue encodes a driver.Valuer whose value must be the bytes of an ID. pgx itself
// would send a string as it is.
type checkedValue struct {
	m       *pgtype.Map
	typeOID uint32
	format  int16
}

func (p checkedValue) Encode(value any, buf []byte) ([]byte, error) {
	v, err := value.(driver.Valuer).Value()
	if err != nil || v == nil {
		return nil, err
	}
	if _, ok := v.(string); ok {
		return nil, errNoObjectid(fmt.Sprintf("the string of a %T", value))
	}
	return p.m.Encode(p.typeOID, p.format, v, buf)
}

// oidCodec refuses an ID in a column of PostgreSQL's type oid, a number of 4 bytes. pgx
// itself would send the 12 bytes as text.
type oidCodec struct{ pgtype.Codec }

var errOID = errors.New("pgxoid: PostgreSQL's type oid is a number of 4 bytes, and an ID has 12: use a column of type bytea or objectid")

func (c oidCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := asForm(value); ok || value != nil && is[sqltype.UUID](reflect.TypeOf(value)) {
		return refusal{errOID}
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}
