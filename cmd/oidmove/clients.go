package main

import (
	"go/ast"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// decoders are the functions of the driver that fill their last argument.
var decoders = map[string]bool{"Decode": true, "All": true, "Unmarshal": true, "UnmarshalExtJSON": true}

// decodesAny reports whether the driver decodes documents of the project into maps, or
// into structs that hold an any. The registry then needs MapAny. If the registry is not in
// these packages, it lists the first place.
func (p *project) decodesAny() bool {
	var first *file
	clients := p.driver.name == "v1" // the codecs are in the registry of all clients
	for _, f := range p.sortedFiles() {
		if f.syntax == nil || f.generated {
			continue
		}
		if first == nil && f.decodedAny() != nil {
			first = f
		}
		for range f.clients() {
			clients = true
		}
	}
	if first != nil && !clients {
		first.leave(first.decodedAny(), "documents are decoded into maps, and no package makes a client", "give the client a registry with bsoncodec.MapAny")
	}
	return first != nil
}

// decodedAny returns the first call that decodes into a map or the like, or nil.
func (f *file) decodedAny() ast.Node {
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) == 0 || !decoders[sel.Sel.Name] {
			continue
		}
		target := deref(f.typeOf(call.Args[len(call.Args)-1]))
		if f.isDrivers(sel) && !isAny(target) && contains(target, isAny) {
			return call
		}
	}
	return nil
}

// A client is a chain of calls that begins with options.Client().
type client struct {
	chain       ast.Node
	hasRegistry bool // set in the chain, or later for the variable that the chain sets
}

// clients yields the clients of driver v2 in f. If a call has several among its arguments,
// it yields the first one.
func (f *file) clients() iter.Seq[client] {
	return func(yield func(client) bool) {
		seen := map[ast.Node]bool{}
		for c := range f.cursors((*ast.CallExpr)(nil)) {
			sel, ok := c.Node().(*ast.CallExpr).Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Client" || !f.isIn(sel, driverV2.root+"mongo/options") {
				continue
			}
			chain, own := f.chainOf(c)
			if parent := chain.Parent().Node(); !seen[parent] {
				seen[parent] = true
				if !yield(client{chain.Node(), own}) {
					return
				}
			}
		}
	}
}

// chainOf returns the longest chain of calls that begins with c and has its type, and
// whether a registry is set in it.
func (f *file) chainOf(c inspector.Cursor) (inspector.Cursor, bool) {
	own, t := false, f.typeOf(c.Node().(ast.Expr))
	for {
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok {
			break
		}
		call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
		if !ok || !types.Identical(f.typeOf(call), t) {
			break
		}
		own = own || sel.Sel.Name == "SetRegistry"
		c = c.Parent().Parent()
	}
	if assign, ok := c.Parent().Node().(*ast.AssignStmt); ok {
		name, ok := assign.Lhs[0].(*ast.Ident)
		own = own || ok && setsRegistry(enclosing(c), name.Name)
	}
	return c, own
}

// setsRegistry reports whether fn calls SetRegistry of the variable name.
func setsRegistry(fn ast.Node, name string) (found bool) {
	if fn == nil {
		return false
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && sel.Sel.Name == "SetRegistry" && mentions(sel.X, name)
		return !found
	})
	return found
}

// clients gives each client of driver v2 that has no registry ours, and lists registries
// of the project's own.
func clients(p *project, f *file) {
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "SetRegistry" && f.isDrivers(sel) && !f.isRegistry(call.Args[0]) {
			codec := localNames[p.driver.codec][0]
			f.leave(sel.Sel, "this registry is the project's own", "call "+codec+".Register with it before its first use, and "+codec+".MapAny if documents are maps")
		}
	}
	for client := range f.clients() {
		switch {
		case client.hasRegistry:
		case p.mapAny:
			f.insert(client.chain.End(), ".SetRegistry("+f.sharedRegistry()+")")
		default:
			f.insert(client.chain.End(), ".SetRegistry("+f.local(p.driver.codec)+".NewRegistry())")
		}
	}
}

// isDrivers reports whether sel is a function or a method of the driver.
func (f *file) isDrivers(sel *ast.SelectorExpr) bool {
	obj := f.unit.info.Uses[sel.Sel]
	return obj != nil && obj.Pkg() != nil && strings.HasPrefix(obj.Pkg().Path()+"/", f.unit.project.driver.root)
}

// packers makes bson.Marshal and bson.Unmarshal ours for driver v2, where a value holds
// IDs. Those of driver v1 use the default registry, which has our codecs.
func packers(p *project, f *file) {
	if p.driver.name == "v1" {
		return
	}
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, value := f.packed(call)
		switch {
		case sel == nil:
		case f.unmarshalsAny(call):
			f.replace(sel.Pos(), call.Args[0].Pos(), f.local(p.driver.codec)+".UnmarshalWith("+f.sharedRegistry()+", ")
		case contains(value, isOurs):
			f.replace(sel.Pos(), sel.End(), f.local(p.driver.codec)+"."+sel.Sel.Name)
		}
	}
}

// packed returns the function and the type of the value in a call of bson.Marshal or
// bson.Unmarshal, or nil.
func (f *file) packed(call *ast.CallExpr) (*ast.SelectorExpr, types.Type) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !f.isIn(sel, f.unit.project.driver.documents()) || len(call.Args) == 0 || sel.Sel.Name != "Marshal" && sel.Sel.Name != "Unmarshal" {
		return nil, nil
	}
	return sel, deref(f.typeOf(call.Args[len(call.Args)-1]))
}

// unmarshalsAny reports whether a call is bson.Unmarshal into a map, or into a struct that
// holds an any.
func (f *file) unmarshalsAny(call *ast.CallExpr) bool {
	sel, value := f.packed(call)
	return sel != nil && sel.Sel.Name == "Unmarshal" && f.unit.project.mapAny && !isAny(value) && contains(value, isAny)
}

// codecs registers our codecs with driver v1: by a blank import in each package that
// uses the driver and IDs, and by MapAny where an any is decoded. One package that
// another one imports is enough.
func codecs(p *project, f *file) {
	switch {
	case p.driver.name != "v1" || !f.usesDriver():
	case f.decodedAny() != nil:
		f.mapAnyInV1()
	case !f.unit.given && !f.unit.sees(p.driver.codec):
		f.importBlank(p.driver.codec)
		f.unit.given = true
	}
}

// usesDriver reports whether f imports the driver, and its package sees IDs.
func (f *file) usesDriver() bool {
	d := f.unit.project.driver
	return (f.imports(d.root+"mongo") || f.imports(d.documents())) && f.unit.sees(oidPath)
}

// sees reports whether the package imports path, by itself or by packages of the
// project that it imports.
func (u *unit) sees(path string) bool {
	var look func(*types.Package) bool
	seen := map[*types.Package]bool{}
	look = func(pkg *types.Package) bool {
		if pkg == nil || seen[pkg] {
			return false
		}
		seen[pkg] = true
		if pkg.Path() == path {
			return true
		}
		for _, imported := range pkg.Imports() {
			if look(imported) {
				return true
			}
		}
		return false
	}
	return look(u.types)
}
