package main

import "go/types"

// root is the path of oidkit's root module, and oidPath that of the package with ID.
const (
	root    = "github.com/oidkit/oidkit"
	oidPath = root + "/oid"
)

// A driver is a major version of MongoDB's driver.
type driver struct {
	name  string // as the flag -driver has it
	root  string // the prefix of its packages
	bson  string // the package with the type ObjectID
	codec string // our package for it
}

var (
	driverV1 = driver{"v1", "go.mongodb.org/mongo-driver/", "go.mongodb.org/mongo-driver/bson/primitive", root + "/bsoncodec/mongov1"}
	driverV2 = driver{"v2", "go.mongodb.org/mongo-driver/v2/", "go.mongodb.org/mongo-driver/v2/bson", root + "/bsoncodec"}
)

// documents is the package with M, D and Marshal.
func (d driver) documents() string { return d.root + "bson" }

// isNative reports whether t is the driver's ObjectID.
func (d driver) isNative(t types.Type) bool { return isNamed(t, d.bson, "ObjectID") }

// isOurs reports whether t is oid.ID.
func isOurs(t types.Type) bool { return isNamed(t, oidPath, "ID") }

// isNamed reports whether t is the type of that name in a package.
func isNamed(t types.Type, path, name string) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}

// contains reports whether a value of type t can hold one for which the function is
// true: in a field, behind a pointer, or as an element or a key.
func contains(t types.Type, match func(types.Type) bool) bool {
	seen := map[types.Type]bool{}
	var look func(types.Type) bool
	look = func(t types.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if match(t) {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return look(u.Elem())
		case *types.Slice:
			return look(u.Elem())
		case *types.Array:
			return look(u.Elem())
		case *types.Map:
			return look(u.Key()) || look(u.Elem())
		case *types.Struct:
			for field := range u.Fields() {
				if look(field.Type()) {
					return true
				}
			}
		}
		return false
	}
	return look(t)
}

// isAny reports whether t is an interface, and not a type parameter.
func isAny(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	return types.IsInterface(t)
}
