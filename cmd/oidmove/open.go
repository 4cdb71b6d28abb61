package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// open loads the project with the packages that it needs after the move. The project
// is nil if an earlier move has left nothing to do.
func open(mod *module, o options) (*project, error) {
	used, moved, err := driversOf(mod, o)
	if err != nil {
		return nil, err
	}
	if moved && len(used) == 0 && o.driver == "" {
		if o.back {
			return nil, errors.New("oidmove: the packages don't import MongoDB's driver now: say which one to move back to, with -driver=v1 or -driver=v2")
		}
		return nil, nil
	}
	d, err := choose(used, o.driver)
	if err != nil {
		return nil, err
	}
	if err := mod.require(root, d.codec); err != nil {
		return nil, err
	}
	p, err := load(mod, o.tags, o.patterns, d)
	if err != nil {
		return nil, err
	}
	p.driver = d
	return p, nil
}

// loadPackages loads packages with the copy of go.mod.
func loadPackages(mod *module, cfg *packages.Config, tags string, patterns []string) ([]*packages.Package, error) {
	cfg.Dir, cfg.Env, cfg.Tests = mod.dir, mod.env(), true
	cfg.BuildFlags = []string{"-mod=mod", "-modfile=" + mod.file, "-tags=" + tags}
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("oidmove: the packages can't be loaded: %w", err)
	}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			broken := strings.HasPrefix(err.Msg, "# ") // what the compiler says of the code as it is
			if err.Kind == packages.ListError && !broken {
				return nil, fmt.Errorf("oidmove: %s: %s: fix this first", pkg.PkgPath, err.Msg)
			}
		}
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("oidmove: no packages match %s", strings.Join(patterns, " "))
	}
	return loaded, nil
}

// driversOf returns the drivers whose ObjectID the packages import, or our codecs for
// them, or at least another package of them. It also reports whether one imports oid.
func driversOf(mod *module, o options) (used []driver, moved bool, err error) {
	loaded, err := loadPackages(mod, &packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedModule}, o.tags, o.patterns)
	if err != nil {
		return nil, false, err
	}
	moved = slices.ContainsFunc(loaded, func(pkg *packages.Package) bool { return pkg.Imports[oidPath] != nil })
	var exact, loose []driver
	for _, d := range []driver{driverV1, driverV2} {
		for _, pkg := range loaded {
			if pkg.Module == nil || !pkg.Module.Main {
				continue
			}
			if pkg.Imports[d.bson] != nil || pkg.Imports[d.codec] != nil {
				exact = append(exact, d)
				break
			}
		}
		if slices.ContainsFunc(loaded, func(pkg *packages.Package) bool { return importsBelow(pkg, d) }) {
			loose = append(loose, d)
		}
	}
	if len(exact) > 0 {
		return exact, moved, nil
	}
	return loose, moved, nil
}

// importsBelow reports whether pkg imports a package of the driver.
func importsBelow(pkg *packages.Package, d driver) bool {
	for path := range pkg.Imports {
		if strings.HasPrefix(path, d.root) && (d.name == "v2" || !strings.HasPrefix(path, driverV2.root)) {
			return true
		}
	}
	return false
}

// choose returns the driver that the flag names, or the only one.
func choose(used []driver, name string) (driver, error) {
	for _, d := range []driver{driverV1, driverV2} {
		if d.name == name {
			return d, nil
		}
	}
	switch {
	case name != "":
		return driver{}, fmt.Errorf("oidmove: -driver=%s: the drivers are v1 and v2", name)
	case len(used) == 0:
		return driver{}, fmt.Errorf("oidmove: none of the packages imports MongoDB's driver: there is nothing to move")
	case len(used) > 1:
		return driver{}, fmt.Errorf("oidmove: the packages use both drivers: run it with -driver=v1, and then with -driver=v2")
	}
	return used[0], nil
}

// sortedFiles returns the files in the order of their names.
func (p *project) sortedFiles() []*file {
	var files []*file
	for _, f := range p.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
	return files
}

// save writes the files that changed, and go.mod. If no file changed, go.mod doesn't
// change either.
func (p *project) save(mod *module) error {
	changed := false
	for _, f := range p.sortedFiles() {
		if !f.changed() {
			continue
		}
		changed = true
		if err := f.save(); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return mod.save()
}

// save writes the file, or removes it with the folder of which it was the only file.
func (f *file) save() error {
	dir := filepath.Dir(f.name)
	if f.now == nil {
		if err := os.Remove(f.name); err != nil {
			return err
		}
		if filepath.Base(dir) == registryPackage {
			os.Remove(dir) // fails if there is another file
		}
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(f.name, f.now, 0o644)
}

// printDiff prints what save would change in Go files. It needs git.
func (p *project) printDiff(w io.Writer, tmp string) error {
	for _, f := range p.sortedFiles() {
		if !f.changed() {
			continue
		}
		rel, err := filepath.Rel(p.dir, f.name)
		if err != nil {
			return err
		}
		for side, content := range map[string][]byte{"a": f.before, "b": f.now} {
			if content == nil {
				continue // the move makes the file, or removes it
			}
			name := filepath.Join(tmp, side, rel)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(name, content, 0o644); err != nil {
				return err
			}
		}
	}
	for _, side := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(tmp, side), 0o755); err != nil {
			return err
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-prefix", "a", "b")
	cmd.Dir = tmp
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: there are differences
		return fmt.Errorf("oidmove: -n needs git: %w\n%s", err, &stderr)
	}
	return nil
}
