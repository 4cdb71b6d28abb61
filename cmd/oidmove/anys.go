package main

import (
	"go/ast"
	"go/types"
	"iter"
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
