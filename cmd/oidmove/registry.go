package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A registry with MapAny is a variable in the package that needs it. If several packages
// need it, it is in a package of its own, internal/oidregistry.
const (
	registryName    = "oidRegistry"
	registryPackage = "oidregistry"
	registryFile    = registryPackage + ".go"
)

// registryText is the text of either file for driver v2, and registryInit for driver v1.
const (
	registryText = `// %[1]s decodes an ObjectId to an oid.ID, in an any too. Clients share it, because
// a registry keeps the codec of each type.
var %[1]s = func() *bson.Registry {
	reg := bsoncodec.NewRegistry()
	bsoncodec.MapAny(reg)
	return reg
}()
`
	registryInit = `// An ObjectId decodes to an oid.ID, in an any too.
func init() { mongov1.MapAny(bson.DefaultRegistry) }
`
)

// findRegistry notes whether an earlier move has made a package with the registry.
func (p *project) findRegistry() {
	if path := p.path + "/internal/" + registryPackage; p.units[path] != nil {
		p.registry = path
	}
}

// placeRegistry decides where the registry goes: in the package whose file is the only
// one that needs it, or in a package for all of them.
func (p *project) placeRegistry() {
	if p.registry != "" {
		return
	}
	names := map[string]bool{}
	var last *file
	for _, f := range p.sortedFiles() {
		if f.syntax != nil && !f.generated && f.needsRegistry() {
			names[f.registryFile()] = true
			last = f
		}
	}
	if len(names) < 2 {
		return
	}
	path := p.path + "/internal/" + registryPackage
	u := &unit{project: p, pkg: &packages.Package{ID: path, PkgPath: path, Name: registryPackage, Module: last.unit.pkg.Module}}
	p.registry, p.units[path] = path, u
	p.addRegistry(filepath.Join(p.dir, "internal", registryPackage, registryFile), registryPackage, "Registry", u)
}

// needsRegistry reports whether a pass will use the registry in f.
func (f *file) needsRegistry() bool {
	if f.unit.project.driver.name == "v1" {
		return f.usesDriver() && f.decodedAny() != nil
	}
	for client := range f.clients() {
		if !client.hasRegistry {
			return true
		}
	}
	for c := range f.cursors((*ast.CallExpr)(nil)) {
		if call := c.Node().(*ast.CallExpr); f.unmarshalsAny(call) {
			return true
		}
	}
	return false
}

// registryFile returns the file that holds the registry, if only the package of f needs
// it. Tests have files of their own.
func (f *file) registryFile() string {
	name := registryFile
	switch {
	case strings.HasSuffix(f.syntax.Name.Name, "_test"):
		name = registryPackage + "_ext_test.go"
	case strings.HasSuffix(f.name, "_test.go"):
		name = registryPackage + "_test.go"
	}
	return filepath.Join(filepath.Dir(f.name), name)
}

// sharedRegistry returns how f refers to the registry of driver v2.
func (f *file) sharedRegistry() string {
	if p := f.unit.project; p.registry != "" {
		return f.local(p.registry) + ".Registry"
	}
	f.unit.project.addRegistry(f.registryFile(), f.syntax.Name.Name, registryName, f.unit)
	return registryName
}

// mapAnyInV1 lets the package of f decode an ObjectId to an oid.ID in an any.
func (f *file) mapAnyInV1() {
	p := f.unit.project
	if p.registry == "" {
		p.addRegistry(f.registryFile(), f.syntax.Name.Name, "", f.unit)
	} else if !f.unit.sees(p.registry) && !f.unit.given {
		f.importBlank(p.registry)
		f.unit.given = true
	}
}

// addRegistry adds a file with the registry, as a variable of that name, to a package.
func (p *project) addRegistry(name, pkg, variable string, u *unit) {
	if p.files[name] != nil {
		return
	}
	body := registryInit
	if p.driver.name == "v2" {
		body = fmt.Sprintf(registryText, variable)
	}
	text := fmt.Appendf(nil, "package %s\n\nimport (\n\t%q\n\n\t%q\n)\n\n%s", pkg, p.driver.documents(), p.driver.codec, body)
	p.files[name] = &file{name: name, now: text, formatted: true, unit: u}
	if formatted, err := format.Source(text); err == nil {
		p.files[name].now = formatted
	}
}

// isRegistry reports whether an expression is a registry of ours.
func (f *file) isRegistry(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == registryName
	case *ast.CallExpr:
		return f.isCodec(x, "NewRegistry")
	case *ast.SelectorExpr:
		return f.isIn(x, f.unit.project.registry)
	}
	return false
}
