package all_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/oidkit/oidkit/cmd/oidvet/all"
)

// TestAnalyzers checks that each analyzer reports, in the packages of its name in testdata, what
// their comments expect, and that its fixes give the golden files. A golden file without a fix is
// an error too. The packages use the real libraries. Loading these from source takes seconds, so
// it is done once: a single analyzer runs all of them, each on its packages.
func TestAnalyzers(t *testing.T) {
	dir := testdata(t)
	t.Setenv("GOFLAGS", "") // -cover in it would analyze other sources than those in the folders
	var packages []string
	every := &analysis.Analyzer{Name: "every", Doc: "runs each analyzer on its packages"}
	of := map[string]*analysis.Analyzer{} // by the package's folder
	for _, a := range all.Analyzers() {
		every.Requires = append(every.Requires, a.Requires...)
		if a.FactTypes != nil {
			t.Errorf("%s has facts: run it by itself", a.Name)
		}
		for _, name := range []string{a.Name, a.Name + "1"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				packages = append(packages, "./"+name)
				of[name] = a
			}
		}
		if of[a.Name] == nil {
			t.Errorf("testdata has no package %s", a.Name)
		}
	}
	every.Run = func(pass *analysis.Pass) (any, error) {
		own := *pass
		own.Analyzer = of[filepath.Base(pass.Pkg.Path())]
		own.Report = func(d analysis.Diagnostic) {
			if d.URL != own.Analyzer.URL {
				t.Errorf("%s: the address is %q, want %q", d.Message, d.URL, own.Analyzer.URL)
			}
			pass.Report(d)
		}
		return own.Analyzer.Run(&own)
	}
	fixed := map[string]bool{}
	for _, result := range analysistest.RunWithSuggestedFixes(t, dir, every, packages...) {
		for _, d := range result.Action.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				for _, edit := range fix.TextEdits {
					fixed[result.Action.Package.Fset.File(edit.Pos).Name()] = true
				}
			}
		}
	}
	golden, err := filepath.Glob(filepath.Join(dir, "*", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range golden {
		if file = strings.TrimSuffix(file, ".golden"); !fixed[file] {
			t.Errorf("%s has a golden file, but no fix", file)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	others := []string{"mistakes", "names", "planted"} // which other tests run
	for _, entry := range entries {
		if entry.IsDir() && of[entry.Name()] == nil && !slices.Contains(others, entry.Name()) {
			t.Errorf("testdata/%s belongs to no analyzer", entry.Name())
		}
	}
}

// testdata returns the folder of the module, with what it requires downloaded.
func testdata(t *testing.T) string {
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
