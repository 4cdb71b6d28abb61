package find

import (
	"go/ast"
	"go/constant"
	"go/types"
	"iter"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// Prints yields the arguments that packages fmt, log and log/slog print in another way if
// they hold a value of another type, with the verb for each. Functions such as Println have
// the verb v. The verbs T and # print the name of the type.
func Prints(f *load.File) iter.Seq2[ast.Expr, byte] {
	return func(yield func(ast.Expr, byte) bool) {
		for c, sel := range Calls(f) {
			obj := f.Pkg.Info.Uses[sel.Sel]
			if obj == nil || obj.Pkg() == nil || strings.Contains(obj.Name(), "can") {
				continue // Scan, Sscanf
			}
			call := c.Node().(*ast.CallExpr)
			switch obj.Pkg().Path() {
			case "fmt", "log":
				args, verbs := format(f, call, obj)
				for i, arg := range args {
					if i < len(verbs) && strings.IndexByte("vsqxXT#", verbs[i]) >= 0 && !yield(arg, verbs[i]) {
						return
					}
				}
			case "log/slog":
				for _, arg := range call.Args {
					if !yield(arg, 'l') {
						return
					}
				}
			}
		}
	}
}

// Printed reports whether the text of an argument with a verb is another one if types that
// match are replaced. Package slog prints such a type as its digits in either case. But its
// text handler prints a list and a struct as package fmt does.
func Printed(t types.Type, verb byte, match func(types.Type) bool) bool {
	return names.Shows(t, match) && !(verb == 'l' && match(names.Deref(t)))
}

// format returns the arguments that a call of fmt or log prints, and the verb of each.
func format(f *load.File, call *ast.CallExpr, obj types.Object) (args []ast.Expr, verbs string) {
	signature, ok := obj.Type().(*types.Signature)
	if !ok || !signature.Variadic() || call.Ellipsis.IsValid() {
		return nil, ""
	}
	first := signature.Params().Len() - 1
	if len(call.Args) <= first {
		return nil, ""
	}
	args = call.Args[first:]
	if strings.HasSuffix(obj.Name(), "f") && first > 0 {
		if text := f.Pkg.Info.Types[call.Args[first-1]].Value; text != nil && text.Kind() == constant.String {
			if verbs, ok := verbsOf(constant.StringVal(text)); ok {
				return args, verbs
			}
		}
	}
	return args, strings.Repeat("v", len(args))
}

// verbsOf returns the verb of each argument of a format. It returns false if the format
// chooses its arguments by their number.
func verbsOf(format string) (verbs string, ok bool) {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return verbs, true
		}
		flags := rest[:len(rest)-len(strings.TrimLeft(rest, "+-# 0123456789.*["))]
		if strings.Contains(flags, "[") {
			return "", false
		}
		verbs += strings.Repeat("*", strings.Count(flags, "*"))
		rest = rest[len(flags):]
		if rest == "" {
			return verbs, true
		}
		switch {
		case rest[0] == '%':
		case rest[0] == 'v' && strings.Contains(flags, "#"):
			verbs += "#"
		default:
			verbs += rest[:1]
		}
		format = rest[1:]
	}
}
