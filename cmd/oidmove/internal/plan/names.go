package plan

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// names puts our names in the place of the driver's. It keeps the text of id.String(), which
// has digits only for an oid.ID.
func (f *file) names() {
	d := f.program.Driver
	for c := range f.Cursors((*ast.SelectorExpr)(nil)) {
		sel := c.Node().(*ast.SelectorExpr)
		switch {
		case find.IsIn(f.File, sel, d.BSON):
			f.rename(c, sel)
		case sel.Sel.Name != "String" || !d.IsNative(f.TypeOf(sel.X)) || find.Conversion(f.File, sel.X) != nil:
		case f.Pkg.Info.Types[sel.X].IsType():
			f.leave(sel, "this prints the 24 digits now, not ObjectID(…)", "check what reads this text")
		default:
			f.convert(sel.X, false)
		}
	}
}

func (f *file) rename(c inspector.Cursor, sel *ast.SelectorExpr) {
	parent := c.Parent().Node()
	switch sel.Sel.Name {
	case "ObjectID":
		if field, ok := f.Pkg.Info.Defs[sel.Sel].(*types.Var); ok && field.Embedded() {
			f.leave(sel, "a struct embeds the driver's type, so the field is called ObjectID", "give the field a name, and run oidmove again")
			return
		}
		if find.ConvertsTo(f.File, c, names.IsOurs) {
			return
		}
	case "NilObjectID":
		zero := f.nameOf(true) + "{}"
		if needsParens(c) {
			zero = "(" + zero + ")"
		}
		f.replace(sel.Pos(), sel.End(), zero)
	case "ErrInvalidHex":
		switch parent.(type) {
		case *ast.BinaryExpr, *ast.CaseClause:
			f.leave(sel, "an error of oid.Parse wraps oid.ErrSyntax, and never equals it", "compare with errors.Is")
		}
	case "NewObjectIDFromTimestamp": // its result is converted
		f.leave(sel, "this makes an ID from a time", "write oid.MinAt(t) or oid.MaxAt(t) if it is a bound of a query, oid.NewAt(t) if it is the key of a row")
	}
	if name := names.Rename(sel.Sel.Name, false); name != "" {
		f.name(sel, names.OID, name)
	}
}

// needsParens reports whether a composite literal in the place of c needs parentheses: in an
// operand, and in the head of a statement.
func needsParens(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.BinaryExpr_X, edge.BinaryExpr_Y, edge.SelectorExpr_X, edge.SwitchStmt_Tag, edge.IndexExpr_X:
		return true
	}
	switch c.Parent().Parent().Node().(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// backNames puts the driver's names in the place of ours. A function that the driver lacks
// stays, and its result is converted.
func (f *file) backNames() {
	for c, sel := range find.Selectors(f.File, names.OID) {
		_, isFunc := f.Pkg.Info.Uses[sel.Sel].(*types.Func)
		name := names.Rename(sel.Sel.Name, true)
		switch {
		case find.ConvertsTo(f.File, c, f.program.Driver.IsNative):
		case zeroID(c) != nil:
			f.replace(zeroID(c).Pos(), zeroID(c).End(), f.local(f.program.Driver.BSON)+".NilObjectID")
		case name != "":
			f.name(sel, f.program.Driver.BSON, name)
		case !isFunc:
			f.leave(sel, "oid."+sel.Sel.Name+" is not in the driver", "write it without package oid, or keep it and convert the result")
		}
	}
}

// zeroID returns the empty literal with the type at c, with its parentheses, or nil.
func zeroID(c inspector.Cursor) ast.Node {
	lit, ok := c.Parent().Node().(*ast.CompositeLit)
	if !ok || lit.Type != c.Node() || len(lit.Elts) > 0 {
		return nil
	}
	zero := c.Parent()
	if _, ok := zero.Parent().Node().(*ast.ParenExpr); ok {
		zero = zero.Parent()
	}
	if _, isAddress := zero.Parent().Node().(*ast.UnaryExpr); isAddress {
		return nil
	}
	return zero.Node()
}
