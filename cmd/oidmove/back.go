package main

import (
	"bytes"
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// unwrapConversions removes conversions from one type to the other: both are one soon.
// It also removes any(bsoncodec.MustFromAny(x)), which the move has put around x.
func unwrapConversions(p *project, f *file) {
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if !f.isConversion(call) || len(call.Args) != 1 {
			continue
		}
		if read, ok := call.Args[0].(*ast.CallExpr); ok && isAny(f.typeOf(call)) && f.isCodec(read, "MustFromAny") {
			f.unwrap(call, read.Args[0])
			continue
		}
		if f.mismatch(deref(f.typeOf(call)), deref(f.typeOf(call.Args[0]))) {
			f.unwrap(call, call.Args[0])
		}
	}
}

// isCodec reports whether call calls the function of our codec package.
func (f *file) isCodec(call *ast.CallExpr, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name && f.isIn(sel, f.unit.project.driver.codec)
}

// backPackers makes the functions of bsoncodec those of the driver again.
func backPackers(p *project, f *file) {
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		switch {
		case f.isCodec(call, "Marshal"), f.isCodec(call, "Unmarshal"):
			sel := call.Fun.(*ast.SelectorExpr)
			f.replace(sel.Pos(), sel.End(), f.local(p.driver.bson)+"."+sel.Sel.Name)
		case f.isCodec(call, "UnmarshalWith") && f.isRegistry(call.Args[0]):
			f.replace(call.Pos(), call.Args[1].Pos(), f.local(p.driver.bson)+".Unmarshal(")
		}
	}
}

// backClients removes our registries, and the files that hold them.
func backClients(p *project, f *file) {
	if strings.HasPrefix(filepath.Base(f.name), registryPackage) && bytes.Contains(f.now, []byte("MapAny(")) {
		f.now = nil
		f.unit.forget(f.name)
		return
	}
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if ok && sel.Sel.Name == "SetRegistry" && f.isRegistry(call.Args[0]) {
			f.replace(sel.X.End(), call.End(), "")
		}
	}
}

// forget takes a file out of every variant of the package.
func (u *unit) forget(name string) {
	for _, other := range u.project.units {
		var names []string
		for _, n := range other.pkg.CompiledGoFiles {
			if n != name {
				names = append(names, n)
			}
		}
		other.pkg.CompiledGoFiles = names
	}
}

// backSwitches removes oid.ID from the cases that name both types. The variable of the
// switch has the type of the case again.
func backSwitches(p *project, f *file) {
	for c := range f.cursors((*ast.CaseClause)(nil)) {
		clause := c.Node().(*ast.CaseClause)
		for i, t := range clause.List {
			if i+1 == len(clause.List) || !isOurs(f.typeOf(t)) || !p.driver.isNative(f.typeOf(clause.List[i+1])) {
				continue
			}
			f.replace(t.Pos(), clause.List[i+1].Pos(), "")
			if len(clause.List) == 2 {
				f.unread(clause)
			}
		}
	}
}

// unread removes bsoncodec.MustFromAny from around the variable of a type switch.
func (f *file) unread(clause *ast.CaseClause) {
	for n := range ast.Preorder(clause) {
		call, ok := n.(*ast.CallExpr)
		if !ok || !f.isCodec(call, "MustFromAny") {
			continue
		}
		if ident, ok := call.Args[0].(*ast.Ident); ok && f.unit.info.Uses[ident] == f.unit.info.Implicits[clause] {
			f.unwrap(call, ident)
		}
	}
}

// backAssertions makes FromAny and MustFromAny assertions again.
func backAssertions(p *project, f *file) {
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if !f.isCodec(call, "FromAny") && !f.isCodec(call, "MustFromAny") || !isAny(f.typeOf(call.Args[0])) {
			continue
		}
		f.replace(call.Pos(), call.Args[0].Pos(), "")
		f.replace(call.Args[0].End(), call.End(), ".("+f.local(p.driver.bson)+".ObjectID)")
	}
}

// backNames puts the driver's names in the place of ours.
func backNames(p *project, f *file) {
	for c := range f.cursors((*ast.SelectorExpr)(nil)) {
		if sel := c.Node().(*ast.SelectorExpr); f.isIn(sel, oidPath) {
			f.backName(c, sel)
		}
	}
}

func (f *file) backName(c inspector.Cursor, sel *ast.SelectorExpr) {
	bson := f.unit.project.driver.bson
	switch sel.Sel.Name {
	case "ID":
		f.backType(c, sel)
	case "New":
		f.replace(sel.Pos(), sel.End(), f.local(bson)+".NewObjectID")
	case "Parse":
		f.backParse(c, sel)
	case "ErrSyntax":
		f.replace(sel.Pos(), sel.End(), f.local(bson)+".ErrInvalidHex")
	default: // a function stays, and its result is converted
		if _, ok := f.unit.info.Uses[sel.Sel].(*types.Func); !ok {
			f.leave(sel, "oid."+sel.Sel.Name+" is not in the driver", "write it without package oid, or keep it and convert")
		}
	}
}

// backType is renameType in the other direction, and the other half of zero.
func (f *file) backType(c inspector.Cursor, sel *ast.SelectorExpr) {
	name := f.local(f.unit.project.driver.bson)
	lit, ok := c.Parent().Node().(*ast.CompositeLit)
	if !ok || lit.Type != ast.Expr(sel) || len(lit.Elts) > 0 {
		if !f.convertsTo(c, f.unit.project.driver.isNative) {
			f.replace(sel.Pos(), sel.End(), name+".ObjectID")
		}
		return
	}
	paren, ok := c.Parent().Parent().Node().(*ast.ParenExpr)
	if !ok {
		f.replace(lit.Pos(), lit.End(), name+".NilObjectID")
		return
	}
	switch c.Parent().Parent().Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.SelectorExpr:
		f.replace(paren.Pos(), paren.End(), name+".NilObjectID")
	default:
		f.replace(paren.Pos(), paren.End(), name+".ObjectID{}")
	}
}

// backParse is renameIsValid in the other direction, or makes oid.Parse ObjectIDFromHex.
func (f *file) backParse(c inspector.Cursor, sel *ast.SelectorExpr) {
	name := f.local(f.unit.project.driver.bson)
	assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt)
	if ok && f.unit.project.driver.name == "v1" && len(assign.Lhs) == 2 && f.text(assign.Lhs[0]) == "_" {
		n, ok := c.Parent().Parent().Parent().Node().(*ast.IfStmt)
		if ok && n.Init == ast.Stmt(assign) && !mentions(n.Body, "err") {
			not := ""
			switch f.text(n.Cond) {
			case "err == nil":
			case "err != nil":
				not = "!"
			default:
				return
			}
			f.replace(assign.Pos(), sel.End(), not+name+".IsValidObjectID")
			f.replace(assign.End(), n.Cond.End(), "")
			return
		}
	}
	f.replace(sel.Pos(), sel.End(), name+".ObjectIDFromHex")
}
