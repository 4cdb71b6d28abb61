//go:build nightly

package encodings

import (
	"testing"

	"github.com/oidkit/oidkit/oid"
)

func TestYAMLID(t *testing.T) {
	testStrict(t, "yaml.v3", YAMLID{preset}, func(id YAMLID) oid.ID { return id.ID })
}
