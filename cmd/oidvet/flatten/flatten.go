// Package flatten finds calls that pass an ID to a function of another library, if the
// function expands the ID into 12 numbers, or drops the ID.
package flatten

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports calls of two libraries that can make a statement match wrong rows:
//
//   - Flatten and List of github.com/huandu/go-sqlbuilder with IDs. They turn an ID
//     into 12 numbers. On MySQL and MariaDB, WHERE id IN (101, 179, …, 0) matches every row
//     whose key compares equal to one of them.
//   - Update of xorm.io/xorm, if its condition is a struct that holds an ID. xorm drops the ID
//     from the condition.
var Analyzer = &analysis.Analyzer{
	Name:     "flatten",
	Doc:      "find calls of go-sqlbuilder and xorm that turn IDs into numbers, or drop them",
	URL:      ids.URL("flatten"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

const (
	sqlbuilder = "github.com/huandu/go-sqlbuilder"
	xorm       = "xorm.io/xorm"
)

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		call := n.(*ast.CallExpr)
		fun, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
		if !ok || fun.Pkg() == nil { // error.Error has no package
			return
		}
		switch {
		case fun.Pkg().Path() == sqlbuilder && (fun.Name() == "Flatten" || fun.Name() == "List"):
			flattened(pass, call, fun.Name())
		case fun.Pkg().Path() == xorm && fun.Name() == "Update":
			updated(pass, call)
		}
	})
	return nil, nil
}

// flattened reports arguments of Flatten and List that are or hold IDs.
func flattened(pass *analysis.Pass, call *ast.CallExpr, name string) {
	for _, arg := range call.Args {
		t := pass.TypesInfo.TypeOf(arg)
		if !ids.Is(t) && !ids.IsList(t) {
			continue
		}
		d := analysis.Diagnostic{
			Pos: arg.Pos(), End: arg.End(),
			Message: "sqlbuilder." + name + " turns each ID into 12 numbers, and the statement can match rows that nobody named. Write In(\"id\", sqltype.Args(ids)...)",
		}
		if _, ok := t.Underlying().(*types.Slice); ok && name == "Flatten" {
			sqltype, edits := ids.Import(pass, call.Pos(), ids.Root+"/sqltype")
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   "Use " + sqltype + ".Args",
				TextEdits: append(edits, analysis.TextEdit{Pos: call.Fun.Pos(), End: call.Fun.End(), NewText: []byte(sqltype + ".Args")}),
			}}
		}
		ids.Report(pass, d)
	}
}

// updated reports conditions of xorm's Update that are structs with an ID.
func updated(pass *analysis.Pass, call *ast.CallExpr) {
	for _, arg := range call.Args[1:] {
		t := pass.TypesInfo.TypeOf(arg)
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		bean, ok := t.Underlying().(*types.Struct)
		if !ok || !holdsID(bean) {
			continue
		}
		ids.Report(pass, analysis.Diagnostic{
			Pos: arg.Pos(), End: arg.End(),
			Message: "xorm drops the ID of a condition that is a struct, and the update changes other rows too. Write Where(\"id = ?\", id).Update(…)",
		})
	}
}

// holdsID reports whether a field of s is an ID.
func holdsID(s *types.Struct) bool {
	for field := range s.Fields() {
		if ids.Is(field.Type()) {
			return true
		}
	}
	return false
}
