// Package vettest runs an analyzer over packages of the module in cmd/oidvet/testdata,
// which use the real libraries.
package vettest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Run checks that a reports, in each package, what the package's comments expect,
// and that its fixes give the golden files. A golden file without a fix is an error too.
func Run(t *testing.T, a *analysis.Analyzer, packages ...string) {
	t.Helper()
	dir := Dir(t)
	t.Setenv("GOFLAGS", "") // -cover in it would analyze other sources than those in the folders
	for i, name := range packages {
		packages[i] = "./" + name
	}
	fixed := make(map[string]bool)
	for _, result := range analysistest.RunWithSuggestedFixes(t, dir, a, packages...) {
		for _, d := range result.Action.Diagnostics {
			if d.URL != a.URL {
				t.Errorf("%s: the address is %q, want %q", d.Message, d.URL, a.URL)
			}
			for _, fix := range d.SuggestedFixes {
				for _, edit := range fix.TextEdits {
					fixed[result.Action.Package.Fset.File(edit.Pos).Name()] = true
				}
			}
		}
	}
	for _, name := range packages {
		golden, err := filepath.Glob(filepath.Join(dir, name, "*.golden"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range golden {
			if file = strings.TrimSuffix(file, ".golden"); !fixed[file] {
				t.Errorf("%s has a golden file, but no fix", file)
			}
		}
	}
}

// Dir returns the folder of the module, with what it requires downloaded.
func Dir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "mod", "download")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v in %s: %v\n%s", cmd, dir, err, out)
	}
	return dir
}
