package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// bumpVersion is what the modules of the tree are called while a dependency of
// theirs changes.
const bumpVersion = "v0.0.1-bump"

// bump sets the version of a dependency in each module that has it, and tidies
// the module. With private it doesn't change the modules that users fetch: each
// requires the oldest version that it works with.
func bump(w io.Writer, root, query string, private bool) error {
	dependency, _, ok := strings.Cut(query, "@")
	if !ok {
		return fmt.Errorf("%q is not MODULE@VERSION", query)
	}
	temp, err := os.MkdirTemp("", "bump-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := writeProxy(root, temp, bumpVersion); err != nil {
		return err
	}
	modcache, err := command(root, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	proxies, err := command(root, "go", "env", "GOPROXY")
	if err != nil {
		return err
	}
	mods, err := modules(root)
	if err != nil {
		return err
	}
	env := []string{
		"GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE=" + filepath.Join(temp, "mod"), "GONOSUMDB=" + mods[0].path(),
		"GOPROXY=file://" + filepath.Join(temp, "proxy") + ",file://" + strings.TrimSpace(modcache) + "/cache/download," + strings.TrimSpace(proxies),
	}
	n := 0
	for _, m := range mods {
		i := slices.IndexFunc(m.file.Require, func(r *modfile.Require) bool { return r.Mod.Path == dependency })
		if i < 0 || private && m.public() {
			continue
		}
		n++
		dir := filepath.Join(temp, "tree", m.dir)
		for _, args := range [][]string{{"get", query}, {"mod", "tidy"}} {
			if _, err := commandEnv(dir, env, "go", args...); err != nil {
				return fmt.Errorf("%s: %w", m.dir, err)
			}
		}
		now, err := takeBack(root, dir, m, mods, dependency)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s → %s\n", m.dir, m.file.Require[i].Mod.Version, now)
	}
	if n == 0 {
		return fmt.Errorf("no module requires %s", dependency)
	}
	// Writes the sums to go.work.sum that no module has.
	_, err = commandEnv(root, []string{"GOWORK=" + filepath.Join(root, "go.work")}, "go", "list", "-deps", "-test", "work")
	return err
}

// takeBack writes the go.mod and go.sum of the folder dir to m, with the versions
// and sums of the repository's own modules that m had. It returns the version of
// the dependency.
func takeBack(root, dir string, m mod, mods []mod, dependency string) (string, error) {
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return "", err
	}
	var now string
	for _, r := range file.Require {
		if r.Mod.Path == dependency {
			now = r.Mod.Version
		}
		for _, old := range m.file.Require {
			if r.Mod.Path == old.Mod.Path && r.Mod.Version == bumpVersion {
				if err := file.AddRequire(r.Mod.Path, old.Mod.Version); err != nil {
					return "", err
				}
			}
		}
	}
	if data, err = file.Format(); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(root, m.dir, "go.mod"), data, 0o644); err != nil {
		return "", err
	}

	theirs, err := readSums(filepath.Join(dir, "go.sum"))
	if err != nil {
		return "", err
	}
	ours, err := readSums(filepath.Join(root, m.dir, "go.sum"))
	if err != nil {
		return "", err
	}
	theirs.drop(mods)
	for v, sum := range ours {
		if slices.ContainsFunc(mods, func(m mod) bool { return m.path() == v.Path }) {
			theirs[v] = sum
		}
	}
	return now, theirs.write(filepath.Join(root, m.dir, "go.sum"))
}
