package idcalls

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// text reports IDs that a call writes in another form than their hex digits.
func (c checker) text(fun *types.Func, call *ast.CallExpr) {
	switch fun.FullName() {
	case "encoding/json.Marshal":
		if id := c.bytesOf(call.Args[0]); id != nil {
			c.report(call.Args[0], "encoding/json writes bytes as base64: pass the ID itself", types.ExprString(id))
		}
	case "net/url.PathEscape", "net/url.QueryEscape":
		if id := c.rawText(call.Args[0]); id != nil {
			c.report(call.Args[0], "these are 12 raw bytes: use the hex digits", types.ExprString(id)+".String()")
		}
	}
	params := fun.Signature().Params()
	i := params.Len() - 2 // the index of the format
	if i < 0 || i >= len(call.Args) || !fun.Signature().Variadic() || params.At(i).Name() != "format" || call.Ellipsis.IsValid() {
		return
	}
	if format := c.pass.TypesInfo.Types[call.Args[i]].Value; format != nil && format.Kind() == constant.String {
		c.verbs(constant.StringVal(format), call.Args[i+1:])
	}
}

// verbs reports the IDs that a format prints by a verb for numbers.
func (c checker) verbs(format string, args []ast.Expr) {
	if strings.ContainsAny(format, "*[") {
		return // a verb may take another argument than the next one
	}
	for len(args) > 0 {
		_, rest, _ := strings.Cut(format, "%")
		rest = strings.TrimLeft(rest, "+-# 0123456789.")
		if rest == "" {
			return
		}
		verb := rest[0]
		format = rest[1:]
		if verb == '%' {
			continue
		}
		if t := c.pass.TypesInfo.TypeOf(args[0]); (ids.Is(t) || ids.IsPointer(t)) && !ids.HasMethod(t, "Format") {
			switch verb {
			case 'x', 'X':
				c.report(args[0], "%"+string(verb)+" encodes the hex digits as hex again: use %v", "")
			case 'd', 'o', 'b', 'c', 'U':
				c.report(args[0], "%"+string(verb)+" prints 12 numbers: use %v", "")
			}
		}
		args = args[1:]
	}
}

// bytesOf returns the ID of id[:], or a pointer to it, or nil.
func (c checker) bytesOf(expr ast.Expr) ast.Expr {
	s, ok := ast.Unparen(expr).(*ast.SliceExpr)
	if !ok || s.Low != nil || s.High != nil {
		return nil
	}
	if t := c.pass.TypesInfo.TypeOf(s.X); !ids.Is(t) && !ids.IsPointer(t) {
		return nil
	}
	return s.X
}

// rawText returns the ID of string(id[:]), or nil.
func (c checker) rawText(expr ast.Expr) ast.Expr {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok || !c.pass.TypesInfo.Types[call.Fun].IsType() {
		return nil
	}
	return c.bytesOf(call.Args[0])
}
