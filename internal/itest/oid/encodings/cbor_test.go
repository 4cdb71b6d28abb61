//go:build nightly

package encodings

import (
	"testing"

	"github.com/oidkit/oidkit/oid"
)

func TestCBORID(t *testing.T) {
	testStrict(t, "fxamacker/cbor", CBORID{preset}, func(id CBORID) oid.ID { return id.ID })
}
