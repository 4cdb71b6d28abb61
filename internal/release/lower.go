package main

import (
	"fmt"
	"go/version"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// held are the versions of modules that list none for the go command to fall back to.
var held = map[string]string{"github.com/99designs/gqlgen": "v0.17.76"}

// lower prints the folder of a tree whose workspace a Go release can build. That is the tree
// at root, or a copy of it in the folder to. In the copy, the modules for tests require the
// newest versions of others that the release can build. The workspace doesn't have the modules
// for users that need a newer Go.
func lower(w, log io.Writer, root, release, to string) error {
	mods, err := modules(root)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		return err
	}
	if version.Compare("go"+work.Go.Version, release) <= 0 {
		fmt.Fprintln(w, root)
		return nil
	}
	if err := copyTree(root, to); err != nil {
		return err
	}
	for _, m := range mods {
		if version.Compare("go"+m.file.Go.Version, release) <= 0 {
			continue
		}
		if m.public() {
			fmt.Fprintf(log, "left out, it needs Go %s: %s\n", m.file.Go.Version, m.dir)
			if _, err := command(to, "go", "work", "edit", "-dropuse=./"+m.dir); err != nil {
				return err
			}
			continue
		}
		get := []string{"get", "go@" + strings.TrimPrefix(release, "go")}
		for _, r := range m.file.Require {
			if version, has := held[r.Mod.Path]; has {
				get = append(get, r.Mod.Path+"@"+version)
			}
		}
		for _, args := range [][]string{get, {"mod", "tidy"}} {
			if _, err := commandEnv(filepath.Join(to, m.dir), []string{"GOWORK=off"}, "go", args...); err != nil {
				return err
			}
		}
	}
	if _, err := command(to, "go", "work", "edit", "-go="+strings.TrimPrefix(release, "go")); err != nil {
		return err
	}
	fmt.Fprintln(w, to)
	return nil
}
