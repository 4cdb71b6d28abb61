// Package idcalls finds calls that compile, but misuse an ID or its creation time.
package idcalls

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/values"
)

// Analyzer reports the calls
//
//	fmt.Sprintf("%x", id)                        // the hex digits of the hex digits
//	json.Marshal(id[:])                          // base64
//	url.PathEscape(string(id[:]))                // 12 raw bytes
//	oid.Derive(time.Now(), name)                 // another ID in the next second
//	oid.Fill(make([]oid.ID, 0, 10))              // fills nothing
//	oid.MinAt(time.Unix(t.UnixMilli(), 0))       // the greatest ID
//	id.Timestamp().Equal(order.CreatedAt)        // false, because of the fraction
//	db.Exec("UPDATE t SET parent = ?", oid.ID{}) // 12 zero bytes, not NULL
//	collection.InsertOne(ctx, order)             // another _id, if the field ID has no tag
//	gormplugin.WithModels(&Tag{})                // makes no key, if Tag has no ID, or a gorm.Model
//
// Each of them compiles and returns no error, unless the database refuses the zero ID.
var Analyzer = &analysis.Analyzer{
	Name:     "idcalls",
	Doc:      "find calls that compile, but misuse an ID or its creation time",
	URL:      ids.URL("idcalls"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	c := checker{pass, values.Of(pass, in)}
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		call := n.(*ast.CallExpr)
		fun, _ := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
		if fun == nil || len(call.Args) == 0 {
			return
		}
		c.text(fun, call)
		c.times(fun, call)
		c.stored(fun, call)
	})
	return nil, nil
}

// A checker looks at the calls of a package.
type checker struct {
	pass   *analysis.Pass
	values values.Set
}

// report reports expr. The fix writes instead, unless that is "", and adds an import by edits.
func (c checker) report(expr ast.Expr, message, instead string, edits ...analysis.TextEdit) {
	d := analysis.Diagnostic{Pos: expr.Pos(), End: expr.End(), Message: message}
	if instead != "" {
		d.SuggestedFixes = []analysis.SuggestedFix{{
			Message:   "Write " + instead,
			TextEdits: append(edits, analysis.TextEdit{Pos: expr.Pos(), End: expr.End(), NewText: []byte(instead)}),
		}}
	}
	ids.Report(c.pass, d)
}
