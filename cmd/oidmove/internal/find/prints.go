package find

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

// Prints returns the arguments that packages fmt, log and log/slog print, with the package
// for each.
func Prints(f *load.File) map[ast.Expr]string {
	all := map[ast.Expr]string{}
	for c, sel := range Calls(f) {
		obj := f.Pkg.Info.Uses[sel.Sel]
		if obj == nil || obj.Pkg() == nil || strings.Contains(obj.Name(), "can") { // Scan, Sscanf
			continue
		}
		for _, arg := range printed(f, c.Node().(*ast.CallExpr), obj) {
			all[arg] = obj.Pkg().Path()
		}
	}
	return all
}

// asText are the verbs whose text depends on the methods or the name of a type. The others
// print the bytes of an ID.
var asText = regexp.MustCompile(`%[^%a-zA-Z]*[vsqxXT]`)

func printed(f *load.File, call *ast.CallExpr, obj types.Object) []ast.Expr {
	path := obj.Pkg().Path()
	if path == "log/slog" {
		return call.Args
	}
	signature, ok := obj.Type().(*types.Signature)
	if path != "fmt" && path != "log" || !ok || !signature.Variadic() {
		return nil
	}
	first := min(signature.Params().Len()-1, len(call.Args))
	if strings.HasSuffix(obj.Name(), "f") && first > 0 {
		format := f.Pkg.Info.Types[call.Args[first-1]].Value
		if format != nil && format.Kind() == constant.String && !asText.MatchString(constant.StringVal(format)) {
			return nil
		}
	}
	return call.Args[first:]
}
