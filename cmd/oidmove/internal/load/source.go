// Package load reads the packages of a module, and checks their types.
package load

import (
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A Source is the text of the packages that one run moves, and what the go command knows
// about them. Check adds types.
type Source struct {
	Dir      string // of the module
	Driver   names.Driver
	Fset     *token.FileSet
	Texts    map[string][]byte // the module's Go files, by their names
	LeftOut  []string          // files of the module that are not read, and that use IDs
	Sees     map[string]bool   // packages of other modules that import the driver's type, by path
	Unloaded []packages.Error  // what the go command says of packages of the module

	units  map[string]*packages.Package // packages, and variants of them for tests, by ID
	others types.Importer               // of other packages
}

// Open reads the packages that match the patterns, after adding to the copy of go.mod what
// they need after the move. It returns nil if an earlier move has left nothing to do.
func Open(mod *Module, tags, driver string, back bool, patterns []string) (*Source, error) {
	used, moved, err := driversOf(mod, tags, patterns)
	if err != nil {
		return nil, err
	}
	if moved && len(used) == 0 && driver == "" {
		if back {
			return nil, fmt.Errorf("oidmove: the packages don't import MongoDB's driver now: say which one to move back to, with -driver=v1 or -driver=v2")
		}
		return nil, nil
	}
	d, err := Choose(used, driver, back)
	if err != nil {
		return nil, fmt.Errorf("oidmove: %s: %w", strings.Join(patterns, " "), err)
	}
	if err := mod.Require(names.Root, d.Codec); err != nil {
		return nil, err
	}
	loaded, unloaded, err := list(mod, tags, append(patterns[:len(patterns):len(patterns)], names.OID, d.Codec, d.BSON))
	if err != nil {
		return nil, err
	}
	s := &Source{Dir: mod.Dir, Driver: d, Texts: map[string][]byte{}, Sees: map[string]bool{}, Unloaded: unloaded, units: map[string]*packages.Package{}, Fset: token.NewFileSet()}
	if err := s.read(loaded, patterns); err != nil {
		return nil, err
	}
	return s, s.build(mod, tags)
}

// read reads the files of the module, and finds the variants of its packages for tests.
func (s *Source) read(loaded []*packages.Package, patterns []string) error {
	mine := map[string]bool{}
	for _, pkg := range loaded {
		if pkg.Module == nil || !pkg.Module.Main || strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		mine[pkg.PkgPath] = true
		if err := s.readFiles(pkg); err != nil {
			return err
		}
	}
	if len(s.Texts) == 0 {
		return fmt.Errorf("oidmove: no Go files of the module in %s match %s", s.Dir, strings.Join(patterns, " "))
	}
	if err := s.leaveOut(); err != nil {
		return err
	}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		if mine[pkg.PkgPath] {
			s.units[pkg.ID] = pkg
		}
	})
	return nil
}

// build compiles the packages that those of the module import, or will import. The types of
// these are checked from their text, so nothing compiles them.
func (s *Source) build(mod *Module, tags string) error {
	paths := []string{names.OID, s.Driver.Codec, s.Driver.BSON, s.Driver.Documents()}
	for _, unit := range s.units {
		for _, pkg := range unit.Imports {
			if s.units[pkg.ID] == nil {
				paths = append(paths, pkg.PkgPath)
				s.Sees[pkg.PkgPath] = pkg.Imports[s.Driver.BSON] != nil && !s.Driver.Has(pkg.PkgPath) && !strings.HasPrefix(pkg.PkgPath, names.Root+"/")
			}
		}
	}
	slices.Sort(paths)
	out, err := goList(mod, tags, "{{.ImportPath}}\t{{.Export}}", append([]string{"-export"}, slices.Compact(paths)...))
	exports := map[string]string{} // files by path
	for line := range strings.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	s.others = importer.ForCompiler(s.Fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("package %s can't be built", path)
		}
		return os.Open(exports[path])
	})
	return err
}

func (s *Source) readFiles(pkg *packages.Package) error {
	for _, name := range pkg.GoFiles {
		rel, err := filepath.Rel(s.Dir, name)
		if err != nil || s.Texts[name] != nil || !filepath.IsLocal(rel) || slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor") {
			continue
		}
		if s.Texts[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut notes the files of the module that use IDs and are not read.
func (s *Source) leaveOut() error {
	return filepath.WalkDir(s.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == s.Dir {
			return err
		}
		if d.IsDir() {
			base := filepath.Base(name)
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil || base == "vendor" || base == "testdata" || strings.ContainsAny(base[:1], "._") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || s.Texts[name] != nil {
			return nil
		}
		text, _ := os.ReadFile(name)
		if strings.Contains(string(text), "ObjectID") || strings.Contains(string(text), names.OID) {
			s.LeftOut = append(s.LeftOut, name)
		}
		return nil
	})
}

// IsOwn reports whether a package is one of those that are moved.
func (s *Source) IsOwn(path string) bool { return s.units[path] != nil }

// list loads packages with the copy of go.mod. It returns apart what the go command says of
// packages of the module that have files.
func list(mod *Module, tags string, patterns []string) (loaded []*packages.Package, left []packages.Error, err error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest
	loaded, err = packages.Load(&packages.Config{Mode: mode, Dir: mod.Dir, Env: mod.env(), Tests: true,
		BuildFlags: []string{"-mod=mod", "-modfile=" + mod.File, "-tags=" + tags}}, patterns...)
	if err != nil {
		return nil, nil, fmt.Errorf("oidmove: the packages can't be loaded: %w", err)
	}
	for _, pkg := range loaded {
		for _, e := range pkg.Errors {
			if len(pkg.GoFiles)+len(pkg.IgnoredFiles) == 0 {
				return nil, nil, fmt.Errorf("oidmove: %s: %s: fix this first", pkg.PkgPath, e.Msg)
			}
			left = append(left, e)
		}
	}
	return loaded, left, nil
}

// driversOf returns the drivers of which the packages import something, or our codecs for
// it. It also reports whether one imports oid.
func driversOf(mod *Module, tags string, patterns []string) (used []names.Driver, moved bool, err error) {
	const imports = `{{with .Module}}{{if .Main}}{{range $.Imports}}{{.}} {{end}}{{range $.TestImports}}{{.}} {{end}}{{range $.XTestImports}}{{.}} {{end}}{{end}}{{end}}`
	out, err := goList(mod, tags, imports, patterns)
	if err != nil {
		return nil, false, err
	}
	paths := strings.Fields(out)
	for _, d := range names.Drivers {
		if slices.Contains(paths, d.Codec) || slices.ContainsFunc(paths, d.Has) {
			used = append(used, d)
		}
	}
	return used, slices.Contains(paths, names.OID), nil
}

// goList returns what the go command knows about packages, with the copy of go.mod.
func goList(mod *Module, tags, format string, patterns []string) (string, error) {
	return Go(mod.Dir, mod.env(), append([]string{"list", "-e", "-mod=mod", "-modfile=" + mod.File, "-tags=" + tags, "-f=" + format}, patterns...)...)
}

// Choose returns the driver of that name, or the only one that is used. Of packages that use
// both, a move back can't tell which IDs are of which driver.
func Choose(used []names.Driver, name string, back bool) (names.Driver, error) {
	if back && len(used) > 1 {
		return names.Driver{}, errors.New("the packages use both drivers, and -back can't tell which driver an ID is for: move back the packages of one driver at a time")
	}
	for _, d := range names.Drivers {
		if d.Name == name {
			return d, nil
		}
	}
	switch {
	case name != "":
		return names.Driver{}, fmt.Errorf("-driver=%s: the drivers are v1 and v2", name)
	case len(used) == 0:
		return names.Driver{}, fmt.Errorf("none of the packages imports MongoDB's driver: there is nothing to move")
	case len(used) > 1:
		return names.Driver{}, fmt.Errorf("the packages use both drivers: run oidmove with -driver=v1, and then with -driver=v2")
	}
	return used[0], nil
}
