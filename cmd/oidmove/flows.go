package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ast/inspector"
)

// A flow is an expression whose value goes to a place of a type.
type flow struct {
	expr ast.Expr
	to   types.Type
}

// flows yields the flows of a file: assignments, arguments, results, elements, operands.
func (f *file) flows() iter.Seq[flow] {
	return func(yield func(flow) bool) {
		for c := range f.cursors() {
			for _, flow := range f.flowsAt(c) {
				if flow.to != nil && !yield(flow) {
					return
				}
			}
		}
	}
}

func (f *file) flowsAt(c inspector.Cursor) []flow {
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
		if m, ok := under(f.typeOf(n.X)).(*types.Map); ok {
			return []flow{{n.Index, m.Key()}}
		}
	case *ast.SendStmt:
		if ch, ok := under(f.typeOf(n.Chan)).(*types.Chan); ok {
			return []flow{{n.Value, ch.Elem()}}
		}
	case *ast.BinaryExpr:
		if n.Op != token.EQL && n.Op != token.NEQ {
			return nil
		}
		if isAny(f.typeOf(n.Y)) {
			return []flow{{n.X, f.typeOf(n.Y)}}
		}
		return []flow{{n.Y, f.typeOf(n.X)}}
	case *ast.SwitchStmt:
		return f.switched(n)
	}
	return nil
}

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func (f *file) assigned(n *ast.AssignStmt) (list []flow) {
	if len(n.Lhs) != len(n.Rhs) {
		return nil
	}
	for i, lhs := range n.Lhs {
		if ident, ok := lhs.(*ast.Ident); ok && f.unit.info.Defs[ident] != nil {
			continue // a new variable has the type of its value
		}
		list = append(list, flow{n.Rhs[i], f.typeOf(lhs)})
	}
	return list
}

func (f *file) declared(n *ast.ValueSpec) (list []flow) {
	if n.Type == nil {
		return nil
	}
	for _, value := range n.Values {
		list = append(list, flow{value, f.typeOf(n.Type)})
	}
	return list
}

func (f *file) passed(n *ast.CallExpr) (list []flow) {
	if f.isConversion(n) {
		return nil
	}
	if ident, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && f.unit.info.Types[n.Fun].IsBuiltin() {
		return f.passedToBuiltin(ident.Name, n)
	}
	signature, ok := under(f.typeOf(n.Fun)).(*types.Signature)
	if !ok {
		return nil
	}
	params := signature.Params()
	for i, arg := range n.Args {
		switch last := params.Len() - 1; {
		case signature.Variadic() && i >= last && n.Ellipsis == token.NoPos:
			list = append(list, flow{arg, params.At(last).Type().(*types.Slice).Elem()})
		case i < params.Len():
			list = append(list, flow{arg, params.At(i).Type()})
		}
	}
	return list
}

func (f *file) passedToBuiltin(name string, n *ast.CallExpr) (list []flow) {
	if len(n.Args) == 0 {
		return nil
	}
	first := under(f.typeOf(n.Args[0]))
	if m, ok := first.(*types.Map); ok && name == "delete" && len(n.Args) == 2 {
		return []flow{{n.Args[1], m.Key()}}
	}
	if s, ok := first.(*types.Slice); ok && name == "append" && n.Ellipsis == token.NoPos {
		for _, arg := range n.Args[1:] {
			list = append(list, flow{arg, s.Elem()})
		}
	}
	return list
}

func (f *file) returned(c inspector.Cursor, n *ast.ReturnStmt) (list []flow) {
	signature := f.signature(enclosing(c))
	if signature == nil || signature.Results().Len() != len(n.Results) {
		return nil
	}
	for i, result := range n.Results {
		list = append(list, flow{result, signature.Results().At(i).Type()})
	}
	return list
}

// enclosing returns the function around c, or nil.
func enclosing(c inspector.Cursor) ast.Node {
	for fn := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return fn.Node()
	}
	return nil
}

// signature returns the signature of a function that enclosing returned.
func (f *file) signature(fn ast.Node) (signature *types.Signature) {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		if obj := f.unit.info.Defs[fn.Name]; obj != nil {
			signature, _ = obj.Type().(*types.Signature)
		}
	case *ast.FuncLit:
		signature, _ = under(f.typeOf(fn)).(*types.Signature)
	}
	return signature
}

func (f *file) composed(n *ast.CompositeLit) (list []flow) {
	switch t := under(deref(f.typeOf(n))).(type) {
	case *types.Struct:
		for i, e := range n.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok && i < t.NumFields() {
				list = append(list, flow{e, t.Field(i).Type()})
			} else if ok {
				list = append(list, flow{kv.Value, f.typeOf(kv.Key)})
			}
		}
	case *types.Map:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				list = append(list, flow{kv.Key, t.Key()}, flow{kv.Value, t.Elem()})
			}
		}
	case interface{ Elem() types.Type }: // a slice or an array
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			list = append(list, flow{e, t.Elem()})
		}
	}
	return list
}

func (f *file) switched(n *ast.SwitchStmt) (list []flow) {
	if n.Tag == nil {
		return nil
	}
	for _, clause := range n.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			list = append(list, flow{e, f.typeOf(n.Tag)})
		}
	}
	return list
}
