package pgxoid

import (
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// byteaCodec writes an oid.ID without an allocation, and reads IDs of 12 bytes. It is
// also the codec of domains over bytea that pgx has loaded.
type byteaCodec struct {
	pgtype.Codec
	direct direct
}

func (c byteaCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if plan := c.direct.encode(format, value); plan != nil {
		return plan
	}
	switch value.(type) {
	case sqltype.UUID, *sqltype.UUID:
		return refusal{errUUIDInBytea}
	case id:
		if format == pgtype.BinaryFormatCode {
			return encodeBytes{}
		}
		return encodeEscaped{}
	}
	switch {
	case isTime(value):
		return refusal{errTimeInBytea}
	case isList(value):
		return refusal{errList}
	case isUnknownID(value):
		return refusal{errUnknownID(value)}
	}
	if typeOID != pgtype.ByteaOID && isObjectid(m, typeOID) {
		return c.planObjectid(m, typeOID, format, value)
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

var errUUIDInBytea = errors.New("pgxoid: a sqltype.UUID is for a uuid column: use oid.ID for bytea") // pgx would store its 36 characters

// encodeBytes encodes an ID that has no plan in direct.
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

func (c byteaCodec) PlanScan(m *pgtype.Map, typeOID uint32, format int16, target any) pgtype.ScanPlan {
	if plan := c.direct.scan(format, target); plan != nil {
		return plan
	}
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
