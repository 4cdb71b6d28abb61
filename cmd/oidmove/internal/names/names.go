// Package names knows the two major versions of MongoDB's driver, the packages of oidkit
// for them, and the types that a move is about.
package names

import (
	"go/types"
	"slices"
	"strings"
)

// Root is the path of oidkit's root module, and OID that of the package with ID.
const (
	Root = "github.com/oidkit/oidkit"
	OID  = Root + "/oid"
)

// A Driver is a major version of MongoDB's driver.
type Driver struct {
	Name   string // as the flag -driver has it
	Module string
	BSON   string // the package with the type ObjectID
	Codec  string // our package for it
}

var (
	V1 = Driver{"v1", "go.mongodb.org/mongo-driver", "go.mongodb.org/mongo-driver/bson/primitive", Root + "/bsoncodec/mongov1"}
	V2 = Driver{"v2", "go.mongodb.org/mongo-driver/v2", "go.mongodb.org/mongo-driver/v2/bson", Root + "/bsoncodec"}
)

// Drivers are all drivers.
var Drivers = []Driver{V1, V2}

// Documents is the package with M, D and Marshal.
func (d Driver) Documents() string { return d.Module + "/bson" }

// Options is the package with the options of clients.
func (d Driver) Options() string { return d.Module + "/mongo/options" }

// Has reports whether a package belongs to the driver.
func (d Driver) Has(path string) bool {
	return strings.HasPrefix(path, d.Module+"/") && (d.Name == "v2" || !strings.HasPrefix(path, V2.Module+"/"))
}

// A Pair is a name of the driver and what oidkit has in its place.
type Pair struct{ Driver, Ours string }

// Pairs are the names that a move changes, in both directions.
var Pairs = []Pair{
	{"ObjectID", "ID"},
	{"NewObjectID", "New"},
	{"ObjectIDFromHex", "Parse"},
	{"ErrInvalidHex", "ErrSyntax"},
}

// Rename returns what a move, or a move back, makes of a name, or "".
func Rename(name string, back bool) string {
	for _, pair := range Pairs {
		switch {
		case !back && pair.Driver == name:
			return pair.Ours
		case back && pair.Ours == name:
			return pair.Driver
		}
	}
	return ""
}

// Local returns the names under which a file may import a package. The first one that
// nothing in the file hides is taken: a variable is often called oid.
func Local(path string) []string {
	switch path {
	case OID:
		return []string{"oid", "objectid", "oidkit"}
	case V1.BSON:
		return []string{"primitive", "mongoprimitive"}
	case V1.Codec:
		return []string{"mongov1", "oidcodec"}
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	return []string{name, "mongo" + name}
}

// IsNative reports whether t is the driver's ObjectID.
func (d Driver) IsNative(t types.Type) bool { return Is(t, d.BSON, "ObjectID") }

// IsOurs reports whether t is oid.ID.
func IsOurs(t types.Type) bool { return Is(t, OID, "ID") }

// Is reports whether t is the type of that name in a package.
func Is(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}

// Deref returns the type that t points to, or t.
func Deref(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// IsPointer reports whether t is a pointer type without a name.
func IsPointer(t types.Type) bool { return Deref(t) != t }

// IsTypeParam reports whether t is a type parameter.
func IsTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// IsAny reports whether t is an interface, and not a type parameter.
func IsAny(t types.Type) bool { return !IsTypeParam(t) && types.IsInterface(t) }

// IsEmpty reports whether t is an interface without methods.
func IsEmpty(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && IsAny(t) && i.NumMethods() == 0
}

// Contains reports whether a value of type t can hold one for which the function is
// true: in a field that other packages see, behind a pointer, or as an element or a key.
func Contains(t types.Type, match func(types.Type) bool) bool {
	return look(t, match, func(t types.Type) bool { return false }, map[types.Type]bool{})
}

// Shows is Contains for what package fmt prints of a value. That is not what a pointer in
// it points to, nor the fields of a type with a method that prints it.
func Shows(t types.Type, match func(types.Type) bool) bool {
	return look(Deref(t), match, func(t types.Type) bool { return IsPointer(t) || prints(t) }, map[types.Type]bool{})
}

// prints reports whether t has a method that package fmt calls.
func prints(t types.Type) bool {
	methods := types.NewMethodSet(types.NewPointer(t))
	return slices.ContainsFunc([]string{"String", "Error", "Format"}, func(name string) bool { return methods.Lookup(nil, name) != nil })
}

func look(t types.Type, match, stop func(types.Type) bool, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if match(t) {
		return true
	}
	if stop(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return look(u.Key(), match, stop, seen) || look(u.Elem(), match, stop, seen)
	case *types.Struct:
		for field := range u.Fields() {
			if (field.Exported() || field.Embedded()) && look(field.Type(), match, stop, seen) {
				return true
			}
		}
	case interface{ Elem() types.Type }: // a pointer, a slice, an array
		return look(u.Elem(), match, stop, seen)
	}
	return false
}
