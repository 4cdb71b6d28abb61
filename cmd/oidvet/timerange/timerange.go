// Package timerange finds ranges of creation times that end before they begin.
package timerange

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/values"
)

// Analyzer reports the calls
//
//	oid.Range(to, from)
//	gormplugin.CreatedBetween(now, now.Add(-time.Hour))
//
// A range that ends before it begins is empty, so the statement finds nothing, without an
// error. Analyzer reports a call if the names of the two times are swapped, or if the second
// time is the first one minus a constant, even if a variable holds that second time.
var Analyzer = &analysis.Analyzer{
	Name:     "timerange",
	Doc:      "find ranges of creation times that end before they begin",
	URL:      ids.URL("timerange"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// firstTime says which argument of a function is the start of the range, by the function's
// full name.
var firstTime = map[string]int{
	ids.Root + "/oid.Range":                        0,
	ids.Root + "/gormplugin.CreatedBetween":        0,
	ids.Root + "/bsoncodec.CreatedBetween":         1,
	ids.Root + "/bsoncodec/mongov1.CreatedBetween": 1,
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	set := values.Of(pass, in)
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		call := n.(*ast.CallExpr)
		fun := typeutil.StaticCallee(pass.TypesInfo, call)
		if fun == nil {
			return
		}
		i, ok := firstTime[fun.FullName()]
		if !ok || len(call.Args) < i+2 {
			return
		}
		from, to := ast.Unparen(call.Args[i]), ast.Unparen(call.Args[i+1])
		if !(isNamed(from, ends) && isNamed(to, starts)) && !isSwapped(pass.TypesInfo, set, from, to) {
			return
		}
		ids.Report(pass, analysis.Diagnostic{
			Pos: from.Pos(), End: to.End(),
			Message: fun.Name() + " wants the earlier time first: this range is empty, and finds nothing",
			SuggestedFixes: []analysis.SuggestedFix{{Message: "Swap the times", TextEdits: []analysis.TextEdit{
				{Pos: from.Pos(), End: from.End(), NewText: []byte(types.ExprString(to))},
				{Pos: to.Pos(), End: to.End(), NewText: []byte(types.ExprString(from))},
			}}},
		})
	})
	return nil, nil
}

// The names of variables and fields that hold the start or the end of a range.
var (
	starts = map[string]bool{"from": true, "start": true, "since": true, "begin": true}
	ends   = map[string]bool{"to": true, "end": true, "until": true, "till": true}
)

// isNamed reports whether expr is a variable or a field with one of the names, such as
// end, End or endTime.
func isNamed(expr ast.Expr, names map[string]bool) bool {
	var name string
	switch expr := expr.(type) {
	case *ast.Ident:
		name = expr.Name
	case *ast.SelectorExpr:
		name = expr.Sel.Name
	}
	name = strings.ToLower(name)
	for _, suffix := range []string{"", "time", "at", "date"} {
		if bare, ok := strings.CutSuffix(name, suffix); ok && names[bare] {
			return true
		}
	}
	return false
}

// A shift is a time that is another one plus a constant.
type shift struct {
	from ast.Expr
	sign int
}

// shiftOf reads other.Add(-time.Hour) and other.AddDate(0, -1, 0). The sign of other
// expressions is 0.
func shiftOf(info *types.Info, expr ast.Expr) shift {
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return shift{}
	}
	fun := typeutil.StaticCallee(info, call)
	if fun == nil || fun.FullName() != "(time.Time).Add" && fun.FullName() != "(time.Time).AddDate" {
		return shift{}
	}
	s := shift{from: ast.Unparen(call.Fun).(*ast.SelectorExpr).X}
	for _, arg := range call.Args {
		value := info.Types[arg].Value
		if value == nil || s.sign*constant.Sign(value) < 0 {
			return shift{}
		}
		if sign := constant.Sign(value); sign != 0 {
			s.sign = sign
		}
	}
	return s
}

// isSwapped reports whether to is a constant time before from.
func isSwapped(info *types.Info, set values.Set, from, to ast.Expr) bool {
	if s := shiftOf(info, to); s.sign < 0 && types.ExprString(s.from) == types.ExprString(from) {
		return true
	}
	if s := shiftOf(info, from); s.sign > 0 && types.ExprString(s.from) == types.ExprString(to) {
		return true
	}
	// A variable that holds such a time, and another one that still is what it was then.
	if s := shiftOf(info, set.Value(to)); s.sign < 0 && set.Same(s.from, from) {
		return true
	}
	s := shiftOf(info, set.Value(from))
	return s.sign > 0 && set.Same(s.from, to)
}
