//go:build nightly

package encodings

import (
	"fmt"

	"github.com/oidkit/oidkit/oid"
	"gopkg.in/yaml.v3"
)

// YAMLID is an oid.ID that yaml.v3 reads from a scalar only.
type YAMLID struct{ oid.ID }

func (id *YAMLID) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: want 24 hex digits", node.Line)
	}
	return node.Decode(&id.ID)
}
