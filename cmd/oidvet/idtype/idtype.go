// Package idtype finds types that are defined as an oid.ID, such as "type UserID oid.ID",
// and therefore have none of its methods.
package idtype

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports a type such as
//
//	type UserID oid.ID
//
// or a type defined as another ID type of oidkit, perhaps through types of the same package.
// A type that declares methods is not reported. A defined type does not inherit the methods of
// ID, so drivers and encoders refuse it, or store something else. An alias of oid.For has
// these methods:
//
//	type UserID = oid.For[User]
//
// A type for which the package calls RegisterFor is not reported.
var Analyzer = &analysis.Analyzer{
	Name:     "idtype",
	Doc:      "find types such as type UserID oid.ID, which lack the methods of oid.ID",
	URL:      ids.URL("idtype"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	registered := registeredTypes(pass, in)
	specs := make(map[types.Object]*ast.TypeSpec)
	in.Preorder([]ast.Node{(*ast.TypeSpec)(nil)}, func(n ast.Node) {
		spec := n.(*ast.TypeSpec)
		specs[pass.TypesInfo.Defs[spec.Name]] = spec
	})
	for obj, spec := range specs {
		of := origin(pass, specs, spec)
		if spec.Assign.IsValid() || of == nil || registered[obj] || obj.Type().(*types.Named).NumMethods() > 0 {
			continue
		}
		from, alias := ids.Name(of, pass.Pkg), ids.Name(of, pass.Pkg)
		if ids.IsPlain(of) {
			alias = "oid.For[T]"
		}
		d := analysis.Diagnostic{
			Pos: spec.Pos(), End: spec.End(),
			Message: obj.Name() + " has none of the methods of " + from + ": drivers and encoders refuse it, or store something else. Write type " + obj.Name() + " = " + alias,
		}
		if fix, ok := mend(pass, spec, obj); ok {
			d.SuggestedFixes = []analysis.SuggestedFix{fix}
		}
		ids.Report(pass, d)
	}
	return nil, nil
}

// origin returns the ID from which a type is defined, perhaps through other types of the
// package, or nil.
func origin(pass *analysis.Pass, specs map[types.Object]*ast.TypeSpec, spec *ast.TypeSpec) types.Type {
	for {
		t := pass.TypesInfo.TypeOf(spec.Type)
		if ids.Is(t) {
			return t
		}
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || specs[named.Obj()] == nil {
			return nil
		}
		spec = specs[named.Obj()]
	}
}

// registeredTypes returns the types for which the package calls RegisterFor.
func registeredTypes(pass *analysis.Pass, in *inspector.Inspector) map[types.Object]bool {
	registered := make(map[types.Object]bool)
	in.Preorder([]ast.Node{(*ast.IndexExpr)(nil)}, func(n ast.Node) {
		index := n.(*ast.IndexExpr)
		fun, ok := index.X.(*ast.SelectorExpr)
		if !ok || fun.Sel.Name != "RegisterFor" {
			return
		}
		if named, ok := types.Unalias(pass.TypesInfo.TypeOf(index.Index)).(*types.Named); ok {
			registered[named.Obj()] = true
		}
	})
	return registered
}

// mend makes an alias of the type. If it is defined as oid.ID, its name is UserID, and
// the package has a type User, that is an alias of oid.For[User].
func mend(pass *analysis.Pass, spec *ast.TypeSpec, obj types.Object) (analysis.SuggestedFix, bool) {
	t := pass.TypesInfo.TypeOf(spec.Type)
	if !ids.Is(t) {
		return analysis.SuggestedFix{}, false // defined from another type, which has to be an alias first
	}
	if !ids.IsPlain(t) {
		return analysis.SuggestedFix{
			Message:   "Make " + obj.Name() + " an alias",
			TextEdits: []analysis.TextEdit{edit(spec.Type.Pos(), spec.Type.Pos(), "= ")},
		}, true
	}
	of, ok := strings.CutSuffix(obj.Name(), "ID")
	if !ok {
		of, ok = strings.CutSuffix(obj.Name(), "Id")
	}
	if !ok || obj.Parent() != pass.Pkg.Scope() || spec.TypeParams != nil {
		return analysis.SuggestedFix{}, false
	}
	other, ok := pass.Pkg.Scope().Lookup(of).(*types.TypeName)
	if !ok {
		return analysis.SuggestedFix{}, false
	}
	if named, ok := other.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 {
		return analysis.SuggestedFix{}, false // an alias, or a type that needs arguments
	}
	sel, ok := spec.Type.(*ast.SelectorExpr) // oid.ID, whatever the package is called here
	if !ok {
		return analysis.SuggestedFix{}, false
	}
	text := "= " + sel.X.(*ast.Ident).Name + ".For[" + of + "]"
	return analysis.SuggestedFix{
		Message:   "Make " + obj.Name() + " an alias of oid.For[" + of + "]",
		TextEdits: []analysis.TextEdit{edit(spec.Type.Pos(), spec.Type.End(), text)},
	}, true
}

func edit(pos, end token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: pos, End: end, NewText: []byte(text)}
}
