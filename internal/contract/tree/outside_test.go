package tree_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// The go command answers from its cache when a file outside a test's module has changed.
// Package internal/servers/repo has it see such a change. A test names a file outside its
// module by a path that begins with "..", or runs a command of the repository.
func TestNoTestReadsOutsideItsModuleUnseen(t *testing.T) {
	root := tree.Root(t)
	for _, module := range tree.Modules(t) {
		if module == "." {
			continue // its folder has all files
		}
		err := fs.WalkDir(os.DirFS(root), module, func(name string, entry fs.DirEntry, err error) error {
			dir := path.Dir(name)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || name != module && isModule(root, name)):
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || dir == "internal/servers/repo":
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, 0)
			if err != nil {
				return err
			}
			imported := map[*ast.BasicLit]bool{}
			for _, spec := range file.Imports {
				imported[spec.Path] = true
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil || imported[lit] {
					return true
				}
				if text == ".." || strings.HasPrefix(text, "../") && leaves(module, path.Join(dir, text)) || strings.HasPrefix(text, "github.com/oidkit/oidkit/cmd/") {
					t.Errorf("%s has %s: use internal/servers/repo, or let a test of internal/contract read the file", name, lit.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// leaves reports whether a path is outside a module's folder.
func leaves(module, name string) bool {
	return name != module && !strings.HasPrefix(name, module+"/")
}

func isModule(root, dir string) bool {
	_, err := os.Stat(filepath.Join(root, dir, "go.mod"))
	return err == nil
}

func TestLeaves(t *testing.T) {
	for _, tt := range []struct {
		module, name string
		want         bool
	}{
		{"internal/itest", "internal/itest", false},
		{"internal/itest", "internal/itest/oid/x.txt", false},
		{"internal/itest", "internal", true},
		{"internal/itest", "internal/itests/x.txt", true},
		{"internal/itest", "docs/sql.md", true},
	} {
		if got := leaves(tt.module, tt.name); got != tt.want {
			t.Errorf("leaves(%q, %q) = %v, want %v", tt.module, tt.name, got, tt.want)
		}
	}
	if modules := tree.Modules(t); !slices.Contains(modules, ".") || !slices.Contains(modules, "internal/itest") {
		t.Errorf("modules %q", modules)
	}
}
