//go:build goexperiment.jsonv2

package jsonx

import (
	"reflect"

	"github.com/oidkit/oidkit/oid"
)

// methods finds the types that embed an oid.ID.
type methods interface {
	ProxyBSON() (any, error)
	UnmarshalParam(string) error
}

// embedded returns the id that v points to, if v is a pointer to a struct of nothing
// but an embedded id, as oid.For is, or of nothing but such a struct.
func embedded(v methods) *oid.ID {
	p := reflect.ValueOf(v)
	for p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().Kind() == reflect.Struct && p.Elem().NumField() == 1 && p.Elem().Type().Field(0).Anonymous {
		p = p.Elem().Field(0).Addr()
		if p.Type() == reflect.TypeFor[*oid.ID]() {
			id, _ := reflect.TypeAssert[*oid.ID](p)
			return id
		}
	}
	return nil
}
