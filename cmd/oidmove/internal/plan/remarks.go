package plan

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// leaveUses lists uses of IDs that a person must look at, besides the places where the edits
// say so.
func (s *sheet) leaveUses() {
	told := map[string]bool{}
	for _, f := range s.files {
		f.leaveImports(told)
		f.leavePrints()
		f.leaveReflection()
		f.leaveLibrary(told)
	}
	s.leaveClients()
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
			f.leave(f.Syntax, "this file is not Go, so it stays as it is", "fix it, and run oidmove again")
		case f.Generated:
			for _, sel := range find.Selectors(f.File, from) {
				if names.Rename(sel.Sel.Name, s.back) != "" || sel.Sel.Name == "NilObjectID" {
					f.leave(sel, "this file is generated", "generate it again")
					break
				}
			}
		}
	}
	for _, name := range s.program.LeftOut {
		s.remarks = append(s.remarks, Remark{name, "this file uses IDs, but was not moved: run oidmove again with the -tags, GOOS or package of the file", 0})
	}
}

// stores are packages that write the name of an ID's type, or its bytes.
var stores = []string{"encoding/gob", "github.com/vmihailenco/msgpack", "github.com/fxamacher/cbor", "github.com/ugorji/go/codec"}

// leaveImports lists imports that hide the driver's names, and those of packages that see
// the type of an ID. Of these it lists the first one in the module, which it notes in told.
func (f *file) leaveImports(told map[string]bool) {
	for _, spec := range f.Syntax.Imports {
		path := pathOf(spec)
		if path == f.program.Driver.BSON && spec.Name != nil && spec.Name.Name == "." {
			f.leave(spec, "this is a dot import of the driver", "import the package under its name, and run oidmove again")
		}
		switch {
		case told[path]:
		case f.program.Sees[path]:
			f.leave(spec, "package "+path+" may expect the driver's ObjectID in an any, which now holds an oid.ID", "check the values of type any that the package gets")
		case path == "github.com/jinzhu/copier":
			f.leave(spec, "package "+path+" copies only fields of equal types", "check the fields that it copies an oid.ID from and to")
		case slices.ContainsFunc(stores, func(store string) bool { return strings.HasPrefix(path+"/", store+"/") }):
			f.leave(spec, "package "+path+" writes and reads an oid.ID in another form than the driver's type", "delete stored values with IDs, such as sessions and cache entries")
		}
		told[path] = true
	}
}

// leavePrints lists the IDs whose text changes. Package slog has always printed the digits of
// an ID, but prints a list or a struct as package fmt does.
func (f *file) leavePrints() {
	for arg, path := range find.Prints(f.File) {
		t := f.TypeOf(arg)
		if names.Shows(t, f.isOld) && !(path == "log/slog" && f.isOld(names.Deref(t))) {
			f.leave(arg, "this prints an ID as its 24 digits now, not as ObjectID(…), and its type as oid.ID", "check what reads this text")
		}
	}
}

// leaveReflection lists where code asks for the type, or has its name in a text.
func (f *file) leaveReflection() {
	name := names.Local(f.program.Driver.BSON)[0] + ".ObjectID"
	for n := range ast.Preorder(f.Syntax) {
		call := find.CallOf(f.File, n, "reflect", "TypeOf")
		text, isText := n.(*ast.BasicLit)
		if call != nil && f.isOld(names.Deref(f.TypeOf(call.Args[0]))) || isText && strings.Contains(text.Value, name) {
			f.leave(n, "the type is oid.ID now", "check what is compared with it")
		}
	}
}

// leaveLibrary tells once that programs of other modules see the move.
func (f *file) leaveLibrary(told map[string]bool) {
	if !told[""] && !isTest(f) && f.libraries[f.Pkg.Path] && !find.IsInternal(f.Pkg.Path) && len(f.noted) > 0 {
		f.leave(f.Syntax, "modules that import this package now see oid.ID in its API", "if such modules exist, release a new major version, and move them too")
		told[""] = true
	}
}

// leaveClients lists registries of the project's own, clients and decodes that get none of
// ours, and the first document that is decoded into a map if no package makes a client.
func (s *sheet) leaveClients() {
	d, codec := s.program.Driver, s.codecName()
	var first func()
	clients := d.Name == "v1" // the codecs are in the registry of all clients
	for _, f := range s.files {
		for _, n := range find.Registries(f.File) {
			f.leave(n, "this registry is the project's own", "call "+codec+".Register with it before its first use, and "+codec+".MapAny if documents are maps")
			clients = true
		}
		for c := range f.Cursors((*ast.CompositeLit)(nil)) {
			if n := c.Node().(*ast.CompositeLit); d.Name == "v2" && names.Is(f.TypeOf(n), d.Options(), "ClientOptions") {
				f.leave(n, "a client with these options has no registry", "set "+codec+".NewRegistry()")
				clients = true
			}
		}
		for _, sel := range find.Selectors(f.File, d.Options()) {
			clients = clients || sel.Sel.Name == "Client"
		}
		for _, decode := range find.Decodes(f.File) {
			switch {
			case decode.ByClient && first == nil:
				first = func() {
					f.leave(decode.Call, "documents are decoded into maps, and no package makes a client", "give the client the registry "+codec+".NewRegistry()")
				}
			case decode.Own, d.Name == "v2" && !decode.ByClient && !decode.Unpacks:
				f.leave(decode.Call, "an ObjectId in an any is read as the driver's ObjectID here", "read it with "+codec+".FromAny, or pass a registry of "+codec+".NewRegistry")
			}
		}
	}
	if first != nil && !clients {
		first()
	}
}
