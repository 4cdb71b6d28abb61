package plan

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// names puts our names in the place of the driver's.
func (f *file) names() {
	d := f.program.Driver
	for c := range f.Cursors((*ast.SelectorExpr)(nil)) {
		sel := c.Node().(*ast.SelectorExpr)
		switch {
		case find.IsIn(f.File, sel, d.BSON):
			f.rename(c, sel)
		case sel.Sel.Name == "String" && d.IsNative(f.TypeOf(sel.X)) && find.Conversion(f.File, sel.X) == nil:
			f.keepString(sel)
		}
	}
}

func (f *file) rename(c inspector.Cursor, sel *ast.SelectorExpr) {
	parent := c.Parent().Node()
	switch sel.Sel.Name {
	case "ObjectID":
		if isEmbedded(c) {
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
		f.leave(sel, "an ID of a time", "write oid.MinAt(t) or oid.MaxAt(t) if it is a bound of a query, oid.NewAt(t) if it is the key of a row")
	}
	if name := names.Rename(sel.Sel.Name, false); name != "" {
		f.name(sel, names.OID, name)
	}
}

// isEmbedded reports whether c is an embedded field of a struct.
func isEmbedded(c inspector.Cursor) bool {
	field, ok := c.Parent().Node().(*ast.Field)
	if !ok || field.Names != nil {
		return false
	}
	_, ok = c.Parent().Parent().Parent().Node().(*ast.StructType)
	return ok
}

// needsParens reports whether a composite literal in the place of c needs parentheses: in an
// operand, and in the head of a statement.
func needsParens(c inspector.Cursor) bool {
	switch parent := c.Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.SelectorExpr, *ast.SwitchStmt:
		return true
	case *ast.IndexExpr:
		return parent.X == c.Node()
	}
	switch c.Parent().Parent().Node().(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// keepString keeps the text of id.String(), which has digits only for an oid.ID.
func (f *file) keepString(sel *ast.SelectorExpr) {
	if f.Pkg.Info.Types[sel.X].IsType() {
		f.leave(sel, "this prints the 24 digits now, not ObjectID(…)", "check who reads it")
		return
	}
	f.convert(sel.X, false)
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
			f.leave(sel, "oid."+sel.Sel.Name+" is not in the driver", "write it without package oid, or keep it and convert")
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
