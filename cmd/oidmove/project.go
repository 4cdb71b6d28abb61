package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A project is what one run moves: the packages of one module.
type project struct {
	dir    string // with go.mod
	path   string // of the module
	driver driver
	fset   *token.FileSet
	files  map[string]*file
	units  map[string]*unit // by the ID of go/packages
	others map[string]*types.Package
	left   []finding
	known  map[string]bool // the errors of the type checker before the move

	mapAny   bool   // its documents are maps, or hold an any
	registry string // the package with the registry that has MapAny, if several need it
}

// A unit is a package of the project, or the variant of one that its tests see.
type unit struct {
	project *project
	pkg     *packages.Package
	types   *types.Package
	info    *types.Info
	errors  []types.Error
	done    bool // checked in this round
	given   bool // it imports the codecs for driver v1
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest

// load reads the packages of the project, and ours for each of the drivers.
func load(mod *module, tags string, patterns []string, drivers ...driver) (*project, error) {
	p := &project{dir: mod.dir, fset: token.NewFileSet(), files: map[string]*file{}, units: map[string]*unit{}, others: map[string]*types.Package{}}
	patterns = append(patterns[:len(patterns):len(patterns)], oidPath)
	for _, d := range drivers {
		patterns = append(patterns, d.codec)
	}
	loaded, err := loadPackages(mod, &packages.Config{Mode: loadMode, Fset: p.fset}, tags, patterns)
	if err != nil {
		return nil, err
	}
	var mine []*packages.Package
	for _, pkg := range loaded {
		if !p.owns(pkg) {
			if pkg.ID == pkg.PkgPath { // our packages, but not as their tests see them
				p.others[pkg.PkgPath] = pkg.Types
				p.index(pkg.Types)
			}
			continue
		}
		mine, p.path = append(mine, pkg), pkg.Module.Path
	}
	for _, pkg := range mine {
		p.index(pkg.Types)
		p.units[pkg.ID] = &unit{project: p, pkg: pkg}
		if err := p.addFiles(pkg); err != nil {
			return nil, err
		}
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("oidmove: no Go files of the module in %s match %s", mod.dir, strings.Join(patterns, " "))
	}
	return p, nil
}

// owns reports whether a package is one of the project's own. The main packages of
// tests, which the go command makes, are not.
func (p *project) owns(pkg *packages.Package) bool {
	return pkg.Module != nil && pkg.Module.Main && !strings.HasSuffix(pkg.ID, ".test")
}

// index makes what a package imports known to the importer. The variant of a package
// for its tests has the same path, and imports more.
func (p *project) index(pkg *types.Package) {
	if pkg == nil {
		return
	}
	for _, imported := range pkg.Imports() {
		if p.others[imported.Path()] == nil {
			p.others[imported.Path()] = imported
			p.index(imported)
		}
	}
}

// addFiles reads the files of pkg that belong to the project.
func (p *project) addFiles(pkg *packages.Package) error {
	for _, name := range pkg.GoFiles {
		rel, err := filepath.Rel(p.dir, name)
		if err != nil || p.files[name] != nil || !filepath.IsLocal(rel) || slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p.files[name] = newFile(name, content)
	}
	for _, name := range pkg.IgnoredFiles {
		content, err := os.ReadFile(name)
		if err == nil && strings.HasSuffix(name, ".go") && (strings.Contains(string(content), "ObjectID") || strings.Contains(string(content), oidPath)) {
			p.left = append(p.left, finding{token.Position{Filename: name, Line: 1}, "its build constraint leaves this file out", "run oidmove again with -tags or GOOS"})
		}
	}
	return nil
}

// check parses and checks every package with the files as they are now. Errors are
// expected in the middle of a move: the passes use the types that are known in spite of
// them.
func (p *project) check() error {
	for _, u := range p.units {
		u.done = false
	}
	for _, u := range p.sorted() {
		if err := u.check(); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the units in an order that is the same in every run. Variants for
// tests come last: their files are the ones that passes see.
func (p *project) sorted() []*unit {
	var units []*unit
	for _, u := range p.units {
		units = append(units, u)
	}
	slices.SortFunc(units, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(len(a.pkg.ForTest), len(b.pkg.ForTest)), cmp.Compare(a.pkg.ID, b.pkg.ID))
	})
	return units
}

// check checks the unit, after the units that it imports.
func (u *unit) check() error {
	if u.done {
		return nil
	}
	u.done = true
	p := u.project
	for _, imported := range u.pkg.Imports {
		if other := p.units[imported.ID]; other != nil {
			if err := other.check(); err != nil {
				return err
			}
		}
	}
	var files []*ast.File
	for _, name := range u.names() {
		var content any
		if f := p.files[name]; f != nil {
			content = f.now
		}
		syntax, err := parser.ParseFile(p.fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("oidmove: the text of %s is not Go: %w", name, err)
		}
		files = append(files, syntax)
		if f := p.files[name]; f != nil {
			f.unit, f.syntax, f.generated = u, syntax, ast.IsGenerated(syntax)
		}
	}
	u.errors = nil
	u.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}}
	config := types.Config{Importer: u, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			u.errors = append(u.errors, e)
		}
	}}
	if u.pkg.Module != nil && u.pkg.Module.GoVersion != "" {
		config.GoVersion = "go" + u.pkg.Module.GoVersion
	}
	u.types, _ = config.Check(u.pkg.PkgPath, p.fset, files, u.info)
	return nil
}

// names returns the files of the unit, with those that the move made.
func (u *unit) names() []string {
	names := u.pkg.CompiledGoFiles
	for name, f := range u.project.files {
		if f.before == nil && f.now != nil && f.unit.pkg.PkgPath == u.pkg.PkgPath && (u.pkg.ForTest != "" || !strings.HasSuffix(name, "_test.go")) {
			names = append(names[:len(names):len(names)], name)
		}
	}
	return names
}

// Import makes a unit the importer of its own files.
func (u *unit) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if imported := u.pkg.Imports[path]; imported != nil {
		if other := u.project.units[imported.ID]; other != nil {
			return other.types, nil
		}
		path = imported.PkgPath
	}
	if other := u.project.units[path]; other != nil { // as the tests of another package see it
		if err := other.check(); err != nil {
			return nil, err
		}
		return other.types, nil
	}
	if other := u.project.others[path]; other != nil {
		return other, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}
