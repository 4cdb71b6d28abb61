package find

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// To returns the type of the place where the value of the expression at c goes, such as a
// variable, a parameter, an element, or the other operand of a comparison. It returns nil if
// there is no such place.
func To(f *load.File, c inspector.Cursor) types.Type {
	kind, i := c.ParentEdge()
	switch n := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if kind == edge.AssignStmt_Rhs && len(n.Lhs) == len(n.Rhs) {
			return f.TypeOf(n.Lhs[i])
		}
	case *ast.ValueSpec:
		if kind == edge.ValueSpec_Values && n.Type != nil {
			return f.TypeOf(n.Type)
		}
	case *ast.CallExpr:
		if kind == edge.CallExpr_Args && !f.Pkg.Info.Types[n.Fun].IsType() {
			return parameter(f, n, i)
		}
	case *ast.ReturnStmt:
		if results := results(f, c); results.Len() == len(n.Results) {
			return results.At(i).Type()
		}
	case *ast.CompositeLit:
		return element(f, c, f.TypeOf(n))
	case *ast.KeyValueExpr:
		return element(f, c, f.TypeOf(c.Parent().Parent().Node().(ast.Expr)))
	case *ast.IndexExpr:
		if m, ok := f.TypeOf(n.X).Underlying().(*types.Map); ok && kind == edge.IndexExpr_Index {
			return m.Key()
		}
	case *ast.SendStmt:
		if ch, ok := f.TypeOf(n.Chan).Underlying().(*types.Chan); ok && kind == edge.SendStmt_Value {
			return ch.Elem()
		}
	case *ast.BinaryExpr:
		switch {
		case n.Op != token.EQL && n.Op != token.NEQ:
		case kind == edge.BinaryExpr_Y:
			return f.TypeOf(n.X)
		case names.IsAny(f.TypeOf(n.Y)):
			return f.TypeOf(n.Y)
		}
	case *ast.CaseClause:
		if s, ok := c.Parent().Parent().Parent().Node().(*ast.SwitchStmt); ok && s.Tag != nil {
			return f.TypeOf(s.Tag)
		}
	}
	return nil
}

// parameter returns the type of the parameter that gets an argument of a call, or nil.
func parameter(f *load.File, call *ast.CallExpr, i int) types.Type {
	if m, ok := f.TypeOf(call.Args[0]).Underlying().(*types.Map); ok && f.Pkg.Info.Types[call.Fun].IsBuiltin() {
		return m.Key() // of delete
	}
	signature, ok := f.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	params := signature.Params()
	if last := params.Len() - 1; signature.Variadic() && i >= last && call.Ellipsis == token.NoPos {
		return params.At(last).Type().(*types.Slice).Elem()
	}
	if i < params.Len() {
		return params.At(i).Type()
	}
	return nil
}

// results returns the results of the function around c, or nil.
func results(f *load.File, c inspector.Cursor) *types.Tuple {
	for c := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		var t types.Type
		switch fn := c.Node().(type) {
		case *ast.FuncDecl:
			t = f.TypeOf(fn.Name)
		case *ast.FuncLit:
			t = f.TypeOf(fn)
		}
		if signature, ok := t.(*types.Signature); ok {
			return signature.Results()
		}
		break
	}
	return nil
}

// element returns the type of the field, or of the keys or the elements, that the literal
// around c has in its place. The literal is of type t, or a pointer to that.
func element(f *load.File, c inspector.Cursor, t types.Type) types.Type {
	kind, i := c.ParentEdge()
	switch t := names.Deref(t).Underlying().(type) {
	case *types.Struct:
		if kind == edge.KeyValueExpr_Value {
			return f.TypeOf(c.Parent().Node().(*ast.KeyValueExpr).Key)
		}
		if kind == edge.CompositeLit_Elts && i < t.NumFields() {
			return t.Field(i).Type()
		}
	case *types.Map:
		if kind == edge.KeyValueExpr_Key {
			return t.Key()
		}
		return t.Elem()
	case interface{ Elem() types.Type }: // a slice or an array
		return t.Elem()
	}
	return nil
}
