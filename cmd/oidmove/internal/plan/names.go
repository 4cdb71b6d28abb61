package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

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
		case sel.Sel.Name == "String" && d.IsNative(f.TypeOf(sel.X)):
			f.keepString(sel)
		}
	}
}

func (f *file) rename(c inspector.Cursor, sel *ast.SelectorExpr) {
	switch sel.Sel.Name {
	case "ObjectID":
		f.renameType(c, sel)
	case "NilObjectID":
		zero := f.local(names.OID) + ".ID{}"
		if needsParens(c) {
			zero = "(" + zero + ")"
		}
		f.replace(sel.Pos(), sel.End(), zero)
	case "ErrInvalidHex":
		f.renameError(c, sel)
	case "NewObjectIDFromTimestamp":
		f.renameTime(c, sel)
	default:
		for _, pair := range names.Pairs {
			if pair.Driver == sel.Sel.Name {
				f.name(sel, names.OID, pair.Ours)
			}
		}
	}
}

// renameType renames bson.ObjectID, but where it has to stay: in a conversion of an
// oid.ID, in a type switch or an assertion, which anys changes, and where it is embedded.
func (f *file) renameType(c inspector.Cursor, sel *ast.SelectorExpr) {
	switch parent := c.Parent().Node().(type) {
	case *ast.CaseClause:
		return
	case *ast.TypeAssertExpr:
		return
	case *ast.Field:
		if _, ok := c.Parent().Parent().Parent().Node().(*ast.StructType); ok && parent.Names == nil {
			f.leave(sel, "a struct embeds the driver's type, so the field is called ObjectID", "give the field a name, and run oidmove again")
			return
		}
	}
	if !find.ConvertsTo(f.File, c, names.IsOurs) {
		f.name(sel, names.OID, "ID")
	}
}

// needsParens reports whether a composite literal in the place of c needs parentheses: in an
// operand, and in the head of a statement.
func needsParens(c inspector.Cursor) bool {
	switch c.Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.SelectorExpr:
		return true
	}
	for up := c; ; up = up.Parent() {
		switch up.Node().(type) {
		case *ast.CallExpr, *ast.IndexExpr, *ast.ParenExpr, *ast.CompositeLit, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.File:
			return false
		}
		switch up.Parent().Node().(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			_, isBody := up.Node().(*ast.BlockStmt)
			return !isBody
		case nil:
			return false
		}
	}
}

// keepString keeps the text of id.String(), which has digits only for an oid.ID.
func (f *file) keepString(sel *ast.SelectorExpr) {
	switch {
	case f.Pkg.Info.Types[sel.X].IsType():
		f.leave(sel, "this prints the 24 digits now, not ObjectID(…)", "keep it, or write a function that calls fmt.Sprintf(\"ObjectID(%q)\", id.Hex())")
	case find.Conversion(f.File, sel.X) != nil && names.IsOurs(f.TypeOf(find.Conversion(f.File, sel.X))):
	default:
		f.wrap(sel.X, f.local(f.program.Driver.BSON)+".ObjectID(", ")")
	}
}

// renameError renames bson.ErrInvalidHex. An error is compared with errors.Is, because
// oid.Parse returns an error of its own that wraps ErrSyntax.
func (f *file) renameError(c inspector.Cursor, sel *ast.SelectorExpr) {
	n, ok := c.Parent().Node().(*ast.BinaryExpr)
	if !ok {
		f.name(sel, names.OID, "ErrSyntax")
		return
	}
	is, end := f.local("errors")+".Is(", ", "+f.local(names.OID)+".ErrSyntax)"
	if n.Op == token.NEQ {
		is = "!" + is
	}
	if n.X == ast.Expr(sel) {
		f.replace(n.Pos(), n.Y.Pos(), "")
		f.wrap(n.Y, is, end)
		return
	}
	f.replace(n.X.End(), n.End(), "")
	f.wrap(n.X, is, end)
}

// renameTime renames NewObjectIDFromTimestamp in a filter, where the ID of a time is a
// bound. Elsewhere it is the ID of a row, and oid.NewAt returns an error for a time that an
// ID can't hold: the driver's function stays.
func (f *file) renameTime(c inspector.Cursor, sel *ast.SelectorExpr) {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || call.Fun != ast.Expr(sel) {
		f.leave(sel, "a function that makes the ID of a time", "write one that calls oid.NewAt or oid.MinAt")
		return
	}
	if outer, ok := c.Parent().Parent().Node().(*ast.CallExpr); ok && find.Conversion(f.File, outer) != nil {
		return
	}
	if bound := find.Bound(f.File, c.Parent()); bound != "" {
		f.name(sel, names.OID, bound)
		return
	}
	f.wrap(call, f.local(names.OID)+".ID(", ")")
	f.leave(sel, "an ID of a time", "write oid.NewAt(t) if it is the key of a row, oid.MinAt(t) if it is a bound of a query")
}

// backTimes makes MinAt and MaxAt the driver's function again.
func (f *file) backTimes() {
	for c, sel := range find.Calls(f.File) {
		if find.IsIn(f.File, sel, names.OID) && find.Bound(f.File, c) == sel.Sel.Name {
			f.name(sel, f.program.Driver.BSON, "NewObjectIDFromTimestamp")
		}
	}
}

// backNames puts the driver's names in the place of ours. A function that the driver lacks
// stays, and its result is converted.
func (f *file) backNames() {
	for c, sel := range find.Selectors(f.File, names.OID) {
		if sel.Sel.Name == "ID" {
			f.backType(c, sel)
			continue
		}
		renamed := false
		for _, pair := range names.Pairs {
			if pair.Ours == sel.Sel.Name {
				f.name(sel, f.program.Driver.BSON, pair.Driver)
				renamed = true
			}
		}
		if _, isFunc := f.Pkg.Info.Uses[sel.Sel].(*types.Func); !renamed && !isFunc {
			f.leave(sel, "oid."+sel.Sel.Name+" is not in the driver", "write it without package oid, or keep it and convert")
		}
	}
}

// backType is renameType and the zero ID in the other direction.
func (f *file) backType(c inspector.Cursor, sel *ast.SelectorExpr) {
	d := f.program.Driver
	clause, inCase := c.Parent().Node().(*ast.CaseClause)
	if inCase && f.widened(clause) == ast.Expr(sel) || find.ConvertsTo(f.File, c, d.IsNative) {
		return
	}
	lit, ok := c.Parent().Node().(*ast.CompositeLit)
	if !ok || lit.Type != ast.Expr(sel) || len(lit.Elts) > 0 {
		f.name(sel, d.BSON, "ObjectID")
		return
	}
	var zero ast.Expr = lit
	up := c.Parent().Parent()
	if paren, ok := up.Node().(*ast.ParenExpr); ok {
		zero, up = paren, up.Parent()
	}
	if _, isPointer := up.Node().(*ast.UnaryExpr); isPointer {
		f.name(sel, d.BSON, "ObjectID")
		return
	}
	f.replace(zero.Pos(), zero.End(), f.local(d.BSON)+".NilObjectID")
}

// mockedTypes renames the type in testify's mock.AnythingOfType("bson.ObjectID"), which
// names it in a string.
func (f *file) mockedTypes() {
	from, to := names.Local(f.program.Driver.BSON)[0]+".ObjectID", "oid.ID"
	if f.back {
		from, to = to, from
	}
	for c, sel := range find.Calls(f.File) {
		call := c.Node().(*ast.CallExpr)
		if sel.Sel.Name != "AnythingOfType" || !find.IsIn(f.File, sel, "github.com/stretchr/testify/mock") || len(call.Args) == 0 {
			continue
		}
		lit, ok := call.Args[0].(*ast.BasicLit)
		if ok && strings.HasSuffix(lit.Value, from+`"`) {
			f.replace(lit.Pos(), lit.End(), strings.TrimSuffix(lit.Value, from+`"`)+to+`"`)
		}
	}
}
