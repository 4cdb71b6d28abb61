package api

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

	// Imported so that a change in them makes go test run this one again.
	_ "github.com/oidkit/oidkit/bsoncodec"
	_ "github.com/oidkit/oidkit/bsoncodec/mongov1"
	_ "github.com/oidkit/oidkit/gormplugin"
	_ "github.com/oidkit/oidkit/jsonx"
	_ "github.com/oidkit/oidkit/oid"
	_ "github.com/oidkit/oidkit/sequence"
	_ "github.com/oidkit/oidkit/sequence/mongosequence"
	_ "github.com/oidkit/oidkit/sequence/pgsequence"
	_ "github.com/oidkit/oidkit/sqltype"
	_ "github.com/oidkit/oidkit/sqltype/pgxoid"
)

var update = flag.Bool("update", false, "add to the listings what is not in them")

const module = "github.com/oidkit/oidkit/"

// packages are those that users import.
var packages = []string{
	"oid", "sqltype", "sqltype/pgxoid", "gormplugin", "bsoncodec", "bsoncodec/mongov1",
	"jsonx", "sequence", "sequence/mongosequence", "sequence/pgsequence",
}

func TestAPIKeepsWhatItHas(t *testing.T) {
	var paths []string
	for _, name := range packages {
		paths = append(paths, module+name)
	}
	pkgs, err := load("nojsonv2", paths...)
	if err != nil {
		t.Fatal(err)
	}
	for i, pkg := range pkgs {
		check(t, strings.ReplaceAll(packages[i], "/", "_")+".txt", list(pkg))
	}

	// What jsonx has for encoding/json/v2 is built only with that.
	pkgs, err = load("jsonv2", module+"jsonx")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "jsonx_with_jsonv2.txt", list(pkgs[0]))
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
		t.Errorf("%s: not listed yet:\n\t%s\nList it with go test ./internal/itest/api -update", file, strings.Join(added, "\n\t"))
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

// A package that has a listing is one of packages, so that none is left behind
// when it moves.
func TestEachListingHasItsPackage(t *testing.T) {
	files, err := fs.Glob(os.DirFS("."), "*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(file, ".txt"), "_with_jsonv2")
		if !slices.Contains(packages, strings.ReplaceAll(name, "_", "/")) {
			t.Errorf("%s: no such package is checked", file)
		}
	}
}

// Every folder of the library with a package that is neither a program nor
// internal is among packages.
func TestEachPackageIsChecked(t *testing.T) {
	const root = "../../.."
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if strings.HasSuffix(name, ".go") && !slices.Contains(packages, path.Dir(name)) {
				t.Errorf("%s: its package is not checked", name)
			}
		case name == "cmd" || name == "examples" || entry.Name() == "internal" || entry.Name() == "testdata" || len(name) > 1 && entry.Name()[0] == '.':
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
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

// listSource lists a package of one file.
func listSource(t *testing.T, source string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "shop.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("example.com/shop", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list(pkg)
}
