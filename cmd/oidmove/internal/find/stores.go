package find

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// stores are packages, by the beginnings of their paths, that see the type of an ID: they
// store its name or its bytes, or compare it with another type.
var stores = []string{"encoding/gob", "github.com/vmihailenco/msgpack", "github.com/fxamacher/cbor", "github.com/ugorji/go/codec", "github.com/jinzhu/copier"}

// Stores returns the imports of such packages in a file.
func Stores(f *load.File) (list []*ast.ImportSpec) {
	for _, spec := range f.Syntax.Imports {
		for _, store := range stores {
			if path := strings.Trim(spec.Path.Value, "\"`"); path == store || strings.HasPrefix(path, store+"/") {
				list = append(list, spec)
			}
		}
	}
	return list
}

// Libraries returns the packages that other modules may import, and that no program of
// this module needs, by their paths.
func Libraries(p *load.Program) map[string]bool {
	libraries := map[string]bool{}
	for _, pkg := range p.Packages {
		libraries[pkg.Path] = pkg.Types != nil && pkg.Name != "main" && !strings.HasSuffix(pkg.Name, "_test") && !strings.Contains(pkg.Path+"/", "/internal/")
	}
	for _, pkg := range p.Packages {
		if pkg.Name != "main" {
			continue
		}
		for path := range libraries {
			libraries[path] = libraries[path] && !Reaches(pkg.Types, map[string]bool{path: true})
		}
	}
	return libraries
}

// Exports returns the first exported name in a file that shows a type that matches, or nil:
// a type, a variable, a function or a method.
func Exports(f *load.File, match func(types.Type) bool) ast.Node {
	for n := range ast.Preorder(f.Syntax) {
		ident, ok := n.(*ast.Ident)
		if !ok || !ident.IsExported() {
			continue
		}
		obj := f.Pkg.Info.Defs[ident]
		if _, isFunc := obj.(*types.Func); obj != nil && (isFunc || obj.Parent() == f.Pkg.Types.Scope()) && shows(obj.Type(), match) {
			return ident
		}
	}
	return nil
}

// shows reports whether a type has one that matches in it, or in its parameters.
func shows(t types.Type, match func(types.Type) bool) bool {
	signature, ok := t.(*types.Signature)
	if !ok {
		return names.Contains(t, match)
	}
	for _, tuple := range []*types.Tuple{signature.Params(), signature.Results()} {
		for v := range tuple.Variables() {
			if names.Contains(v.Type(), match) {
				return true
			}
		}
	}
	return false
}
