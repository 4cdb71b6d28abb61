package main

import (
	"go/ast"
	"go/types"
	"iter"
	"strings"
)

// assertions makes the assertion of an any accept both types. An any that the driver
// has made holds its own type.
func assertions(p *project, f *file) {
	for c := range f.cursors((*ast.TypeAssertExpr)(nil)) {
		n := c.Node().(*ast.TypeAssertExpr)
		if n.Type == nil || !isOurs(f.typeOf(n.Type)) {
			continue
		}
		function := ".MustFromAny("
		if twoValues(c.Parent().Node()) {
			function = ".FromAny("
		}
		f.replace(n.Pos(), n.X.Pos(), f.local(p.driver.codec)+function)
		f.replace(n.X.End(), n.End(), ")")
	}
}

// twoValues reports whether an assertion in this place gives two values: v, ok := x.(T).
func twoValues(parent ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.AssignStmt:
		return len(parent.Lhs) == 2 && len(parent.Rhs) == 1
	case *ast.ValueSpec:
		return len(parent.Names) == 2 && len(parent.Values) == 1
	}
	return false
}

// typeSwitches makes a case for oid.ID one for the driver's type too. The variable of
// the switch is then an any in this case, so each of its uses reads it.
func typeSwitches(p *project, f *file) {
	for c := range f.cursors((*ast.TypeSwitchStmt)(nil)) {
		for _, clause := range c.Node().(*ast.TypeSwitchStmt).Body.List {
			f.widen(clause.(*ast.CaseClause))
		}
	}
}

func (f *file) widen(clause *ast.CaseClause) {
	d := f.unit.project.driver
	var ours ast.Expr
	for _, t := range clause.List {
		if d.isNative(f.typeOf(t)) {
			return
		}
		if isOurs(f.typeOf(t)) {
			ours = t
		}
	}
	if ours == nil {
		return
	}
	f.insert(ours.End(), ", "+f.local(d.bson)+".ObjectID")
	if v := f.unit.info.Implicits[clause]; v != nil && len(clause.List) == 1 {
		for ident := range f.usesIn(clause, v) {
			f.wrap(ident, f.local(d.codec)+".MustFromAny(", ")")
		}
	}
}

// usesIn yields the identifiers in n that mean obj.
func (f *file) usesIn(n ast.Node, obj types.Object) iter.Seq[*ast.Ident] {
	return func(yield func(*ast.Ident) bool) {
		for n := range ast.Preorder(n) {
			if ident, ok := n.(*ast.Ident); ok && f.unit.info.Uses[ident] == obj && !yield(ident) {
				return
			}
		}
	}
}

// results makes comparisons with the IDs in the results of the driver true again. The
// driver puts its own type into them. The operand stays an any, as it was.
func results(p *project, f *file) {
	held := f.resultVariables()
	for c := range f.cursors((*ast.BinaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.IndexExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			f.comparePair(held, n.X, n.Y)
		case *ast.CallExpr:
			if i, ok := f.equalArgs(n); ok {
				f.comparePair(held, n.Args[i], n.Args[i+1])
			}
		case *ast.IndexExpr:
			if m, ok := f.typeOf(n.X).Underlying().(*types.Map); ok && isAny(m.Key()) && f.isResult(held, n.Index) {
				f.readAny(n.Index)
			}
		}
	}
}

func (f *file) comparePair(held map[types.Object]bool, x, y ast.Expr) {
	switch {
	case f.isResult(held, x) && f.holdsID(y):
		f.readAny(x)
	case f.isResult(held, y) && f.holdsID(x):
		f.readAny(y)
	}
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

// isResult reports whether x is an ID from a result of an insert or an upsert. A
// project's own result types have these fields under the same names.
func (f *file) isResult(held map[types.Object]bool, x ast.Expr) bool {
	if !isAny(f.typeOf(x)) {
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return held[f.unit.info.ObjectOf(x)]
	case *ast.SelectorExpr:
		return x.Sel.Name == "InsertedID" || x.Sel.Name == "UpsertedID"
	case *ast.IndexExpr:
		return isResultList(x.X)
	}
	return false
}

func isResultList(x ast.Expr) bool {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "InsertedIDs" || sel.Sel.Name == "UpsertedIDs")
}

// resultVariables returns the variables that hold such an ID, set by := or range.
func (f *file) resultVariables() map[types.Object]bool {
	held := map[types.Object]bool{}
	for c := range f.cursors((*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				ident, ok := lhs.(*ast.Ident)
				if ok && len(n.Lhs) == len(n.Rhs) && f.isResult(held, n.Rhs[i]) {
					held[f.unit.info.Defs[ident]] = true
				}
			}
		case *ast.RangeStmt:
			if ident, ok := n.Value.(*ast.Ident); ok && isResultList(n.X) {
				held[f.unit.info.Defs[ident]] = true
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
