package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

var update = flag.Bool("update", false, "write what the rules make to the fixtures")

// The go.mod of the fixtures. The packages of oidkit come from the tree.
const fixtureMod = `module example.com/fixtures

go 1.25.0

require (
	github.com/stretchr/testify v1.11.1
	go.mongodb.org/mongo-driver v1.17.7
	go.mongodb.org/mongo-driver/v2 v2.5.0
)
`

// The value of GOWORK before a test sets it.
var goWork = os.Getenv("GOWORK")

// libraries returns the modules of MongoDB's drivers and of all that they import, with the
// versions of the repository's workspace. What the compiler makes of them then serves other
// tests too. The map is empty where there is no workspace.
var libraries = sync.OnceValue(func() map[string]string {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", names.V1.Module+"/mongo", names.V2.Module+"/mongo")
	cmd.Dir = filepath.Join("testdata", "tree", "bsoncodec")
	cmd.Env = append(os.Environ(), "GOWORK="+goWork)
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if module, version, _ := strings.Cut(strings.TrimSpace(line), " "); version != "" {
			versions[module] = version
		}
	}
	return versions
})

// useLibraries lets a go.mod require the versions of libraries for its own requirements. With
// all, it requires the others too, until go mod tidy removes those that nothing needs.
func useLibraries(t *testing.T, file string, all bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"mod", "edit"}
	for module, version := range libraries() {
		if all || strings.Contains(string(data), module+" v") {
			args = append(args, "-require="+module+"@"+version)
		}
	}
	if len(args) > 2 {
		goIn(t, filepath.Dir(file), args...)
	}
}

// treeVersion is the version of oidkit's modules in the proxy that is made of the tree.
const treeVersion = "v0.0.1-tree"

// asCommand is the variable with which the test program is oidmove.
const asCommand = "OIDMOVE_TEST_COMMAND"

// The environment is that of all tests, so that they can run at once.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	flag.Parse()
	os.Setenv("GOWORK", "off")
	os.Setenv("GOFLAGS", "-buildvcs=false")
	os.Setenv("GOSUMDB", "off")
	code := m.Run()
	if proxyFolder != "" {
		os.RemoveAll(proxyFolder)
	}
	os.Exit(code)
}

// oidkitOfTree lets modules use oidkit's modules of the tree. What the compiler makes of the
// libraries then serves other tests too. It doesn't if they come from a module cache of this
// test, as in TestRequire. The result adds oidkit's modules to the go.mod in a folder. A move
// removes those that it doesn't need, so each move needs a call.
func oidkitOfTree(t *testing.T) (add func(dir string)) {
	t.Helper()
	readTree()
	codec := tree(t, "bsoncodec")
	args := []string{"mod", "edit"}
	for module, folder := range map[string]string{
		names.Root: filepath.Dir(tree(t, "oid")), names.V1.Codec: filepath.Join(codec, "mongov1"), names.V2.Codec: codec,
	} {
		args = append(args, "-require="+module+"@"+treeVersion, "-replace="+module+"="+folder)
	}
	return func(dir string) { goIn(t, dir, args...) }
}

// readTree opens the folders of the modules. The go command then runs the test again after
// a change there.
func readTree() {
	for _, folder := range []string{"oid", "sqltype", "bsoncodec"} {
		fs.WalkDir(os.DirFS(filepath.Join("testdata", "tree", folder)), ".", func(string, fs.DirEntry, error) error { return nil })
	}
}

// proxyFolder holds a module proxy, and a module cache for it.
var proxyFolder string

// proxy makes a module proxy of the tree, and lets go commands use it, with a module
// cache of its own.
func proxy(t *testing.T) {
	t.Helper()
	readTree()
	if proxyFolder == "" {
		makeProxy(t)
	}
	out, err := exec.Command("go", "env", "-json", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	var env struct{ GOMODCACHE, GOPROXY string }
	if err := json.Unmarshal(out, &env); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-modcacherw -trimpath -buildvcs=false")
	t.Setenv("GOMODCACHE", filepath.Join(proxyFolder, "mod"))
	t.Setenv("GOPROXY", fmt.Sprintf("file://%s/proxy,file://%s/cache/download,%s", proxyFolder, env.GOMODCACHE, env.GOPROXY))
}

func makeProxy(t *testing.T) {
	t.Helper()
	release := tree(t, "release")
	git := exec.Command("git", "ls-files", "--error-unmatch", "go.mod")
	git.Dir = release
	if out, err := git.CombinedOutput(); err != nil {
		t.Skipf("the proxy holds the files that git knows: %v: %s", err, out)
	}
	tmp, err := os.MkdirTemp("", "oidmove-test-")
	if err != nil {
		t.Fatal(err)
	}
	proxyFolder = tmp
	inTree(t, "release", "run", ".", "proxy", tmp, treeVersion)
}

// inTree runs a go command in a folder of the repository.
func inTree(t *testing.T, name string, args ...string) {
	t.Helper()
	if _, err := load.Go(tree(t, name), append(os.Environ(), "GOWORK="+goWork), args...); err != nil {
		t.Fatal(err)
	}
}

// tree returns a folder of the repository, which a link below testdata/tree names.
func tree(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(filepath.Join("testdata", "tree", name))
	if err != nil {
		t.Fatal(err)
	}
	if path, err = filepath.Abs(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Fatalf("testdata/tree/%s is not a link to a folder: %v", name, err)
	}
	return path
}

// buildVet builds oidvet.
func buildVet(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "oidvet")
	inTree(t, "oidvet", "run", "-exec=cp", ".", program) // go run keeps the program, and go build doesn't
	return program
}

// fixtures reads the archives below testdata/name, by the name of each.
func fixtures(t *testing.T, name string) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/%s has no fixtures: %v", name, err)
	}
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = archive
	}
	return all
}

// unpack makes a module of the files in archives that are there before a move. Each
// archive is a package.
func unpack(t *testing.T, all map[string]*txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	mod := filepath.Join(dir, "go.mod")
	write(t, mod, []byte(fixtureMod))
	useLibraries(t, mod, true)
	for name, archive := range all {
		for _, f := range archive.Files {
			if isBefore(f.Name) {
				write(t, filepath.Join(dir, name, f.Name), f.Data)
			}
		}
	}
	goIn(t, dir, "mod", "tidy")
	return dir
}

// isBefore reports whether a file of an archive is there before a move. The others say what
// a move makes.
func isBefore(name string) bool {
	return !strings.HasPrefix(name, "want/") && !strings.HasPrefix(name, "back/") && name != "report"
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func goIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := load.Go(dir, os.Environ(), args...); err != nil {
		t.Fatal(err)
	}
}

// changed returns the files of a package that are not as they were, as an archive has them.
func changed(t *testing.T, dir string, before *txtar.Archive, prefix string) (files []txtar.File) {
	t.Helper()
	now := snapshot(t, dir)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != string(find(before, name)) {
			files = append(files, txtar.File{Name: prefix + name, Data: []byte(now[name])})
		}
	}
	return files
}

func find(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// moveIn runs oidmove in a folder, and returns what it lists.
func moveIn(t *testing.T, dir string, o options) string {
	t.Helper()
	o.dir, o.patterns = dir, []string{"./..."}
	var report bytes.Buffer
	o.out = &report
	if err := run(o); err != nil {
		t.Fatal(err)
	}
	return report.String()
}

// nightly is true in .ci/nightly.
var nightly bool

// TestRules moves each module of fixtures, again, and back. The first move must give
// what the archives say, and the tests in them must pass. The second move, which .ci/nightly
// makes, must change nothing, and the move back must give the files from before, except for
// those below back/ of the archive. The analyzer anycompare of oidvet must find no comparison
// that oidmove has left.
func TestRules(t *testing.T) {
	t.Parallel()
	vet := buildVet(t)
	addOidkit := oidkitOfTree(t)
	for _, name := range []string{"v1", "v2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := fixtures(t, name)
			folder, err := filepath.Abs(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, all)
			addOidkit(dir)
			before := snapshot(t, dir)
			var diff, list strings.Builder
			result, err := move(options{dir: dir, patterns: []string{"./..."}}, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(result.PrintDiff(&diff), result.Report(&list)); err != nil {
				t.Error(err)
			}
			report := list.String()
			same(t, "a move with -n", snapshot(t, dir), before)
			for pkg, archive := range all {
				if file := "+++ " + filepath.Join("b", pkg, "in.go"); find(archive, "want/in.go") != nil && !strings.Contains(diff.String(), file+"\n") {
					t.Errorf("-n doesn't print %s", file)
				}
			}
			if !strings.Contains(diff.String(), "+++ b/go.mod\n") {
				t.Error("-n doesn't print +++ b/go.mod")
			}
			if err := result.Save(); err != nil {
				t.Fatal(err)
			}
			got := map[string][]txtar.File{}
			for pkg, archive := range all {
				got[pkg] = changed(t, filepath.Join(dir, pkg), archive, "want/")
			}
			test := exec.Command("go", "test", "-vet=off", "-ldflags=-w", "./...")
			test.Dir = dir
			if out, err := test.CombinedOutput(); err != nil {
				t.Errorf("the tests of the moved packages: %v\n%s", err, out)
			}
			anycompare := exec.Command(vet, "-anycompare", "./...")
			anycompare.Dir = dir
			out, err := anycompare.CombinedOutput()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(out)) { // file:line:column: message
				file, rest, _ := strings.Cut(filepath.ToSlash(line), ".go:")
				number, _, _ := strings.Cut(rest, ":")
				n, err := strconv.Atoi(number)
				if err != nil {
					continue // the status of another package
				}
				listed := func(n int) bool {
					place := fmt.Sprintf("%s/%s.go:%d:", path.Base(path.Dir(file)), path.Base(file), n)
					return strings.Contains(filepath.ToSlash(report), place)
				}
				if !listed(n) && !listed(n-1) { // the switch of a case
					t.Errorf("oidvet finds in the moved packages what the move doesn't list: %s", line)
				}
			}
			moved := snapshot(t, dir)
			if nightly {
				moveIn(t, dir, options{})
				same(t, "a second move", snapshot(t, dir), moved)
			}
			moveIn(t, dir, options{back: true})
			for pkg, archive := range all {
				files := append(got[pkg], changed(t, filepath.Join(dir, pkg), archive, "back/")...)
				compare(t, filepath.Join(folder, pkg+".txtar"), archive, files, lines(report, pkg+"/"))
			}
		})
	}
}

// compare compares what a move made of an archive with its golden files.
func compare(t *testing.T, name string, archive *txtar.Archive, got []txtar.File, report string) {
	t.Helper()
	if report != "" {
		got = append(got, txtar.File{Name: "report", Data: []byte(report)})
	}
	is := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if isBefore(f.Name) {
			is.Files = append(is.Files, f)
		}
	}
	is.Files = append(is.Files, got...)
	if *update {
		write(t, name, txtar.Format(is))
		return
	}
	if g, w := txtar.Format(is), txtar.Format(archive); !bytes.Equal(g, w) {
		t.Errorf("%s: the move gives\n%s\nwant\n%s", filepath.Base(name), g, w)
	}
}

// lines returns the lines of a report about one package.
func lines(report, prefix string) string {
	var kept strings.Builder
	for line := range strings.Lines(report) {
		if strings.HasPrefix(line, prefix) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// snapshot returns the Go files below a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, got[name], want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s leaves %s behind", what, name)
		}
	}
}

// TestErrors checks that each error says what to do, and that nothing changes then.
func TestErrors(t *testing.T) {
	tests := []struct {
		used []names.Driver
		name string
		back bool
		want string // "" for no error
	}{
		{[]names.Driver{names.V1}, "", true, ""},
		{[]names.Driver{names.V1, names.V2}, "v2", false, ""},
		{[]names.Driver{names.V1, names.V2}, "v2", true, "the packages use both drivers, and -back can't tell which driver an ID is for: move back the packages of one driver at a time"},
		{[]names.Driver{names.V1, names.V2}, "", false, "the packages use both drivers: run oidmove with -driver=v1, and then with -driver=v2"},
		{nil, "", false, "none of the packages imports MongoDB's driver: there is nothing to move"},
		{nil, "v3", false, "-driver=v3: the drivers are v1 and v2"},
	}
	for _, tt := range tests {
		got := ""
		if _, err := load.Choose(tt.used, tt.name, tt.back); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("choose(%v, %q, %v) = %q, want %q", tt.used, tt.name, tt.back, got, tt.want)
		}
	}
	for _, tt := range []struct {
		patterns []string
		want     string
	}{
		{nil, "oidmove: name the packages to move, such as ./... for all packages of the module"},
		{[]string{"./..."}, "oidmove: there is no go.mod here or above: run oidmove in the folder of the module to move"},
	} {
		if err := run(options{dir: t.TempDir(), patterns: tt.patterns}); err == nil || err.Error() != tt.want {
			t.Errorf("run(%q) = %v, want %s", tt.patterns, err, tt.want)
		}
	}
}
