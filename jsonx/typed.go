//go:build goexperiment.jsonv2

package jsonx

import (
	"reflect"

	"github.com/oidkit/oidkit/oid"
)

// methods finds oid.For, and the types that embed it or an oid.ID.
type methods interface {
	ProxyBSON() (any, error)
	UnmarshalParam(string) error
}

var idType = reflect.TypeFor[oid.ID]()

// idOf returns the ID that v points to, if v is a pointer to an oid.For, to a struct
// of nothing but an embedded oid.For or oid.ID, or to a struct of nothing but such a
// struct. Otherwise it returns nil.
func idOf(v methods) *oid.ID {
	p := reflect.ValueOf(v)
	for p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().Kind() == reflect.Struct && p.Elem().NumField() == 1 && p.Elem().Type().Field(0).Anonymous {
		p = p.Elem().Field(0).Addr()
	}
	if p.Kind() != reflect.Pointer || p.IsNil() || !isID(p.Type().Elem()) {
		return nil
	}
	id, _ := reflect.TypeAssert[*oid.ID](p.Convert(reflect.TypeFor[*oid.ID]()))
	return id
}

// isID reports whether t is oid.ID or an oid.For: no other array is in package oid.
func isID(t reflect.Type) bool {
	return t == idType || t.Kind() == reflect.Array && t.PkgPath() == idType.PkgPath()
}
