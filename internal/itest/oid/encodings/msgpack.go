//go:build nightly

package encodings

import (
	"fmt"

	"github.com/oidkit/oidkit/oid"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// MsgpackID is an oid.ID that vmihailenco/msgpack reads from binary only.
type MsgpackID struct{ oid.ID }

func (id *MsgpackID) DecodeMsgpack(d *msgpack.Decoder) error {
	code, err := d.PeekCode()
	if err != nil {
		return err
	}
	if !msgpcode.IsBin(code) {
		return fmt.Errorf("want 12 bytes of binary, got code 0x%02x", code)
	}
	b, err := d.DecodeBytes()
	if err != nil {
		return err
	}
	return id.UnmarshalBinary(b)
}
