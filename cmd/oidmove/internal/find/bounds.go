package find

import (
	"go/ast"
	"go/token"
	"strconv"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

// bounds are the functions that make the bounds of filters.
var bounds = map[string]string{"$gt": "MinAt", "$gte": "MinAt", "$lt": "MinAt", "$lte": "MaxAt"}

// Bound returns the function, MinAt or MaxAt, that makes the bound that the call at c
// is in a filter. The call may also set a variable that is used for this only.
func Bound(f *load.File, c inspector.Cursor) string {
	if bound := bounds[operator(c)]; bound != "" {
		return bound
	}
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
		return ""
	}
	ident, ok := assign.Lhs[0].(*ast.Ident)
	if !ok || f.Pkg.Info.Defs[ident] == nil {
		return ""
	}
	all := ""
	for use := range f.Cursors((*ast.Ident)(nil)) {
		if f.Pkg.Info.Uses[use.Node().(*ast.Ident)] != f.Pkg.Info.Defs[ident] {
			continue
		}
		bound := bounds[operator(use)]
		if bound == "" || all != "" && bound != all {
			return ""
		}
		all = bound
	}
	return all
}

// operator returns the key, such as $gte, that c is the value of in a filter.
func operator(c inspector.Cursor) string {
	var key ast.Expr
	switch n := c.Parent().Node().(type) {
	case *ast.KeyValueExpr:
		key = n.Key
		if ident, ok := key.(*ast.Ident); ok && ident.Name == "Value" { // bson.E{Key: "$gte", Value: c}
			if e, ok := c.Parent().Parent().Node().(*ast.CompositeLit); ok && len(e.Elts) == 2 {
				if kv, ok := e.Elts[0].(*ast.KeyValueExpr); ok {
					key = kv.Value
				}
			}
		}
	case *ast.CompositeLit: // bson.E{"$gte", c}
		if len(n.Elts) == 2 {
			key = n.Elts[0]
		}
	case *ast.AssignStmt: // m["$gte"] = c
		if index, ok := n.Lhs[0].(*ast.IndexExpr); ok && len(n.Lhs) == 1 {
			key = index.Index
		}
	}
	lit, ok := key.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value)
	return text
}
