package plan

import (
	"go/ast"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// clients gives each client of driver v2 our registry, and makes bson.Marshal and
// bson.Unmarshal ours where a value holds IDs or an any. Those of driver v1 use the default
// registry, which has our codecs.
func (f *file) clients() {
	if f.program.Driver.Name == "v1" {
		return
	}
	registries := find.Registries(f.File)
	for c, sel := range find.Selectors(f.File, f.program.Driver.Options()) {
		call, isCall := c.Parent().Node().(*ast.CallExpr)
		if sel.Sel.Name != "Client" {
			continue
		}
		next, chained := c.Parent().Parent().Node().(*ast.SelectorExpr)
		switch {
		case chained && next.Sel.Name == "SetRegistry":
		case !isCall || len(registries) > 0:
			f.leave(sel, "a client in a file with a registry of its own", "set "+f.codecName()+".NewRegistry() if it has none")
		default:
			f.replace(call.End(), call.End(), ".SetRegistry("+f.codec("NewRegistry")+"())")
		}
	}
	unpacked := map[*ast.CallExpr]bool{}
	for _, decode := range find.Decodes(f.File) {
		unpacked[decode.Call] = decode.Unpacks
	}
	for c, sel := range find.Calls(f.File) {
		call := find.CallOf(f.File, c.Node(), f.program.Driver.Documents(), "Marshal", "Unmarshal")
		if call != nil && (unpacked[call] || names.Contains(f.TypeOf(call.Args[len(call.Args)-1]), f.isOld)) {
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
		case sel.Sel.Name == "SetRegistry" && len(call.Args) == 1 && find.IsNewRegistry(f.File, call.Args[0]):
			f.replace(sel.X.End(), call.End(), "")
		}
	}
	if fn := f.mapsAny(); fn != nil {
		f.replace(fn.Doc.Pos()-1, fn.End()+1, "")
	}
}

// The function that lets driver v1 decode an ObjectId to an oid.ID in an any too.
const (
	mapAnyComment = "// An ObjectId decodes to an oid.ID, in an any too."
	mapAny        = "func init() { %s(%s.DefaultRegistry) }"
)

// mapsAny returns this function, or nil.
func (f *file) mapsAny() *ast.FuncDecl {
	for _, decl := range f.Syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Name.Name != "init" || fn.Doc == nil || fn.Body == nil || len(fn.Body.List) != 1 {
			continue
		}
		if stmt, ok := fn.Body.List[0].(*ast.ExprStmt); ok && find.CallOf(f.File, stmt.X, f.program.Driver.Codec, "MapAny") != nil {
			return fn
		}
	}
	return nil
}

// codecs registers our codecs with driver v1: by a blank import in each package that uses
// the driver and IDs, and by MapAny where an any is decoded. One package that another one
// imports is enough. A library doesn't change how the programs that import it decode.
func (s *sheet) codecs() {
	codec := s.program.Driver.Codec
	if s.program.Driver.Name != "v1" {
		return
	}
	ids, given, mapped := map[string]bool{}, map[string]bool{codec: true}, map[string]bool{} // packages, by path
	for _, f := range s.files {
		path := f.Pkg.Path
		ids[path] = ids[path] || find.Imports(f.File, names.OID) != nil || f.adds[names.OID] != ""
		given[path] = given[path] || f.adds[codec] != ""
		mapped[path] = mapped[path] || f.mapsAny() != nil
	}
	for _, pkg := range s.program.Packages { // a package comes after those that it imports
		for _, f := range s.files {
			if f.Pkg.Path != pkg.Path || !f.importsDriver() || !find.Reaches(f.Pkg.Types, ids) {
				continue
			}
			if f.decodesAny() && (isTest(f) || !s.libraries[pkg.Path]) && !find.Reaches(f.Pkg.Types, mapped) {
				f.mapAny()
				mapped[pkg.Path], given[pkg.Path] = true, true
			}
			if !find.Reaches(f.Pkg.Types, given) {
				f.adds[codec] = "_"
				given[pkg.Path] = true
			}
		}
	}
}

func isTest(f *file) bool { return strings.HasSuffix(f.Name, "_test.go") }

// importsDriver reports whether the file imports a package with documents or clients.
func (f *file) importsDriver() bool {
	return find.Imports(f.File, f.program.Driver.Module+"/mongo") != nil || find.Imports(f.File, f.program.Driver.Documents()) != nil
}

// decodesAny reports whether the file decodes into an any with a registry that isn't the
// project's own.
func (f *file) decodesAny() bool {
	for _, decode := range find.Decodes(f.File) {
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
