//go:build nightly

package schemas

import (
	"reflect"

	invopop "github.com/invopop/jsonschema"
	"github.com/oidkit/oidkit/oid"
)

// MapIDs is for invopop's Reflector: Reflector{Mapper: MapIDs()}. It takes your own
// types too: MapIDs(reflect.TypeFor[oid.For[User]]()).
func MapIDs(typed ...reflect.Type) func(reflect.Type) *invopop.Schema {
	ids := map[reflect.Type]bool{reflect.TypeFor[oid.ID](): true}
	for _, t := range typed {
		ids[t] = true
	}
	return func(t reflect.Type) *invopop.Schema {
		if !ids[t] {
			return nil
		}
		return &invopop.Schema{Type: "string", Pattern: oid.Pattern}
	}
}
