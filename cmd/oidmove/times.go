package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// renameTimestamp renames NewObjectIDFromTimestamp. In a filter the ID of a time is a
// bound. Elsewhere it is the ID of a row, and oid.NewAt returns an error for a time that
// an ID can't hold. If the code around it can't return the error, the driver's function
// stays.
func (f *file) renameTimestamp(c inspector.Cursor, sel *ast.SelectorExpr) {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || call.Fun != ast.Expr(sel) {
		f.leave(sel, "a function that makes the ID of a time", "write one that calls oid.NewAt or oid.MinAt")
		return
	}
	if conversion, ok := c.Parent().Parent().Node().(*ast.CallExpr); ok && f.isConversion(conversion) {
		return
	}
	if bound := f.boundOf(c.Parent()); bound != "" {
		f.replace(sel.Pos(), sel.End(), f.local(oidPath)+"."+bound)
		return
	}
	if f.newAt(c.Parent()) {
		f.replace(sel.Pos(), sel.End(), f.local(oidPath)+".NewAt")
		return
	}
	f.wrap(call, f.local(oidPath)+".ID(", ")")
	f.leave(sel, "an ID of a time", "write oid.NewAt(t) if it is the key of a row, oid.MinAt(t) if it is a bound of a query")
}

// boundOf returns the function, MinAt or MaxAt, that makes the bound that the call at c
// is in a filter. The call may also set a variable that is used for this only.
func (f *file) boundOf(c inspector.Cursor) string {
	if bound := bounds[f.operator(c)]; bound != "" {
		return bound
	}
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
		return ""
	}
	obj, all := f.unit.info.Defs[assign.Lhs[0].(*ast.Ident)], ""
	for use := range f.cursors((*ast.Ident)(nil)) {
		if obj == nil || f.unit.info.Uses[use.Node().(*ast.Ident)] != obj {
			continue
		}
		bound := bounds[f.operator(use)]
		if bound == "" || all != "" && bound != all {
			return ""
		}
		all = bound
	}
	return all
}

var bounds = map[string]string{"$gt": "MinAt", "$gte": "MinAt", "$lt": "MinAt", "$lte": "MaxAt"}

// operator returns the key, such as $gte, that c is the value of in a filter.
func (f *file) operator(c inspector.Cursor) string {
	var key ast.Expr
	switch n := c.Parent().Node().(type) {
	case *ast.KeyValueExpr:
		key = n.Key
		if ident, ok := key.(*ast.Ident); ok && ident.Name == "Value" { // bson.E{Key: "$gte", Value: c}
			if e, ok := c.Parent().Parent().Node().(*ast.CompositeLit); ok && len(e.Elts) == 2 {
				if kv, ok := e.Elts[0].(*ast.KeyValueExpr); ok {
					key = kv.Value
				}
			}
		}
	case *ast.CompositeLit: // bson.E{"$gte", c}
		if len(n.Elts) == 2 {
			key = n.Elts[0]
		}
	case *ast.AssignStmt: // m["$gte"] = c
		if index, ok := n.Lhs[0].(*ast.IndexExpr); ok && len(n.Lhs) == 1 {
			key = index.Index
		}
	}
	lit, ok := key.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value)
	return text
}

// newAt changes the statement around the call at c so that oid.NewAt can return its
// error, and reports whether that is possible:
//
//	return id(t), nil  is  return id(t)
//	x := id(t)         is  x, err := id(t), and an if that returns err
func (f *file) newAt(c inspector.Cursor) bool {
	fn := enclosing(c)
	switch n := c.Parent().Node().(type) {
	case *ast.ReturnStmt:
		if len(n.Results) != 2 || n.Results[0] != c.Node() || f.text(n.Results[1]) != "nil" || !f.returnsError(fn) {
			return false
		}
		f.replace(n.Results[0].End(), n.End(), "")
		return true
	case *ast.AssignStmt:
		_, inBlock := c.Parent().Parent().Node().(*ast.BlockStmt)
		if !inBlock || n.Tok != token.DEFINE || len(n.Lhs) != 1 {
			return false
		}
		name := "err"
		if mentions(fn, name) {
			name = "errTime"
		}
		fail, indent := f.failure(fn, name), f.lineOf(n)
		if fail == "" || mentions(fn, "errTime") || strings.TrimSpace(indent) != "" {
			return false
		}
		f.insert(n.Lhs[0].End(), ", "+name)
		f.insertLine(n.End(), fmt.Sprintf("%[1]sif %[2]s != nil {\n%[1]s\t%[3]s\n%[1]s}", indent, name, fail))
		return true
	}
	return false
}

// lineOf returns the text of the line of n around n. That is the indentation, but for a
// comment.
func (f *file) lineOf(n ast.Node) string {
	start, end := f.offset(n.Pos()), f.offset(n.End())
	before := f.now[bytes.LastIndexByte(f.now[:start], '\n')+1 : start]
	after, _, _ := bytes.Cut(f.now[end:], []byte("\n"))
	after, _, _ = bytes.Cut(after, []byte("//"))
	return string(before) + strings.TrimSpace(string(after))
}

// failure returns the statement that ends fn with the error of that name: a return, or
// t.Fatal in a test. It is "" if there is none.
func (f *file) failure(fn ast.Node, name string) string {
	signature := f.signature(fn)
	if signature == nil {
		return ""
	}
	for param := range signature.Params().Variables() {
		if t := deref(param.Type()); isNamed(t, "testing", "T") || isNamed(t, "testing", "B") || isNamed(t, "testing", "TB") {
			return param.Name() + ".Fatal(" + name + ")"
		}
	}
	if !f.returnsError(fn) {
		return ""
	}
	var values []string
	for i := range signature.Results().Len() - 1 {
		zero := f.zeroText(signature.Results().At(i).Type())
		if zero == "" {
			return ""
		}
		values = append(values, zero)
	}
	return "return " + strings.Join(append(values, name), ", ")
}

// returnsError reports whether the last result of fn is an error.
func (f *file) returnsError(fn ast.Node) bool {
	signature := f.signature(fn)
	if signature == nil || signature.Results().Len() == 0 {
		return false
	}
	last := signature.Results().At(signature.Results().Len() - 1)
	return types.Identical(last.Type(), types.Universe.Lookup("error").Type())
}

// zeroText returns the zero value of a type as the file writes it, or "".
func (f *file) zeroText(t types.Type) string {
	if f.unit.project.driver.isNative(t) || isOurs(t) {
		return f.local(oidPath) + ".ID{}"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return "nil"
	case *types.Interface:
		if isAny(t) {
			return "nil"
		}
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() == f.unit.types && named.TypeArgs() == nil {
			return named.Obj().Name() + "{}"
		}
	}
	return ""
}

// backTimes makes MinAt, MaxAt and NewAt the driver's function again, with the statement
// around it.
func backTimes(p *project, f *file) {
	for c := range f.cursors((*ast.SelectorExpr)(nil)) {
		sel := c.Node().(*ast.SelectorExpr)
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !f.isIn(sel, oidPath) || !ok || call.Fun != ast.Expr(sel) {
			continue
		}
		if sel.Sel.Name == "NewAt" && f.backNewAt(c.Parent()) || f.boundOf(c.Parent()) == sel.Sel.Name {
			f.replace(sel.Pos(), sel.End(), f.local(p.driver.bson)+".NewObjectIDFromTimestamp")
		}
	}
}

// backNewAt is newAt in the other direction.
func (f *file) backNewAt(c inspector.Cursor) bool {
	switch n := c.Parent().Node().(type) {
	case *ast.ReturnStmt:
		if len(n.Results) == 1 {
			f.insert(n.End(), ", nil")
			return true
		}
	case *ast.AssignStmt:
		next, ok := c.Parent().NextSibling()
		if !ok || len(n.Lhs) != 2 || n.Tok != token.DEFINE {
			return false
		}
		check, ok := next.Node().(*ast.IfStmt)
		errName, isIdent := n.Lhs[1].(*ast.Ident)
		if !ok || !isIdent || f.unit.info.Defs[errName] == nil || f.text(check.Cond) != errName.Name+" != nil" || check.Init != nil || check.Else != nil || len(check.Body.List) != 1 {
			return false
		}
		for use := range f.usesIn(enclosing(c), f.unit.info.Defs[errName]) {
			if use.Pos() < check.Pos() || use.Pos() > check.End() {
				return false
			}
		}
		f.replace(n.Lhs[0].End(), errName.End(), "")
		f.dropLines(check)
		return true
	}
	return false
}
