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
	"time"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

func init() { nightly = true }

// A project of testdata/projects.txt.
type listed struct{ repo, commit, module, driver, tags string }

// TestProjects moves the projects in testdata/projects.txt, and back, and prints a row for
// each. The projects come from the module proxy. OIDKIT_PROJECTS is a folder with clones,
// such as owner+name/repo, for a machine whose proxy doesn't have them.
func TestProjects(t *testing.T) {
	database := newDatabase(t)
	vet := buildVet(t)
	env := os.Environ()
	proxy(t)
	fmt.Println("| project | driver | packages that build | tests that pass | lines | edits by hand | places to look at | after -back |")
	for _, p := range readProjects(t) {
		t.Run(p.repo, func(t *testing.T) {
			m := &measurement{t: t, listed: p, dir: checkout(t, p, env), database: database, vet: vet}
			fmt.Println(m.row())
		})
	}
}

func readProjects(t *testing.T) (all []listed) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "projects.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := append(strings.Fields(line), "") // no tags
		if len(fields) > 4 && !strings.HasPrefix(line, "#") {
			all = append(all, listed{fields[0], fields[1], fields[2], fields[3], fields[4]})
		}
	}
	return all
}

// checkout returns a folder with the files of a project, in a git repository with one
// commit. The environment is one without the proxy of the tree.
func checkout(t *testing.T, p listed, env []string) string {
	t.Helper()
	dir := t.TempDir()
	if clones := os.Getenv("OIDKIT_PROJECTS"); clones != "" {
		git(t, "", "clone", "--quiet", "--no-checkout", filepath.Join(clones, strings.Replace(p.repo, "/", "+", 1), "repo"), dir)
		git(t, dir, "checkout", "--quiet", p.commit)
		if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
			t.Fatal(err)
		}
	} else {
		copyModule(t, p, dir, env)
	}
	git(t, dir, "init", "--quiet")
	git(t, dir, "config", "user.name", "test")
	git(t, dir, "config", "user.email", "test@example.com")
	commitAll(t, dir)
	return dir
}

// copyModule copies the files of a project from the module cache, where nobody can write.
func copyModule(t *testing.T, p listed, dir string, env []string) {
	t.Helper()
	text, err := load.Go(t.TempDir(), env, "mod", "download", "-json", p.module+"@"+p.commit)
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chmod", "-R", "u+w", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if p.repo == "mongodb/mongo-tools" { // the cache has no vendor folders
		if _, err := load.Go(dir, env, "mod", "vendor"); err != nil {
			t.Fatal(err)
		}
	}
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", "--all", "--force")
	git(t, dir, "commit", "--quiet", "--allow-empty", "-m", "as it was")
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

// A measurement is the move of one project.
type measurement struct {
	t *testing.T
	listed
	dir, vet string
	database *database
}

// row moves the project and back, and returns its row.
func (m *measurement) row() string {
	t := m.t
	m.database.use(t, m.dir)
	commitAll(t, m.dir)
	packages := strings.Count(m.goList(), "\n")
	failedBefore, errorsBefore := m.compile()
	before := m.passing("./...")
	report := moveIn(t, m.dir, options{tags: m.tags})
	failedAfter, byHand := m.compile()
	byHand = without(byHand, errorsBefore)
	after := m.passing("./...")
	lost := without(before, after)
	if len(lost) > 0 { // does one of them fail now and then?
		lost = without(lost, m.passing(packagesOf(lost)...))
	}
	m.again()
	silent := m.misuse()
	git(t, m.dir, "add", "--all")
	edits := git(t, m.dir, "diff", "--cached", "--shortstat", "--", "*.go", ":!vendor")
	moveIn(t, m.dir, options{tags: m.tags, back: true})
	git(t, m.dir, "add", "--all")
	back := m.difference()
	if len(byHand) > 0 {
		t.Errorf("%d edits by hand:\n%s", len(byHand), strings.Join(byHand, "\n"))
	}
	if len(lost) > 0 {
		t.Errorf("these tests pass before the move only:\n%s", strings.Join(lost, "\n"))
	}
	if silent != "" {
		t.Errorf("oidvet finds what the move has left:\n%s", silent)
	}
	t.Logf("what a person must look at:\n%s", report)
	return fmt.Sprintf("| %s | %s | %d → %d of %d | %d → %d | %s | %d | %d | %s |", m.repo, m.driver, packages-len(failedBefore), packages-len(failedAfter), packages,
		len(before), len(before)-len(lost), edits, len(byHand), max(0, strings.Count(report, "\n")-1), back)
}

// difference returns what a move back has left. An empty literal of the driver's type comes
// back as NilObjectID, as the page about moving says.
func (m *measurement) difference() string {
	t := m.t
	names := git(t, m.dir, "diff", "--cached", "--name-only", "--", "*.go", ":!vendor")
	if names == "" {
		return "no difference"
	}
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		after, err := os.ReadFile(filepath.Join(m.dir, name))
		if err != nil {
			t.Error(err)
		}
		before := git(t, m.dir, "show", "HEAD:"+name)
		if withNil(before) != withNil(strings.TrimSpace(string(after))) {
			t.Errorf("the move back leaves a difference:\n%s", git(t, m.dir, "diff", "--cached", "--", name))
		}
	}
	return git(t, m.dir, "diff", "--cached", "--shortstat", "--", "*.go", ":!vendor") + ", as documented"
}

var (
	emptyID  = regexp.MustCompile(`\b(\w+)\.ObjectID\{\}`)
	inParens = regexp.MustCompile(`\((\w+\.NilObjectID)\)`)
)

func withNil(text string) string {
	return inParens.ReplaceAllString(emptyID.ReplaceAllString(text, "$1.NilObjectID"), "$1")
}

// without returns the elements of all that are not in some.
func without(all, some []string) (rest []string) {
	for _, s := range all {
		if !slices.Contains(some, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// packagesOf returns the packages of tests.
func packagesOf(tests []string) (packages []string) {
	for _, test := range tests {
		name, _, _ := strings.Cut(test, " ")
		packages = append(packages, name)
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

func (m *measurement) goList() string {
	out, err := load.Go(m.dir, os.Environ(), "list", "-tags="+m.tags, "./...")
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// compile compiles the packages with their tests. It returns those that fail, and what
// the compiler says.
func (m *measurement) compile() (packages, errors []string) {
	cmd := exec.Command("go", "vet", "-tags="+m.tags, "-stdversion", "./...") // one analyzer that finds nothing here
	cmd.Dir = m.dir
	out, _ := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			name, _, _ = strings.Cut(strings.Trim(name, "[]"), " ")
			packages = append(packages, name)
		} else if strings.Contains(line, ".go:") {
			errors = append(errors, position.ReplaceAllString(line, ""))
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages), errors
}

var position = regexp.MustCompile(`:\d+:\d+`)

// passing returns the tests of these packages that pass with an empty database.
func (m *measurement) passing(packages ...string) (names []string) {
	stop := m.database.start(m.t)
	defer stop()
	began := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-json", "-p=1", "-vet=off", "-short", "-timeout=180s", "-tags=" + m.tags}, packages...)...)
	cmd.Dir = m.dir
	out, _ := cmd.Output()
	for line := range bytes.Lines(out) {
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) == nil && event.Action == "pass" && event.Test != "" {
			names = append(names, event.Package+" "+event.Test)
		}
	}
	m.t.Logf("%d tests pass, after %v", len(names), time.Since(began).Round(time.Second))
	return names
}

// again checks that a second move changes nothing.
func (m *measurement) again() {
	moved := git(m.t, m.dir, "stash", "create")
	moveIn(m.t, m.dir, options{tags: m.tags})
	again := git(m.t, m.dir, "stash", "create")
	if moved != "" && git(m.t, m.dir, "diff", moved, again, "--", "*.go") != "" {
		m.t.Error("a second move changes something")
	}
}

// misuse returns the comparisons in the moved project that are always false. The other
// analyzers of oidvet find what the project did wrong before the move, such as omitempty.
// Their output has other lines for code that doesn't compile.
func (m *measurement) misuse() (found string) {
	cmd := exec.Command(m.vet, "-anycompare", "-tags="+m.tags, "./...")
	cmd.Dir = m.dir
	out, _ := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "oid.ID") {
			found += line
		}
	}
	return found
}
