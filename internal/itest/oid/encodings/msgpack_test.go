//go:build nightly

package encodings

import (
	"testing"

	"github.com/oidkit/oidkit/oid"
)

func TestMsgpackID(t *testing.T) {
	testStrict(t, "vmihailenco/msgpack", MsgpackID{preset}, func(id MsgpackID) oid.ID { return id.ID })
}
