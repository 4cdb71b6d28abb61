package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// permissive are the licenses, by their SPDX identifiers, that oblige nobody to publish
// what is built with our modules.
var permissive = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "Unlicense", "Zlib"}

// licenses prints, for each module that users fetch, the modules whose code they
// compile with it, and the licenses of these. It returns an error if one of them isn't
// permissive, or can't be told.
func licenses(w io.Writer, root string) error {
	return inWorld(root, func(world world) error {
		var bad []string
		for _, m := range world.mods {
			used, err := world.compiled(m)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, m.path())
			for _, u := range used {
				found, err := licensesOf(u)
				if err != nil {
					bad = append(bad, fmt.Sprintf("%s %s: %v", u.Path, u.Version, err))
					found = []string{"?"}
				}
				fmt.Fprintf(w, "\t%-50s %-40s %s\n", u.Path, u.Version, strings.Join(found, " AND "))
			}
		}
		if len(bad) > 0 {
			slices.Sort(bad)
			return fmt.Errorf("licenses that a user has to be warned of:\n%s", strings.Join(slices.Compact(bad), "\n"))
		}
		return nil
	})
}

// A used is a module of which packages are compiled.
type used struct {
	Path, Version, Dir string
	packages           []string // their folders
}

// compiled returns the modules of others whose packages a user compiles with the
// packages of m, on any of the common systems.
func (w world) compiled(m mod) ([]*used, error) {
	found := map[string]*used{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		out, err := w.run(w.folder(m), []string{"GOOS=" + system, "GOARCH=amd64", "CGO_ENABLED=0"}, "go", "list", "-mod=mod", "-deps", "-json=Dir,Module", "./...")
		if err != nil {
			return nil, err
		}
		for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
			var p struct {
				Dir    string
				Module *used
			}
			if err := dec.Decode(&p); err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Path == m.path() || strings.HasPrefix(p.Module.Path+"/", "github.com/oidkit/oidkit/") {
				continue // the standard library, or ours
			}
			if found[p.Module.Path] == nil {
				found[p.Module.Path] = p.Module
			}
			found[p.Module.Path].packages = append(found[p.Module.Path].packages, p.Dir)
		}
	}
	var all []*used
	for _, path := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[path])
	}
	return all, nil
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-.].*)?$`)

// licensesOf returns the licenses in the folder of a module, and in the folders between
// it and those of its packages that are compiled.
func licensesOf(u *used) ([]string, error) {
	dirs := map[string]bool{u.Dir: true}
	for _, dir := range u.packages {
		for ; strings.HasPrefix(dir, u.Dir+string(filepath.Separator)); dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
	}
	found := map[string]bool{}
	for dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenseFile.MatchString(entry.Name()) {
				continue
			}
			text, err := fs.ReadFile(os.DirFS(dir), entry.Name())
			if err != nil {
				return nil, err
			}
			names, err := licensesIn(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entry.Name(), err)
			}
			for _, name := range names {
				found[name] = true
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no license file")
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// licensesIn returns the licenses that a text is. It is an error if a part of the text
// is none, or is one that isn't permissive.
func licensesIn(text []byte) ([]string, error) {
	const least = 75 // percent; a copyright line and a heading are the rest
	cov := licensecheck.Scan(text)
	if cov.Percent < least {
		return nil, fmt.Errorf("only %.0f %% of the text are a known license", cov.Percent)
	}
	var names []string
	for _, match := range cov.Match {
		if match.IsURL {
			continue
		}
		if !slices.Contains(permissive, match.ID) {
			return nil, fmt.Errorf("%s is not among the permissive licenses", match.ID)
		}
		names = append(names, match.ID)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("a link, but no license")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
