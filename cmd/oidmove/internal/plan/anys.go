package plan

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// anys makes assertions and type switches accept both types: an any that the driver has
// made holds its own type.
func (f *file) anys() {
	for c := range f.Cursors((*ast.TypeAssertExpr)(nil), (*ast.TypeSwitchStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.TypeAssertExpr:
			if n.Type == nil || !f.isOld(f.TypeOf(n.Type)) {
				continue
			}
			function := "MustFromAny"
			if twoValues(c.Parent().Node()) {
				function = "FromAny"
			}
			f.replace(n.X.End(), n.End(), "")
			f.wrap(n, f.codec(function)+"(", ")")
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				f.widen(clause.(*ast.CaseClause))
			}
		}
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

// widen makes a case for the driver's type one for oid.ID too. The variable of the switch is
// then an any in this case, so each of its uses reads it. If one of them sets the variable,
// the case begins with a variable that has the ID.
func (f *file) widen(clause *ast.CaseClause) {
	for _, t := range clause.List {
		if !f.isOld(f.TypeOf(t)) {
			continue
		}
		if !slices.ContainsFunc(clause.List, func(t ast.Expr) bool { return f.isNew(f.TypeOf(t)) }) {
			f.replace(t.Pos(), t.Pos(), f.local(names.OID)+".ID, ")
		}
		v := f.Pkg.Info.Implicits[clause]
		if v == nil || len(clause.List) > 1 {
			return
		}
		read, bound := f.codec("MustFromAny")+"(", find.IsSet(f.File, clause, v)
		if bound {
			f.insertLine(clause.Colon, boundName(v)+" := "+read+v.Name()+")")
		}
		for ident := range find.Uses(f.File, clause, v) {
			if bound {
				f.replace(ident.Pos(), ident.End(), boundName(v))
			} else {
				f.wrap(ident, read, ")")
			}
		}
		return
	}
}

// boundName is the name of the variable that has the ID in a case.
func boundName(v types.Object) string { return v.Name() + "ID" }

// widened returns the oid.ID that widen has added to a case, or nil.
func (f *file) widened(clause *ast.CaseClause) ast.Expr {
	for i, t := range clause.List {
		if i+1 < len(clause.List) && f.isOld(f.TypeOf(t)) && f.isNew(f.TypeOf(clause.List[i+1])) {
			return t
		}
	}
	return nil
}

// backAnys makes FromAny and MustFromAny assertions again, and narrows cases.
func (f *file) backAnys() {
	narrowed := map[ast.Node]bool{}
	for c := range f.Cursors((*ast.CallExpr)(nil), (*ast.CaseClause)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			call := f.fromAny(n)
			if call == nil || narrowed[call] || !names.IsAny(f.TypeOf(call.Args[0])) || f.readsAny(c.Parent().Node()) {
				continue
			}
			f.replace(call.Pos(), call.Args[0].Pos(), "")
			f.replace(call.Args[0].End(), call.End(), ".("+f.local(f.program.Driver.BSON)+".ObjectID)")
		case *ast.CaseClause:
			if t := f.widened(n); t != nil {
				f.replace(t.Pos(), n.List[slices.Index(n.List, t)+1].Pos(), "")
				f.narrow(n, narrowed)
			}
		}
	}
}

func (f *file) fromAny(n ast.Node) *ast.CallExpr {
	return find.CallOf(f.File, n, f.program.Driver.Codec, "FromAny", "MustFromAny")
}

// narrow removes from a case what widen has put around the variable of the switch.
func (f *file) narrow(clause *ast.CaseClause, narrowed map[ast.Node]bool) {
	v := f.Pkg.Info.Implicits[clause]
	if v == nil {
		return
	}
	var bound types.Object
	for n := range ast.Preorder(clause) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && bound == nil && name.Name == boundName(v) && f.reads(n.Rhs[0], v) {
				bound = f.Pkg.Info.Defs[name]
				narrowed[n.Rhs[0]] = true
				f.dropLines(n)
			}
		case *ast.CallExpr:
			if !narrowed[n] && f.reads(n, v) {
				narrowed[n] = true
				f.unwrap(n, n.Args[0])
			}
		case *ast.Ident:
			if bound != nil && f.Pkg.Info.Uses[n] == bound {
				f.replace(n.Pos(), n.End(), v.Name())
			}
		}
	}
}

// reads reports whether n is MustFromAny(v).
func (f *file) reads(n ast.Node, v types.Object) bool {
	call := f.fromAny(n)
	if call == nil {
		return false
	}
	ident, ok := call.Args[0].(*ast.Ident)
	return ok && f.Pkg.Info.Uses[ident] == v
}
