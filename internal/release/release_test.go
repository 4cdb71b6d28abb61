package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// repository makes a git repository with three modules: the root, db, which
// requires it, and internal/tests. It needs no network.
func repository(t *testing.T, change map[string]string) string {
	t.Helper()
	needGit(t)
	root := t.TempDir()
	files := map[string]string{
		"go.work":                      "go 1.25.0\nuse (\n\t./internal/tests\n\t./db\n\t.\n)\n",
		"go.mod":                       "module example.com/lib\n\ngo 1.25.0\n",
		"LICENSE":                      "free\n",
		"CHANGELOG.md":                 "# Changelog\n\n## [0.1.1] - 2026-12-01\n\n## [0.1.0] - 2026-11-21\n",
		"lib.go":                       "package lib\n\nconst Name = \"lib\"\n",
		"db/go.mod":                    "module example.com/lib/db\n\ngo 1.25.0\n\nrequire example.com/lib v0.1.0-rc.1\n",
		"db/db.go":                     "package db\n\nimport \"example.com/lib\"\n\nconst Name = lib.Name\n",
		"db/LICENSE":                   "free\n",
		"internal/tests/go.mod":        "module example.com/lib/internal/tests\n\ngo 1.25.0\n\nrequire example.com/lib/db v0.1.0-rc.1\n\nreplace (\n\texample.com/lib => ../..\n\texample.com/lib/db => ../../db\n)\n",
		"internal/tests/tests_test.go": "package tests\n\nimport _ \"example.com/lib/db\"\n",
	}
	for name, content := range change {
		files[name] = content
	}
	for name, content := range files {
		write(t, filepath.Join(root, name), content)
	}
	git(t, root, "init", "-q", "-b", "main")
	git(t, root, "config", "user.name", "A")
	git(t, root, "config", "user.email", "a@example.com")
	git(t, root, "add", "--all")
	git(t, root, "commit", "-q", "-m", "Begin")
	return root
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// needGit skips a test where git is missing, except in CI.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err == nil {
		return
	} else if os.Getenv("OIDKIT_NO_SKIP") == "1" {
		t.Fatal(err)
	}
	t.Skip("git is not installed")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := command(dir, "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func TestProxyServesModulesThatBuild(t *testing.T) {
	root, dir := repository(t, nil), t.TempDir()
	write(t, filepath.Join(root, "new.go"), "package lib\n\nconst New = 1\n") // not yet committed
	// Tests see files outside their module through links. No module holds them.
	for _, link := range []string{"internal/tests/db", "db/lib"} {
		if err := os.Symlink(filepath.Dir(root), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeProxy(root, dir, "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, root, "db/go.mod"), "v0.1.0-rc.1"; !strings.Contains(got, want) {
		t.Errorf("the tree's own go.mod has changed: %s", got)
	}
	if target, err := os.Readlink(filepath.Join(dir, "tree", "internal", "tests", "db")); err != nil || target != filepath.Dir(root) {
		t.Errorf("a link became %q, %v", target, err)
	}
	user := t.TempDir()
	write(t, filepath.Join(user, "go.mod"), "module user\n\ngo 1.25.0\n")
	write(t, filepath.Join(user, "main.go"), "package main\n\nimport (\n\t\"example.com/lib\"\n\t\"example.com/lib/db\"\n)\n\nfunc main() { println(db.Name, lib.New) }\n")
	env := []string{"GOWORK=off", "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOPROXY=file://" + filepath.Join(dir, "proxy"), "GOMODCACHE=" + t.TempDir()}
	for _, args := range [][]string{{"get", "example.com/lib/db@v0.2.0"}, {"build", "-o", os.DevNull, "."}} {
		if _, err := commandEnv(user, env, "go", args...); err != nil {
			t.Fatal(err)
		}
	}
	// The hashes that a release commits are those that the go command computes.
	got, err := readSums(filepath.Join(dir, "tree/db/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := readSums(filepath.Join(user, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v0.2.0", "v0.2.0/go.mod"} {
		v := module.Version{Path: "example.com/lib", Version: version}
		if got[v] == "" || got[v] != want[v] {
			t.Errorf("%v: hash %q, the go command has %q", v, got[v], want[v])
		}
	}
	if err := writeProxy(root, dir, "v0.2.0"); err == nil {
		t.Error("a second proxy in the same folder: no error")
	}
}

func TestReleaseTagsEachPublicModule(t *testing.T) {
	root := repository(t, nil)
	begin := git(t, root, "rev-parse", "HEAD")
	var out strings.Builder
	if err := release(&out, root, "v0.1.0", true); err != nil {
		t.Fatal(err)
	}
	if got := git(t, root, "rev-parse", "HEAD"); got != begin {
		t.Error("the dry run moved HEAD")
	}
	if got := git(t, root, "tag") + git(t, root, "status", "--porcelain"); got != "" {
		t.Errorf("the dry run left %s", got)
	}
	for _, want := range []string{"tags: v0.1.0 db/v0.1.0\n", "+require example.com/lib v0.1.0\n", "nothing was changed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the dry run didn't print %q, but\n%s", want, &out)
		}
	}

	if err := release(io.Discard, root, "v0.1.0", false); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(git(t, root, "tag")), []string{"db/v0.1.0", "v0.1.0"}; !slices.Equal(got, want) {
		t.Errorf("tags %q, want %q", got, want)
	}
	for _, tag := range []string{"v0.1.0", "db/v0.1.0"} {
		if got, want := git(t, root, "rev-parse", tag+"^{commit}"), git(t, root, "rev-parse", "HEAD"); got != want {
			t.Errorf("%s is %s, want HEAD, %s", tag, got, want)
		}
	}
	if got, want := git(t, root, "log", "--format=%an: %s"), "A: Release v0.1.0\nA: Begin"; got != want {
		t.Errorf("log %q, want %q", got, want)
	}
	if got := read(t, root, "internal/tests/go.mod"); !strings.Contains(got, "example.com/lib/db v0.1.0\n") {
		t.Errorf("internal/tests/go.mod doesn't require v0.1.0:\n%s", got)
	}
	if got := read(t, root, "db/go.sum"); strings.Count(got, "example.com/lib v0.1.0") != 2 {
		t.Errorf("db/go.sum:\n%s", got)
	}

	if err := release(io.Discard, root, "v0.1.0", false); err == nil || !strings.Contains(err.Error(), "tag 'v0.1.0' already exists") {
		t.Errorf("the same version again: %v", err)
	}
	if err := release(io.Discard, root, "v0.1.2", false); err == nil || !strings.Contains(err.Error(), `no headline "## [0.1.2]"`) {
		t.Errorf("a version that the changelog doesn't have: %v", err)
	}
	if err := release(io.Discard, root, "v0.1.1", false); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, "db/go.sum"); strings.Contains(got, "v0.1.0") || strings.Count(got, "v0.1.1") != 2 {
		t.Errorf("db/go.sum after v0.1.1:\n%s", got)
	}
}

// Package sequence and its stores have versions of their own.
func TestReleaseOfSequence(t *testing.T) {
	root := repository(t, sequenceFiles)
	var out strings.Builder
	if err := release(&out, root, "sequence/v0.3.0", false); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(git(t, root, "tag")), []string{"sequence/pg/v0.3.0", "sequence/v0.3.0"}; !slices.Equal(got, want) {
		t.Errorf("tags %q, want %q", got, want)
	}
	for file, want := range map[string]string{
		"sequence/pg/go.mod":    "example.com/lib/sequence v0.3.0",
		"internal/tests/go.mod": "example.com/lib/sequence v0.3.0",
		"db/go.mod":             "example.com/lib v0.1.0-rc.1",
	} {
		if got := read(t, root, file); !strings.Contains(got, want) {
			t.Errorf("%s doesn't require %s:\n%s", file, want, got)
		}
	}
	if err := release(io.Discard, root, "v0.1.0", false); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(git(t, root, "tag")), []string{"db/v0.1.0", "sequence/pg/v0.3.0", "sequence/v0.3.0", "v0.1.0"}; !slices.Equal(got, want) {
		t.Errorf("tags %q, want %q", got, want)
	}
	if got := read(t, root, "sequence/pg/go.mod"); !strings.Contains(got, "example.com/lib/sequence v0.3.0") {
		t.Errorf("a release of the others changes what sequence/pg requires:\n%s", got)
	}
}

var sequenceFiles = map[string]string{
	"go.work":               "go 1.25.0\nuse (\n\t./internal/tests\n\t./db\n\t./sequence/pg\n\t./sequence\n\t.\n)\n",
	"CHANGELOG.md":          "# Changelog\n\n## [sequence/v0.3.0] - 2026-12-01\n\n## [0.1.0] - 2026-11-21\n",
	"sequence/go.mod":       "module example.com/lib/sequence\n\ngo 1.25.0\n",
	"sequence/seq.go":       "package sequence\n\nconst Name = \"sequence\"\n",
	"sequence/LICENSE":      "free\n",
	"sequence/pg/go.mod":    "module example.com/lib/sequence/pg\n\ngo 1.25.0\n\nrequire example.com/lib/sequence v0.1.0-rc.1\n",
	"sequence/pg/pg.go":     "package pg\n\nimport \"example.com/lib/sequence\"\n\nconst Name = sequence.Name\n",
	"sequence/pg/LICENSE":   "free\n",
	"internal/tests/go.mod": "module example.com/lib/internal/tests\n\ngo 1.25.0\n\nrequire example.com/lib/sequence v0.1.0-rc.1\n",
}

func TestReleaseRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, version string
		change        map[string]string
		want          string
	}{
		{"no version", "0.1.0", nil, "is not a version"},
		{"short version", "v0.1", nil, "is not a version"},
		{"a major version of another path", "v2.0.0", nil, `should be v0 or v1, not v2`},
		{"a replacement", "v0.1.0", map[string]string{"db/go.mod": "module example.com/lib/db\n\nrequire example.com/lib v0.1.0-rc.1\n\nreplace example.com/lib => ..\n"},
			"db/go.mod has a replace"},
		{"a requirement of tests", "v0.1.0", map[string]string{"db/go.mod": "module example.com/lib/db\n\nrequire example.com/lib/internal/tests v0.1.0-rc.1\n",
			"internal/tests/go.mod": "module example.com/lib/internal/tests\n"}, "which users can't fetch"},
		{"a folder without versions of its own", "db/v0.1.0", nil, `no modules below db have a version of their own`},
		{"a requirement of sequence", "v0.1.0", map[string]string{"go.work": sequenceFiles["go.work"], "sequence/go.mod": sequenceFiles["sequence/go.mod"],
			"sequence/pg/go.mod": sequenceFiles["sequence/pg/go.mod"], "db/go.mod": "module example.com/lib/db\n\nrequire example.com/lib/sequence v0.1.0-rc.1\n"},
			"requires example.com/lib/sequence, which has versions of its own"},
		{"a circle", "v0.1.0", map[string]string{"go.mod": "module example.com/lib\n\nrequire example.com/lib/db v0.1.0-rc.1\n"}, "in a circle"},
		{"files that git changes on their way", "v0.1.0", map[string]string{".gitattributes": "lib.go export-subst\n", "lib.go": "package lib // $Format:%H$\n"},
			"git has other files than the tree"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := repository(t, tt.change)
			err := release(io.Discard, root, tt.version, true)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("release = %v, want %s", err, tt.want)
			}
		})
	}

	root := repository(t, nil)
	write(t, filepath.Join(root, "lib.go"), "package lib\n\nconst Name = \"other\"\n")
	if err := release(io.Discard, root, "v0.1.0", true); err == nil || !strings.Contains(err.Error(), "not committed:\n M lib.go") {
		t.Errorf("release of a changed tree = %v", err)
	}
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	needGit(t)
	for _, args := range [][]string{nil, {"publish"}, {"proxy", "dir"}, {"release"}, {"verify"}, {"reproduce", "-n"}, {"proxy", "-n", "dir", "v0.1.0"}} {
		if err := run(io.Discard, args); err == nil || !strings.Contains(err.Error(), "usage:") {
			t.Errorf("run(%q) = %v, want the usage", args, err)
		}
	}
}
