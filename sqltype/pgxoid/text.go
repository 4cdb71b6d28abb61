package pgxoid

import (
	"encoding/hex"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
)

// textCodec writes IDs as 24 hex digits, and reads only these.
type textCodec struct {
	pgtype.Codec
	direct direct
}

func (c textCodec) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if plan := c.direct.encode(format, value); plan != nil {
		return plan
	}
	if _, ok := value.(id); ok {
		return encodeDigits{}
	}
	if _, ok := asForm(value); ok {
		return encodeFormDigits{}
	}
	if isList(value) {
		return refusal{errList}
	}
	return c.Codec.PlanEncode(m, typeOID, format, value)
}

// encodeDigits encodes an ID that has no plan in direct.
type encodeDigits struct{}

func (encodeDigits) Encode(value any, buf []byte) ([]byte, error) {
	return value.(id).AppendText(buf)
}

// encodeFormDigits encodes an ID that may be NULL.
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
	if plan := c.direct.scan(format, target); plan != nil {
		return plan
	}
	if _, ok := target.(formTarget); ok {
		return scanDigits{}
	}
	return c.Codec.PlanScan(m, typeOID, format, target)
}

type scanDigits struct{}

func (scanDigits) Scan(src []byte, target any) error {
	if len(src) == len(`\x`)+2*len(oid.ID{}) && src[0] == '\\' {
		return lengthError(target, "text", len(src), `24 hex digits; \x begins the text of a bytea: select the column without ::text, or call objectid_text`)
	}
	if src != nil && len(src) != 2*len(oid.ID{}) {
		return lengthError(target, "text", len(src), "24 hex digits")
	}
	return target.(formTarget).ScanBytes(src)
}
