package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// local returns the name by which the file can refer to a package. If the file doesn't
// import it yet, edits adds the import.
func (f *file) local(path string) string {
	if name, ok := f.adds[path]; ok && name != "_" {
		return name
	}
	for _, spec := range f.Syntax.Imports {
		switch {
		case spec.Path.Value != strconv.Quote(path):
		case spec.Name == nil:
			return names.Local(path)[0]
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			return spec.Name.Name
		}
	}
	all := names.Local(path)
	name := all[len(all)-1]
	if i := slices.IndexFunc(all, func(s string) bool { return !f.declares(s) }); i >= 0 {
		name = all[i]
	}
	f.add(path, name)
	return name
}

// codec returns how the file writes a function of our codec package.
func (f *file) codec(function string) string { return f.local(f.program.Driver.Codec) + "." + function }

// codecName is the name of our codec package, for a remark.
func (f *file) codecName() string { return names.Local(f.program.Driver.Codec)[0] }

// add notes an import that is to be added.
func (f *file) add(path, name string) {
	if f.adds == nil {
		f.adds = map[string]string{}
	}
	f.adds[path] = name
}

// declares reports whether something in the file or its package is called name.
func (f *file) declares(name string) bool {
	for ident, obj := range f.Pkg.Info.Defs {
		if ident.Name != name || obj == nil || ident.Pos() < f.Syntax.FileStart || ident.Pos() > f.Syntax.FileEnd {
			continue
		}
		if v, ok := obj.(*types.Var); ok && v.IsField() {
			continue
		}
		return true
	}
	scope := f.Pkg.Info.Scopes[f.Syntax]
	return scope != nil && scope.Lookup(name) != nil || f.Pkg.Types.Scope().Lookup(name) != nil
}

// importAdds notes the edits that add the missing imports. They go next to an import of
// the driver or of ours, so that a move back leaves the groups of imports as they were.
func (f *file) importAdds() {
	for _, path := range slices.Sorted(maps.Keys(f.adds)) {
		spec := strconv.Quote(path)
		if name := f.adds[path]; name != names.Local(path)[0] {
			spec = name + " " + spec
		}
		f.addImport(spec, f.neighbor(path))
	}
}

func (f *file) addImport(spec string, neighbor *ast.ImportSpec) {
	for _, decl := range f.Syntax.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT || !slices.Contains(imports.Specs, ast.Spec(neighbor)) {
			continue
		}
		if imports.Lparen.IsValid() {
			f.insertLine(neighbor.End(), "\t"+spec)
		} else {
			f.insertLine(imports.End(), "import "+spec)
		}
		return
	}
	f.insertLine(f.Syntax.Name.End(), "\nimport "+spec)
}

// neighbor returns the import that the one of path goes next to, or nil if there is none.
func (f *file) neighbor(path string) *ast.ImportSpec {
	var best *ast.ImportSpec
	rank := 0
	for _, spec := range f.Syntax.Imports {
		other, _ := strconv.Unquote(spec.Path.Value)
		r := 1
		switch {
		case other == "C": // its comment is the C code
			r = 0
		case path == "errors" && !strings.Contains(other, "."):
			r = 4
		case path != "errors" && f.concerns(other):
			r = 3
		case strings.HasPrefix(other, "go.mongodb.org/"):
			r = 2
		}
		if r > rank {
			best, rank = spec, r
		}
	}
	return best
}

// concerns reports whether a package has one of the two types, or the codecs.
func (f *file) concerns(path string) bool {
	d := f.Pkg.Program.Driver
	return path == names.OID || path == d.BSON || path == d.Codec
}

// dropImports removes the imports of these packages that the file doesn't use. An import
// with a dot is kept, and a blank one too, unless blank is set.
func (f *file) dropImports(blank bool) {
	used := map[string]bool{}
	for path := range f.adds {
		used[path] = true
	}
	for n := range ast.Preorder(f.Syntax) {
		if ident, ok := n.(*ast.Ident); ok && !f.removes(ident) {
			if name, ok := f.Pkg.Info.Uses[ident].(*types.PkgName); ok {
				used[name.Imported().Path()] = true
			}
		}
	}
	for _, decl := range f.Syntax.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			break
		}
		var drop []ast.Node
		for _, spec := range imports.Specs {
			spec := spec.(*ast.ImportSpec)
			path, _ := strconv.Unquote(spec.Path.Value)
			hidden := spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_" && !blank)
			if (f.concerns(path) || path == f.Pkg.Program.Driver.Documents()) && !used[path] && !hidden {
				drop = append(drop, spec)
			}
		}
		if len(drop) == len(imports.Specs) {
			drop = []ast.Node{imports}
		}
		for _, n := range drop {
			f.dropLines(n)
		}
	}
}

// removes reports whether an edit removes n.
func (f *file) removes(n ast.Node) bool {
	at := f.at(n.Pos())
	return slices.ContainsFunc(f.noted, func(e noted) bool { return e.Start <= at && at < e.End })
}

// importsDriver reports whether the file imports a package with documents or clients.
func (f *file) importsDriver() bool {
	d := f.Pkg.Program.Driver
	return find.Imports(f.File, d.Module+"/mongo") != nil || find.Imports(f.File, d.Documents()) != nil
}
