package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// results makes comparisons with the IDs in the results of the driver true again. The
// driver puts its own type into them. The operand stays an any, as it was.
func results(p *project, f *file) {
	held := f.resultVariables()
	for c := range f.cursors((*ast.BinaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.IndexExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			x := f.comparedResult(held, n.X, n.Y)
			switch {
			case x == nil:
			case f.isResult(held, x) == upserted:
				f.readUpserted(n, x)
			default:
				f.readAny(x)
			}
		case *ast.CallExpr:
			f.leaveLists(n)
			if i, ok := f.equalArgs(n); ok {
				f.readArg(n, f.comparedResult(held, n.Args[i], n.Args[i+1]))
			}
		case *ast.IndexExpr:
			if m, ok := f.typeOf(n.X).Underlying().(*types.Map); ok && isAny(m.Key()) && f.isResult(held, n.Index) != noResult {
				f.readAny(n.Index)
			}
		}
	}
}

// comparedResult returns the one of two operands that is an ID from a result, if the
// other one holds an ID.
func (f *file) comparedResult(held map[types.Object]result, x, y ast.Expr) ast.Expr {
	switch {
	case f.isResult(held, x) != noResult && f.holdsID(y):
		return x
	case f.isResult(held, y) != noResult && f.holdsID(x):
		return y
	}
	return nil
}

// readArg reads an ID from a result that is an argument of a function such as Equal. A
// test that expects another ID may get none, which only a person can read.
func (f *file) readArg(call *ast.CallExpr, x ast.Expr) {
	if x == nil {
		return
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Not") && strings.HasPrefix(resultName(x), "Upserted") {
		codec := localNames[f.unit.project.driver.codec][0]
		f.leave(x, "this holds nil or the driver's ObjectID, which is never equal to an oid.ID", "compare with "+codec+".MustFromAny of it, if it isn't nil")
		return
	}
	f.readAny(x)
}

// readUpserted reads x, an operand of n, if anything was upserted.
func (f *file) readUpserted(n *ast.BinaryExpr, x ast.Expr) {
	check := " != nil && "
	if n.Op == token.NEQ {
		check = " == nil || "
	}
	f.insert(n.Pos(), "("+f.text(x)+check)
	f.readAny(x)
	f.insert(n.End(), ")")
}

// unguard removes what readUpserted has put around a comparison.
func unguard(p *project, f *file) {
	for c := range f.cursors((*ast.ParenExpr)(nil)) {
		outer, ok := c.Node().(*ast.ParenExpr).X.(*ast.BinaryExpr)
		if !ok || outer.Op != token.LAND && outer.Op != token.LOR {
			continue
		}
		check, isCheck := outer.X.(*ast.BinaryExpr)
		inner, isInner := outer.Y.(*ast.BinaryExpr)
		if isCheck && isInner && f.text(check.Y) == "nil" && (f.reads(inner.X, check.X) || f.reads(inner.Y, check.X)) {
			f.unwrap(c.Node(), inner)
		}
	}
}

// reads reports whether e is any(bsoncodec.MustFromAny(x)).
func (f *file) reads(e, x ast.Expr) bool {
	name := f.local(f.unit.project.driver.codec)
	return f.text(e) == "any("+name+".MustFromAny("+f.text(x)+"))"
}

// readAny reads x as an ID, and leaves it an any.
func (f *file) readAny(x ast.Expr) {
	f.wrap(x, "any("+f.local(f.unit.project.driver.codec)+".MustFromAny(", "))")
}

// holdsID reports whether x is an ID, or one in an any.
func (f *file) holdsID(x ast.Expr) bool {
	x = ast.Unparen(x)
	if isOurs(f.typeOf(x)) {
		return true
	}
	switch x := x.(type) {
	case *ast.CallExpr:
		return f.isConversion(x) && len(x.Args) == 1 && f.holdsID(x.Args[0])
	case *ast.IndexExpr:
		return f.literalHolds(x)
	}
	return false
}

// literalHolds reports whether x is an element, such as doc["_id"], of a map that the
// same file fills with an ID under that key.
func (f *file) literalHolds(x *ast.IndexExpr) bool {
	m, ok := x.X.(*ast.Ident)
	key, isText := x.Index.(*ast.BasicLit)
	if !ok || !isText {
		return false
	}
	obj, found := f.unit.info.ObjectOf(m), false
	for c := range f.cursors((*ast.AssignStmt)(nil)) {
		n := c.Node().(*ast.AssignStmt)
		ident, ok := n.Lhs[0].(*ast.Ident)
		lit, isLit := n.Rhs[0].(*ast.CompositeLit)
		if !ok || !isLit || f.unit.info.ObjectOf(ident) != obj {
			continue
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			k, ok := kv.Key.(*ast.BasicLit)
			found = found || ok && k.Value == key.Value && isOurs(f.typeOf(kv.Value))
		}
	}
	return found
}

// A result says which result of the driver an any comes from, if from one.
type result int

const (
	noResult result = iota
	inserted
	upserted // nil if nothing was upserted
)

// isResult returns which ID from a result x is. A project's own result types have these
// fields under the same names. The analyzer anycompare of oidvet knows them too. It is in
// another module, and no module imports another's internal package. So TestRules runs
// anycompare on what oidmove has made.
func (f *file) isResult(held map[types.Object]result, x ast.Expr) result {
	if !isAny(f.typeOf(x)) {
		return noResult
	}
	if ident, ok := ast.Unparen(x).(*ast.Ident); ok {
		return held[f.unit.info.ObjectOf(ident)]
	}
	return resultFields[resultName(x)]
}

// resultName returns the name of the field of a result that x is, or is an element of.
func resultName(x ast.Expr) string {
	x = ast.Unparen(x)
	if index, ok := x.(*ast.IndexExpr); ok {
		x = ast.Unparen(index.X)
	}
	if sel, ok := x.(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return ""
}

var resultFields = map[string]result{"InsertedID": inserted, "InsertedIDs": inserted, "UpsertedID": upserted, "UpsertedIDs": upserted}

// isResultList reports whether x is a list or a map of such IDs.
func isResultList(x ast.Expr) bool {
	name := resultName(x)
	return name == "InsertedIDs" || name == "UpsertedIDs"
}

// resultVariables returns the variables that hold such an ID, set by := or range.
func (f *file) resultVariables() map[types.Object]result {
	held := map[types.Object]result{}
	for c := range f.cursors((*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if ident, ok := lhs.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					held[f.unit.info.Defs[ident]] = f.isResult(held, n.Rhs[i])
				}
			}
		case *ast.RangeStmt:
			if ident, ok := n.Value.(*ast.Ident); ok && isResultList(n.X) {
				held[f.unit.info.Defs[ident]] = inserted // never nil
			}
		}
	}
	delete(held, nil)
	return held
}

// equalArgs returns the index of the first of two arguments that a function compares,
// as testify's Equal does.
func (f *file) equalArgs(call *ast.CallExpr) (int, bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !strings.Contains(sel.Sel.Name, "Equal") && !strings.HasPrefix(sel.Sel.Name, "Exactly") {
		return 0, false
	}
	signature, ok := f.typeOf(call.Fun).(*types.Signature)
	if !ok {
		return 0, false
	}
	for i := 0; i+1 < signature.Params().Len() && i+1 < len(call.Args); i++ {
		if isAny(signature.Params().At(i).Type()) && isAny(signature.Params().At(i+1).Type()) && !isTestingT(signature.Params().At(i).Type()) {
			return i, true
		}
	}
	return 0, false
}

// isTestingT reports whether t is testify's TestingT or the like: an interface with methods.
func isTestingT(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0
}
