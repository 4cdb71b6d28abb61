package main

import (
	"bytes"
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
// is nil if there is nothing to move.
func open(mod *module, o options) (*project, error) {
	used, err := driversOf(mod, o)
	if err != nil {
		return nil, err
	}
	d, err := choose(used, o.driver)
	if err != nil {
		return nil, err
	}
	if err := mod.require(oidPath, d.codec); err != nil {
		return nil, err
	}
	p, err := load(mod, o.tags, o.patterns, d)
	if err != nil {
		return nil, err
	}
	p.driver = d
	return p, nil
}

// driversOf returns the drivers whose ObjectID the packages import, or our codecs for
// them, or at least another package of them.
func driversOf(mod *module, o options) ([]driver, error) {
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedModule, Dir: mod.dir, Env: mod.env(), Tests: true,
		BuildFlags: []string{"-mod=mod", "-modfile=" + mod.file, "-tags=" + o.tags}}
	loaded, err := packages.Load(cfg, o.patterns...)
	if err != nil {
		return nil, fmt.Errorf("oidmove: the packages can't be loaded: %w", err)
	}
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
		return exact, nil
	}
	return loose, nil
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
		var err error
		if f.now == nil {
			err = os.Remove(f.name)
		} else {
			err = os.WriteFile(f.name, f.now, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return mod.save()
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
