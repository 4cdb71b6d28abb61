package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// border returns the pass that inserts conversions where the project meets a library
// that has the other type. A new variable gets the type that the project moves to.
func border(back bool) pass {
	return func(p *project, f *file) {
		for c := range f.cursors((*ast.AssignStmt)(nil)) {
			n := c.Node().(*ast.AssignStmt)
			if n.Tok != token.DEFINE || len(n.Lhs) != len(n.Rhs) {
				continue
			}
			for _, rhs := range n.Rhs {
				f.convertNew(rhs, back)
			}
		}
		if len(f.edits) > 0 {
			return // the types of these variables change what else has to be converted
		}
		done := map[ast.Expr]bool{}
		for flow := range f.flows() {
			if !done[flow.expr] && (f.convert(flow) || !back && f.convertAny(flow)) {
				done[flow.expr] = true
			}
		}
	}
}

// convert converts an expression of one of the two types, or a pointer to it, that goes
// to a place of the other one.
func (f *file) convert(flow flow) bool {
	from := f.typeOf(flow.expr)
	if from == nil || !f.mismatch(deref(from), deref(flow.to)) || isPointer(from) != isPointer(flow.to) {
		return false
	}
	if call, ok := ast.Unparen(flow.expr).(*ast.CallExpr); ok && f.isConversion(call) && types.Identical(f.typeOf(call.Args[0]), flow.to) {
		f.unwrap(call, call.Args[0])
		return true
	}
	name := f.nameOf(isOurs(deref(flow.to)))
	if isPointer(from) {
		name = "(*" + name + ")"
	}
	f.wrap(flow.expr, name+"(", ")")
	return true
}

// convertAny converts the driver's type where it goes to an any, such as an argument of
// testify's Equal. Functions that print are left: the text would change.
func (f *file) convertAny(flow flow) bool {
	call, isCall := ast.Unparen(flow.expr).(*ast.CallExpr)
	if !f.unit.project.driver.isNative(f.typeOf(flow.expr)) || !isEmptyInterface(flow.to) || isCall && f.isConversion(call) || slices.Contains(slices.Collect(f.printed()), flow.expr) {
		return false
	}
	f.wrap(flow.expr, f.nameOf(true)+"(", ")")
	return true
}

func isEmptyInterface(t types.Type) bool {
	i, ok := under(t).(*types.Interface)
	return ok && isAny(t) && i.NumMethods() == 0
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

// mismatch reports whether one type is the driver's and the other one ours.
func (f *file) mismatch(a, b types.Type) bool {
	d := f.unit.project.driver
	return d.isNative(a) && isOurs(b) || isOurs(a) && d.isNative(b)
}

// nameOf returns how the file writes our type, or the driver's.
func (f *file) nameOf(ours bool) string {
	if ours {
		return f.local(oidPath) + ".ID"
	}
	return f.local(f.unit.project.driver.bson) + ".ObjectID"
}

// convertNew converts the value of a new variable, if a library has made it.
func (f *file) convertNew(value ast.Expr, back bool) {
	t := f.typeOf(value)
	foreign := f.unit.project.driver.isNative(t)
	if back {
		foreign = isOurs(t)
	}
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !foreign || !ok || f.isConversion(call) {
		return
	}
	f.wrap(value, f.nameOf(!back)+"(", ")")
}
