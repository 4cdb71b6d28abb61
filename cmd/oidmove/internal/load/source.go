// Package load reads the packages of a module, and checks their types. It changes
// nothing.
package load

import (
	"fmt"
	"io/fs"
	"maps"
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
	Dir, Path string // of the module
	Driver    names.Driver
	Texts     map[string][]byte // the module's Go files, by their names
	LeftOut   []string          // files that a build constraint leaves out, and that use IDs
	Sees      map[string]bool   // packages of other modules that import the driver's type, by path
	Unloaded  []packages.Error  // what the go command says of packages of the module

	units   map[string]*packages.Package // packages, and variants of them for tests, by ID
	exports map[string]string            // files with types of other packages, by path
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
	d, err := Choose(used, driver)
	if err != nil {
		return nil, err
	}
	if err := mod.Require(names.Root, d.Codec); err != nil {
		return nil, err
	}
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedModule | packages.NeedForTest
	loaded, unloaded, err := list(mod, mode, tags, append(patterns[:len(patterns):len(patterns)], names.OID, d.Codec, d.BSON))
	if err != nil {
		return nil, err
	}
	s := &Source{Dir: mod.Dir, Driver: d, Texts: map[string][]byte{}, Sees: map[string]bool{}, Unloaded: unloaded, units: map[string]*packages.Package{}, exports: map[string]string{}}
	return s, s.read(loaded, patterns)
}

// read reads the files of the module, and finds the variants of its packages for tests.
func (s *Source) read(loaded []*packages.Package, patterns []string) error {
	mine := map[string]bool{}
	for _, pkg := range loaded {
		if pkg.Module == nil || !pkg.Module.Main || strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		s.Path, mine[pkg.PkgPath] = pkg.Module.Path, true
		if err := s.readFiles(pkg); err != nil {
			return err
		}
	}
	if len(s.Texts) == 0 {
		return fmt.Errorf("oidmove: no Go files of the module in %s match %s", s.Dir, strings.Join(patterns, " "))
	}
	for _, pattern := range patterns {
		if root, all := strings.CutSuffix(pattern, "/..."); all && strings.HasPrefix(root, ".") {
			if err := s.leaveFolders(filepath.Join(s.Dir, root)); err != nil {
				return err
			}
		}
	}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		switch {
		case mine[pkg.PkgPath] && !strings.HasSuffix(pkg.ID, ".test"):
			s.units[pkg.ID] = pkg
		case pkg.ID == pkg.PkgPath && pkg.ExportFile != "":
			s.exports[pkg.PkgPath] = pkg.ExportFile
			s.Sees[pkg.PkgPath] = pkg.Imports[s.Driver.BSON] != nil && !s.Driver.Has(pkg.PkgPath) && !strings.HasPrefix(pkg.PkgPath, names.Root+"/")
		}
	})
	return nil
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
	for _, name := range pkg.IgnoredFiles {
		s.leaveOut(name)
	}
	return nil
}

// leaveOut notes a file of the module that isn't read, if it uses IDs.
func (s *Source) leaveOut(name string) {
	text, err := os.ReadFile(name)
	if err == nil && strings.HasSuffix(name, ".go") && !slices.Contains(s.LeftOut, name) && (strings.Contains(string(text), "ObjectID") || strings.Contains(string(text), names.OID)) {
		s.LeftOut = append(s.LeftOut, name)
	}
}

// leaveFolders notes the files of folders below root of which build constraints leave out
// every file. The go command knows no package there.
func (s *Source) leaveFolders(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		if _, err := os.Stat(filepath.Join(name, "go.mod")); d.IsDir() && name != s.Dir && (err == nil || base == "vendor" || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && s.Texts[name] == nil {
			s.leaveOut(name)
		}
		return nil
	})
}

// Names returns the names of the files in their order.
func (s *Source) Names() []string { return slices.Sorted(maps.Keys(s.Texts)) }

// list loads packages with the copy of go.mod. It returns apart what the go command says of
// packages of the module that have files.
func list(mod *Module, mode packages.LoadMode, tags string, patterns []string) (loaded []*packages.Package, left []packages.Error, err error) {
	loaded, err = packages.Load(&packages.Config{Mode: mode, Dir: mod.Dir, Env: mod.env(), Tests: true,
		BuildFlags: []string{"-mod=mod", "-modfile=" + mod.File, "-tags=" + tags}}, patterns...)
	if err != nil {
		return nil, nil, fmt.Errorf("oidmove: the packages can't be loaded: %w", err)
	}
	for _, pkg := range loaded {
		for _, e := range pkg.Errors {
			switch {
			case strings.HasPrefix(e.Msg, "# "): // what the compiler says of the code as it is
			case len(pkg.GoFiles)+len(pkg.IgnoredFiles) > 0:
				left = append(left, e)
			default:
				return nil, nil, fmt.Errorf("oidmove: %s: %s: fix this first", pkg.PkgPath, e.Msg)
			}
		}
	}
	if len(loaded) == 0 {
		return nil, nil, fmt.Errorf("oidmove: no packages match %s", strings.Join(patterns, " "))
	}
	return loaded, left, nil
}

// driversOf returns the drivers whose ObjectID the packages import, or our codecs for
// them, or at least another package of them. It also reports whether one imports oid.
func driversOf(mod *Module, tags string, patterns []string) (used []names.Driver, moved bool, err error) {
	loaded, _, err := list(mod, packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedModule, tags, patterns)
	if err != nil {
		return nil, false, err
	}
	imported := map[string]bool{}
	for _, pkg := range loaded {
		for path := range pkg.Imports {
			imported[path] = imported[path] || pkg.Module != nil && pkg.Module.Main
		}
	}
	for _, d := range names.Drivers {
		if imported[d.BSON] || imported[d.Codec] {
			used = append(used, d)
		}
	}
	if len(used) > 0 {
		return used, imported[names.OID], nil
	}
	for _, d := range names.Drivers {
		if slices.ContainsFunc(slices.Collect(maps.Keys(imported)), d.Has) {
			used = append(used, d)
		}
	}
	return used, imported[names.OID], nil
}

// Choose returns the driver of that name, or the only one that is used.
func Choose(used []names.Driver, name string) (names.Driver, error) {
	for _, d := range names.Drivers {
		if d.Name == name {
			return d, nil
		}
	}
	switch {
	case name != "":
		return names.Driver{}, fmt.Errorf("oidmove: -driver=%s: the drivers are v1 and v2", name)
	case len(used) == 0:
		return names.Driver{}, fmt.Errorf("oidmove: none of the packages imports MongoDB's driver: there is nothing to move")
	case len(used) > 1:
		return names.Driver{}, fmt.Errorf("oidmove: the packages use both drivers: run it with -driver=v1, and then with -driver=v2")
	}
	return used[0], nil
}
