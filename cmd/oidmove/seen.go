package main

import (
	"go/ast"
	"go/types"
	"iter"
	"strconv"
	"strings"
)

// leaveSeen lists the places where a program can see that the type has changed: text that
// it prints, and reflection. It also lists what hides the driver's name.
func (f *file) leaveSeen() {
	d := f.unit.project.driver
	for _, spec := range f.syntax.Imports {
		if spec.Name != nil && spec.Name.Name == "." && spec.Path.Value == strconv.Quote(d.bson) {
			f.leave(spec, "a dot imports the driver's names", "import the package under its name, and run oidmove again")
		}
	}
	for arg := range f.printed() {
		if contains(f.typeOf(arg), d.isNative) {
			f.leavePrinted(arg)
		}
	}
	for call, sel := range f.callsOf("reflect") {
		if sel.Sel.Name == "TypeOf" && d.isNative(deref(f.typeOf(call.Args[0]))) {
			f.leave(call, "reflection sees the type oid.ID now", "check what this type is compared with")
		}
	}
}

// printedResults lists the IDs in results that are printed. With MapAny they are IDs of
// package oid.
func printedResults(p *project, f *file) {
	if !p.mapAny {
		return
	}
	held := f.resultVariables()
	for arg := range f.printed() {
		if f.isResult(held, arg) != noResult {
			f.leavePrinted(arg)
		}
	}
}

func (f *file) leavePrinted(arg ast.Expr) {
	f.leave(arg, "this prints the 24 digits now, not ObjectID(…)", "keep it, or write fmt.Sprintf(\"ObjectID(%q)\", id.Hex())")
}

// printed yields what packages fmt and log print.
func (f *file) printed() iter.Seq[ast.Expr] {
	return func(yield func(ast.Expr) bool) {
		for _, path := range []string{"fmt", "log", "log/slog"} {
			for call := range f.callsOf(path) {
				for _, arg := range call.Args {
					if !yield(arg) {
						return
					}
				}
			}
		}
	}
}

// callsOf yields the calls of the functions of a package.
func (f *file) callsOf(path string) iter.Seq2[*ast.CallExpr, *ast.SelectorExpr] {
	return func(yield func(*ast.CallExpr, *ast.SelectorExpr) bool) {
		for c := range f.cursors((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && f.isIn(sel, path) && !yield(call, sel) {
				return
			}
		}
	}
}

// mockedTypes renames the type in testify's mock.AnythingOfType("bson.ObjectID"), which
// names it in a string.
func mockedTypes(back bool) pass {
	return func(p *project, f *file) {
		from, to := localNames[p.driver.bson][0]+".ObjectID", "oid.ID"
		if back {
			from, to = to, from
		}
		for call, sel := range f.callsOf("github.com/stretchr/testify/mock") {
			if sel.Sel.Name != "AnythingOfType" {
				continue
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if ok && strings.HasSuffix(lit.Value, from+`"`) {
				f.replace(lit.Pos(), lit.End(), strings.TrimSuffix(lit.Value, from+`"`)+to+`"`)
			}
		}
	}
}

// leaveLists lists a comparison of a list of IDs in a result, such as InsertedIDs: each of
// them may be of either type.
func (f *file) leaveLists(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	for _, word := range []string{"Equal", "Match", "Contains", "Subset"} {
		if !strings.Contains(sel.Sel.Name, word) {
			continue
		}
		for _, arg := range call.Args {
			if list, ok := under(f.typeOf(arg)).(interface{ Elem() types.Type }); ok && isAny(list.Elem()) && isResultList(arg) {
				f.leave(arg, "an any in this list holds either type", "compare "+localNames[f.unit.project.driver.codec][0]+".MustFromAny of each")
			}
		}
	}
}
