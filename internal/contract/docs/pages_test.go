package docs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// imports are the packages that the documents name without an import declaration.
var imports = map[string]string{
	"context": "context", "fmt": "fmt", "slices": "slices", "sql": "database/sql", "time": "time", "errors": "errors", "log": "log",
	"json": "encoding/json", "http": "net/http", "os": "os", "logger": "gorm.io/gorm/logger", "slog": "log/slog", "testing": "testing",
	"gorm": "gorm.io/gorm", "clause": "gorm.io/gorm/clause",
	"oid": "github.com/oidkit/oidkit/oid", "gormplugin": "github.com/oidkit/oidkit/gormplugin",
	"public": "github.com/oidkit/oidkit/public", "base64": "encoding/base64",
	"sqltype": "github.com/oidkit/oidkit/sqltype", "pgxoid": "github.com/oidkit/oidkit/sqltype/pgxoid",
	"stdlib":    "github.com/jackc/pgx/v5/stdlib",
	"bsoncodec": "github.com/oidkit/oidkit/bsoncodec", "jsonx": "github.com/oidkit/oidkit/jsonx",
	"sequence": "github.com/oidkit/oidkit/sequence", "mongosequence": "github.com/oidkit/oidkit/sequence/mongosequence",
	"pgsequence": "github.com/oidkit/oidkit/sequence/pgsequence", "sqlsequence": "github.com/oidkit/oidkit/sequence/sqlsequence",
	"bson": "go.mongodb.org/mongo-driver/v2/bson", "mongo": "go.mongodb.org/mongo-driver/v2/mongo",
	"options": "go.mongodb.org/mongo-driver/v2/mongo/options", "xid": "github.com/rs/xid",
	"httptest": "net/http/httptest", "rand": "math/rand/v2", "crand": "crypto/rand", "synctest": "testing/synctest",
	"signal": "os/signal", "syscall": "syscall", "pgx": "github.com/jackc/pgx/v5",
	"pgxpool": "github.com/jackc/pgx/v5/pgxpool", "strings": "strings",
	"filepath": "path/filepath", "mongoserver": "github.com/oidkit/oidkit/internal/servers/mongodb",
	"mysqlserver": "github.com/oidkit/oidkit/internal/servers/mysql", "pgserver": "github.com/oidkit/oidkit/internal/servers/postgres",
	"gormmysql": "gorm.io/driver/mysql", "gormpostgres": "gorm.io/driver/postgres", "gormsqlite": "github.com/glebarez/sqlite",
	"bytes": "bytes", "io": "io", "reflect": "reflect", "driver": "database/sql/driver",
}

// onlyCompiled says of pages why their code isn't run here.
var onlyCompiled = map[string]string{
	"docs/getting-started.md":     "internal/contract/consumer runs it",
	"docs/gorm-reference.md":      "it shows a statement that is refused; internal/itest/gormplugin tests it",
	"docs/libraries.md":           "it declares a type and a function, which the tests of the libraries have too",
	"docs/migrating.md":           "each block is of another migration",
	"docs/mongodb-reference.md":   "its first query needs an operator that FerretDB doesn't have",
	"docs/vet.md":                 "it shows mistakes",
	"bsoncodec/mongov1/README.md": "it is an import",
	"sqltype/pgxoid/README.md":    "it names a server that isn't ours",
}

// The free variables of the Go code in the documents.
const preludeFile = "testdata/prelude.go.txt"

// TestCodeOfThePages compiles the Go code of all documents, as they print it and in their order,
// and runs the pages that have glue. The code of a page becomes one function. A block sees what
// the blocks above it declare, as the reader does, and may declare a name again.
//
// The glue is testdata/pages/NAME.txt for docs/NAME.md. Its section "test" has the test of the
// page, which calls the function NAMEPage with the section "parameters". A section "after 3" comes
// after the third block of Go or SQL. It checks what the block did. A section "run 3" runs the third
// block, in place of sqlDB.Exec(statements). Glue declares no variable that the page uses and
// doesn't declare, unless the prelude has it, which says what the pages take for granted.
func TestCodeOfThePages(t *testing.T) {
	prelude, err := os.ReadFile(preludeFile)
	if err != nil {
		t.Fatal(err)
	}
	given := variablesOf(t, string(prelude))
	files := map[string]string{"prelude.go": string(prelude), "main_test.go": mainFile}
	pages := map[string][]block{}
	n := 0
	for _, b := range blocks(t) {
		if b.lang != "go" && b.lang != "sql" || strings.HasPrefix(b.text, "package main\n") { // TestFirstProgramOfTheReadmeRuns builds a program
			continue
		}
		pages[b.file] = append(pages[b.file], b)
	}
	var tests []string
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		g := glueOf(t, page)
		if why := onlyCompiled[page]; (g.test == "") != (why != "") {
			t.Errorf("%s needs glue in testdata/pages, or a line in onlyCompiled, and not both", page)
		}
		own, used := variables(t, pages[page])
		for _, name := range g.declared(t) {
			if used[name] && !own[name] && !slices.Contains(given, name) {
				t.Errorf("the glue of %s gives the page the variable %s, which isn't in %s", page, name, preludeFile)
			}
		}
		var inFunction []block
		for _, b := range pages[page] {
			n++
			if _, err := statements(b); b.lang == "sql" || err == nil {
				inFunction = append(inFunction, b)
				continue
			}
			inFunction = append(inFunction, block{file: b.file, line: b.line, lang: "none"}) // it stands beside the function
			source, err := withImports(placed(b))
			if err != nil {
				t.Errorf("%v: %v", b, err)
				continue
			}
			if m := regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindStringSubmatch(b.text); m != nil {
				tests = append(tests, m[1])
				files[fmt.Sprintf("block%d_test.go", n)] = source
			} else {
				files[fmt.Sprintf("block%d.go", n)] = source
			}
		}
		code, err := inScopes(inFunction, g)
		if err != nil {
			t.Error(err)
			continue
		}
		if files[fmt.Sprintf("page%d.go", n)], err = withImports(code); err != nil {
			t.Errorf("%s: %v", page, err)
		}
		if g.test != "" {
			if files[fmt.Sprintf("page%d_test.go", n)], err = withImports(g.test); err != nil {
				t.Errorf("the glue of %s: %v", page, err)
			}
			tests = append(tests, regexp.MustCompile(`func (Test\w+)\(`).FindStringSubmatch(g.test)[1])
		}
	}
	if n < 3 || len(tests) < 4 {
		t.Fatalf("only %d blocks found, and %d pages with glue", n, len(tests))
	}
	if t.Failed() {
		return
	}

	// The files exist for the compiler only, in a module that has the libraries.
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, source := range files {
		real := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(real, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(tree.Root(t), "internal", "itest", "snippets", name)] = real
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	overlayFile, program := filepath.Join(t.TempDir(), "overlay.json"), filepath.Join(t.TempDir(), "pages.test")
	if err := os.WriteFile(overlayFile, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := tree.Command(t, "go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-gcflags=-e", "-ldflags=-s -w", "-o", program, "./internal/itest/snippets")
	cmd.Env = append(cmd.Environ(), "GOFLAGS=") // the tool cover knows no overlay
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := tree.Command(t, program, "-test.v").CombinedOutput() // in one process, which starts each server once
	printed := map[string]string{}
	for _, text := range strings.Split("\n"+string(out), "\n=== RUN   ") {
		test, _, _ := strings.Cut(text, "\n")
		test, _, _ = strings.Cut(test, "/")
		printed[test] += text + "\n"
	}
	for _, test := range tests {
		t.Run(test, func(t *testing.T) {
			switch own := printed[test]; {
			case !strings.Contains(own, "--- "), strings.Contains(own, "--- FAIL: "):
				t.Errorf("%v\n%s", err, own)
			case strings.Contains(own, "--- SKIP: "):
				t.Skipf("%s", own)
			}
		})
	}
	if err != nil && !t.Failed() {
		t.Errorf("%v\n%s", err, out)
	}
}

// mainFile is what all glue needs.
const mainFile = `package snippets

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
)

func TestMain(m *testing.M) {
	daemon.AtOnce(4)
	m.Run()
}

// openGORM opens a database with the plugin, and makes the tables of models.
func openGORM(t *testing.T, dialect gorm.Dialector, models ...any) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(dialect, &gorm.Config{Logger: logger.Discard, TranslateError: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Use(gormplugin.New()); err != nil {
		t.Fatal(err)
	}
	if err := db.AutoMigrate(models...); err != nil {
		t.Fatal(err)
	}
	return db
}

func openMySQL(t *testing.T, e *mysqlserver.Engine) *sql.DB {
	t.Helper()
	return opened(t, "mysql", e.Database(t))
}

func openSQLite(t *testing.T) *sql.DB {
	t.Helper()
	return opened(t, "sqlite", filepath.Join(t.TempDir(), "page.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate")
}

func opened(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
`

// glue is what a page needs to run.
type glue struct {
	page       string
	parameters string
	test       string
	after, run map[int]string // by the number of the block
}

// glueOf reads the glue of a page. It is empty if the page has none.
func glueOf(t *testing.T, page string) glue {
	t.Helper()
	g := glue{page: page, after: map[int]string{}, run: map[int]string{}}
	data, err := os.ReadFile(filepath.Join("testdata", "pages", glueName(page)+".txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return g
	}
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^-- (.*) --$`).Split(string(data), -1)
	for i, m := range regexp.MustCompile(`(?m)^-- (.*) --$`).FindAllStringSubmatch(string(data), -1) {
		text := strings.TrimSpace(parts[i+1])
		kind, number, _ := strings.Cut(m[1], " ")
		n, err := strconv.Atoi(number)
		switch {
		case m[1] == "test":
			g.test = text + "\n"
		case m[1] == "parameters":
			g.parameters = text
		case kind == "after" && err == nil:
			g.after[n] = text + "\n"
		case kind == "run" && err == nil:
			g.run[n] = text + "\n"
		default:
			t.Errorf("the glue of %s has a section %q", page, m[1])
		}
	}
	return g
}

// glueName returns the name of the glue of a page: sql for docs/sql.md, bsoncodec-README for
// bsoncodec/README.md.
func glueName(page string) string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(page, ".md"), "docs/"), "/", "-")
}

// declared returns the variables that the blocks see.
func (g glue) declared(t *testing.T) (names []string) {
	t.Helper()
	if params, err := parser.ParseExpr("func(" + g.parameters + ")"); err != nil {
		t.Errorf("the parameters of %s: %v", g.page, err)
	} else {
		for _, field := range params.(*ast.FuncType).Params.List {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	for n, text := range g.after {
		file, err := statements(block{text: text})
		if err != nil {
			t.Errorf("the glue of %s after block %d: %v", g.page, n, err)
			continue
		}
		names = append(names, declared(file)...)
	}
	return names
}

// variables returns the names that the blocks of a page declare, and those that they use.
func variables(t *testing.T, page []block) (own, used map[string]bool) {
	t.Helper()
	own, used = map[string]bool{}, map[string]bool{}
	for _, b := range page {
		file, err := statements(b)
		if b.lang != "go" || err != nil {
			continue
		}
		for _, name := range declared(file) {
			own[name] = true
		}
		for _, typ := range declaredTypes(file) {
			own[strings.ToLower(typ[:1])+typ[1:]] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr: // of x.y, x
				if x, ok := n.X.(*ast.Ident); ok {
					used[x.Name] = true
					return false
				}
			case *ast.KeyValueExpr:
				if x, ok := n.Value.(*ast.Ident); ok {
					used[x.Name] = true
				}
			case *ast.Ident:
				used[n.Name] = true
			}
			return true
		})
	}
	return own, used
}

// variablesOf returns the variables that a file declares.
func variablesOf(t *testing.T, source string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// statements parses the code of b, which is not only declarations, in a function.
func statements(b block) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), "", "package snippets\nfunc _() {\n"+b.text+"\n}", 0)
}

// placed returns the code of b with its place in the document.
func placed(b block) string { return fmt.Sprintf("//line %s:%d\n%s\n", b.file, b.line+1, b.text) }

// inScopes returns a function with the code of a page's blocks. Each block is in the scope of
// the one above it, and may declare a name again. Blocks that only declare types come first, as
// in a program, where their place doesn't matter.
func inScopes(page []block, g glue) (string, error) {
	name := "_"
	if g.test != "" {
		name = strings.ReplaceAll(glueName(g.page), "-", "_") + "Page"
	}
	var body strings.Builder
	fmt.Fprintf(&body, "func %s(%s) error {\n", name, g.parameters)
	scopes := 0
	write := func(b block) error {
		file, err := statements(b)
		if err != nil {
			return fmt.Errorf("%v: %w", b, err)
		}
		body.WriteString(placed(b))
		names := declared(file)
		for _, typ := range declaredTypes(file) { // a User of the page is its variable user, too
			if name := strings.ToLower(typ[:1]) + typ[1:]; !slices.Contains(names, name) {
				fmt.Fprintf(&body, "var %s %s\n", name, typ)
				names = append(names, name)
			}
		}
		for _, name := range names {
			body.WriteString("_ = " + name + "\n")
		}
		body.WriteString("{\n")
		scopes++
		return nil
	}
	for _, b := range page {
		if onlyTypes(b) {
			if err := write(b); err != nil {
				return "", err
			}
		}
	}
	for i, b := range page {
		switch {
		case b.lang == "go" && !onlyTypes(b):
			if err := write(b); err != nil {
				return "", err
			}
		case b.lang == "sql" && g.test != "":
			run := g.run[i+1]
			if run == "" {
				run = "if _, err := sqlDB.Exec(statements); err != nil {\nreturn err\n}\n"
			}
			fmt.Fprintf(&body, "{\nstatements := %s\n%s}\n", strconv.Quote(b.text), run)
		}
		if after := g.after[i+1]; after != "" {
			fmt.Fprintf(&body, "//line the glue of %s after block %d:1\n%s{\n", g.page, i+1, after)
			scopes++
		}
	}
	body.WriteString(strings.Repeat("}\n", scopes) + "return nil\n}\n")
	return body.String(), nil
}

// onlyTypes reports whether b declares types, and nothing else.
func onlyTypes(b block) bool {
	file, err := statements(b)
	return b.lang == "go" && err == nil && len(declaredTypes(file)) == len(file.Decls[0].(*ast.FuncDecl).Body.List)
}

// withImports returns a file of package snippets, with the imports that its code needs.
func withImports(code string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package snippets\n"+code, 0)
	if err != nil {
		return "", err
	}
	var header strings.Builder
	header.WriteString("package snippets\n")
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if uses(file, name) {
			fmt.Fprintf(&header, "import %s %s\n", name, strconv.Quote(imports[name]))
		}
	}
	return header.String() + code, nil
}

// declared returns the variables that the function of file declares at its top.
func declared(file *ast.File) (names []string) {
	for _, stmt := range file.Decls[0].(*ast.FuncDecl).Body.List {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			if stmt.Tok == token.DEFINE {
				for _, lhs := range stmt.Lhs {
					if name := lhs.(*ast.Ident).Name; name != "_" {
						names = append(names, name)
					}
				}
			}
		case *ast.DeclStmt:
			for _, spec := range stmt.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// declaredTypes returns the exported types that the function of file declares at its top.
func declaredTypes(file *ast.File) (names []string) {
	for _, stmt := range file.Decls[0].(*ast.FuncDecl).Body.List {
		decl, ok := stmt.(*ast.DeclStmt)
		if !ok {
			continue
		}
		for _, spec := range decl.Decl.(*ast.GenDecl).Specs {
			if typ, ok := spec.(*ast.TypeSpec); ok && typ.TypeParams == nil && typ.Name.IsExported() {
				names = append(names, typ.Name.Name)
			}
		}
	}
	return names
}

// uses reports whether file has an expression pkg.Something.
func uses(file *ast.File, pkg string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == pkg {
				found = true
			}
		}
		return !found
	})
	return found
}
