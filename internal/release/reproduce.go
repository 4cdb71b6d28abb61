package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// reproduce builds the programs that users install, each twice with nothing in common
// but the source and the Go release: in other folders, with another build cache,
// another module cache and another home. It does so from a copy of the tree, and again
// with "go install" from a module proxy. It prints the hashes, and returns an error if
// two that should be equal are not.
func reproduce(w io.Writer, root string) error {
	return inWorld(root, func(world world) error { return world.reproduce(w) })
}

func (w world) reproduce(out io.Writer) error {
	for _, m := range w.mods {
		if path.Dir(m.dir) != "cmd" {
			continue
		}
		for _, way := range []string{"tree", "install"} {
			var hashes [2]string
			for i := range hashes {
				var err error
				if hashes[i], err = w.buildElsewhere(m, way, fmt.Sprint("build-", i)); err != nil {
					return err
				}
			}
			fmt.Fprintf(out, "%-8s %-8s %s\n", path.Base(m.dir), way, hashes[0])
			if hashes[0] != hashes[1] {
				return fmt.Errorf("%s by %s: the second build is %s, the first %s", m.path(), way, hashes[1], hashes[0])
			}
		}
	}
	return nil
}

// buildElsewhere builds a program in a folder of its own, and returns the program's
// hash.
func (w world) buildElsewhere(m mod, way, name string) (string, error) {
	dir := filepath.Join(w.dir, name)
	env := []string{
		"CGO_ENABLED=0", "HOME=" + dir, "GOPATH=" + filepath.Join(dir, "gopath"), "GOCACHE=" + filepath.Join(dir, "cache"),
		"GOMODCACHE=" + filepath.Join(dir, "mod"), "GOBIN=" + filepath.Join(dir, "bin"),
	}
	program := filepath.Join(dir, "bin", path.Base(m.dir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var err error
	if way == "install" {
		_, err = w.run(dir, env, "go", "install", m.path()+"@"+rehearsed)
	} else {
		tree := filepath.Join(dir, "tree")
		if _, err := os.Stat(tree); err != nil {
			if err := os.CopyFS(tree, os.DirFS(filepath.Join(w.dir, "tree"))); err != nil {
				return "", err
			}
		}
		_, err = w.run(filepath.Join(tree, filepath.FromSlash(m.dir)), env, "go", "build", "-o", program, ".")
	}
	if err != nil {
		return "", err
	}
	// On Windows, programs have a suffix.
	files, err := filepath.Glob(program + "*")
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("%s: %d programs, want 1", strings.TrimPrefix(program, w.dir), len(files))
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	if err := os.Remove(files[0]); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}
