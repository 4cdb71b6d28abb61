package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/module"
)

// rename gives all modules of the tree at root another path: to in place of the path of the root
// module. It changes every file that has the old path, such as documents, scripts and
// workflows, and sorts the imports of Go files again. It commits nothing.
func rename(w io.Writer, root, to string) error {
	if err := module.CheckPath(to); err != nil {
		return err
	}
	if _, major, ok := module.SplitPathVersion(to); !ok || major != "" {
		return fmt.Errorf("%q ends in a major version: name the path of v0 and v1", to)
	}
	mods, err := modules(root)
	if err != nil {
		return err
	}
	from := ""
	for _, m := range mods {
		if m.dir == "." {
			from = m.path()
		}
	}
	if from == "" {
		return fmt.Errorf("%s has no module", root)
	}
	changes, err := command(root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the tree has changes that are not committed:\n%s", changes)
	}
	out, err := command(root, "git", "ls-files", "-z")
	if err != nil {
		return err
	}
	n := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		file := filepath.Join(root, name)
		info, err := os.Lstat(file)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) || !bytes.Contains(data, []byte(from)) {
			continue
		}
		renamed := bytes.ReplaceAll(data, []byte(from), []byte(to))
		if path.Ext(name) == ".go" {
			if sorted, err := format.Source(renamed); err == nil { // else it wasn't Go before
				renamed = sorted
			}
		}
		if err := os.WriteFile(file, renamed, info.Mode()); err != nil {
			return err
		}
		n++
	}
	_, err = fmt.Fprintf(w, "%s is %s now, in %d files. Look at git diff, run the tests, and commit.\n", from, to, n)
	return err
}
