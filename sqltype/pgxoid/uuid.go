package pgxoid

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// uuidCodec encodes and decodes sqltype.UUID. It refuses an oid.ID, and other bytes
// that are not a uuid. pgx itself would pad them with zeros or cut them. Most IDs arrive
// here as the bytes that their method Value returns.
type uuidCodec struct{ pgtype.Codec }

func (c uuidCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case sqltype.UUID, *sqltype.UUID:
		if format == pgtype.BinaryFormatCode {
			return encodeUUID{}
		}
		return nil // pgx sends the text that its method Value returns
	case []byte:
		if format == pgtype.TextFormatCode {
			return encodeBytesOfText{}
		}
		return encodeBytesOfUUID{}
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

// encodeUUID encodes a sqltype.UUID or a pointer to one.
type encodeUUID struct{}

func (encodeUUID) Encode(value any, buf []byte) ([]byte, error) {
	u, ok := value.(sqltype.UUID)
	if !ok {
		u = *value.(*sqltype.UUID)
	}
	b := u.Bytes()
	return append(buf, b[:]...), nil
}

var errUUID = errors.New("pgxoid: an ID has 12 bytes, and a uuid has 16: use sqltype.UUID, or a column of type bytea or objectid")

// encodeBytesOfUUID encodes a []byte of 16 bytes.
type encodeBytesOfUUID struct{}

func (encodeBytesOfUUID) Encode(value any, buf []byte) ([]byte, error) {
	switch b := value.([]byte); len(b) {
	case 16:
		return append(buf, b...), nil
	case len(oid.ID{}):
		return nil, errUUID
	default:
		return nil, fmt.Errorf("pgxoid: a uuid has 16 bytes, not %d", len(b))
	}
}

// encodeBytesOfText encodes a []byte that holds the text of a uuid. pgx tries it if the
// binary format has failed.
type encodeBytesOfText struct{}

func (encodeBytesOfText) Encode(value any, buf []byte) ([]byte, error) {
	b := value.([]byte)
	if len(b) == len(oid.ID{}) {
		return nil, errUUID
	}
	return append(buf, b...), nil
}

func (c uuidCodec) PlanScan(m *pgtype.Map, typeOID uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*sqltype.UUID); ok {
		return scanUUID{}
	}
	return c.Codec.PlanScan(m, typeOID, format, target)
}

type scanUUID struct{}

func (scanUUID) Scan(src []byte, target any) error {
	u := target.(*sqltype.UUID)
	if len(src) == 16 {
		if id, err := sqltype.FromUUID([16]byte(src)); err == nil {
			*u = sqltype.UUID(id)
			return nil
		}
	}
	if src == nil {
		return u.Scan(nil)
	}
	return u.Scan(src)
}
