package plan

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// clients gives clients of driver v2 our registry, and makes bson.Marshal and
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
			f.leave(sel, "this client is in a file that makes its own registry", "set "+f.codecName()+".NewRegistry() if the client has no registry")
		default:
			f.replace(call.End(), call.End(), ".SetRegistry("+f.codec("NewRegistry")+"())")
		}
	}
	for c, sel := range find.Calls(f.File) {
		call := find.CallOf(f.File, c.Node(), f.program.Driver.Documents(), "Marshal", "Unmarshal")
		if call == nil {
			continue
		}
		t := f.TypeOf(call.Args[len(call.Args)-1])
		if names.Contains(t, f.isOld) || sel.Sel.Name == "Unmarshal" && names.Contains(t, find.IsOpen) {
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
		case sel.Sel.Name == "SetRegistry" && len(call.Args) == 1 && find.CallOf(f.File, call.Args[0], d.Codec, "NewRegistry") != nil:
			f.replace(sel.X.End(), call.End(), "")
		}
	}
	if fn := f.mapsAny(); fn != nil {
		f.replace(fn.Doc.Pos()-1, fn.End()+1, "")
	}
}

// The function that lets driver v1 decode an ObjectId to an oid.ID in an any too.
const mapAny = `
// An ObjectId decodes to an oid.ID, in an any too.
func init() { %s(%s.DefaultRegistry) }
`

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
	ids, given, mapped, told := map[string]bool{}, map[string]bool{codec: true}, map[string]bool{}, map[string]bool{} // packages, by path
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
			decode := f.decodesAny()
			switch {
			case decode == nil || find.Reaches(f.Pkg.Types, mapped):
			case isTest(f) || !s.libraries[pkg.Path]:
				text := fmt.Sprintf(mapAny, f.codec("MapAny"), f.local(f.program.Driver.Documents()))
				f.replace(f.Syntax.FileEnd, f.Syntax.FileEnd, text)
				mapped[pkg.Path], given[pkg.Path] = true, true
			case !told[pkg.Path]:
				f.leave(decode, "documents are decoded into maps, in a package for other programs", "let a program that imports it call mongov1.MapAny(bson.DefaultRegistry), or read IDs with mongov1.FromAny")
				told[pkg.Path] = true
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

// decodesAny returns a call that decodes into an any with a registry that isn't the project's
// own, or nil.
func (f *file) decodesAny() ast.Node {
	for _, decode := range find.Decodes(f.File) {
		if !decode.Own {
			return decode.Call
		}
	}
	return nil
}
