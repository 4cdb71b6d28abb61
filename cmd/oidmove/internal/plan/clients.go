package plan

import (
	"go/ast"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// clients gives each client of driver v2 that has no registry ours, and makes bson.Marshal
// and bson.Unmarshal ours where a value holds IDs or an any. Those of driver v1 use the
// default registry, which has our codecs.
func (f *file) clients() {
	if f.program.Driver.Name == "v1" {
		return
	}
	for client := range find.Clients(f.File) {
		f.wrap(client, "", ".SetRegistry("+f.codec("NewRegistry")+"())")
	}
	unpacked := map[*ast.CallExpr]bool{}
	for decode := range find.Decodes(f.File) {
		unpacked[decode.Call] = decode.Unpacks
	}
	for c, sel := range find.Calls(f.File) {
		call := c.Node().(*ast.CallExpr)
		if t := find.Packed(f.File, call, sel); t != nil && (unpacked[call] || names.Contains(t, f.isOld)) {
			f.name(sel, f.program.Driver.Codec, sel.Sel.Name)
		}
	}
}

// backClients removes our registries, and makes our functions those of the driver again.
func (f *file) backClients() {
	d := f.program.Driver
	for c, sel := range find.Calls(f.File) {
		call := c.Node().(*ast.CallExpr)
		switch {
		case find.CallOf(f.File, call, d.Codec, "Marshal", "Unmarshal") != nil:
			f.name(sel, d.BSON, sel.Sel.Name)
		case sel.Sel.Name == "SetRegistry" && len(call.Args) == 1 && f.isOurRegistry(call.Args[0]):
			f.replace(sel.X.End(), call.End(), "")
		}
	}
	for _, decl := range f.Syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && f.mapsAny(fn) {
			f.replace(fn.Doc.Pos()-1, fn.End()+1, "")
		}
	}
}

func (f *file) isOurRegistry(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "NewRegistry" && find.IsIn(f.File, sel, f.program.Driver.Codec)
}

// The function that lets driver v1 decode an ObjectId to an oid.ID in an any too.
const (
	mapAnyComment = "// An ObjectId decodes to an oid.ID, in an any too."
	mapAny        = "func init() { %s(%s.DefaultRegistry) }"
)

// mapsAny reports whether fn is this function.
func (f *file) mapsAny(fn *ast.FuncDecl) bool {
	if fn.Name.Name != "init" || fn.Doc == nil || fn.Body == nil || len(fn.Body.List) != 1 {
		return false
	}
	stmt, ok := fn.Body.List[0].(*ast.ExprStmt)
	return ok && find.CallOf(f.File, stmt.X, f.program.Driver.Codec, "MapAny") != nil
}

// codecs registers our codecs with driver v1: by a blank import in each package that uses
// the driver and IDs, and by MapAny where an any is decoded. One package that another one
// imports is enough. A library doesn't change how the programs that import it decode.
func (s *sheet) codecs() {
	if s.program.Driver.Name != "v1" {
		return
	}
	files, ids := map[string][]*file{}, map[string]bool{} // by the path of the package
	given, mapped := map[string]bool{s.program.Driver.Codec: true}, map[string]bool{}
	for _, f := range s.files {
		files[f.Pkg.Path] = append(files[f.Pkg.Path], f)
		ids[f.Pkg.Path] = ids[f.Pkg.Path] || find.Imports(f.File, names.OID) != nil || f.adds[names.OID] != ""
		given[f.Pkg.Path] = given[f.Pkg.Path] || f.adds[s.program.Driver.Codec] != ""
		for _, decl := range f.Syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			mapped[f.Pkg.Path] = mapped[f.Pkg.Path] || ok && f.mapsAny(fn)
		}
	}
	for _, pkg := range s.program.Packages { // a package comes after those that it imports
		for _, f := range files[pkg.Path] {
			if !f.importsDriver() || !find.Reaches(f.Pkg.Types, ids) {
				continue
			}
			isTest := strings.HasSuffix(f.Name, "_test.go")
			if f.decodesAny() && (isTest || !s.libraries[pkg.Path]) && !find.Reaches(f.Pkg.Types, mapped) {
				f.mapAny()
				mapped[pkg.Path], given[pkg.Path] = true, true
			}
			if !find.Reaches(f.Pkg.Types, given) {
				f.add(s.program.Driver.Codec, "_")
				given[pkg.Path] = true
			}
		}
		delete(files, pkg.Path)
	}
}

// decodesAny reports whether the file decodes into an any with a registry that isn't the
// project's own.
func (f *file) decodesAny() bool {
	for decode := range find.Decodes(f.File) {
		if !decode.Own {
			return true
		}
	}
	return false
}

// mapAny adds the function to the end of the file.
func (f *file) mapAny() {
	text := strings.Replace(mapAny, "%s", f.codec("MapAny"), 1)
	text = strings.Replace(text, "%s", f.local(f.program.Driver.Documents()), 1)
	end := f.Syntax.FileEnd
	f.replace(end, end, "\n"+mapAnyComment+"\n"+text+"\n")
}
