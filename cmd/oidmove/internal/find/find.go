// Package find knows the places in a file that a move is about, and which kind of use each
// of them is. It makes no edits.
package find

import (
	"go/ast"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// Selectors yields every use of a package in the file, such as bson.ObjectID.
func Selectors(f *load.File, path string) iter.Seq2[inspector.Cursor, *ast.SelectorExpr] {
	return func(yield func(inspector.Cursor, *ast.SelectorExpr) bool) {
		for c := range f.Cursors((*ast.SelectorExpr)(nil)) {
			if sel := c.Node().(*ast.SelectorExpr); IsIn(f, sel, path) && !yield(c, sel) {
				return
			}
		}
	}
}

// IsIn reports whether sel selects something of a package.
func IsIn(f *load.File, sel *ast.SelectorExpr, path string) bool {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	pkg, ok := f.Pkg.Info.Uses[x].(*types.PkgName)
	return ok && pkg.Imported().Path() == path
}

// Calls yields the calls of selectors in the file: methods, and functions of packages.
func Calls(f *load.File) iter.Seq2[inspector.Cursor, *ast.SelectorExpr] {
	return func(yield func(inspector.Cursor, *ast.SelectorExpr) bool) {
		for c := range f.Cursors((*ast.CallExpr)(nil)) {
			fun := ast.Unparen(c.Node().(*ast.CallExpr).Fun)
			if sel, ok := fun.(*ast.SelectorExpr); ok && !yield(c, sel) {
				return
			}
		}
	}
}

// CallOf returns n as a call of a package's function of one of these names, or nil. It has
// the arguments that the function needs.
func CallOf(f *load.File, n ast.Node, path string, functions ...string) *ast.CallExpr {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	fn := typeutil.StaticCallee(f.Pkg.Info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != path || !slices.Contains(functions, fn.Name()) || fn.Signature().Recv() != nil {
		return nil
	}
	if len(call.Args) < fn.Signature().Params().Len() {
		return nil
	}
	return call
}

// Conversion returns what e converts, or nil.
func Conversion(f *load.File, e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !f.Pkg.Info.Types[call.Fun].IsType() {
		return nil
	}
	return call.Args[0]
}

// ConvertsTo reports whether c is the type in a conversion, such as T(x) or (*T)(x), of
// a value of a type that matches.
func ConvertsTo(f *load.File, c inspector.Cursor, match func(types.Type) bool) bool {
	for c.ParentEdgeKind() == edge.ParenExpr_X || c.ParentEdgeKind() == edge.StarExpr_X {
		c = c.Parent()
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	return ok && c.ParentEdgeKind() == edge.CallExpr_Fun && len(call.Args) == 1 && match(names.Deref(f.TypeOf(call.Args[0])))
}

// InDriver reports whether sel is a function or a method of the driver.
func InDriver(f *load.File, sel *ast.SelectorExpr) bool {
	obj := f.Pkg.Info.Uses[sel.Sel]
	return obj != nil && obj.Pkg() != nil && f.Pkg.Program.Driver.Has(obj.Pkg().Path())
}

// Imports returns the import of a package, under whatever name, or nil.
func Imports(f *load.File, path string) *ast.ImportSpec {
	for _, spec := range f.Syntax.Imports {
		if strings.Trim(spec.Path.Value, "\"`") == path {
			return spec
		}
	}
	return nil
}

// Reaches reports whether a package is one of those with these paths, or imports one, itself
// or by other packages.
func Reaches(pkg *types.Package, paths map[string]bool) bool {
	seen := map[*types.Package]bool{}
	var look func(*types.Package) bool
	look = func(pkg *types.Package) bool {
		if pkg == nil || seen[pkg] {
			return false
		}
		seen[pkg] = true
		return paths[pkg.Path()] || slices.ContainsFunc(pkg.Imports(), look)
	}
	return look(pkg)
}

// Libraries returns the packages that programs of other modules may import, themselves or by
// other packages, and that no program of this module needs, by their paths.
func Libraries(p *load.Program) map[string]bool {
	libraries, needed := map[string]bool{}, map[string]bool{}
	for _, pkg := range p.Packages {
		switch {
		case pkg.Name == "main":
			imported(pkg.Types, needed)
		case !strings.HasSuffix(pkg.Name, "_test") && !IsInternal(pkg.Path):
			imported(pkg.Types, libraries)
		}
	}
	maps.DeleteFunc(libraries, func(path string, _ bool) bool { return needed[path] })
	return libraries
}

// imported adds to seen the paths of a package and of all packages that it imports, itself
// or by other packages.
func imported(pkg *types.Package, seen map[string]bool) {
	if pkg == nil || seen[pkg.Path()] {
		return
	}
	seen[pkg.Path()] = true
	for _, p := range pkg.Imports() {
		imported(p, seen)
	}
}

// IsInternal reports whether other modules can't import the package with this path.
func IsInternal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }
