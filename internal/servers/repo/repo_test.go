package repo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/repo"
)

// A test that opens a file or a folder through Path runs again after a change of the
// file, or of any file below the folder, and only then.
func TestGoTestRunsAgainAfterAChangeBehindALink(t *testing.T) {
	source, err := os.ReadFile("repo.go")
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
	const module = "internal/tests/"
	write("docs/page.md", "one")
	write("docs/other.md", "one")
	write("cmd/oid/internal/deep/deep.go", "package deep\n")
	write(module+"go.mod", "module example.com/tests\n\ngo 1.25.0\n")
	write(module+"repo/repo.go", string(source))
	write(module+"check/check_test.go", `package check

import (
	"os"
	"testing"

	"example.com/tests/repo"
)

func Test(t *testing.T) {
	if _, err := os.ReadFile(repo.Path("docs/page.md")); err != nil {
		t.Error(err)
	}
	repo.Path("cmd/oid")
}
`)
	for _, name := range []string{"docs", "cmd"} {
		link := filepath.Join(root, module, "testdata", name)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("..", "..", "..", name), link); err != nil {
			daemon.Skip(t, err)
		}
	}
	cached := func() bool {
		t.Helper()
		cmd := exec.Command("go", "test", "./check")
		cmd.Dir = filepath.Join(root, module)
		cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Contains(string(out), "(cached)")
	}
	for _, tt := range []struct {
		changed string // "" for nothing
		want    bool
	}{
		{"go.mod", false}, {"", true},
		{"docs/page.md", false}, {"docs/other.md", true},
		{"cmd/oid/internal/deep/deep.go", false}, {"cmd/oid/new.go", false}, {"", true},
	} {
		if tt.changed != "" && tt.changed != "go.mod" {
			write(tt.changed, "package changed\n")
		}
		if got := cached(); got != tt.want {
			t.Errorf("after a change of %q, the result is from the cache: %t, want %t", tt.changed, got, tt.want)
		}
	}
}

// Without links, a path leads to the file itself.
func TestPathWithoutLinks(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "internal", "tests", "check")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "internal", "tests", "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inner)
	if got, want := repo.Path("docs/page.md"), filepath.Join(root, "docs", "page.md"); got != want {
		t.Errorf("Path = %s, want %s", got, want)
	}
}
