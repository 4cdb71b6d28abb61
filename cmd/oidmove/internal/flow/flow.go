// Package flow knows which expressions go to a place of which type.
package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A Flow is an expression whose value goes to a place of a type.
type Flow struct {
	Expr ast.Expr
	To   types.Type
}

// A file has the flows as methods.
type file struct{ *load.File }

// In returns the flows of a file: assignments, arguments, results, elements, operands.
func In(f *load.File) (all []Flow) {
	for c := range f.Cursors() {
		all = append(all, file{f}.at(c)...)
	}
	return all
}

func (f file) at(c inspector.Cursor) []Flow {
	switch n := c.Node().(type) {
	case *ast.AssignStmt:
		return f.assigned(n)
	case *ast.ValueSpec:
		return f.declared(n)
	case *ast.CallExpr:
		return f.passed(n)
	case *ast.ReturnStmt:
		return f.returned(c, n)
	case *ast.CompositeLit:
		return f.composed(n)
	case *ast.IndexExpr:
		if m, ok := f.TypeOf(n.X).Underlying().(*types.Map); ok {
			return []Flow{{n.Index, m.Key()}}
		}
	case *ast.SendStmt:
		if ch, ok := f.TypeOf(n.Chan).Underlying().(*types.Chan); ok {
			return []Flow{{n.Value, ch.Elem()}}
		}
	case *ast.BinaryExpr:
		if n.Op != token.EQL && n.Op != token.NEQ {
			return nil
		}
		if names.IsAny(f.TypeOf(n.Y)) {
			return []Flow{{n.X, f.TypeOf(n.Y)}}
		}
		return []Flow{{n.Y, f.TypeOf(n.X)}}
	case *ast.SwitchStmt:
		return f.switched(n)
	}
	return nil
}

func (f file) assigned(n *ast.AssignStmt) (list []Flow) {
	if len(n.Lhs) != len(n.Rhs) {
		return nil
	}
	for i, lhs := range n.Lhs {
		if ident, ok := lhs.(*ast.Ident); ok && f.Pkg.Info.Defs[ident] != nil {
			continue // a new variable has the type of its value
		}
		list = append(list, Flow{n.Rhs[i], f.TypeOf(lhs)})
	}
	return list
}

func (f file) declared(n *ast.ValueSpec) (list []Flow) {
	if n.Type == nil {
		return nil
	}
	for _, value := range n.Values {
		list = append(list, Flow{value, f.TypeOf(n.Type)})
	}
	return list
}

func (f file) passed(n *ast.CallExpr) (list []Flow) {
	if f.Pkg.Info.Types[n.Fun].IsType() {
		return nil
	}
	if ident, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && f.Pkg.Info.Types[n.Fun].IsBuiltin() {
		return f.passedToBuiltin(ident.Name, n)
	}
	signature, ok := f.TypeOf(n.Fun).Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	params := signature.Params()
	for i, arg := range n.Args {
		switch last := params.Len() - 1; {
		case signature.Variadic() && i >= last && n.Ellipsis == token.NoPos:
			list = append(list, Flow{arg, params.At(last).Type().(*types.Slice).Elem()})
		case i < params.Len():
			list = append(list, Flow{arg, params.At(i).Type()})
		}
	}
	return list
}

func (f file) passedToBuiltin(name string, n *ast.CallExpr) (list []Flow) {
	if len(n.Args) == 0 {
		return nil
	}
	first := f.TypeOf(n.Args[0]).Underlying()
	if m, ok := first.(*types.Map); ok && name == "delete" && len(n.Args) == 2 {
		return []Flow{{n.Args[1], m.Key()}}
	}
	if s, ok := first.(*types.Slice); ok && name == "append" && n.Ellipsis == token.NoPos {
		for _, arg := range n.Args[1:] {
			list = append(list, Flow{arg, s.Elem()})
		}
	}
	return list
}

func (f file) returned(c inspector.Cursor, n *ast.ReturnStmt) (list []Flow) {
	signature := f.signature(Enclosing(c))
	if signature == nil || signature.Results().Len() != len(n.Results) {
		return nil
	}
	for i, result := range n.Results {
		list = append(list, Flow{result, signature.Results().At(i).Type()})
	}
	return list
}

// Enclosing returns the function around c, or nil.
func Enclosing(c inspector.Cursor) ast.Node {
	for fn := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return fn.Node()
	}
	return nil
}

// signature returns the signature of a function that Enclosing returned.
func (f file) signature(fn ast.Node) (signature *types.Signature) {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		if obj := f.Pkg.Info.Defs[fn.Name]; obj != nil {
			signature, _ = obj.Type().(*types.Signature)
		}
	case *ast.FuncLit:
		signature, _ = f.TypeOf(fn).Underlying().(*types.Signature)
	}
	return signature
}

func (f file) composed(n *ast.CompositeLit) (list []Flow) {
	switch t := names.Deref(f.TypeOf(n)).Underlying().(type) {
	case *types.Struct:
		for i, e := range n.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok && i < t.NumFields() {
				list = append(list, Flow{e, t.Field(i).Type()})
			} else if ok {
				list = append(list, Flow{kv.Value, f.TypeOf(kv.Key)})
			}
		}
	case *types.Map:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				list = append(list, Flow{kv.Key, t.Key()}, Flow{kv.Value, t.Elem()})
			}
		}
	case interface{ Elem() types.Type }: // a slice or an array
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			list = append(list, Flow{e, t.Elem()})
		}
	}
	return list
}

func (f file) switched(n *ast.SwitchStmt) (list []Flow) {
	if n.Tag == nil {
		return nil
	}
	for _, clause := range n.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			list = append(list, Flow{e, f.TypeOf(n.Tag)})
		}
	}
	return list
}
