package tree_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// A test that calls Root runs again after a change of any file, and only then.
func TestGoTestRunsAgainAfterAChange(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(tree.Root(t), "internal/contract/tree/tree.go"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	past := time.Now().Add(-time.Minute) // the go command waits some seconds before it trusts a file
	write := func(name, content string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		past = past.Add(time.Second)
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/lib\n\ngo 1.25.0\n")
	write("docs/page.md", "A page.\n")
	write("internal/release/go.mod", "module example.com/lib/internal/release\n\ngo 1.25.0\n")
	write("internal/release/main.go", "package main\n\nfunc main() {}\n")
	write("tree/tree.go", string(source))
	write("check/check_test.go", "package check\n\nimport (\n\t\"testing\"\n\n\t\"example.com/lib/tree\"\n)\n\nfunc Test(t *testing.T) { tree.Root(t) }\n")
	cached := func() bool {
		t.Helper()
		cmd := exec.Command("go", "test", "./check")
		cmd.Dir = root
		cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Contains(string(out), "(cached)")
	}
	cached()
	if !cached() {
		t.Error("without a change the test ran again")
	}
	for i, name := range []string{"docs/page.md", "docs/new.md", "internal/release/main.go", "go.mod"} {
		old, _ := os.ReadFile(filepath.Join(root, name))
		write(name, fmt.Sprintf("%s// %d\n", old, i))
		if cached() {
			t.Errorf("after a change of %s the test didn't run", name)
		}
	}
}
