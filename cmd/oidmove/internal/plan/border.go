package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/flow"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// convert notes conversions where the project meets a library that has the other type. The
// names of the program are replaced.
func (s *sheet) convert() {
	to := s.program.Named(names.OID, "ID")
	if s.back {
		to = s.program.Named(s.program.Driver.BSON, "ObjectID")
	}
	if to == nil {
		return
	}
	for _, f := range s.files {
		b := border{f, to, map[types.Object]bool{}, find.Prints(f.File)}
		b.take()
		done := map[ast.Expr]bool{}
		for fl := range flow.In(f.File, b.typeOf) {
			if !done[fl.Expr] && (b.convert(fl) || !s.back && b.convertAny(fl)) {
				done[fl.Expr] = true
			}
		}
		b.solve(done)
	}
}

// A border is where one file meets libraries.
type border struct {
	*file
	to     types.Type            // the type that the project moves to
	taken  map[types.Object]bool // new variables that get this type
	prints map[ast.Expr]string   // arguments that are printed: a conversion would change the text
}

// take converts the value of a new variable, if a library has made it. Other variables may
// be set from this one.
func (b *border) take() {
	for changed := true; changed; {
		changed = false
		for c := range b.Cursors((*ast.AssignStmt)(nil)) {
			n := c.Node().(*ast.AssignStmt)
			if n.Tok != token.DEFINE || len(n.Lhs) != len(n.Rhs) {
				continue
			}
			for i, value := range n.Rhs {
				ident, ok := n.Lhs[i].(*ast.Ident)
				if !ok || b.Pkg.Info.Defs[ident] == nil || b.taken[b.Pkg.Info.Defs[ident]] {
					continue
				}
				_, isCall := ast.Unparen(value).(*ast.CallExpr)
				if isCall && b.isOld(b.TypeOf(value)) && find.Conversion(b.File, value) == nil {
					b.file.convert(value, !b.back)
				} else if !b.isTaken(value) {
					continue
				}
				b.taken[b.Pkg.Info.Defs[ident]], changed = true, true
			}
		}
	}
}

func (b *border) isTaken(x ast.Expr) bool {
	ident, ok := ast.Unparen(x).(*ast.Ident)
	return ok && b.taken[b.Pkg.Info.ObjectOf(ident)]
}

// typeOf returns the type that x has after take.
func (b *border) typeOf(x ast.Expr) types.Type {
	if b.isTaken(x) {
		return b.to
	}
	if address, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && address.Op == token.AND && b.isTaken(address.X) {
		return types.NewPointer(b.to)
	}
	return b.TypeOf(x)
}

// convert converts an expression of one of the two types, or a pointer to it, that goes
// to a place of the other one.
func (b *border) convert(fl flow.Flow) bool {
	from, to := b.typeOf(fl.Expr), names.Deref(fl.To)
	old := names.Deref(from)
	if !(b.isOld(old) && b.isNew(to) || b.isNew(old) && b.isOld(to)) || names.IsPointer(from) != names.IsPointer(fl.To) {
		return false
	}
	if arg := find.Conversion(b.File, fl.Expr); arg != nil && types.Identical(b.typeOf(arg), fl.To) {
		b.unwrap(ast.Unparen(fl.Expr), arg)
		return true
	}
	name := b.nameOf(names.IsOurs(to))
	if names.IsPointer(from) {
		name = "(*" + name + ")"
	}
	b.wrap(fl.Expr, name+"(", ")")
	return true
}

// convertAny converts the driver's type where it goes to an any, such as an argument of
// testify's Equal.
func (b *border) convertAny(fl flow.Flow) bool {
	if !b.isOld(b.typeOf(fl.Expr)) || !names.IsEmpty(fl.To) || find.Conversion(b.File, fl.Expr) != nil || b.prints[fl.Expr] != "" {
		return false
	}
	b.file.convert(fl.Expr, true)
	return true
}

// solve notes the places of errors that conversions, and variables of another type, end. An
// error of a comparison is at its beginning or its operator.
func (b *border) solve(done map[ast.Expr]bool) {
	for c := range b.Cursors() {
		x, ok := c.Node().(ast.Expr)
		if !ok || !done[x] && b.typeOf(x) == b.TypeOf(x) {
			continue
		}
		b.solved[x.Pos()] = true
		if parent, ok := c.Parent().Node().(*ast.BinaryExpr); ok {
			b.solved[parent.Pos()], b.solved[parent.OpPos] = true, true
		}
	}
}
