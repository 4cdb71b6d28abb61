package encodings

import (
	"reflect"

	"github.com/go-playground/validator/v10"
	"github.com/oidkit/oidkit/oid"
)

// CompareIDs makes eqfield, nefield, eq and unique look into ids: the validator
// compares arrays by their length alone, so that all ids are equal to it.
func CompareIDs(v *validator.Validate) {
	v.RegisterCustomTypeFunc(func(field reflect.Value) any {
		if id := field.Interface().(oid.ID); !id.IsZero() {
			return id.Hex()
		}
		return ""
	}, oid.ID{})
}
