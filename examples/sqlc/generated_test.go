//go:build nightly

package main

import (
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// TestGeneratedCode fails if the folder db is not what sqlc generates.
func TestGeneratedCode(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sqlc, err := daemon.Find("sqlc", filepath.Join(cache, "oidkit", "bin"), filepath.Join(build.Default.GOPATH, "bin"))
	if err != nil {
		daemon.Skip(t, fmt.Errorf("sqlc (go install github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1): %w", err))
	}
	dir := t.TempDir()
	for _, name := range []string{"sqlc.yaml", "domain.sql", "schema.sql", "queries.sql"} {
		copyFile(t, name, filepath.Join(dir, name))
	}
	generate := exec.Command(sqlc, "generate")
	generate.Dir = dir
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("sqlc generate: %v\n%s", err, out)
	}
	want, got := goFiles(t, filepath.Join(dir, "db")), goFiles(t, "db")
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("db has %d files, sqlc generates %d", len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("db/%s is not what sqlc generates: run sqlc generate in examples/sqlc", name)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// goFiles returns the files in dir without the version of sqlc.
func goFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = regexp.MustCompile(`(?m)^//   sqlc v.*$`).ReplaceAllString(string(data), "")
	}
	return files
}
