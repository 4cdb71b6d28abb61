// Package bsonhex finds code that passes the text of an ID, or a time, to MongoDB as an _id.
package bsonhex

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/values"
)

// Analyzer reports a filter, a document or a call such as
//
//	bson.M{"_id": id.Hex()}
//	bson.M{"_id": bson.M{"$in": []string{id.Hex()}}}
//	bson.M{"_id": bson.M{"$gte": time.Now()}}
//	collection.UpdateByID(ctx, id.Hex(), update)
//
// In MongoDB, no ObjectId matches a text or a time. So the filter finds nothing, or everything
// if its operator is $ne, $nin or $not. No ID finds a document whose _id is a text or a time.
var Analyzer = &analysis.Analyzer{
	Name:     "bsonhex",
	Doc:      "find filters of MongoDB that compare _id with the text of an ID, or with a time",
	URL:      ids.URL("bsonhex"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// The packages of bson.M and bson.E in driver v2 and in driver v1.
var packages = []string{"go.mongodb.org/mongo-driver/v2/bson", "go.mongodb.org/mongo-driver/bson/primitive"}

// A checker looks at the documents of a package.
type checker struct {
	pass   *analysis.Pass
	values values.Set
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	c := checker{pass, values.Of(pass, in)}
	in.Preorder([]ast.Node{(*ast.CompositeLit)(nil), (*ast.CallExpr)(nil)}, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for key, value := range c.pairs(n) {
				if key == "_id" {
					c.check(value)
				}
			}
		case *ast.CallExpr:
			fun := typeutil.StaticCallee(pass.TypesInfo, n)
			if fun != nil && fun.Name() == "UpdateByID" && strings.HasPrefix(fun.FullName(), "(*go.mongodb.org/mongo-driver/") && len(n.Args) > 1 {
				c.check(n.Args[1])
			}
		}
	})
	return nil, nil
}

// pairs returns the keys and values of a bson.M, or of a bson.E. A bson.D has bson.Es.
func (c checker) pairs(lit *ast.CompositeLit) map[string]ast.Expr {
	pairs := make(map[string]ast.Expr)
	var fields []ast.Expr
	for _, elem := range lit.Elts {
		switch pair, ok := elem.(*ast.KeyValueExpr); {
		case !ok:
			fields = append(fields, elem)
		case c.is(lit, "M"):
			pairs[c.values.Text(pair.Key)] = pair.Value
		default:
			fields = append(fields, pair.Value) // in the order of the fields, as gofmt -s and people write it
		}
	}
	if c.is(lit, "E") && len(fields) == 2 {
		pairs[c.values.Text(fields[0])] = fields[1]
	}
	return pairs
}

// is reports whether expr has the type bson.M, bson.E, bson.D or bson.A.
func (c checker) is(expr ast.Expr, name string) bool {
	for _, path := range packages {
		if ids.IsNamed(c.pass.TypesInfo.TypeOf(expr), path, name) {
			return true
		}
	}
	return false
}

// check reports a value of _id, or a value with which an operator compares it.
func (c checker) check(value ast.Expr) {
	lit, ok := c.values.Value(value).(*ast.CompositeLit)
	switch {
	case ids.IsNamed(c.pass.TypesInfo.TypeOf(value), "time", "Time"):
		c.report(value, "a time in a filter never equals an ObjectId, and is never less or greater: use bsoncodec.CreatedSince, CreatedBefore or CreatedBetween", nil)
	case !ok:
		c.text(value)
	case c.is(lit, "M"), c.is(lit, "E"):
		for operator, value := range c.pairs(lit) {
			if strings.HasPrefix(operator, "$") {
				c.check(value)
			}
		}
	case c.is(lit, "D"):
		for _, elem := range lit.Elts {
			c.check(elem)
		}
	case ids.Elem(c.pass.TypesInfo.TypeOf(lit)) != nil && c.allTexts(lit.Elts):
		c.report(lit, hexMessage, nil)
	}
}

const hexMessage = "this text never equals an ObjectId: use the ID itself as the _id"

// allTexts reports whether a list has only texts of IDs. A filter may name an ID in
// both forms.
func (c checker) allTexts(list []ast.Expr) bool {
	for _, elem := range list {
		if ids.TextOf(c.pass.TypesInfo, c.values.Value(elem)) == nil {
			return false
		}
	}
	return len(list) > 0
}

// text reports the text of an ID.
func (c checker) text(value ast.Expr) {
	if ids.TextOf(c.pass.TypesInfo, c.values.Value(value)) != nil {
		c.report(value, hexMessage, ids.WithoutText(c.pass.TypesInfo, value))
	}
}

func (c checker) report(value ast.Expr, message string, fix []analysis.SuggestedFix) {
	ids.Report(c.pass, analysis.Diagnostic{Pos: value.Pos(), End: value.End(), Message: message, SuggestedFixes: fix})
}
