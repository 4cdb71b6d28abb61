// Package tree lets a test depend on files of the whole repository.
//
// The go command answers from its cache if a test ran before, and the files that
// it opened are the same. It sees only what the test itself opens, below the root
// of the test's module: not what a program opens that the test starts, and nothing
// of other modules. Every file of the repository is below the root module's
// folder. So a test of the repository stands in the root module, and calls [Root].
package tree

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Root returns the root folder of the repository. It also opens every folder of the
// repository, which makes the go command run the test again after a change of any
// file. It skips the test where there is only the root module, without go.work: so
// do users get it.
func Root(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			t.Fatal("no go.mod above the test")
		}
		root = parent
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "release", "go.mod")); err != nil {
		t.Skip("not in a clone of the repository: ", err)
	}
	err = openAll(root)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

var (
	mu     sync.Mutex
	opened = map[string]error{}
)

// openAll opens every folder below root. It does so once per process, because the go command
// looks at a folder as often as the test opened it.
func openAll(root string) error {
	mu.Lock()
	defer mu.Unlock()
	err, done := opened[root]
	if !done {
		err = filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			return err
		})
		opened[root] = err
	}
	return err
}

// Command returns a command that runs in the root folder, in the workspace.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	root := Root(t)
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOWORK="+filepath.Join(root, "go.work"))
	return cmd
}

// Skip skips t because something is missing, or fails it where OIDKIT_NO_SKIP=1
// says that everything must be there.
func Skip(t testing.TB, missing error) {
	t.Helper()
	if os.Getenv("OIDKIT_NO_SKIP") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// Modules returns the folders of the repository's modules, with slashes, as go.work
// names them. The root module is ".".
func Modules(t testing.TB) []string {
	t.Helper()
	out, err := Command(t, "go", "work", "edit", "-json").Output()
	if err != nil {
		t.Fatalf("go work edit: %v", err)
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &work); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, use := range work.Use {
		dirs = append(dirs, path.Clean(use.DiskPath))
	}
	return dirs
}

// Public reports whether users can fetch the module of a folder.
func Public(module string) bool {
	elems := strings.Split(module, "/")
	return elems[0] != "examples" && !slices.Contains(elems, "internal")
}
