package find

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// Results returns the expressions that read an any from a result of the driver, such as
// res.InsertedID, res.UpsertedIDs[0], and the variable of a loop over res.InsertedIDs. The
// driver puts its own type there. The lists are those that code uses as a whole.
func Results(f *load.File) (reads, lists []ast.Expr) {
	for c := range f.Cursors((*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.RangeStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.SelectorExpr:
			switch {
			case !isResult(f, n) || !isRead(f, c):
			case names.IsAny(f.TypeOf(n)):
				reads = append(reads, n)
			case isWhole(f, c.Parent().Node()):
				lists = append(lists, n)
			}
		case *ast.IndexExpr:
			if isResult(f, n.X) && isRead(f, c) {
				reads = append(reads, n)
			}
		case *ast.RangeStmt:
			if value, ok := n.Value.(*ast.Ident); ok && isResult(f, n.X) {
				for use := range Uses(f, n.Body, f.Pkg.Info.Defs[value]) {
					reads = append(reads, use)
				}
			}
		}
	}
	return reads, lists
}

// isResult reports whether x is a field with IDs of a result of the driver.
func isResult(f *load.File, x ast.Expr) bool {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok || !strings.Contains(sel.Sel.Name, "ID") {
		return false
	}
	field, ok := f.Pkg.Info.Uses[sel.Sel].(*types.Var)
	if !ok || !field.IsField() || field.Pkg().Path() != f.Pkg.Program.Driver.Module+"/mongo" {
		return false
	}
	list, isList := field.Type().Underlying().(interface{ Elem() types.Type })
	return names.IsEmpty(field.Type()) || isList && names.IsEmpty(list.Elem())
}

// isWhole reports whether the parent of a list does more than take elements or the length.
func isWhole(f *load.File, parent ast.Node) bool {
	switch n := parent.(type) {
	case *ast.IndexExpr, *ast.RangeStmt:
		return false
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		return !f.Pkg.Info.Types[n.Fun].IsBuiltin() && !(ok && sel.Sel.Name == "Len")
	}
	return true
}

// isRead reports whether the value at c is read. The type doesn't matter where a value is
// compared with nil or a constant.
func isRead(f *load.File, c inspector.Cursor) bool {
	switch parent := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		return !slices.ContainsFunc(parent.Lhs, func(x ast.Expr) bool { return x == c.Node() })
	case *ast.UnaryExpr:
		return parent.Op != token.AND
	case *ast.BinaryExpr:
		return !isFixed(f, parent.X) && !isFixed(f, parent.Y)
	case *ast.CallExpr:
		signature, ok := f.TypeOf(parent.Fun).Underlying().(*types.Signature)
		for i := 0; ok && i < min(len(parent.Args), signature.Params().Len()); i++ {
			if names.IsEmpty(signature.Params().At(i).Type()) && isFixed(f, parent.Args[i]) { // Equal(t, "1", c)
				return false
			}
		}
	}
	return true
}

func isFixed(f *load.File, x ast.Expr) bool {
	return f.Pkg.Info.Types[x].IsNil() || f.Pkg.Info.Types[x].Value != nil
}

// Asserted returns the operand of a type assertion or a type switch that names a type for
// which the function is true, or nil.
func Asserted(f *load.File, n ast.Node, match func(types.Type) bool) ast.Expr {
	switch n := n.(type) {
	case *ast.TypeAssertExpr:
		if n.Type != nil && match(f.TypeOf(n.Type)) {
			return n.X
		}
	case *ast.TypeSwitchStmt:
		for _, clause := range n.Body.List {
			if slices.ContainsFunc(clause.(*ast.CaseClause).List, func(t ast.Expr) bool { return match(f.TypeOf(t)) }) {
				return operand(n)
			}
		}
	}
	return nil
}

// operand returns what a type switch switches on.
func operand(n *ast.TypeSwitchStmt) ast.Expr {
	for n := range ast.Preorder(n.Assign) {
		if assert, ok := n.(*ast.TypeAssertExpr); ok && assert.Type == nil {
			return assert.X
		}
	}
	return nil
}
