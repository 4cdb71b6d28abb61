//go:build nightly

package encodings

import (
	"github.com/fxamacker/cbor/v2"
	"github.com/oidkit/oidkit/oid"
)

// CBORID is an oid.ID that fxamacker/cbor reads from a byte string only.
type CBORID struct{ oid.ID }

func (id *CBORID) UnmarshalCBOR(data []byte) error {
	var b cbor.ByteString
	if err := cbor.Unmarshal(data, &b); err != nil {
		return err
	}
	return id.UnmarshalBinary([]byte(b))
}
