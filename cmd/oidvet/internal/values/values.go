// Package values knows what the variables of a package hold that are set only once.
package values

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// A Set has the values of variables.
type Set struct {
	info   *types.Info
	values map[types.Object]ast.Expr // of the variables that are set once
	again  map[types.Object]bool     // the other ones
}

// Of returns the values of the variables that the package sets once, where it declares them.
// If a call returns several values, the call is the value of each.
func Of(pass *analysis.Pass, in *inspector.Inspector) Set {
	s := Set{pass.TypesInfo, make(map[types.Object]ast.Expr), make(map[types.Object]bool)}
	set := func(left ast.Expr) {
		if id, ok := ast.Unparen(left).(*ast.Ident); ok {
			s.again[s.info.Uses[id]] = true
		}
	}
	declare := func(name *ast.Ident, list []ast.Expr, i int) {
		if obj := s.info.Defs[name]; obj != nil && len(list) > 0 && !(obj.Exported() && obj.Parent() == pass.Pkg.Scope()) {
			s.values[obj] = list[min(i, len(list)-1)]
		}
	}
	in.Preorder([]ast.Node{(*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.UnaryExpr)(nil), (*ast.IncDecStmt)(nil), (*ast.RangeStmt)(nil)}, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND { // code with the address of a variable may set it
				set(n.X)
			}
		case *ast.IncDecStmt:
			set(n.X)
		case *ast.RangeStmt:
			set(n.Key)
			set(n.Value)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				declare(name, n.Values, i)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				set(left)
				if name, ok := left.(*ast.Ident); ok {
					declare(name, n.Rhs, i)
				}
			}
		}
	})
	for obj := range s.again {
		delete(s.values, obj)
	}
	return s
}

// Value returns the value of a variable that is set once, or expr itself.
func (s Set) Value(expr ast.Expr) ast.Expr {
	if id, ok := ast.Unparen(expr).(*ast.Ident); ok {
		if value := s.values[s.info.Uses[id]]; value != nil {
			expr = value
		}
	}
	return ast.Unparen(expr)
}

// Same reports whether two expressions are one variable that nothing sets again.
func (s Set) Same(x, y ast.Expr) bool {
	a, ok := ast.Unparen(x).(*ast.Ident)
	b, ok2 := ast.Unparen(y).(*ast.Ident)
	return ok && ok2 && s.info.Uses[a] == s.info.Uses[b] && !s.again[s.info.Uses[a]]
}

// Callee returns the full name of the function that expr calls, or "".
func (s Set) Callee(expr ast.Expr) string {
	if call, ok := ast.Unparen(expr).(*ast.CallExpr); ok {
		if fun, ok := typeutil.Callee(s.info, call).(*types.Func); ok {
			return fun.FullName()
		}
	}
	return ""
}

// Text returns the text of a constant, or of a variable that is set once to one, or "".
func (s Set) Text(expr ast.Expr) string {
	for _, expr := range []ast.Expr{expr, s.Value(expr)} {
		if v := s.info.Types[expr].Value; v != nil && v.Kind() == constant.String {
			return constant.StringVal(v)
		}
	}
	return ""
}
