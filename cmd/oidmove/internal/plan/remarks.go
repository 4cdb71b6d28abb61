package plan

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// leaveAll lists what a person must look at, besides the places where the edits say so.
func (s *sheet) leaveAll() {
	s.leaveFiles()
	if s.back {
		return
	}
	told := map[string]bool{}
	for _, f := range s.files {
		f.leaveImports(told)
		f.leavePrints()
		f.leaveReflection()
		f.leaveDecodes(told)
	}
	s.leaveClients()
	s.leaveLibrary()
}

// leaveFiles lists the files that a move doesn't change, if they use IDs.
func (s *sheet) leaveFiles() {
	from := s.program.Driver.BSON
	if s.back {
		from = names.OID
	}
	for _, loaded := range s.program.Files {
		f := &file{File: loaded, sheet: s}
		switch {
		case f.Broken:
			f.leave(f.Syntax, "this file is not Go, so it stays as it is", "mend it, and run oidmove again")
		case f.Generated:
			for _, sel := range find.Selectors(f.File, from) {
				if isID(sel.Sel.Name, s.back) {
					f.leave(sel, "this file is generated", "generate it again")
					break
				}
			}
		}
	}
	for _, name := range s.program.LeftOut {
		s.remarks = append(s.remarks, Remark{name, 0, "its build constraint leaves this file out", "run oidmove again with -tags or GOOS"})
	}
}

// isID reports whether a name of the driver, or of ours, is about IDs.
func isID(name string, ours bool) bool {
	for _, pair := range names.Pairs {
		if ours && name == pair.Ours || !ours && name == pair.Driver {
			return true
		}
	}
	return !ours && (name == "NilObjectID" || name == "NewObjectIDFromTimestamp")
}

// leaveImports lists imports that hide the driver's names, and those of packages that see
// the type of an ID. Of these it lists the first one in the module, which it notes in told.
func (f *file) leaveImports(told map[string]bool) {
	stores := find.Stores(f.File)
	for _, spec := range f.Syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		isDriver := path == f.program.Driver.BSON
		switch {
		case isDriver && spec.Name != nil && spec.Name.Name == ".":
			f.leave(spec, "a dot imports the driver's names", "import the package under its name, and run oidmove again")
		case told[path]:
		case f.program.Sees[path]:
			f.leave(spec, "package "+path+" may read the driver's ObjectID from an any, which holds an oid.ID now", "check what it does with an any that the driver decodes, and that it gets")
		case !slices.Contains(stores, spec):
		case strings.HasSuffix(path, "/copier"):
			f.leave(spec, "package "+path+" copies fields of equal types only", "check what it copies an oid.ID from, and to")
		default:
			f.leave(spec, "package "+path+" writes and reads an oid.ID in another form than the driver's type", "let no value with an ID outlive the move, such as a session or an entry of a cache")
		}
		told[path] = true
	}
}

// leavePrints lists the IDs whose text changes. An any from a result may hold either type.
func (f *file) leavePrints() {
	results := find.ResultsIn(f.File)
	for arg, verb := range find.Prints(f.File) {
		prints := "this prints "
		if results.Is(arg) {
			prints = "this can print "
		} else if !find.Printed(f.TypeOf(arg), verb, f.isOld) {
			continue
		}
		switch verb {
		case 'T', '#':
			f.leave(arg, prints+"the type oid.ID now", "check who reads it")
		case 'x', 'X':
			f.leave(arg, prints+"the 24 digits in hex now, not ObjectID(…) in hex", "write %s and id.Hex()")
		case 'l':
			f.leave(arg, "a text handler of slog prints the 24 digits here now, not ObjectID(…)", "check who reads it")
		default:
			f.leave(arg, prints+"the 24 digits now, not ObjectID(…)", "keep it, or write fmt.Sprintf(\"ObjectID(%q)\", id.Hex())")
		}
	}
}

func (f *file) leaveReflection() {
	for c := range f.Cursors((*ast.CallExpr)(nil)) {
		call := find.CallOf(f.File, c.Node(), "reflect", "TypeOf")
		if call != nil && f.isOld(names.Deref(f.TypeOf(call.Args[0]))) {
			f.leave(call, "reflection sees the type oid.ID now", "check what this type is compared with")
		}
	}
}

// leaveDecodes lists decodes into an any that no registry of ours reaches. Of those in a
// library with driver v1, it lists the first one of each package.
func (f *file) leaveDecodes(told map[string]bool) {
	d := f.program.Driver
	for decode := range find.Decodes(f.File) {
		switch {
		case d.Name == "v2" && !decode.ByClient && !decode.Unpacks, decode.Own:
			f.leave(decode.Call, "an ObjectId in an any is read as the driver's ObjectID here", "read it with "+f.codecName()+".FromAny, or pass a registry of "+f.codecName()+".NewRegistry")
		case d.Name == "v1" && f.isLibrary() && !told["decode "+f.Pkg.Path] && f.importsDriver():
			told["decode "+f.Pkg.Path] = true
			f.leave(decode.Call, "documents are decoded into maps, in a package for other programs", "let a program that imports it call mongov1.MapAny(bson.DefaultRegistry), or read IDs with mongov1.FromAny")
		}
	}
}

// isLibrary reports whether the file is part of a package that other modules may import,
// and that no program of this module needs.
func (f *file) isLibrary() bool {
	return !strings.HasSuffix(f.Name, "_test.go") && f.libraries[f.Pkg.Path]
}

// leaveClients lists registries of the project's own, and clients that get none of ours.
func (s *sheet) leaveClients() {
	var decodes *file
	var first ast.Node
	codec, clients := names.Local(s.program.Driver.Codec)[0], s.program.Driver.Name == "v1" // the codecs are in the registry of all clients
	for _, f := range s.files {
		for n := range find.Registries(f.File) {
			f.leave(n, "this registry is the project's own", "call "+codec+".Register with it before its first use, and "+codec+".MapAny if documents are maps")
			clients = true
		}
		for n := range find.Options(f.File) {
			if s.program.Driver.Name == "v2" {
				f.leave(n, "a client with these options has no registry", "set "+codec+".NewRegistry()")
				clients = true
			}
		}
		for _, sel := range find.Selectors(f.File, s.program.Driver.Module+"/mongo/options") {
			clients = clients || sel.Sel.Name == "Client"
		}
		for decode := range find.Decodes(f.File) {
			if decodes == nil && decode.ByClient {
				decodes, first = f, decode.Call
			}
		}
	}
	if decodes != nil && !clients {
		decodes.leave(first, "documents are decoded into maps, and no package makes a client", "give the client the registry "+codec+".NewRegistry()")
	}
}

// leaveLibrary tells once that programs of other modules see the move.
func (s *sheet) leaveLibrary() {
	for _, f := range s.files {
		if !f.isLibrary() {
			continue
		}
		if n := find.Exports(f.File, s.isOld); n != nil {
			f.leave(n, "other modules that import this package see oid.ID in its place", "make it a new major version, and move them too")
			return
		}
	}
}
