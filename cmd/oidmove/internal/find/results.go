package find

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// resultFields are the fields of the driver's results that hold IDs. A project's own result
// types have them under the same names. The analyzer anycompare of oidvet knows them too.
// It is in another module, and no module imports another's internal package. TestRules
// runs anycompare on what oidmove has made.
var resultFields = map[string]bool{"InsertedID": true, "InsertedIDs": true, "UpsertedID": true, "UpsertedIDs": true}

// Results knows the expressions of a file that hold an ID from a result of the driver, in
// an any. The driver puts its own type there.
type Results struct {
	f    *load.File
	held map[types.Object]bool // variables that hold one, set by := or range
}

// ResultsIn returns the results in a file.
func ResultsIn(f *load.File) Results {
	r := Results{f, map[types.Object]bool{}}
	for c := range f.Cursors((*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if ident, ok := lhs.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && n.Tok == token.DEFINE && r.Is(n.Rhs[i]) {
					r.held[f.Pkg.Info.Defs[ident]] = true
				}
			}
		case *ast.RangeStmt:
			if ident, ok := n.Value.(*ast.Ident); ok && IsResultList(n.X) {
				r.held[f.Pkg.Info.Defs[ident]] = true
			}
		}
	}
	delete(r.held, nil)
	return r
}

// Is reports whether x is such an expression.
func (r Results) Is(x ast.Expr) bool {
	if !names.IsAny(r.f.TypeOf(x)) {
		return false
	}
	if ident, ok := ast.Unparen(x).(*ast.Ident); ok {
		return r.held[r.f.Pkg.Info.ObjectOf(ident)]
	}
	return resultFields[ResultName(x)]
}

// ResultName returns the name of the field of a result that x is, or is an element of.
func ResultName(x ast.Expr) string {
	x = ast.Unparen(x)
	if index, ok := x.(*ast.IndexExpr); ok {
		x = ast.Unparen(index.X)
	}
	if sel, ok := x.(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return ""
}

// IsResultList reports whether x is a list or a map of such IDs.
func IsResultList(x ast.Expr) bool {
	name := ResultName(x)
	return name == "InsertedIDs" || name == "UpsertedIDs"
}

// AnID returns the ID in x, an ID or one that is converted to any, or nil.
func AnID(f *load.File, x ast.Expr, match func(types.Type) bool) ast.Expr {
	for x != nil {
		if match(f.TypeOf(x)) {
			return ast.Unparen(x)
		}
		x = Conversion(f, x)
	}
	return nil
}

// Holds reports whether x is an ID, or an element, such as doc["_id"], of a map that the
// same file fills with an ID under that key.
func Holds(f *load.File, x ast.Expr, match func(types.Type) bool) bool {
	if AnID(f, x, match) != nil {
		return true
	}
	index, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return false
	}
	m, ok := index.X.(*ast.Ident)
	key, isText := index.Index.(*ast.BasicLit)
	if !ok || !isText {
		return false
	}
	for c := range f.Cursors((*ast.AssignStmt)(nil)) {
		n := c.Node().(*ast.AssignStmt)
		ident, ok := n.Lhs[0].(*ast.Ident)
		lit, isLit := n.Rhs[0].(*ast.CompositeLit)
		if !ok || !isLit || f.Pkg.Info.ObjectOf(ident) != f.Pkg.Info.ObjectOf(m) {
			continue
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if k, ok := kv.Key.(*ast.BasicLit); ok && k.Value == key.Value && match(f.TypeOf(kv.Value)) {
				return true
			}
		}
	}
	return false
}

// Compared returns the two arguments of a call that a function compares, as testify's
// Equal does, or nil.
func Compared(f *load.File, call *ast.CallExpr, sel *ast.SelectorExpr) []ast.Expr {
	if !strings.Contains(sel.Sel.Name, "Equal") && !strings.HasPrefix(sel.Sel.Name, "Exactly") {
		return nil
	}
	signature, ok := f.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return nil
	}
	params := signature.Params()
	for i := 0; i+1 < params.Len() && i+1 < len(call.Args); i++ {
		if names.IsEmpty(params.At(i).Type()) && names.IsEmpty(params.At(i+1).Type()) {
			return call.Args[i : i+2]
		}
	}
	return nil
}

// ComparedLists yields the lists of a result that a call, such as testify's ElementsMatch,
// compares: each of their elements may be of either type.
func ComparedLists(f *load.File, call *ast.CallExpr, sel *ast.SelectorExpr) (lists []ast.Expr) {
	for _, word := range []string{"Equal", "Match", "Contains", "Subset"} {
		if !strings.Contains(sel.Sel.Name, word) {
			continue
		}
		for _, arg := range call.Args {
			if list, ok := names.Under(f.TypeOf(arg)).(interface{ Elem() types.Type }); ok && names.IsAny(list.Elem()) && IsResultList(arg) {
				lists = append(lists, arg)
			}
		}
		break
	}
	return lists
}
