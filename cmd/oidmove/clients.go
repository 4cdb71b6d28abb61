package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// decoders are the functions of the driver that fill their last argument.
var decoders = map[string]bool{"Decode": true, "All": true, "Unmarshal": true, "UnmarshalExtJSON": true}

// decodesAny reports whether the driver decodes documents of the project into maps, or
// into structs that hold an any. The registry then needs MapAny.
func (p *project) decodesAny() bool {
	for _, f := range p.files {
		if f.syntax != nil && !f.generated && f.decodesAny() {
			return true
		}
	}
	return false
}

func (f *file) decodesAny() bool {
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) == 0 || !decoders[sel.Sel.Name] {
			continue
		}
		obj := f.unit.info.Uses[sel.Sel]
		target := deref(f.typeOf(call.Args[len(call.Args)-1]))
		if obj != nil && obj.Pkg() != nil && strings.HasPrefix(obj.Pkg().Path()+"/", f.unit.project.driver.root) && !isAny(target) && contains(target, isAny) {
			return true
		}
	}
	return false
}

// clients gives each client of driver v2 that has no registry ours.
func clients(p *project, f *file) {
	if p.driver.name == "v1" {
		return
	}
	given := map[ast.Node]bool{} // calls with a client's options among their arguments
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Client" || !f.isIn(sel, p.driver.root+"mongo/options") {
			continue
		}
		chain, hasOwn := chainOf(c)
		if given[chain.Parent().Node()] {
			continue
		}
		given[chain.Parent().Node()] = true
		switch {
		case hasOwn && !f.setsOurs(chain.Node()):
			f.leave(call, "this client has a registry of its own", "call bsoncodec.Register with it before the client uses it, and bsoncodec.MapAny if documents are maps")
		case hasOwn:
		case p.mapAny:
			f.insert(chain.Node().End(), ".SetRegistry("+f.sharedRegistry()+")")
		default:
			f.insert(chain.Node().End(), ".SetRegistry("+f.local(p.driver.codec)+".NewRegistry())")
		}
	}
}

// chainOf returns the longest chain of calls that begins with c, and whether a registry
// is set in the chain, or later for the variable that the chain sets.
func chainOf(c inspector.Cursor) (inspector.Cursor, bool) {
	own := false
	for {
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok {
			break
		}
		own = own || sel.Sel.Name == "SetRegistry"
		c = c.Parent().Parent()
	}
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok {
		return c, own
	}
	name, _ := assign.Lhs[0].(*ast.Ident)
	for fn := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		ast.Inspect(fn.Node(), func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && name != nil && sel.Sel.Name == "SetRegistry" {
				own = own || mentions(sel.X, name.Name)
			}
			return true
		})
	}
	return c, own
}

// setsOurs reports whether a chain sets a registry of this package's.
func (f *file) setsOurs(chain ast.Node) bool {
	return mentions(chain, registryName) || mentions(chain, "NewRegistry") && f.importSpec(f.unit.project.driver.codec) != nil
}

// registryName is the variable with the registry of a package whose documents are maps.
const registryName = "oidRegistry"

// sharedRegistry returns the name of that variable, in a file that it makes.
func (f *file) sharedRegistry() string {
	f.addFile(`// %[1]s decodes an ObjectId to an oid.ID, in an any too. Clients share it, because
// a registry keeps the codec of each type.
var %[1]s = func() *bson.Registry {
	reg := bsoncodec.NewRegistry()
	bsoncodec.MapAny(reg)
	return reg
}()
`)
	return registryName
}

// addFile adds a file, oidregistry.go or one for tests, with this text to the package of f.
func (f *file) addFile(body string) {
	p, name := f.unit.project, "oidregistry.go"
	pkg := f.syntax.Name.Name
	switch {
	case strings.HasSuffix(pkg, "_test"):
		name = "oidregistry_ext_test.go"
	case strings.HasSuffix(f.name, "_test.go"):
		name = "oidregistry_test.go"
	}
	name = filepath.Join(filepath.Dir(f.name), name)
	if p.files[name] != nil {
		return
	}
	text := fmt.Sprintf("package %s\n\nimport (\n\t%q\n\n\t%q\n)\n\n"+strings.ReplaceAll(body, "%[1]s", registryName), pkg, p.driver.documents(), p.driver.codec)
	p.files[name] = &file{name: name, now: []byte(text), formatted: true, unit: f.unit}
	if formatted, err := format.Source([]byte(text)); err == nil {
		p.files[name].now = formatted
	}
}

// packers makes bson.Marshal and bson.Unmarshal ours for driver v2, where a value holds
// IDs. Those of driver v1 use the default registry, which has our codecs.
func packers(p *project, f *file) {
	if p.driver.name == "v1" {
		return
	}
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !f.isIn(sel, p.driver.documents()) || len(call.Args) == 0 {
			continue
		}
		value := deref(f.typeOf(call.Args[len(call.Args)-1]))
		maps := p.mapAny && !isAny(value) && contains(value, isAny)
		switch {
		case sel.Sel.Name == "Marshal" && contains(value, isOurs):
			f.replace(sel.Pos(), sel.End(), f.local(p.driver.codec)+".Marshal")
		case sel.Sel.Name == "Unmarshal" && maps:
			f.replace(sel.Pos(), call.Args[0].Pos(), f.local(p.driver.codec)+".UnmarshalWith("+f.sharedRegistry()+", ")
		case sel.Sel.Name == "Unmarshal" && contains(value, isOurs):
			f.replace(sel.Pos(), sel.End(), f.local(p.driver.codec)+".Unmarshal")
		}
	}
}

// codecs registers our codecs with driver v1: by a blank import in each package that
// uses the driver and IDs, and by MapAny where an any is decoded. One package that
// another one imports is enough.
func codecs(p *project, f *file) {
	d := p.driver
	if d.name != "v1" || !f.imports(d.root+"mongo") && !f.imports(d.documents()) || !f.unit.sees(oidPath) {
		return
	}
	if f.decodesAny() {
		f.addFile(`// An ObjectId decodes to an oid.ID, in an any too.
func init() { mongov1.MapAny(bson.DefaultRegistry) }
`)
		return
	}
	if !f.unit.given && !f.unit.sees(d.codec) {
		f.importBlank(d.codec)
		f.unit.given = true
	}
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
