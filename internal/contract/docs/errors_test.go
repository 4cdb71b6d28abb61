package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// elsewhere are parts of errors that are in no string of Go source.
var elsewhere = map[string]string{
	"Unknown column":         "error 1054 of MySQL and MariaDB",
	"Error 1366":             "of MySQL and MariaDB: internal/itest/mistakes provokes it",
	"Incorrect string value": "the text of this error",
	`invalid byte sequence for encoding "UTF8"`:                                       "error 22021 of PostgreSQL",
	"value method github.com/oidkit/oidkit/oid.ID.Value called using nil *ID pointer": "Go's runtime puts it together",
}

// TestDocumentedErrorsAreInTheSource looks for each error text of the documents among the
// strings of the Go files: those of the packages, those of the tests that provoke errors of
// drivers and servers, and those of Go and pgx.
func TestDocumentedErrorsAreInTheSource(t *testing.T) {
	root := tree.Root(t)
	strs := &literals{}
	strs.addFiles(t, root)
	strs.addFiles(t, filepath.Join(output(t, root, "go", "env", "GOROOT"), "src", "database", "sql"))
	strs.addFiles(t, filepath.Join(output(t, root, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/jackc/pgx/v5"), "pgtype"))
	n := 0
	const file = "docs/troubleshooting.md"
	for _, text := range documentedErrors(t, file) {
		n++
		for _, part := range parts(text) {
			if elsewhere[part] == "" && !strs.has(part) {
				t.Errorf("%s: `%s`: no string of the source is %q", file, text, part)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d error texts found", n)
	}
}

// output returns what a command prints in dir.
func output(t *testing.T, dir, name string, arg ...string) string {
	t.Helper()
	cmd := tree.Command(t, name, arg...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// A name, such as db.Use, says where an error comes from.
var dotted = regexp.MustCompile(`^\w+\.\w+$`)

// documentedErrors returns the code in the first column of the tables that are about errors.
func documentedErrors(t *testing.T, file string) (texts []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(tree.Root(t), file))
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(data), "\n## ") {
		if !strings.HasPrefix(section, "Errors") {
			continue
		}
		for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \|`).FindAllStringSubmatch(section, -1) {
			for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
				if !dotted.MatchString(code[1]) {
					texts = append(texts, code[1])
				}
			}
		}
	}
	return texts
}

// parts cuts an error at its colons, where one error wraps another, and at what it leaves out.
func parts(text string) (parts []string) {
	for _, part := range regexp.MustCompile(`: |…`).Split(text, -1) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// literals are the strings of the source: all as one text, and the formats cut at their verbs.
type literals struct {
	plain   strings.Builder
	formats [][]string
}

var verb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

func (l *literals) add(text string) {
	l.plain.WriteString(text)
	l.plain.WriteByte('\n')
	for _, part := range parts(text) {
		if chunks := verb.Split(part, -1); len(chunks) > 1 {
			l.formats = append(l.formats, chunks)
		}
	}
}

// has reports whether a string contains part, or a format may print what begins with it.
func (l *literals) has(part string) bool {
	return strings.Contains(l.plain.String(), part) ||
		slices.ContainsFunc(l.formats, func(chunks []string) bool { return prints(chunks, part, 0) })
}

// prints reports whether text begins what a format prints, which has chunks of text between
// its verbs. At least 8 bytes must be those of chunks, with those of the chunks before.
func prints(chunks []string, text string, fixed int) bool {
	if strings.HasPrefix(chunks[0], text) {
		return fixed+len(text) >= 8
	}
	text, ok := strings.CutPrefix(text, chunks[0])
	if fixed += len(chunks[0]); !ok || len(chunks) == 1 {
		return false
	}
	for i := 1; i <= len(text); i++ {
		if prints(chunks[1:], text[i:], fixed) {
			return true
		}
	}
	return false
}

// addFiles adds the strings in the Go files below dir.
func (l *literals) addFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || len(entry.Name()) > 1 && entry.Name()[0] == '.'):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // testdata that is not Go
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					l.add(text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
