//go:build goexperiment.jsonv2

package jsonx

import (
	"reflect"

	"github.com/oidkit/oidkit/oid"
)

// methods is implemented by pointers to oid.ID and oid.For, and to types that embed one.
type methods interface {
	ProxyBSON() (any, error)
	UnmarshalParam(string) error
}

// idOf returns the ID that v points to. v may point to an oid.For, or to a struct whose
// only field is embedded: an oid.For, an oid.ID, or another such struct. Otherwise
// idOf returns nil.
func idOf(v methods) *oid.ID {
	p := reflect.ValueOf(v) // encoding/json/v2 promises a pointer that isn't nil
	t := p.Type().Elem()
	for t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Anonymous {
		p, t = p.Elem().Field(0).Addr(), t.Field(0).Type
	}
	if !isID(t) {
		return nil
	}
	id, _ := reflect.TypeAssert[*oid.ID](p.Convert(reflect.TypeFor[*oid.ID]()))
	return id
}

// isID reports whether t is oid.ID or an oid.For. Package oid has no other array types.
func isID(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.PkgPath() == reflect.TypeFor[oid.ID]().PkgPath()
}
