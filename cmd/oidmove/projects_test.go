//go:build projects

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestProjects moves the projects in testdata/projects.txt and prints a row for each.
// OIDKIT_PROJECTS is a folder with clones, such as owner+name/repo. Without it, the
// projects come from GitHub. The tests that run are those of the packages that a move
// changes. No database is there, so only those count that pass before the move.
func TestProjects(t *testing.T) {
	proxy(t)
	data, err := os.ReadFile(filepath.Join("testdata", "projects.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		tags := ""
		if len(fields) == 4 {
			tags = fields[3]
		}
		t.Run(fields[0], func(t *testing.T) {
			row := moveProject(t, clone(t, fields[0], fields[1]), tags)
			fmt.Printf("| %s | %s | %s |\n", fields[0], fields[2], row)
		})
	}
}

// clone returns a folder with one commit of a repository.
func clone(t *testing.T, repo, commit string) string {
	t.Helper()
	from := "https://github.com/" + repo
	if dir := os.Getenv("OIDKIT_PROJECTS"); dir != "" {
		from = filepath.Join(dir, strings.Replace(repo, "/", "+", 1), "repo")
	}
	dir := t.TempDir()
	git(t, "", "clone", "--quiet", "--no-checkout", from, dir)
	git(t, dir, "checkout", "--quiet", commit)
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// moveProject moves a project and back. It returns the cells of its row.
func moveProject(t *testing.T, dir, tags string) string {
	report := moveIn(t, dir, options{tags: tags})
	folders := changedFolders(t, dir)
	edits := git(t, dir, "diff", "--shortstat", "--", "*.go")
	byHand := compileErrors(t, dir, tags)
	after := passing(t, dir, tags, folders)
	moved := git(t, dir, "stash", "create")
	moveIn(t, dir, options{tags: tags})
	if again := git(t, dir, "stash", "create"); moved != "" && git(t, dir, "diff", moved, again, "--", "*.go") != "" {
		t.Error("a second move changes something")
	}
	moveIn(t, dir, options{tags: tags, back: true})
	git(t, dir, "add", "--all")
	back := git(t, dir, "diff", "--cached", "--shortstat", "HEAD", "--", "*.go")
	if back != "" {
		t.Errorf("the move back leaves a difference: %s", git(t, dir, "diff", "--cached", "HEAD", "--", "*.go"))
	}
	before := passing(t, dir, tags, folders)
	for _, name := range before {
		if !slices.Contains(after, name) {
			t.Errorf("%s passes before the move, and fails after it", name)
		}
	}
	if len(byHand) > 1 {
		t.Errorf("%d edits by hand:\n%s", len(byHand), strings.Join(byHand, "\n"))
	}
	t.Logf("what a person must look at:\n%s", report)
	return fmt.Sprintf("%d | %s | %d | %d | %d → %d | %s", len(folders), edits, len(byHand), strings.Count(report, "\n"), len(before), len(after), or(back, "none"))
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// changedFolders returns the folders with Go files that a move has changed.
func changedFolders(t *testing.T, dir string) (folders []string) {
	for name := range strings.Lines(git(t, dir, "diff", "--name-only", "--", "*.go")) {
		folders = append(folders, "./"+filepath.Dir(strings.TrimSpace(name)))
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// compileErrors returns what the compiler says of the packages and their tests.
func compileErrors(t *testing.T, dir, tags string) []string {
	t.Helper()
	cmd := exec.Command("go", "vet", "-tags="+tags, "-stdversion", "./...") // one analyzer that finds nothing here
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	return regexp.MustCompile(`(?m)^vet: .*$`).FindAllString(string(out), -1)
}

// passing returns the tests of these packages that pass.
func passing(t *testing.T, dir, tags string, folders []string) (names []string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=off", "-short", "-timeout=60s", "-tags=" + tags}, folders...)...)
	cmd.Dir = dir
	out, _ := cmd.Output()
	for line := range bytes.Lines(out) {
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) == nil && event.Action == "pass" && event.Test != "" {
			names = append(names, event.Package+"."+event.Test)
		}
	}
	return names
}
