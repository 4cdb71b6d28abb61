// Package consumer_test sees what a user sees: modules outside the repository that
// get ours from a module proxy. The proxy is made of the tree.
package consumer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

const (
	home    = "github.com/oidkit/oidkit"
	version = "v0.0.1-tree" // of the modules that the proxy serves, but for sequence and its stores

	sequenceVersion = "v0.0.2-tree"
)

// at returns a package or module as "go get" gets it from the proxy.
func at(path string) string {
	if ofSequence(path) {
		return path + "@" + sequenceVersion
	}
	return path + "@" + version
}

func ofSequence(path string) bool { return strings.HasPrefix(path+"/", home+"/sequence/") }

// older is a program with drivers that are older than those that we require.
const (
	olderMod = `module example.com/shop

go 1.24

require (
	github.com/jackc/pgx/v5 v5.7.0
	go.mongodb.org/mongo-driver v1.16.1
	go.mongodb.org/mongo-driver/v2 v2.2.0
	gorm.io/gorm v1.25.12
)
`
	olderMain = `package main

import (
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "go.mongodb.org/mongo-driver/mongo"
	_ "go.mongodb.org/mongo-driver/v2/mongo"
	_ "gorm.io/gorm"
)

func main() {}
`
)

var isLong = os.Getenv("OIDKIT_LONG") != ""

// A world is a proxy with our modules, and a module cache of its own.
type world struct {
	dir string
	env []string
}

// shared is the world of all tests here, as a module cache takes long to fill. The
// first call of theWorld makes it.
var (
	sharedMu sync.Mutex
	shared   world
)

// parent is the folder that the world's folder is in, or "" for the one for temporary files.
var parent string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp(parent, "oidkit-consumer-")
	if err != nil {
		panic(err)
	}
	shared.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func theWorld(t *testing.T) world {
	t.Helper()
	sharedMu.Lock()
	defer sharedMu.Unlock()
	w := &shared
	if w.env != nil {
		return *w
	}
	if _, err := exec.LookPath("git"); err != nil {
		tree.Skip(t, err) // the proxy holds the files that git knows
	}
	if out, err := tree.Command(t, "go", "run", "./internal/release", "proxy", w.dir, version, "sequence/"+sequenceVersion).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "env", "-json", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	var env struct{ GOMODCACHE, GOPROXY string }
	if err := json.Unmarshal(out, &env); err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"GOWORK=off", "GOFLAGS=-modcacherw -trimpath", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOBIN=" + filepath.Join(w.dir, "bin"), "GOMODCACHE=" + filepath.Join(w.dir, "mod"),
		fmt.Sprintf("GOPROXY=file://%s/proxy,file://%s/cache/download,%s", w.dir, env.GOMODCACHE, env.GOPROXY),
	}
	return *w
}

// run runs a command in a folder and returns what it prints.
func (w world) run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), w.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String(), nil
}

// must is run for what has to work.
func (w world) must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := w.run(dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compiled returns the world for commands that compile the module in dir. It is a workspace
// with the modules of the tree, so what the compiler makes of libraries serves other tests
// too. It doesn't if they come from the module cache of a proxy.
func compiled(t *testing.T, dir string) world {
	t.Helper()
	if isLong {
		return theWorld(t)
	}
	work := filepath.Join(t.TempDir(), "go.work")
	writeWorkspace(t, work, dir, "")
	w := world{env: []string{"GOWORK=" + work}}
	w.must(t, dir, "go", "work", "use") // the module may be for a newer Go release
	return w
}

// module makes a module with the files in a folder of its own.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// versions returns the versions of all modules that take part in the builds of the
// module in dir, and those that its go.mod names.
func (w world) versions(t *testing.T, dir string) (all, required map[string]string) {
	t.Helper()
	all = map[string]string{}
	for line := range strings.Lines(w.must(t, dir, "go", "list", "-m", "all")) {
		if fields := strings.Fields(line); len(fields) == 2 {
			all[fields[0]] = fields[1]
		}
	}
	return all, w.required(t, dir)
}

// required returns what the go.mod in dir requires.
func (w world) required(t *testing.T, dir string) map[string]string {
	t.Helper()
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal([]byte(w.must(t, dir, "go", "mod", "edit", "-json")), &mod); err != nil {
		t.Fatal(err)
	}
	required := map[string]string{}
	for _, r := range mod.Require {
		required[r.Path] = r.Version
	}
	return required
}

// differences lists what has changed from one set of versions to another. Our own
// modules don't count.
func differences(before, after map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] != after[name] && !isOurs(name) {
			list = append(list, fmt.Sprintf("%s %s → %s", name, or(before[name], "none"), after[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after[name] == "" {
			list = append(list, fmt.Sprintf("%s %s → none", name, before[name]))
		}
	}
	return list
}

func isOurs(module string) bool { return module == home || strings.HasPrefix(module, home+"/") }

func ours(versions map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		if isOurs(name) {
			list = append(list, name)
		}
	}
	return list
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// importing adds a file to the module in dir that imports the package.
func importing(t *testing.T, dir, pkg string) {
	t.Helper()
	source := "package main\n\nimport _ \"" + pkg + "\"\n"
	if err := os.WriteFile(filepath.Join(dir, "import.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestGettingAPackageMovesNobodysDrivers gets each package in turn into a program
// with older drivers. A package of the root module adds one line to go.mod. An
// integration changes what its library's own release changes, and nothing else. The
// promise is about versions, so nothing is compiled. The step "alone" of .ci/run
// compiles each module with the versions that it requires.
func TestGettingAPackageMovesNobodysDrivers(t *testing.T) {
	t.Parallel()
	root := tree.Root(t)
	w := theWorld(t)
	base := module(t, map[string]string{"go.mod": olderMod, "main.go": olderMain})
	if _, err := w.run(base, "go", "mod", "tidy"); err != nil {
		tree.Skip(t, fmt.Errorf("the module proxy can't be reached: %w", err))
	}
	copyOf := func(t *testing.T) string {
		files := map[string]string{}
		for _, name := range []string{"go.mod", "go.sum", "main.go"} {
			data, err := os.ReadFile(filepath.Join(base, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(data)
		}
		return module(t, files)
	}
	all, required := w.versions(t, base)
	t.Logf("a program with %s", describe(required, "github.com/jackc/pgx/v5", "go.mongodb.org/mongo-driver", "go.mongodb.org/mongo-driver/v2", "gorm.io/gorm"))

	for pkg := range strings.Lines(w.must(t, filepath.Join(w.dir, "tree"), "go", "list", "./...")) {
		if pkg = strings.TrimSpace(pkg); strings.Contains(pkg, "/internal/") {
			continue
		}
		t.Run(strings.TrimPrefix(pkg, home+"/"), func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t)
			w.must(t, dir, "go", "get", at(pkg))
			importing(t, dir, pkg)
			w.must(t, dir, "go", "mod", "tidy")
			gotAll, got := w.versions(t, dir)
			if diff := differences(all, gotAll); diff != nil {
				t.Errorf("go get %s changes %s", pkg, strings.Join(diff, ", "))
			}
			if diff := differences(required, got); diff != nil {
				t.Errorf("go get %s changes lines of go.mod: %s", pkg, strings.Join(diff, ", "))
			}
			if mine := ours(got); !slices.Equal(mine, []string{home}) {
				t.Errorf("go get %s adds %q to go.mod, want one line", pkg, mine)
			}
			t.Logf("go get %s adds %s", pkg, strings.Join(ours(got), ", "))
		})
	}

	for _, folder := range tree.Modules(t) {
		if !tree.Public(folder) || folder == "." || strings.HasPrefix(folder, "cmd/") {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			pkg := path.Join(home, folder)
			dir, plain := copyOf(t), copyOf(t)
			for name, version := range w.required(t, filepath.Join(root, folder)) {
				if _, ok := required[name]; ok && direct(t, filepath.Join(root, folder), name) {
					w.must(t, plain, "go", "get", name+"@"+version)
				}
			}
			w.must(t, plain, "go", "mod", "tidy")
			wantAll, want := w.versions(t, plain)

			w.must(t, dir, "go", "get", at(pkg))
			importing(t, dir, pkg)
			w.must(t, dir, "go", "mod", "tidy")
			gotAll, got := w.versions(t, dir)
			if diff := differences(wantAll, gotAll); diff != nil {
				t.Errorf("go get %s changes more than its library does: %s", pkg, strings.Join(diff, ", "))
			}
			if diff := differences(want, got); diff != nil {
				t.Errorf("go get %s changes other lines of go.mod than its library does: %s", pkg, strings.Join(diff, ", "))
			}
			own := []string{home, pkg}
			if ofSequence(pkg) { // which knows nothing of the root module
				own = slices.Compact([]string{path.Join(home, "sequence"), pkg})
			}
			if mine := ours(got); !slices.Equal(mine, own) {
				t.Errorf("go get %s adds %q to go.mod, want %q", pkg, mine, own)
			}
			t.Logf("go get %s adds %s, and as its library does: %s", pkg, strings.Join(ours(got), ", "), or(strings.Join(differences(required, got), ", "), "nothing"))
		})
	}
}

// If an integration required an older version of its root, or of sequence, a user's build
// would mix two versions of what the modules know of each other.
func TestIntegrationsRequireTheVersionOfTheirOwnTag(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	n := 0
	for _, folder := range tree.Modules(t) {
		if !tree.Public(folder) {
			continue
		}
		own := path.Join(home, folder)
		for name, got := range w.required(t, filepath.Join(w.dir, "tree", folder)) {
			if !isOurs(name) {
				continue
			}
			n++
			if want := at(own); ofSequence(name) != ofSequence(own) || own+"@"+got != want {
				t.Errorf("%s requires %s %s", want, name, got)
			}
		}
	}
	if n < 7 {
		t.Errorf("only %d requirements among our modules", n)
	}
}

// direct reports whether the module in dir requires another one for itself.
func direct(t *testing.T, dir, module string) bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^(require|\t)\s*` + regexp.QuoteMeta(module) + ` v\S+$`).Match(data)
}

func describe(versions map[string]string, modules ...string) string {
	var list []string
	for _, name := range modules {
		list = append(list, name+" "+versions[name])
	}
	return strings.Join(list, ", ")
}

// TestProgramsInstall installs each command as a user does. Without OIDKIT_LONG it only
// resolves the modules and packages, because a module cache of its own makes the go command
// compile all libraries again. The step "alone" of .ci/run sets OIDKIT_LONG.
func TestProgramsInstall(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	install := []string{"install"}
	if !isLong {
		install = append(install, "-n")
	}
	n := 0
	for _, folder := range tree.Modules(t) {
		if !strings.HasPrefix(folder, "cmd/") {
			continue
		}
		n++
		if _, err := w.run(t.TempDir(), "go", append(install, at(path.Join(home, folder)))...); err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Fatal("no module in cmd")
	}
	if !isLong {
		return
	}
	oid := filepath.Join(w.dir, "bin", "oid")
	if got := w.must(t, ".", oid, "new"); !regexp.MustCompile(`^[0-9a-f]{24}\n$`).MatchString(got) {
		t.Errorf("oid new printed %q", got)
	}
	if got := w.must(t, ".", oid, "--version"); !strings.Contains(got, version) {
		t.Errorf("oid --version printed %q, want %s", got, version)
	}
}

// TestFirstProgramOfTheReadmeRuns builds it in an empty module.
func TestFirstProgramOfTheReadmeRuns(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(tree.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?ms)^```go\n(package main\n.*?)^```$").FindSubmatch(readme)
	if m == nil {
		t.Fatal("README.md has no program")
	}
	program := m[1]
	w := theWorld(t)
	dir := module(t, map[string]string{"main.go": string(program)})
	w.must(t, dir, "go", "mod", "init", "example.com/hello")
	imports := regexp.MustCompile(`"(`+regexp.QuoteMeta(home)+`/[^"]+)"`).FindAllSubmatch(program, -1)
	if imports == nil {
		t.Fatalf("the program imports nothing of ours:\n%s", program)
	}
	for _, m := range imports {
		w.must(t, dir, "go", "get", at(string(m[1])))
	}
	if _, err := w.run(dir, "go", "mod", "tidy"); err != nil {
		tree.Skip(t, fmt.Errorf("the module proxy can't be reached: %w", err))
	}
	if out := compiled(t, dir).must(t, dir, "go", "run", "."); out == "" {
		t.Error("the program prints nothing")
	} else {
		t.Logf("it prints\n%s", out)
	}
}
