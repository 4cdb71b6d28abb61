package load

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// A Program is a Source with types. Its texts may be other ones than those that were read.
type Program struct {
	*Source
	Files    []*File    // in the order of their names
	Packages []*Package // each after those that it imports

	checked map[string]*Package // by the ID of go/packages
}

// A Package is one of the module's packages, or the variant of one that its tests see.
type Package struct {
	Path, Name string
	Types      *types.Package
	Info       *types.Info
	Errors     []types.Error
	imports    map[string]*packages.Package
	Program    *Program
}

// A File is a Go file of the module.
type File struct {
	Name      string // absolute
	Text      []byte
	Syntax    *ast.File
	Pkg       *Package
	Generated bool
	Broken    bool // its text isn't Go
	Inspector *inspector.Inspector
	rank      int // of the variant Pkg
}

// Check checks the types of the packages with these texts of their files. The texts may
// have errors: the types are those that are known in spite of them.
func (s *Source) Check(texts map[string][]byte) *Program {
	p := &Program{Source: s, checked: map[string]*Package{}}
	files := map[string]*File{}
	for _, unit := range s.sorted() {
		p.check(unit, texts, files)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Texts)) {
		if f := files[name]; f != nil {
			f.Inspector = inspector.New([]*ast.File{f.Syntax})
			p.Files = append(p.Files, f)
		}
	}
	return p
}

// sorted returns the packages in an order that is the same in every run.
func (s *Source) sorted() []*packages.Package {
	return slices.SortedFunc(maps.Values(s.units), func(a, b *packages.Package) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
}

// rank orders the variants of a package. That for its own tests is the highest: it has all
// files.
func rank(pkg *packages.Package) int {
	switch pkg.ForTest {
	case "":
		return 1
	case pkg.PkgPath, strings.TrimSuffix(pkg.PkgPath, "_test"):
		return 2
	}
	return 0 // as the tests of another package see it
}

// check checks a package, after those that it imports.
func (p *Program) check(unit *packages.Package, texts map[string][]byte, files map[string]*File) {
	if p.checked[unit.ID] != nil {
		return
	}
	pkg := &Package{Path: unit.PkgPath, Name: unit.Name, imports: unit.Imports, Program: p}
	p.checked[unit.ID] = pkg
	for _, imported := range unit.Imports {
		if p.units[imported.ID] != nil {
			p.check(imported, texts, files)
		}
	}
	var all []*ast.File
	for _, name := range unit.GoFiles {
		text := texts[name]
		if text == nil {
			continue
		}
		syntax, err := parser.ParseFile(p.Fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, syntax)
		if files[name] == nil || files[name].rank < rank(unit) {
			files[name] = &File{Name: name, Text: text, Syntax: syntax, Pkg: pkg, Generated: ast.IsGenerated(syntax), Broken: err != nil, rank: rank(unit)}
		}
	}
	pkg.Info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}}
	config := types.Config{Importer: pkg, FakeImportC: true, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !strings.HasPrefix(e.Msg, "\t") {
			pkg.Errors = append(pkg.Errors, e)
		}
	}}
	if unit.Module != nil && unit.Module.GoVersion != "" {
		config.GoVersion = "go" + unit.Module.GoVersion
	}
	pkg.Types, _ = config.Check(unit.PkgPath, p.Fset, all, pkg.Info)
	p.Packages = append(p.Packages, pkg)
}

// Import makes a package the importer of its own files.
func (pkg *Package) Import(path string) (*types.Package, error) {
	p, id := pkg.Program, path // without an import yet, the path of a package that a move adds
	if imported := pkg.imports[path]; imported != nil {
		id, path = imported.ID, imported.PkgPath
	}
	if own := p.checked[id]; own != nil {
		return own.Types, nil
	}
	return p.others.Import(path)
}

// Offset returns where pos is in its file.
func (p *Program) Offset(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Offset }

// TypeOf returns the type of e. It is types.Typ[types.Invalid] if code doesn't compile.
func (f *File) TypeOf(e ast.Expr) types.Type {
	if t := f.Pkg.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// Errors returns what the compiler says of the file, but not which variables and imports
// are unused.
func (f *File) Errors() (list []types.Error) {
	for _, e := range f.Pkg.Errors {
		if !e.Soft && f.Pkg.Program.Fset.PositionFor(e.Pos, false).Filename == f.Name {
			list = append(list, e)
		}
	}
	return list
}

// Cursors yields the places in the file with nodes of these types.
func (f *File) Cursors(nodes ...ast.Node) func(yield func(inspector.Cursor) bool) {
	return f.Inspector.Root().Preorder(nodes...)
}
