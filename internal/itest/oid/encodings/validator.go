//go:build nightly

package encodings

import (
	"reflect"

	"github.com/go-playground/validator/v10"
	"github.com/oidkit/oidkit/oid"
)

// CompareIDs makes eqfield, nefield, eq and unique look into IDs: the validator
// compares arrays by their length only, so that all IDs are equal to it.
func CompareIDs(v *validator.Validate) {
	v.RegisterCustomTypeFunc(func(field reflect.Value) any {
		if id := field.Interface().(oid.ID); !id.IsZero() {
			return id.Hex()
		}
		return ""
	}, oid.ID{})
}
