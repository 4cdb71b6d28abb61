package find

import (
	"go/ast"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/flow"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// Clients yields the options of clients that have no registry: the chain of calls that
// begins with options.Client(). If a call has several of them among its arguments, it yields
// the first one.
func Clients(f *load.File) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		seen := map[ast.Node]bool{}
		for c, sel := range Calls(f) {
			if sel.Sel.Name != "Client" || !IsIn(f, sel, f.Pkg.Program.Driver.Module+"/mongo/options") {
				continue
			}
			chain, own := chainOf(f, c)
			if parent := chain.Parent().Node(); !seen[parent] {
				seen[parent] = true
				if !own && !yield(chain.Node()) {
					return
				}
			}
		}
	}
}

// chainOf returns the longest chain of calls that begins with c and has its type, and
// whether a registry is set in it, or later for the variable that the chain sets.
func chainOf(f *load.File, c inspector.Cursor) (inspector.Cursor, bool) {
	own, t := false, f.TypeOf(c.Node().(ast.Expr))
	for {
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok {
			break
		}
		call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
		if !ok || t == nil || !types.Identical(f.TypeOf(call), t) {
			break
		}
		own = own || sel.Sel.Name == "SetRegistry"
		c = c.Parent().Parent()
	}
	if assign, ok := c.Parent().Node().(*ast.AssignStmt); ok {
		name, ok := assign.Lhs[0].(*ast.Ident)
		own = own || ok && setsRegistry(f, flow.Enclosing(c), name)
	}
	return c, own
}

// setsRegistry reports whether fn calls SetRegistry of a variable.
func setsRegistry(f *load.File, fn ast.Node, name *ast.Ident) bool {
	if fn == nil {
		return false
	}
	for n := range ast.Preorder(fn) {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "SetRegistry" {
			for range Uses(f, sel.X, f.Pkg.Info.ObjectOf(name)) {
				return true
			}
		}
	}
	return false
}

// Options yields the options of clients that are literals, which have no registry.
func Options(f *load.File) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for c := range f.Cursors((*ast.CompositeLit)(nil)) {
			n := c.Node().(*ast.CompositeLit)
			if names.Is(f.TypeOf(n), f.Pkg.Program.Driver.Module+"/mongo/options", "ClientOptions") && !yield(n) {
				return
			}
		}
	}
}

// Registries yields the places where the project makes a registry, or sets one that isn't
// made by our NewRegistry.
func Registries(f *load.File) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for c, sel := range Calls(f) {
			call := c.Node().(*ast.CallExpr)
			sets := sel.Sel.Name == "SetRegistry" && len(call.Args) == 1 && !isNewRegistry(f, call.Args[0])
			if InDriver(f, sel) && (sets || strings.HasPrefix(sel.Sel.Name, "New") && strings.Contains(sel.Sel.Name, "Registry")) && !yield(sel.Sel) {
				return
			}
		}
	}
}

// isNewRegistry reports whether x calls a function NewRegistry, of the driver or of ours.
func isNewRegistry(f *load.File, x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "NewRegistry" && (InDriver(f, sel) || IsIn(f, sel, f.Pkg.Program.Driver.Codec))
}

// Packed returns the function and the type of the value in a call of bson.Marshal or
// bson.Unmarshal, or nil.
func Packed(f *load.File, call *ast.CallExpr, sel *ast.SelectorExpr) types.Type {
	if !IsIn(f, sel, f.Pkg.Program.Driver.Documents()) || len(call.Args) == 0 || sel.Sel.Name != "Marshal" && sel.Sel.Name != "Unmarshal" {
		return nil
	}
	return names.Deref(f.TypeOf(call.Args[len(call.Args)-1]))
}

// A Decode is a call of the driver that fills its last argument, which holds an any, or
// may hold one.
type Decode struct {
	Call     *ast.CallExpr
	ByClient bool // with the registry of the client
	Own      bool // with a registry that is an argument
	Unpacks  bool // it is bson.Unmarshal
}

// Decodes yields such calls.
func Decodes(f *load.File) iter.Seq[Decode] {
	return func(yield func(Decode) bool) {
		d := f.Pkg.Program.Driver
		for c, sel := range Calls(f) {
			call, name := c.Node().(*ast.CallExpr), sel.Sel.Name
			if len(call.Args) == 0 || !InDriver(f, sel) {
				continue
			}
			var target types.Type
			switch {
			case name == "All" || name == "Decode" || strings.HasPrefix(name, "Unmarshal"):
				target = f.TypeOf(call.Args[len(call.Args)-1])
			case name == "Distinct":
				if results, ok := f.TypeOf(call).(*types.Tuple); ok { // of driver v1
					target = results.At(0).Type()
				}
			}
			if target == nil || !names.Contains(target, func(t types.Type) bool { return names.IsEmpty(t) || names.IsTypeParam(t) }) {
				continue
			}
			decode := Decode{
				Call:     call,
				ByClient: f.Pkg.Info.Uses[sel.Sel].Pkg().Path() == d.Module+"/mongo",
				Own:      strings.Contains(name, "WithRegistry") || strings.Contains(name, "WithContext"),
				Unpacks:  name == "Unmarshal" && IsIn(f, sel, d.Documents()),
			}
			if !yield(decode) {
				return
			}
		}
	}
}
