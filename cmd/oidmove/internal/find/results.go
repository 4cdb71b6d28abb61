package find

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// Results returns the expressions that read an any from a result of the driver, such as
// res.InsertedID, res.UpsertedIDs[0], and the variable of a loop over res.InsertedIDs. The
// driver puts its own type there. The lists are those that code uses as a whole.
func Results(f *load.File) (reads, lists []ast.Expr) {
	variables := map[types.Object]bool{}
	for c := range f.Cursors((*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.RangeStmt)(nil), (*ast.Ident)(nil)) {
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
				variables[f.Pkg.Info.Defs[value]] = true
			}
		case *ast.Ident:
			if obj := f.Pkg.Info.Uses[n]; obj != nil && variables[obj] && isRead(f, c) {
				reads = append(reads, n)
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

// isRead reports whether the value at c is read, but not yet by AnyID. The type doesn't
// matter where a value is compared with nil or a constant.
func isRead(f *load.File, c inspector.Cursor) bool {
	switch parent := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		return c.ParentEdgeKind() != edge.AssignStmt_Lhs
	case *ast.UnaryExpr:
		return parent.Op != token.AND
	case *ast.BinaryExpr:
		return !isFixed(f, parent.X) && !isFixed(f, parent.Y)
	case *ast.CallExpr:
		if CallOf(f, parent, f.Pkg.Program.Driver.Codec, "AnyID") != nil {
			return false
		}
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

// Asserted returns the operands of the type assertions and type switches that name a type
// for which the function is true.
func Asserted(f *load.File, match func(types.Type) bool) (operands []ast.Expr) {
	for c := range f.Cursors((*ast.TypeAssertExpr)(nil)) {
		n := c.Node().(*ast.TypeAssertExpr)
		if slices.ContainsFunc(typesOf(c, n), func(t ast.Expr) bool { return match(f.TypeOf(t)) }) {
			operands = append(operands, n.X)
		}
	}
	return operands
}

// typesOf returns the types that an assertion names, or the switch of which it is a part.
func typesOf(c inspector.Cursor, n *ast.TypeAssertExpr) (list []ast.Expr) {
	if n.Type != nil {
		return []ast.Expr{n.Type}
	}
	for c := range c.Enclosing((*ast.TypeSwitchStmt)(nil)) {
		for _, clause := range c.Node().(*ast.TypeSwitchStmt).Body.List {
			list = append(list, clause.(*ast.CaseClause).List...)
		}
		break
	}
	return list
}
