//go:build nightly

package schemas

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/oidkit/oidkit/oid"
)

// IDSchemas makes jsonschema.For describe an oid.ID as the string that it is, and
// your own types: IDSchemas(reflect.TypeFor[oid.For[User]]()).
func IDSchemas(typed ...reflect.Type) *jsonschema.ForOptions {
	byType := map[reflect.Type]*jsonschema.Schema{}
	for _, t := range append(typed, reflect.TypeFor[oid.ID]()) {
		byType[t] = &jsonschema.Schema{Type: "string", Pattern: oid.Pattern}
	}
	return &jsonschema.ForOptions{TypeSchemas: byType}
}
