//go:build nightly

package schemas

import (
	"reflect"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/oidkit/oidkit/oid"
)

// CustomizeIDs is an option of openapi3gen. It takes your own types too:
// CustomizeIDs(reflect.TypeFor[oid.For[User]]()).
func CustomizeIDs(typed ...reflect.Type) openapi3gen.Option {
	ids := map[reflect.Type]bool{reflect.TypeFor[oid.ID](): true}
	for _, t := range typed {
		ids[t] = true
	}
	return openapi3gen.SchemaCustomizer(func(_ string, t reflect.Type, _ reflect.StructTag, schema *openapi3.Schema) error {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if ids[t] {
			*schema = openapi3.Schema{Type: &openapi3.Types{"string"}, Pattern: oid.Pattern, Nullable: schema.Nullable}
		}
		return nil
	})
}
