package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ast/inspector"
)

// objectNames are the names of the driver's package, and of ours, that are about IDs.
var objectNames = map[string]bool{
	"ObjectID": true, "NewObjectID": true, "ObjectIDFromHex": true, "NilObjectID": true, "ErrInvalidHex": true,
	"IsValidObjectID": true, "NewObjectIDFromTimestamp": true,
	"ID": true, "New": true, "Parse": true, "ErrSyntax": true,
}

// selectors yields every use of a package in the file, such as bson.ObjectID.
func (f *file) selectors(path string) iter.Seq[*ast.SelectorExpr] {
	return func(yield func(*ast.SelectorExpr) bool) {
		for c := range f.cursors((*ast.SelectorExpr)(nil)) {
			if sel := c.Node().(*ast.SelectorExpr); f.isIn(sel, path) && !yield(sel) {
				return
			}
		}
	}
}

// cursors yields the places in the file with nodes of these types.
func (f *file) cursors(nodes ...ast.Node) iter.Seq[inspector.Cursor] {
	return inspector.New([]*ast.File{f.syntax}).Root().Preorder(nodes...)
}

// isIn reports whether sel selects something of a package.
func (f *file) isIn(sel *ast.SelectorExpr, path string) bool {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	pkg, ok := f.unit.info.Uses[x].(*types.PkgName)
	return ok && pkg.Imported().Path() == path
}

func (f *file) typeOf(e ast.Expr) types.Type { return f.unit.info.TypeOf(e) }

// rename puts our names in the place of the driver's.
func rename(p *project, f *file) {
	f.leaveSeen()
	for c := range f.cursors((*ast.SelectorExpr)(nil)) {
		sel := c.Node().(*ast.SelectorExpr)
		if f.isIn(sel, p.driver.bson) {
			f.renameOne(c, sel)
		} else if p.driver.isNative(f.typeOf(sel.X)) && sel.Sel.Name == "String" {
			f.keepString(sel)
		}
	}
}

func (f *file) renameOne(c inspector.Cursor, sel *ast.SelectorExpr) {
	switch sel.Sel.Name {
	case "ObjectID":
		f.renameType(c, sel)
	case "NewObjectID":
		f.replace(sel.Pos(), sel.End(), f.local(oidPath)+".New")
	case "ObjectIDFromHex":
		f.replace(sel.Pos(), sel.End(), f.local(oidPath)+".Parse")
	case "NilObjectID":
		f.replace(sel.Pos(), sel.End(), f.zero(c.Parent().Node()))
	case "ErrInvalidHex":
		f.renameInvalidHex(c, sel)
	case "IsValidObjectID":
		f.renameIsValid(c, sel)
	case "NewObjectIDFromTimestamp":
		f.renameTimestamp(c, sel)
	}
}

// renameType renames bson.ObjectID, but where it has to stay: in a conversion of an
// oid.ID, next to oid.ID in a type switch, and where it is embedded.
func (f *file) renameType(c inspector.Cursor, sel *ast.SelectorExpr) {
	switch parent := c.Parent().Node().(type) {
	case *ast.CaseClause:
		for _, e := range parent.List {
			if isOurs(f.typeOf(e)) {
				return
			}
		}
	case *ast.Field:
		if _, ok := c.Parent().Parent().Parent().Node().(*ast.StructType); ok && parent.Names == nil {
			f.leave(sel, "a struct embeds the driver's type, so the field is called ObjectID", "give the field a name, and run oidmove again")
			return
		}
	case *ast.CompositeLit:
		if parent.Type == sel && len(parent.Elts) == 0 {
			if _, ok := c.Parent().Parent().Node().(*ast.ParenExpr); !ok {
				f.replace(parent.Pos(), parent.End(), "("+f.local(oidPath)+".ID{})")
				return
			}
		}
	}
	if f.convertsTo(c, isOurs) {
		return
	}
	f.replace(sel.Pos(), sel.End(), f.local(oidPath)+".ID")
}

// convertsTo reports whether c is the type in a conversion, such as T(x) or (*T)(x), of
// a value of a type that matches.
func (f *file) convertsTo(c inspector.Cursor, match func(types.Type) bool) bool {
	fun := c.Node()
	for {
		c = c.Parent()
		switch n := c.Node().(type) {
		case *ast.ParenExpr, *ast.StarExpr:
			fun = n
			continue
		case *ast.CallExpr:
			return n.Fun == fun && len(n.Args) == 1 && match(deref(f.typeOf(n.Args[0])))
		}
		return false
	}
}

func deref(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// zero returns the zero ID for a place in parent. It has parentheses where Go needs them.
// An empty literal of the driver has them elsewhere, so that a move back knows which of
// the two it was.
func (f *file) zero(parent ast.Node) string {
	zero := f.local(oidPath) + ".ID{}"
	switch parent.(type) {
	case *ast.BinaryExpr, *ast.SelectorExpr:
		return "(" + zero + ")"
	}
	return zero
}

// keepString keeps the text of id.String(), which has digits only for an oid.ID.
func (f *file) keepString(sel *ast.SelectorExpr) {
	if f.unit.info.Types[sel.X].IsType() {
		f.leavePrinted(sel)
		return
	}
	if call, ok := ast.Unparen(sel.X).(*ast.CallExpr); ok && f.unit.info.Types[call.Fun].IsType() {
		return
	}
	f.wrap(sel.X, f.local(f.unit.project.driver.bson)+".ObjectID(", ")")
}

// renameInvalidHex renames bson.ErrInvalidHex. An error is compared with errors.Is,
// because oid.Parse returns an error of its own that wraps ErrSyntax.
func (f *file) renameInvalidHex(c inspector.Cursor, sel *ast.SelectorExpr) {
	name := f.local(oidPath) + ".ErrSyntax"
	n, ok := c.Parent().Node().(*ast.BinaryExpr)
	if !ok {
		f.replace(sel.Pos(), sel.End(), name)
		return
	}
	other := n.X
	if other == ast.Expr(sel) {
		other = n.Y
	}
	not := ""
	if n.Op == token.NEQ {
		not = "!"
	}
	f.replace(n.Pos(), n.End(), not+f.local("errors")+".Is("+f.text(other)+", "+name+")")
}

// renameIsValid makes if IsValidObjectID(s) an if with oid.Parse.
func (f *file) renameIsValid(c inspector.Cursor, sel *ast.SelectorExpr) {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || call.Fun != ast.Expr(sel) {
		return
	}
	up, op := c.Parent().Parent(), "=="
	var cond ast.Expr = call
	if not, ok := up.Node().(*ast.UnaryExpr); ok && not.Op == token.NOT {
		up, op, cond = up.Parent(), "!=", not
	}
	n, ok := up.Node().(*ast.IfStmt)
	if !ok || n.Cond != cond || n.Init != nil || mentions(n, "err") {
		f.leave(sel, "IsValidObjectID of the driver is still right", "write _, err := oid.Parse(s) where you like that better")
		return
	}
	f.replace(cond.Pos(), call.Args[0].Pos(), "_, err := "+f.local(oidPath)+".Parse(")
	f.insert(cond.End(), "; err "+op+" nil")
}

// mentions reports whether an identifier of that name is in n.
func mentions(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		found = found || ok && ident.Name == name
		return !found
	})
	return found
}

func (f *file) isConversion(call *ast.CallExpr) bool { return f.unit.info.Types[call.Fun].IsType() }
