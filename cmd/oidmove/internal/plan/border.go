package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// take converts the value of a new variable, if a function of a library makes an ID of the
// type that the project leaves. The variable then has the type of the project's other ones.
func (f *file) take() {
	for c := range f.Cursors((*ast.AssignStmt)(nil)) {
		n := c.Node().(*ast.AssignStmt)
		for _, value := range n.Rhs {
			if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && f.isOld(f.TypeOf(value)) && f.isOfLibrary(value) {
				f.convert(value, !f.back)
			}
		}
	}
}

// isOfLibrary reports whether x calls a function of another module by a name that stays. It
// may have no type parameters, because these may stand for the project's own types.
func (f *file) isOfLibrary(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, ok := typeutil.Callee(f.Pkg.Info, call).(*types.Func)
	if !ok || fn.Pkg() == nil || f.program.IsOwn(fn.Pkg().Path()) {
		return false
	}
	renamed := fn.Signature().Recv() == nil && names.Rename(fn.Name(), f.back) != ""
	return !renamed && fn.Signature().TypeParams() == nil && fn.Signature().RecvTypeParams() == nil
}

// border notes conversions where the project meets a library that has the other type. The
// names of the program are replaced.
func (f *file) border() {
	prints := find.Prints(f.File) // a conversion would change the text
	for c := range f.Cursors() {
		x, ok := c.Node().(ast.Expr)
		if !ok {
			continue
		}
		to := find.To(f.File, c)
		if to == nil || prints[x] != "" || !f.convertTo(x, to) {
			continue
		}
		f.solved[x.Pos()] = true
		if comparison, ok := c.Parent().Node().(*ast.BinaryExpr); ok { // its error is at its beginning or its operator
			f.solved[comparison.Pos()], f.solved[comparison.OpPos] = true, true
		}
	}
}

// convertTo converts an expression of one of the two types, or a pointer to it, that goes
// to a place of the other one. It also converts the driver's type where it goes to an any,
// such as an argument of testify's Equal.
func (f *file) convertTo(x ast.Expr, place types.Type) bool {
	from, to := names.Deref(f.TypeOf(x)), names.Deref(place)
	arg, isPointer := find.Conversion(f.File, x), names.IsPointer(place)
	switch {
	case !f.back && f.isOld(f.TypeOf(x)) && names.IsEmpty(place) && arg == nil:
		f.convert(x, true)
	case !(f.isOld(from) && f.isNew(to) || f.isNew(from) && f.isOld(to)) || names.IsPointer(f.TypeOf(x)) != isPointer:
		return false
	case arg != nil && types.Identical(f.TypeOf(arg), place):
		f.unwrap(ast.Unparen(x), arg)
	case isPointer:
		f.wrap(x, "(*"+f.nameOf(names.IsOurs(to))+")(", ")")
	default:
		f.convert(x, names.IsOurs(to))
	}
	return true
}
