// Package anycompare finds comparisons of an oid.ID with the ObjectID that
// MongoDB's driver returns in an any.
package anycompare

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/values"
)

// Analyzer reports code such as
//
//	res.InsertedID == id
//	id, ok := res.InsertedID.(oid.ID)
//
// The driver can put its own ObjectID into these fields. Then the comparison is
// false and the assertion fails. Same and FromAny of package bsoncodec, or of mongov1
// for driver v1, read either type.
//
// Analyzer checks the fields InsertedID, InsertedIDs, UpsertedID and UpsertedIDs of the
// driver's results, and variables that are set once, from such a field.
var Analyzer = &analysis.Analyzer{
	Name:     "anycompare",
	Doc:      "find comparisons and assertions that expect an oid.ID in an any that holds the driver's ObjectID",
	URL:      ids.URL("anycompare"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// codecs are the packages with FromAny, by the path of the driver.
var codecs = []struct{ driver, codec string }{
	{"go.mongodb.org/mongo-driver/v2/", ids.Root + "/bsoncodec"},
	{"go.mongodb.org/mongo-driver/", ids.Root + "/bsoncodec/mongov1"},
}

type finder struct {
	pass   *analysis.Pass
	values values.Set
	from   map[types.Object]string // variables that hold the driver's any, and the codec for it
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	f := &finder{pass, values.Of(pass, in), make(map[types.Object]string)}
	f.collect(in)
	for cursor := range in.Root().Preorder((*ast.BinaryExpr)(nil), (*ast.TypeAssertExpr)(nil), (*ast.TypeSwitchStmt)(nil), (*ast.SwitchStmt)(nil)) {
		switch n := cursor.Node().(type) {
		case *ast.BinaryExpr:
			f.comparison(n)
		case *ast.TypeAssertExpr:
			f.assertion(n, cursor.Parent().Node())
		case *ast.TypeSwitchStmt:
			f.typeSwitch(n)
		case *ast.SwitchStmt:
			f.valueSwitch(n)
		}
	}
	return nil, nil
}

// collect fills f.from: variables of type any that one assignment or range sets
// from a result of the driver, and that nothing else sets.
func (f *finder) collect(in *inspector.Inspector) {
	info := f.pass.TypesInfo
	set := make(map[types.Object]int)
	mark := func(expr ast.Expr, codec string) {
		ident, _ := expr.(*ast.Ident)
		obj := info.ObjectOf(ident) // nil for _ and for what isn't a variable
		set[obj]++
		f.from[obj] = codec
	}
	in.Preorder([]ast.Node{(*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.ValueSpec)(nil)}, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				codec := ""
				if len(n.Lhs) == len(n.Rhs) {
					codec = f.codecOf(n.Rhs[i])
				}
				mark(lhs, codec)
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				codec := ""
				if len(n.Names) == len(n.Values) {
					codec = f.codecOf(n.Values[i])
				}
				mark(name, codec)
			}
		case *ast.RangeStmt:
			mark(n.Key, "")
			mark(n.Value, f.codecOfList(n.X))
		case *ast.UnaryExpr:
			mark(n.X, "") // its address is taken: anything may set it
		}
	})
	for obj := range f.from {
		if set[obj] > 1 {
			delete(f.from, obj)
		}
	}
}

// codecOf returns the package whose FromAny reads expr, if expr is an any from a
// result of the driver.
func (f *finder) codecOf(expr ast.Expr) string {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.Ident:
		return f.from[f.pass.TypesInfo.ObjectOf(expr)]
	case *ast.SelectorExpr:
		if expr.Sel.Name == "InsertedID" || expr.Sel.Name == "UpsertedID" {
			return f.codecOfField(expr)
		}
	case *ast.IndexExpr:
		return f.codecOfList(expr.X)
	}
	return ""
}

// codecOfList is codecOf for a list or map of such values.
func (f *finder) codecOfList(expr ast.Expr) string {
	sel, ok := ast.Unparen(expr).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "InsertedIDs" && sel.Sel.Name != "UpsertedIDs" {
		return ""
	}
	return f.codecOfField(sel)
}

// codecOfField returns the codec for a field of a struct of the driver.
func (f *finder) codecOfField(sel *ast.SelectorExpr) string {
	field, ok := f.pass.TypesInfo.ObjectOf(sel.Sel).(*types.Var)
	if !ok {
		return ""
	}
	for _, c := range codecs {
		if strings.HasPrefix(field.Pkg().Path()+"/", c.driver) {
			return c.codec
		}
	}
	return ""
}

// comparison reports x == id and x != id. No other operator takes an any.
func (f *finder) comparison(n *ast.BinaryExpr) {
	x, id := n.X, n.Y
	codec := f.codecOf(x)
	if codec == "" {
		x, id = n.Y, n.X
		codec = f.codecOf(x)
	}
	if codec == "" || !f.isID(id) {
		return
	}
	name, edits := ids.Import(f.pass, n.Pos(), codec)
	d := f.diagnostic(n, "the driver's ObjectID in an any never equals an oid.ID: compare with "+name+".Same(…)")
	if ids.IsPlain(f.pass.TypesInfo.TypeOf(id)) {
		var same bytes.Buffer
		if n.Op == token.NEQ {
			same.WriteByte('!')
		}
		same.WriteString(name + ".Same(")
		format.Node(&same, f.pass.Fset, ast.Unparen(x)) // a bytes.Buffer returns no error
		same.WriteString(", ")
		format.Node(&same, f.pass.Fset, ast.Unparen(id))
		same.WriteByte(')')
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Compare with " + name + ".Same", TextEdits: append(edits,
			analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: same.Bytes()})}}
	}
	ids.Report(f.pass, d)
}

// isID reports whether expr is an ID, or an ID converted to any, or a variable that holds one.
func (f *finder) isID(expr ast.Expr) bool {
	expr = ast.Unparen(expr)
	if types.IsInterface(f.pass.TypesInfo.TypeOf(expr)) {
		expr = f.values.Value(expr)
	}
	if call, ok := expr.(*ast.CallExpr); ok && f.pass.TypesInfo.Types[call.Fun].IsType() && types.IsInterface(f.pass.TypesInfo.TypeOf(call)) {
		expr = call.Args[0]
	}
	return ids.Is(f.pass.TypesInfo.TypeOf(expr))
}

// assertion reports x.(oid.ID).
func (f *finder) assertion(n *ast.TypeAssertExpr, parent ast.Node) {
	codec := f.codecOf(n.X)
	if codec == "" || !ids.Is(f.pass.TypesInfo.TypeOf(n.Type)) {
		return
	}
	name, edits := ids.Import(f.pass, n.Pos(), codec)
	fun := ".MustFromAny"
	if twoValues(parent) {
		fun = ".FromAny"
	}
	d := f.diagnostic(n, "the any holds the driver's ObjectID, not an oid.ID: write "+name+fun+"(…)")
	if ids.IsPlain(f.pass.TypesInfo.TypeOf(n.Type)) {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Read it with " + name + fun, TextEdits: append(edits,
			analysis.TextEdit{Pos: n.Pos(), End: n.X.Pos(), NewText: []byte(name + fun + "(")},
			analysis.TextEdit{Pos: n.X.End(), End: n.End(), NewText: []byte(")")})}}
	}
	ids.Report(f.pass, d)
}

// twoValues reports whether an assertion gives two values: v, ok := x.(T).
func twoValues(parent ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.AssignStmt:
		return len(parent.Lhs) == 2 && len(parent.Rhs) == 1
	case *ast.ValueSpec:
		return len(parent.Names) == 2 && len(parent.Values) == 1
	}
	return false
}

// typeSwitch reports a case oid.ID for such a value.
func (f *finder) typeSwitch(n *ast.TypeSwitchStmt) {
	var assert ast.Expr
	switch s := n.Assign.(type) {
	case *ast.ExprStmt:
		assert = s.X
	case *ast.AssignStmt:
		assert = s.Rhs[0]
	}
	if f.codecOf(assert.(*ast.TypeAssertExpr).X) == "" {
		return
	}
	for _, clause := range n.Body.List {
		for _, t := range clause.(*ast.CaseClause).List {
			if ids.Is(f.pass.TypesInfo.TypeOf(t)) {
				ids.Report(f.pass, f.diagnostic(t, "the any holds the driver's ObjectID, not an oid.ID: this case is never taken"))
			}
		}
	}
}

// valueSwitch reports a case with an ID for such a value.
func (f *finder) valueSwitch(n *ast.SwitchStmt) {
	if n.Tag == nil || f.codecOf(n.Tag) == "" {
		return
	}
	for _, clause := range n.Body.List {
		for _, expr := range clause.(*ast.CaseClause).List {
			if f.isID(expr) {
				ids.Report(f.pass, f.diagnostic(expr, "the any holds the driver's ObjectID, not an oid.ID: this case is never taken"))
			}
		}
	}
}

func (f *finder) diagnostic(n ast.Node, message string) analysis.Diagnostic {
	return analysis.Diagnostic{Pos: n.Pos(), End: n.End(), Message: message}
}
