package idcalls

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// takesTimes matches the full names of the functions that turn times into IDs.
var takesTimes = regexp.MustCompile(`^` + regexp.QuoteMeta(ids.Root) + `/(oid\.(NewAt|Derive|MinAt|MaxAt|Until|Range)|(gormplugin|bsoncodec|bsoncodec/mongov1)\.Created(Since|Before|Between))$`)

// created matches expressions that name the creation time of a row, such as order.CreatedAt.
var created = regexp.MustCompile(`(?i)^[\w.]*created(_?at)?$`)

// wholeSeconds matches the full names of functions that usually return times of whole seconds.
var wholeSeconds = regexp.MustCompile(`^time\.(Date|Unix)$|\.(Truncate|Round|Timestamp)$`)

// times reports times that IDs can't have, and calls that make no ID or another one each time.
func (c checker) times(fun *types.Func, call *ast.CallExpr) {
	switch name := fun.FullName(); name {
	case ids.Root + "/oid.Derive":
		if c.isNow(call.Args[0]) {
			c.report(call.Args[0], "with the current time, Derive returns another ID in each second: pass a time that the row holds", "")
		}
	case ids.Root + "/oid.Fill", "(*" + ids.Root + "/oid.Generator).Fill":
		if c.isEmpty(c.values.Value(call.Args[0])) {
			c.report(call.Args[0], "this slice is empty, so Fill makes no ID: make it with a length", "")
		}
	case "(time.Time).Equal":
		receiver := ast.Unparen(call.Fun).(*ast.SelectorExpr).X
		c.equal(receiver, call.Args[0])
		c.equal(call.Args[0], receiver)
	default:
		if takesTimes.MatchString(name) {
			for _, arg := range call.Args {
				c.millis(arg)
			}
		}
	}
}

// equal reports a time of a row that is compared with id.Timestamp().
func (c checker) equal(timestamp, other ast.Expr) {
	name := types.ExprString(other)
	call, ok := ast.Unparen(timestamp).(*ast.CallExpr)
	if !ok || !created.MatchString(name) || wholeSeconds.MatchString(c.values.Callee(c.values.Value(other))) {
		return
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Timestamp" && ids.Is(c.pass.TypesInfo.TypeOf(sel.X)) {
		pkg, edits := ids.Import(c.pass, other.Pos(), "time")
		c.report(other, "an ID has whole seconds, so this comparison is false for a time with a fraction: truncate it to the second", name+".Truncate("+pkg+".Second)", edits...)
	}
}

// millis reports time.Unix of milliseconds.
func (c checker) millis(expr ast.Expr) {
	if c.values.Callee(expr) != "time.Unix" {
		return
	}
	millis := ast.Unparen(expr).(*ast.CallExpr).Args[0]
	if c.values.Callee(c.values.Value(millis)) == "(time.Time).UnixMilli" {
		pkg, _ := ids.Import(c.pass, expr.Pos(), "time")
		c.report(expr, "time.Unix takes seconds: use time.UnixMilli for milliseconds", pkg+".UnixMilli("+types.ExprString(millis)+")")
	}
}

// isNow reports whether expr is made from time.Now().
func (c checker) isNow(expr ast.Expr) bool {
	switch name := c.values.Callee(expr); strings.TrimPrefix(name, "(time.Time).") {
	case "time.Now":
		return true
	case "UTC", "Local", "In", "Round", "Add":
		fun := ast.Unparen(expr).(*ast.CallExpr).Fun
		return c.isNow(ast.Unparen(fun).(*ast.SelectorExpr).X)
	}
	return false
}

// isEmpty reports whether expr is make with the length 0, or a slice without elements.
func (c checker) isEmpty(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.CallExpr:
		id, ok := expr.Fun.(*ast.Ident)
		if !ok || c.pass.TypesInfo.Uses[id] != types.Universe.Lookup("make") {
			return false
		}
		length := c.pass.TypesInfo.Types[expr.Args[1]].Value
		return length != nil && constant.Sign(length) == 0
	case *ast.CompositeLit:
		return len(expr.Elts) == 0
	}
	return false
}
