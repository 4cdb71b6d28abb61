// Package sqlargs finds arguments and results of SQL statements that don't fit a column of
// IDs.
package sqlargs

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/sqltext"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/values"
)

// Analyzer reports arguments and results of statements such as
//
//	db.Exec("DELETE FROM orders WHERE id >= $1", cutoff)                    // deletes all rows
//	db.Query("SELECT … FROM orders WHERE id > ? LIMIT 50", last.Hex())      // the same page again
//	db.Exec("UPDATE users SET team_id = ? WHERE id = ?", user.ID, user.ID)  // not a team
//	db.QueryRow("SELECT id FROM orders WHERE …").Scan(&text)                // 12 raw bytes
//
// if the package shows elsewhere that the column holds IDs. Most drivers send a time or a text
// as text, which sorts before all IDs of 12 bytes, or after all of them.
//
// A call has SQL if its last parameters are a string with the name query, sql, stmt or
// statement, and ...any, as in database/sql, pgx, sqlx, bun and GORM's Raw and Exec. Analyzer
// also reads sqlx's NamedExec and the like, and the conditions after GORM's db.Table.
var Analyzer = &analysis.Analyzer{
	Name:     "sqlargs",
	Doc:      "find SQL arguments and results that don't fit a column of IDs",
	URL:      ids.URL("sqlargs"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// A checker looks at the statements of a package.
type checker struct {
	pass    *analysis.Pass
	values  values.Set
	columns map[sqltext.Column]*column
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	c := checker{pass, values.Of(pass, in), make(map[sqltext.Column]*column)}
	in.Preorder([]ast.Node{(*ast.BasicLit)(nil)}, func(n ast.Node) {
		c.tables(c.values.Text(n.(*ast.BasicLit)))
	})
	calls := in.Root().Preorder
	for cursor := range calls((*ast.CallExpr)(nil)) {
		call := cursor.Node().(*ast.CallExpr)
		c.models(call)
		c.each(call, c.learn, c.learnResult)
	}
	for cursor := range calls((*ast.CallExpr)(nil)) {
		c.each(cursor.Node().(*ast.CallExpr), c.check, c.checkResult)
	}
	return nil, nil
}

// each calls a function for each argument of the SQL in a call, and one for each
// variable into which it reads.
func (c checker) each(call *ast.CallExpr, argument func(sqltext.Meeting, argument), read func(result)) {
	for _, q := range c.queries(call) {
		for _, m := range q.Meetings {
			if arg, ok := q.args[m.Param]; ok {
				argument(m, arg)
			}
		}
	}
	for _, r := range c.results(call) {
		if r.from.Table != "" {
			read(r)
		}
	}
}

// check reports an argument that the column never equals.
func (c checker) check(m sqltext.Meeting, arg argument) {
	column, name := c.columns[m.Column], m.Table+"."+m.Name
	if column == nil || !column.ids || column.other {
		return
	}
	switch kind, model := c.kindOf(arg); kind {
	case moment:
		c.time(name, m.Op, column, arg)
	case text:
		if column.holdsBytes() {
			c.text(name, arg)
		}
	case id, hexID:
		if want := column.model(m.Op == ""); want != nil && model != nil && !types.Identical(want, model) {
			c.report(arg.expr, name+" holds IDs of "+ids.Name(want, c.pass.Pkg)+", and this is an ID of "+ids.Name(model, c.pass.Pkg), nil)
		}
	}
}

// bounds are the functions that make an ID of a time, by the operator.
var bounds = map[string]string{">=": "MinAt", "<": "Until", ">": "MaxAt", "<=": "MaxAt", "between": "MinAt", "and": "MaxAt"}

// time reports a time next to an ID.
func (c checker) time(name, op string, column *column, arg argument) {
	bound := bounds[op]
	if bound == "" {
		c.report(arg.expr, name+" holds IDs, and this is a time: pass an ID", nil)
		return
	}
	pkg, edits := ids.Import(c.pass, arg.expr.Pos(), ids.Root+"/oid")
	var fix []analysis.SuggestedFix
	if _, ok := types.Unalias(arg.typ).(*types.Named); ok && !column.textType && ids.IsNamed(arg.typ, "time", "Time") {
		fix = []analysis.SuggestedFix{{Message: "Pass " + pkg + "." + bound, TextEdits: append(edits,
			analysis.TextEdit{Pos: arg.expr.Pos(), End: arg.expr.Pos(), NewText: []byte(pkg + "." + bound + "(")},
			analysis.TextEdit{Pos: arg.expr.End(), End: arg.expr.End(), NewText: []byte(")")})}}
	}
	c.report(arg.expr, name+" holds IDs, and the driver sends this time in a form that sorts before all of them, or after: pass "+pkg+"."+bound+"(…)", fix)
}

// text reports a text next to 12 bytes.
func (c checker) text(name string, arg argument) {
	instead := "pass the ID, from oid.Parse"
	if ids.TextOf(c.pass.TypesInfo, c.values.Value(arg.expr)) != nil {
		instead = "pass the ID itself"
	}
	c.report(arg.expr, name+" gets IDs of 12 bytes in other statements, which never equal this text: "+instead, ids.WithoutText(c.pass.TypesInfo, arg.expr))
}

// checkResult reports a string that gets the 12 bytes of a column.
func (c checker) checkResult(r result) {
	column := c.columns[r.from]
	if column == nil || !column.ids || column.other || !column.holdsBytes() {
		return
	}
	if kind, _ := c.kindOf(r.dest); kind == text {
		c.report(r.dest.expr, r.from.Table+"."+r.from.Name+" gets IDs of 12 bytes in other statements, and this string would hold the raw bytes: read into an oid.ID, whose text is the 24 digits", nil)
	}
}

func (c checker) report(expr ast.Expr, message string, fix []analysis.SuggestedFix) {
	ids.Report(c.pass, analysis.Diagnostic{Pos: expr.Pos(), End: expr.End(), Message: message, SuggestedFixes: fix})
}
