package find

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// Registries returns the places where the project makes a registry, or sets one that isn't
// made by our NewRegistry.
func Registries(f *load.File) (list []ast.Node) {
	for c, sel := range Calls(f) {
		call, name := c.Node().(*ast.CallExpr), sel.Sel.Name
		sets := name == "SetRegistry" && len(call.Args) == 1 && CallOf(f, call.Args[0], f.Pkg.Program.Driver.Codec, "NewRegistry") == nil
		if InDriver(f, sel) && (sets || strings.HasPrefix(name, "New") && strings.Contains(name, "Registry")) {
			list = append(list, sel.Sel)
		}
	}
	return list
}

// A Decode is a call of the driver that fills a value which holds an any, or may hold one.
type Decode struct {
	Call     *ast.CallExpr
	ByClient bool // with the registry of the client
	Own      bool // with a registry that is an argument
	Unpacks  bool // it is bson.Unmarshal
}

// Decodes returns such calls.
func Decodes(f *load.File) (list []Decode) {
	d := f.Pkg.Program.Driver
	for c, sel := range Calls(f) {
		call, name := c.Node().(*ast.CallExpr), sel.Sel.Name
		if len(call.Args) > 0 && InDriver(f, sel) && names.Contains(target(f, call, name), IsOpen) {
			list = append(list, Decode{
				Call:     call,
				ByClient: f.Pkg.Info.Uses[sel.Sel].Pkg().Path() == d.Module+"/mongo",
				Own:      strings.Contains(name, "WithRegistry") || strings.Contains(name, "WithContext"),
				Unpacks:  name == "Unmarshal" && IsIn(f, sel, d.Documents()),
			})
		}
	}
	return list
}

// target returns the type of what a call of that name fills, if it fills something.
func target(f *load.File, call *ast.CallExpr, name string) types.Type {
	switch {
	case name == "All" || name == "Decode" || strings.HasPrefix(name, "Unmarshal"):
		return f.TypeOf(call.Args[len(call.Args)-1])
	case name == "Distinct":
		if results, ok := f.TypeOf(call).(*types.Tuple); ok { // of driver v1
			return results.At(0).Type()
		}
	}
	return types.Typ[types.Invalid]
}

// IsOpen reports whether a place of type t may hold values of any type.
func IsOpen(t types.Type) bool { return names.IsEmpty(t) || names.IsTypeParam(t) }
