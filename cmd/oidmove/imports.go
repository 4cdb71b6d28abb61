package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// localNames are the names under which a file may import a package. The first one that
// nothing in the file hides is taken: a variable is often called oid.
var localNames = map[string][]string{
	oidPath:        {"oid", "objectid", "oidkit"},
	driverV1.bson:  {"primitive", "mongoprimitive"},
	driverV1.codec: {"mongov1", "oidcodec"},
	driverV2.bson:  {"bson", "mongobson"},
	driverV2.codec: {"bsoncodec", "oidcodec"},
	"errors":       {"errors", "stderrors"},
}

// namesOf returns the names under which a file may import a package.
func namesOf(path string) []string {
	if names := localNames[path]; names != nil {
		return names
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	return []string{name, "project" + name}
}

// local returns the name by which the file can refer to a package. If the file doesn't
// import it yet, apply adds the import.
func (f *file) local(path string) string {
	if name, ok := f.adds[path]; ok {
		return name
	}
	if spec := f.importSpec(path); spec != nil {
		if spec.Name != nil {
			return spec.Name.Name
		}
		return namesOf(path)[0]
	}
	names := namesOf(path)
	name := names[len(names)-1]
	if i := slices.IndexFunc(names, func(s string) bool { return !f.declares(s) }); i >= 0 {
		name = names[i]
	}
	if f.adds == nil {
		f.adds = map[string]string{}
	}
	f.adds[path] = name
	return name
}

// declares reports whether something in the file or its package is called name.
func (f *file) declares(name string) bool {
	for ident, obj := range f.unit.info.Defs {
		if ident.Name != name || obj == nil || ident.Pos() < f.syntax.FileStart || ident.Pos() > f.syntax.FileEnd {
			continue
		}
		if v, ok := obj.(*types.Var); ok && v.IsField() {
			continue
		}
		return true
	}
	scope := f.unit.info.Scopes[f.syntax]
	return scope != nil && scope.Lookup(name) != nil || f.unit.types.Scope().Lookup(name) != nil
}

// importSpec returns the import of a package under a name that code can use, or nil.
func (f *file) importSpec(path string) *ast.ImportSpec {
	for _, spec := range f.syntax.Imports {
		if got, _ := strconv.Unquote(spec.Path.Value); got != path {
			continue
		}
		if spec.Name == nil || spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec
		}
	}
	return nil
}

// imports reports whether the file imports a package, under whatever name.
func (f *file) imports(path string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(spec *ast.ImportSpec) bool {
		return spec.Path.Value == strconv.Quote(path)
	})
}

// importBlank adds a blank import.
func (f *file) importBlank(path string) {
	if f.adds == nil {
		f.adds = map[string]string{}
	}
	f.adds[path] = "_"
}

// importAdds notes the edits that add the missing imports. They go next to an import of
// the driver or of ours, so that a move back leaves the groups of imports as they were.
func (f *file) importAdds() {
	for _, path := range slices.Sorted(maps.Keys(f.adds)) {
		spec := strconv.Quote(path)
		if name := f.adds[path]; name != namesOf(path)[0] {
			spec = name + " " + spec
		}
		f.addImport(spec, f.neighbor(path))
	}
	f.adds = nil
}

func (f *file) addImport(spec string, neighbor *ast.ImportSpec) {
	for _, decl := range f.syntax.Decls {
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
	f.insertLine(f.syntax.Name.End(), "\nimport "+spec)
}

// neighbor returns the import that the one of path goes next to, or nil if there is none.
func (f *file) neighbor(path string) *ast.ImportSpec {
	var best *ast.ImportSpec
	rank := 0
	for _, spec := range f.syntax.Imports {
		other, _ := strconv.Unquote(spec.Path.Value)
		r := 1
		switch {
		case path == "errors" && !strings.Contains(other, "."):
			r = 4
		case path != "errors" && localNames[other] != nil && other != "errors":
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

// insertLine adds a line after the one that holds pos.
func (f *file) insertLine(pos token.Pos, line string) {
	at := f.offset(pos)
	if i := bytes.IndexByte(f.now[at:], '\n'); i >= 0 {
		at += i
	}
	f.edits = append(f.edits, edit{at, at, "\n" + line})
}

// dropImports removes imports of the paths that the file doesn't use. An import with a
// dot is kept, and a blank one too, unless blank is set.
func (f *file) dropImports(blank bool, paths ...string) {
	used := map[string]bool{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok {
			if name, ok := f.unit.info.Uses[ident].(*types.PkgName); ok {
				used[name.Imported().Path()] = true
			}
		}
		return true
	})
	for _, decl := range f.syntax.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			break
		}
		var drop []ast.Node
		for _, spec := range imports.Specs {
			spec := spec.(*ast.ImportSpec)
			path, _ := strconv.Unquote(spec.Path.Value)
			hidden := spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_" && !blank)
			if slices.Contains(paths, path) && !used[path] && !hidden {
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

// dropLines removes n with the rest of its lines.
func (f *file) dropLines(n ast.Node) {
	start, end := f.offset(n.Pos()), f.offset(n.End())
	start = bytes.LastIndexByte(f.now[:start], '\n') + 1
	if i := bytes.IndexByte(f.now[end:], '\n'); i >= 0 {
		end += i + 1
	}
	f.edits = append(f.edits, edit{start, end, ""})
}
