// Package docs holds the documents to the tree: their Go code compiles, their
// commands run, and their links lead somewhere.
package docs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// A block is the fenced code of a document.
type block struct {
	file string
	line int
	lang string
	text string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// blocks returns the fenced code of every document.
func blocks(t *testing.T) []block {
	t.Helper()
	fence := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	root := tree.Root(t)
	var all []block
	for _, file := range documents(t) {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fence.FindAllSubmatchIndex(data, -1) {
			all = append(all, block{file, 1 + bytes.Count(data[:m[0]], []byte("\n")), string(data[m[2]:m[3]]), string(data[m[4]:m[5]])})
		}
	}
	return all
}

// documents returns the repository's Markdown files.
func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(tree.Root(t)), ".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || len(name) > 1 && name[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(name, ".md"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(files, "README.md") {
		t.Fatalf("no README.md among %v", files)
	}
	return files
}

// A visitor reads short pages. Whoever adds a sentence finds one that can go.
func TestDocumentsAreShort(t *testing.T) {
	sum := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(filepath.Join(tree.Root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		words, most := len(strings.Fields(string(text))), 0
		switch {
		case filepath.Dir(file) == "docs":
			most = 2300
			sum += words
		case file == "README.md" || file == "CONTRIBUTING.md":
			most = 900
		default:
			continue
		}
		if words > most {
			t.Errorf("%s has %d words, want at most %d", file, words, most)
		}
	}
	if sum > 32_000 {
		t.Errorf("the pages of docs have %d words, want at most 32,000", sum)
	}
}

// TestVersionsInTheDocumentsAreThoseOfGoMod compares docs/compatibility.md with what
// the modules require.
func TestVersionsInTheDocumentsAreThoseOfGoMod(t *testing.T) {
	root := tree.Root(t)
	read := func(file string) string {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var oldest string // of all modules that users fetch
	for _, dir := range tree.Modules(t) {
		if tree.Public(dir) {
			oldest += read(filepath.Join(dir, "go.mod"))
		}
	}
	tested := read("internal/itest/go.mod")
	required := func(gomod, module string) string {
		m := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(module) + ` (v\S+)`).FindStringSubmatch(gomod)
		if m == nil {
			return "–"
		}
		return m[1]
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\S+) \\| (v\\S+) \\|").FindAllStringSubmatch(read("docs/compatibility.md"), -1)
	if len(rows) < 10 {
		t.Fatalf("only %d modules found", len(rows))
	}
	for _, row := range rows {
		module := row[1]
		if got := required(oldest, module); got != row[2] {
			t.Errorf("%s: oldest is %s in the document, %s in go.mod", module, row[2], got)
		}
		if got := required(tested, module); got != row[3] {
			t.Errorf("%s: tested is %s in the document, %s in internal/itest/go.mod", module, row[3], got)
		}
	}
}

// run are the commands of the documents that are run here.
var run = []string{"go run ./examples/", "go run ./cmd/oid", "openssl rand "}

// notRun says why a command of the documents is not.
var notRun = []struct{ prefix, why string }{
	{"go test work", "CI runs it, and this test within it"},
	{"bash .ci/run", "the same"},
	{"bash .ci/change", "the same"},
	{"go run ./examples/scan", "waits for long; its tests run it"},
	{"bash .ci/bump", "changes the tree"},
	{"bash .ci/nightly", "takes hours; CI runs it every night"},
	{"git diff v0.1.0", "needs the tag"},
	{"go run ./internal/release", "changes the tree; CI runs it with -n"},
	{"go get github.com/oidkit/oidkit", "needs a published version"},
	{"git clone https://github.com/oidkit/oidkit", "the same"},
	{"go install github.com/oidkit/oidkit", "needs a published version"},
	{"CGO_ENABLED=0 go install -trimpath github.com/oidkit/oidkit", "the same"},
	{"oidvet ", "cmd/oidvet runs it over a program with mistakes"},
	{"go vet -vettool=", "the same"},
	{"go run ./internal/fuzz", "takes long; CI runs it"},
	{"go run ./internal/bench", "takes long; CI runs every benchmark once"},
	{"go run ./internal/evidence/", "takes long; the tests of these programs run them with small numbers"},
	{"go test ./", "CI runs the tests"},
	{"sed -i ", "changes the tree"},
	{"git restore ", "the same"},
	{"go run github.com/oidkit/oidkit", "needs a published version; cmd/oidmove moves its fixtures"},
}

// TestCommandsInTheDocumentsRun runs the lines of every sh block.
func TestCommandsInTheDocumentsRun(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		tree.Skip(t, err)
	}
	n := 0
	for _, b := range blocks(t) {
		if b.lang != "sh" || b.file == "docs/getting-started.md" { // internal/contract/consumer runs that page
			continue
		}
		for i, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
			line, _, _ = strings.Cut(line, " # ")
			line = strings.TrimSpace(line)
			if line == "" || slices.ContainsFunc(notRun, func(c struct{ prefix, why string }) bool { return strings.HasPrefix(line, c.prefix) }) {
				continue
			}
			if !slices.ContainsFunc(run, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
				t.Errorf("%s:%d: %s: name it in run, or in notRun", b.file, b.line+1+i, line)
				continue
			}
			n++
			if out, err := tree.Command(t, shell, "-c", line).CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %s: %v\n%s", b.file, b.line+1+i, line, err, out)
			}
		}
	}
	if n == 0 {
		t.Error("the documents have no command that was run")
	}
}

// TestLinksInTheDocumentsLeadSomewhere checks links to files of the repository and to
// headings in them, and that a test named in a link's text is in the file.
func TestLinksInTheDocumentsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?ms)^```.*?^```$")
	root := tree.Root(t)
	n := 0
	for _, file := range documents(t) {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(data), ""), -1) {
			label, target := strings.Trim(m[1], "`"), m[2]
			if strings.Contains(target, "://") {
				continue
			}
			n++
			target, anchor, _ := strings.Cut(target, "#")
			path := filepath.Join(root, filepath.Dir(file), target)
			if target == "" {
				path = filepath.Join(root, file)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Errorf("%s: [%s](%s): %v", file, m[1], m[2], err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(t, path), anchor) {
				t.Errorf("%s: [%s](%s): no heading is #%s", file, m[1], m[2], anchor)
			}
			if strings.HasPrefix(label, "Test") && !info.IsDir() {
				source, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(source, []byte("func "+label+"(")) {
					t.Errorf("%s: %s has no %s", file, m[2], label)
				}
			}
		}
	}
	if n == 0 {
		t.Error("the documents have no links")
	}
}

// anchors returns what GitHub calls the headings of a document in links.
func anchors(t *testing.T, file string) (names []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(string(data), "")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(strings.ToLower(m[1]), "$1")
		name = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(name, "")
		names = append(names, strings.ReplaceAll(strings.TrimSpace(name), " ", "-"))
	}
	return names
}

// TestEveryExampleIsListed holds the list of the examples to the folders.
func TestEveryExampleIsListed(t *testing.T) {
	root := tree.Root(t)
	doc, err := os.ReadFile(filepath.Join(root, "examples", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		n++
		if !strings.Contains(string(doc), "\n//\t"+entry.Name()+" ") {
			t.Errorf("examples/doc.go doesn't list %s", entry.Name())
		}
	}
	if n < 5 {
		t.Errorf("%d examples", n)
	}
}

// TestEveryTestOfGORMIsInItsIndex holds the index by promise in internal/itest/gormplugin to the
// tests of that folder. TestLinksInTheDocumentsLeadSomewhere finds the ones that are gone.
func TestEveryTestOfGORMIsInItsIndex(t *testing.T) {
	dir := filepath.Join(tree.Root(t), "internal", "itest", "gormplugin")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllSubmatch(source, -1) {
			n++
			link := fmt.Sprintf("[`%s`](%s)", m[1], filepath.Base(file))
			if found := bytes.Count(index, []byte(link)); found != 1 {
				t.Errorf("internal/itest/gormplugin/README.md has %s %d times, want 1", link, found)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d tests", n)
	}
}
