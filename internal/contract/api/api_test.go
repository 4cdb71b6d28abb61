// Package api_test holds the exported API of every package to the listings next to
// it, one file per package and one line per name: what users compile against.
//
//	go test ./internal/contract/api           # nothing listed is gone or different
//	go test ./internal/contract/api -update   # lists what is new
//
// The listings are text and not the export data of apidiff, because a Go release
// can read only the export data that it wrote.
package api_test

import (
	"errors"
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

var update = flag.Bool("update", false, "add to the listings what is not in them")

const module = "github.com/oidkit/oidkit/"

// packages returns the folders of the packages that users import.
func packages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := fs.WalkDir(os.DirFS(tree.Root(t)), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if dir := path.Dir(name); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		case name == "cmd" || name == "examples" || entry.Name() == "internal" || entry.Name() == "testdata" || len(name) > 1 && entry.Name()[0] == '.':
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < 10 {
		t.Fatalf("only %d packages found: %q", len(dirs), dirs)
	}
	return dirs
}

func TestAPIKeepsWhatItHas(t *testing.T) {
	dirs := packages(t)
	var paths []string
	for _, dir := range dirs {
		paths = append(paths, module+dir)
	}
	for i, pkg := range load(t, "nojsonv2", paths...) {
		check(t, strings.ReplaceAll(dirs[i], "/", "_")+".txt", list(pkg))
	}
	// Some files of jsonx are built only with encoding/json/v2.
	check(t, "jsonx_with_jsonv2.txt", list(loadSource(t, "goexperiment.jsonv2", module+"jsonx")))
}

// check compares lines with those of the listing in file.
func check(t *testing.T, file string, lines []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
		t.Error(err)
		return
	}
	listed := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\r' || r == '\n' })
	gone, added := compare(listed, lines)
	for _, line := range gone {
		t.Errorf("%s: gone or different, which breaks those who use it:\n\t%s\nIf it must be, delete the line by hand and say so in CHANGELOG.md", file, line)
	}
	if len(added) == 0 {
		return
	}
	if !*update {
		t.Errorf("%s: not listed yet:\n\t%s\nList it with go test ./internal/contract/api -update", file, strings.Join(added, "\n\t"))
		return
	}
	listed = append(listed, added...)
	slices.Sort(listed)
	if err := os.WriteFile(file, []byte(strings.Join(listed, "\n")+"\n"), 0o666); err != nil {
		t.Error(err)
	}
}

// compare returns which listed lines the API doesn't have, and which of its lines
// are not listed.
func compare(listed, lines []string) (gone, added []string) {
	for _, line := range listed {
		if !slices.Contains(lines, line) {
			gone = append(gone, line)
		}
	}
	for _, line := range lines {
		if !slices.Contains(listed, line) {
			added = append(added, line)
		}
	}
	return gone, added
}

// A listing whose package is gone means that all of its API is gone.
func TestEachListingHasItsPackage(t *testing.T) {
	dirs := packages(t)
	files, err := fs.Glob(os.DirFS("."), "*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(file, ".txt"), "_with_jsonv2")
		if name != "cmd_oid" && !slices.Contains(dirs, strings.ReplaceAll(name, "_", "/")) {
			t.Errorf("%s: there is no such package", file)
		}
	}
}

const shop = `package shop

import "io"

const Limit = 3
var ErrFull error
var hidden int

type ID [12]byte
func (id ID) Hex() string { return "" }
func (id *ID) Scan(src any) error { return nil }
func (id ID) private() {}

type For[T any] struct { ID; t T }
func Parse[T ~string](text T) (id ID, err error) { return }
func Sum(ids ...ID) int { return 0 }

type Store interface { Save(w io.Writer) error }
type Options struct { Size int ` + "`json:\"size\"`" + `; secret int }
type Alias = []ID
`

func TestListHasAllThatUsersSee(t *testing.T) {
	want := []string{
		"const Limit untyped int = 3",
		"func Parse[T ~string](T) (ID, error)",
		"func Sum(...ID) int",
		"method (*For) Scan(any) error",
		"method (*ID) Scan(any) error",
		"method (For) Hex() string",
		"method (ID) Hex() string",
		"type Alias = []ID",
		"type For[T any] struct",
		"type For[T any] struct, ID ID (embedded)",
		"type ID [12]byte",
		"type Options struct",
		`type Options struct, Size int "json:\"size\""`,
		"type Store interface{Save(w io.Writer) error}",
		"var ErrFull error",
	}
	if got := listSource(t, shop); !slices.Equal(got, want) {
		t.Errorf("listed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCompareTellsBreaksFromAdditions(t *testing.T) {
	listed := listSource(t, shop)
	for _, test := range []struct{ name, old, new, gone, added string }{
		{"renamed parameter", "text T", "s T", "", ""},
		{"new function", "var hidden int", "func Max() ID { return ID{} }", "", "func Max() ID"},
		{"removed variable", "var ErrFull error", "", "var ErrFull error", ""},
		{"other result", "Hex() string { return \"\"", "Hex() []byte { return nil",
			"method (For) Hex() string, method (ID) Hex() string", "method (For) Hex() []byte, method (ID) Hex() []byte"},
		{"pointer receiver", "(id ID) Hex", "(id *ID) Hex",
			"method (For) Hex() string, method (ID) Hex() string", "method (*For) Hex() string, method (*ID) Hex() string"},
		{"other value", "Limit = 3", "Limit = 4", "const Limit untyped int = 3", "const Limit untyped int = 4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(shop, test.old) {
				t.Fatalf("the source has no %q", test.old)
			}
			gone, added := compare(listed, listSource(t, strings.Replace(shop, test.old, test.new, 1)))
			if got := strings.Join(gone, ", "); got != test.gone {
				t.Errorf("gone: %s, want %s", got, test.gone)
			}
			if got := strings.Join(added, ", "); got != test.added {
				t.Errorf("added: %s, want %s", got, test.added)
			}
		})
	}
}

// The importer of listSource, which reads the standard library's source once.
var (
	shopFiles    = token.NewFileSet()
	shopImporter = importer.ForCompiler(shopFiles, "source", nil)
)

// listSource lists a package of one file.
func listSource(t *testing.T, source string) []string {
	t.Helper()
	file, err := parser.ParseFile(shopFiles, "shop.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: shopImporter}
	pkg, err := config.Check("example.com/shop", shopFiles, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list(pkg)
}
