package tree_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// outside are the packages of other modules with tests that depend on files
// outside their module, and the pattern of these tests' names. The go command
// doesn't see when such a file changes.
var outside = map[string]string{
	"internal/evidence/termsvg":     "^TestHistogramPicture", // docs/histogram.svg and cmd/oid
	"internal/evidence/uniqueness":  "^Test[^G]",             // docs/uniqueness.md and cmd/oid; not TestGrowth
	"internal/itest/bsoncodec":      "^Test(Swap|Corpus)",    // docs/migrating.md, oid/testdata
	"internal/itest/bsoncodec/live": "^TestMongosh",          // cmd/oid
	"internal/itest/cmdoid":         ".",                     // cmd/oid
	"internal/itest/gormplugin":     "^TestRowsPerDay",       // docs/gorm.md
	"internal/itest/oid/encodings":  "^TestTable",            // docs/encodings.md
	"internal/release":              "^TestLicensesAreKnown", // LICENSE
}

// The tests run here without the cache. This test depends on the whole tree, and so
// it runs again after a change of any file. In a run that the go command doesn't cache,
// they run anyway.
func TestTestsThatReadOutsideTheirModule(t *testing.T) {
	root := tree.Root(t)
	cached := flag.Lookup("test.shuffle").Value.String() == "off"
	for dir, pattern := range outside {
		t.Run(path.Base(dir), func(t *testing.T) {
			if !slices.ContainsFunc(testNames(t, filepath.Join(root, dir)), regexp.MustCompile(pattern).MatchString) {
				t.Fatalf("no test of %s matches %s", dir, pattern)
			}
			if !cached {
				return
			}
			out, err := tree.Command(t, "go", "test", "-count=1", "-run", pattern, "./"+dir).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// testNames returns the names of the tests of a folder.
func testNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// A test names a file outside its module by a path that begins with "..", or runs a
// command of the repository.
func TestNoOtherTestReadsOutsideItsModule(t *testing.T) {
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
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || outside[dir] != "":
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
					t.Errorf("%s has %s: name its package in outside, or let a test of internal/contract read the file", name, lit.Value)
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
