package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// local returns the name by which the file can refer to a package. If the file doesn't
// import it yet, edits adds the import.
func (f *file) local(path string) string {
	f.needs[path] = true
	if name, ok := f.adds[path]; ok && name != "_" {
		return name
	}
	all := names.Local(path)
	for _, spec := range f.Syntax.Imports {
		switch {
		case spec.Path.Value != strconv.Quote(path):
		case spec.Name == nil:
			return all[0]
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			return spec.Name.Name
		}
	}
	name := all[len(all)-1]
	if i := slices.IndexFunc(all, func(s string) bool { return !f.declares(s) }); i >= 0 {
		name = all[i]
	}
	f.adds[path] = name
	return name
}

// codec returns how the file writes a function of our codec package.
func (f *file) codec(function string) string { return f.local(f.program.Driver.Codec) + "." + function }

// codecName is the name of our codec package, for a remark.
func (s *sheet) codecName() string { return names.Local(s.program.Driver.Codec)[0] }

// declares reports whether something in the file or its package is called name.
func (f *file) declares(name string) bool {
	for n, scope := range f.Pkg.Info.Scopes {
		if scope.Lookup(name) != nil && f.Syntax.FileStart <= n.Pos() && n.Pos() <= f.Syntax.FileEnd {
			return true
		}
	}
	return f.Pkg.Types.Scope().Lookup(name) != nil
}

// importAdds notes the edits that add the missing imports. They go next to an import of
// the driver or of ours, so that a move back leaves the groups of imports as they were.
func (f *file) importAdds() {
	for _, path := range slices.Sorted(maps.Keys(f.adds)) {
		spec := strconv.Quote(path)
		if name := f.adds[path]; name != names.Local(path)[0] {
			spec = name + " " + spec
		}
		f.addImport(spec)
	}
}

func (f *file) addImport(spec string) {
	best := slices.MaxFunc(append(f.Syntax.Imports, nil), func(a, b *ast.ImportSpec) int { return f.nearness(a) - f.nearness(b) })
	if best == nil {
		f.insertLine(f.Syntax.Name.End(), "\nimport "+spec)
		return
	}
	before := "import "
	for _, decl := range f.Syntax.Decls {
		if imports, ok := decl.(*ast.GenDecl); ok && slices.Contains(imports.Specs, ast.Spec(best)) && imports.Lparen.IsValid() {
			before = "\t"
		}
	}
	f.insertLine(best.End(), before+spec)
}

// nearness is greater for an import that a new one goes next to. It is 0 for none.
func (f *file) nearness(spec *ast.ImportSpec) int {
	switch path := pathOf(spec); {
	case spec == nil || path == "C": // its comment is the C code
		return 0
	case f.concerns(path):
		return 3
	case strings.HasPrefix(path, "go.mongodb.org/"):
		return 2
	}
	return 1
}

func pathOf(spec *ast.ImportSpec) string {
	if spec == nil {
		return ""
	}
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// concerns reports whether a package has one of the two types, or the codecs.
func (f *file) concerns(path string) bool {
	d := f.program.Driver
	return path == names.OID || path == d.BSON || path == d.Codec
}

// dropImports removes the imports of these packages, and of the driver's documents, that the
// file doesn't use now. One with a dot stays. One of the codecs is blank on purpose, until a
// move back.
func (f *file) dropImports() {
	used := maps.Clone(f.needs)
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
			path := pathOf(spec)
			kept := spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_" && !f.back)
			if (f.concerns(path) || path == f.program.Driver.Documents()) && !used[path] && !kept {
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
	return slices.ContainsFunc(f.noted, func(e edit.Edit) bool { return e.Start <= at && at < e.End })
}
