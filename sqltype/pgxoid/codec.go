package pgxoid

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A codec of this file stands in front of the one that it has found for a type,
// and leaves to that one all that isn't an id. Wrapping ids in a type with the
// method TextValue would be less to write, but pgx uses that method for a bytea
// too where it doesn't know the type or the format is text, and stores 24 ASCII
// characters.

// An id is an oid.ID, or what embeds one.
type id interface {
	pgtype.BytesValuer
	Hex() string
	IsZero() bool
	Compare(oid.ID) int
}

// asID returns value, an id or a nullable id, as something whose bytes are nil for
// NULL. Whether it is one depends on its type alone, of which a nil pointer will do:
// pgx plans by type.
func asID(value any) (pgtype.BytesValuer, bool) {
	switch value := value.(type) {
	case id:
		return value, true
	case sqltype.Null:
		return value, true
	case *sqltype.Null:
		return value, true
	case sqltype.ZeroNull:
		return value, true
	case *sqltype.ZeroNull:
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
	if !v.IsValid() || v.Type().PkgPath() != sqlPackage || v.Kind() != reflect.Struct {
		return nil, false
	}
	null, valid := v.FieldByName("V"), v.FieldByName("Valid")
	if !null.IsValid() || !valid.IsValid() {
		return nil, false // sql.NullString and its like
	}
	if null.Kind() == reflect.Interface {
		return nil, false // the next value of the type may hold something else
	}
	inner, ok := asID(null.Interface())
	if !ok {
		return nil, false
	}
	return nullID{inner, valid.Bool() && !(null.Kind() == reflect.Pointer && null.IsNil())}, true
}

var sqlPackage = reflect.TypeFor[sql.Null[oid.ID]]().PkgPath()

// nullID is the id of an sql.Null.
type nullID struct {
	pgtype.BytesValuer
	valid bool
}

func (n nullID) BytesValue() ([]byte, error) {
	if !n.valid {
		return nil, nil
	}
	return n.BytesValuer.BytesValue()
}

// textCodec writes ids as 24 hex digits.
type textCodec struct{ pgtype.Codec }

func (c textCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := asID(value); ok {
		return encodeText{}
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

type encodeText struct{}

func (encodeText) Encode(value any, buf []byte) ([]byte, error) {
	id, _ := asID(value)
	b, err := id.BytesValue()
	if err != nil || b == nil {
		return nil, err
	}
	return hex.AppendEncode(buf, b), nil
}

// uuidCodec refuses ids, and other bytes that are no uuid. pgx itself would fill them
// up with zeros, or cut them. An id of whatever type comes here as the bytes that its
// method Value gives.
type uuidCodec struct{ pgtype.Codec }

func (c uuidCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.([]byte); ok {
		if format == pgtype.TextFormatCode {
			return encodeUUIDText{}
		}
		if next := c.Codec.PlanEncode(m, typeOID, format, pgtype.UUID{}); next != nil {
			return encodeUUID{next}
		}
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

var errUUID = errors.New("pgxoid: an id has 12 bytes, a uuid 16: use a column of type bytea or objectid")

// encodeUUID takes 16 bytes.
type encodeUUID struct{ next pgtype.EncodePlan }

func (plan encodeUUID) Encode(value any, buf []byte) ([]byte, error) {
	switch b := value.([]byte); len(b) {
	case 16:
		return plan.next.Encode(pgtype.UUID{Bytes: [16]byte(b), Valid: true}, buf)
	case len(oid.ID{}):
		return nil, errUUID
	default:
		return nil, fmt.Errorf("pgxoid: a uuid has 16 bytes, not %d", len(b))
	}
}

// encodeUUIDText takes a uuid's text, as bytes. pgx tries it where the binary format
// has failed.
type encodeUUIDText struct{}

func (encodeUUIDText) Encode(value any, buf []byte) ([]byte, error) {
	b := value.([]byte)
	if len(b) == len(oid.ID{}) {
		return nil, errUUID
	}
	return append(buf, b...), nil
}

// RegisterCodec does what [Register] does, and puts a codec of its own in front of
// that of bytea, which encodes an ID without an allocation: it pays for slices of
// thousands and for CopyFrom. It also takes nothing but 12 bytes for an ID from a
// bytea column, not hex digits as text.
//
// It has to come before domains are loaded:
//
//	func(ctx context.Context, conn *pgx.Conn) error {
//		pgxoid.RegisterCodec(conn.TypeMap())
//		return pgxoid.WithTypes("objectid", "_objectid")(ctx, conn)
//	}
func RegisterCodec(m *pgtype.Map) {
	Register(m)
	replaceCodec(m, pgtype.ByteaOID, func(found pgtype.Codec) byteaCodec { return byteaCodec{found} })
}

// byteaCodec knows oid.ID.
type byteaCodec struct{ pgtype.Codec }

func (c byteaCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case oid.ID:
		return encodeID(format)
	case *oid.ID:
		return encodeIDPointer(format)
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

func (c byteaCodec) PlanScan(m *pgtype.Map, typeOID uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*oid.ID); ok {
		return scanID(format)
	}
	return c.Codec.PlanScan(m, typeOID, format, target)
}

// appendID appends id in one of PostgreSQL's formats of bytea.
func appendID(buf []byte, format int16, id *oid.ID) ([]byte, error) {
	if format == pgtype.BinaryFormatCode {
		return append(buf, id[:]...), nil
	}
	return id.AppendText(append(buf, `\x`...))
}

type encodeID int16 // the format

func (format encodeID) Encode(value any, buf []byte) ([]byte, error) {
	id := value.(oid.ID)
	return appendID(buf, int16(format), &id)
}

type encodeIDPointer int16

// Encode is never called with nil, which pgx writes as NULL before.
func (format encodeIDPointer) Encode(value any, buf []byte) ([]byte, error) {
	return appendID(buf, int16(format), value.(*oid.ID))
}

type scanID int16

func (format scanID) Scan(src []byte, target any) error {
	want := len(oid.ID{})
	if format == pgtype.TextFormatCode {
		want = len(`\x`) + 2*want
	}
	if src != nil && len(src) != want {
		return fmt.Errorf("pgxoid: a bytea of length %d in format %d, want the 12 bytes of an id: %w", len(src), format, oid.ErrSyntax)
	}
	return target.(*oid.ID).ScanBytes(src)
}
