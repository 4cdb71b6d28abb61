package consumer_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// TestExamplesRunOutsideTheRepository copies the examples into another module, as a user
// does, compiles them there, and runs those that need only Go. The tests of the others show that
// they say what they need. A workspace gives the module the versions of the repository's
// workspace, which are compiled already. The step alone of .ci/run shows that the examples'
// go.mod is enough.
func TestExamplesRunOutsideTheRepository(t *testing.T) {
	t.Parallel()
	examples := filepath.Join(tree.Root(t), "examples")
	dir := t.TempDir()
	copyExamples(t, examples, dir)
	work := filepath.Join(t.TempDir(), "go.work")
	w := world{env: []string{"GOWORK=" + work}}
	writeWorkspace(t, work, dir, "examples")
	rename(t, dir, "example.com/copy")

	runs := map[string]struct {
		args []string
		want string // a line of what it prints
	}{
		"follow":     {nil, `events written, .* read, the last position is`},
		"gorm":       {nil, `60 orders are left, 61 are in the table`},
		"httpapi":    {[]string{"-demo"}, `GET /`},
		"quickstart": {nil, `all +160 orders`},
		"pages":      {nil, `5 orders, from A005 to A001`},
		"retry":      {nil, `4 orders, 8 lines`},
		"routers":    {nil, `404 no such order`},
		"scan":       {[]string{"-rows", "2000"}, `64 files have 2,000 rows`},
		"sequence":   {nil, `ORD-`},
		"service":    {[]string{"-demo", "-addr", "127.0.0.1:0"}, `"number":"INV-20..-00003"`},
	}
	notRun := []string{"migrate", "mongo", "pgx", "rekey", "sqlc"} // they need a server, and take long to link
	notRun = append(notRun, "generate")                            // writes the file that the quickstart imports

	bin := t.TempDir()
	build := []string{"build", "-ldflags=-s -w", "-o", bin + string(filepath.Separator)}
	for line := range strings.Lines(w.must(t, dir, "go", "list", "-export", "-f", "{{.Name}} {{.ImportPath}}", "./...")) { // -export compiles
		name, pkg, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "main" || slices.Contains(notRun, path.Base(pkg)) {
			continue
		}
		if _, ok := runs[path.Base(pkg)]; !ok {
			t.Errorf("say in runs how to run %s", pkg)
		}
		build = append(build, pkg)
	}
	w.must(t, dir, "go", build...)
	w.must(t, dir, "go", "test", "./fixedids") // what people copy of it is the test

	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := w.must(t, dir, filepath.Join(bin, name), run.args...); !regexp.MustCompile(run.want).MatchString(out) {
				t.Errorf("%s %q prints no line %s:\n%s", name, run.args, run.want, out)
			}
		})
	}
}

// copyExamples copies what people copy, and mends the imports of packages of the
// examples. Tests stay here: they start servers with internal packages.
func copyExamples(t *testing.T, from, to string) {
	t.Helper()
	internal := regexp.MustCompile(`"` + regexp.QuoteMeta(home) + `(/\w+)*/internal/.*"`)
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") && !strings.HasPrefix(name, "fixedids/") {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if m := internal.Find(data); m != nil && strings.HasSuffix(name, ".go") {
			t.Errorf("examples/%s imports %s: nobody can copy it", name, m)
		}
		text := strings.ReplaceAll(string(data), `"`+home+`/examples/`, `"example.com/copy/`)
		return os.WriteFile(filepath.Join(to, name), []byte(text), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writeWorkspace writes the file of a workspace that has the module in dir, and the modules
// of the repository except for one.
func writeWorkspace(t *testing.T, file, dir, except string) {
	t.Helper()
	root := tree.Root(t)
	for name, to := range map[string]string{"go.work": file, "go.work.sum": file + ".sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edits := []string{"work", "edit", "-use=" + dir}
	for _, module := range tree.Modules(t) {
		edits = append(edits, "-dropuse=./"+module)
		if module != except {
			edits = append(edits, "-use="+filepath.Join(root, module))
		}
	}
	world{env: []string{"GOWORK=" + file}}.must(t, dir, "go", append(edits, "-dropuse=.", file)...)
}

// rename names the module in dir, and drops its replace lines.
func rename(t *testing.T, dir, name string) {
	t.Helper()
	edits := []string{"mod", "edit", "-module=" + name}
	for _, module := range tree.Modules(t) {
		edits = append(edits, "-dropreplace="+path.Join(home, module))
	}
	world{env: []string{"GOWORK=off"}}.must(t, dir, "go", edits...)
}
