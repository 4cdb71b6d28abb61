// Package bsonhex finds documents of MongoDB that hold the text of an ID as their _id.
package bsonhex

import (
	"go/ast"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports a filter or a document such as
//
//	bson.M{"_id": id.Hex()}
//
// MongoDB compares values of one type only, so the text never equals an ObjectId: the
// filter finds nothing, and a document with it is never found by its ID.
var Analyzer = &analysis.Analyzer{
	Name:     "bsonhex",
	Doc:      "find filters of MongoDB that compare _id with the text of an ID",
	URL:      ids.URL("bsonhex"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// The packages of bson.M and bson.E in driver v2 and in driver v1.
var packages = []string{"go.mongodb.org/mongo-driver/v2/bson", "go.mongodb.org/mongo-driver/bson/primitive"}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.Preorder([]ast.Node{(*ast.CompositeLit)(nil)}, func(n ast.Node) {
		lit := n.(*ast.CompositeLit)
		switch t := pass.TypesInfo.TypeOf(lit); {
		case isBSON(t, "M"):
			for _, elem := range lit.Elts {
				if pair, ok := elem.(*ast.KeyValueExpr); ok {
					check(pass, pair.Key, pair.Value)
				}
			}
		case isBSON(t, "E"):
			var fields []ast.Expr
			for _, elem := range lit.Elts {
				if pair, ok := elem.(*ast.KeyValueExpr); ok {
					elem = pair.Value // in the order of the fields, as gofmt -s and people write it
				}
				fields = append(fields, elem)
			}
			if len(fields) == 2 {
				check(pass, fields[0], fields[1])
			}
		}
	})
	return nil, nil
}

func isBSON(t types.Type, name string) bool {
	for _, path := range packages {
		if ids.IsNamed(t, path, name) {
			return true
		}
	}
	return false
}

// check reports the pair "_id" and id.Hex().
func check(pass *analysis.Pass, key, value ast.Expr) {
	k := pass.TypesInfo.Types[key].Value
	if k == nil || k.Kind() != constant.String || constant.StringVal(k) != "_id" {
		return
	}
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok {
		return
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Hex" && sel.Sel.Name != "String" || !ids.Is(pass.TypesInfo.TypeOf(sel.X)) {
		return
	}
	ids.Report(pass, analysis.Diagnostic{
		Pos: value.Pos(), End: value.End(),
		Message: "this text never equals an ObjectId: use the ID itself as the _id",
		SuggestedFixes: []analysis.SuggestedFix{{
			Message:   "Pass the ID",
			TextEdits: []analysis.TextEdit{{Pos: sel.X.End(), End: call.End()}},
		}},
	})
}
