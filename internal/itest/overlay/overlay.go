// Package overlay compiles code that a test has just let a library write, and that
// is kept nowhere.
package overlay

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Build compiles the test testdata/NAME/NAME_test.go of the caller's package as if
// the files of the folder code, which a library has just written, lay next to it. It
// returns the program.
func Build(t *testing.T, name, code string) string {
	t.Helper()
	home, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	// go test repeats an old answer ("cached") unless a file that the test itself has
	// opened is another.
	if _, err := os.ReadFile(filepath.Join(home, name+"_test.go")); err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	err = filepath.WalkDir(code, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(code, path)
			overlay.Replace[filepath.Join(home, rel)] = path
		}
		return err
	})
	if err != nil || len(overlay.Replace) == 0 {
		t.Fatalf("%d files written, %v", len(overlay.Replace), err)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), name+".test")
	args := append([]string{"test", "-c", "-vet=off", "-overlay", file, "-o", binary}, ownFlags()...)
	cmd := exec.Command("go", append(args, "./testdata/"+name)...)
	cmd.Env = append(cmd.Environ(), "GOFLAGS="+withoutCover(os.Getenv("GOFLAGS")))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return binary
}

// withoutCover returns the flags without those of go build's coverage, which can't read
// an overlay.
func withoutCover(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(flag string) bool {
		return strings.HasPrefix(flag, "-cover")
	}), " ")
}

// ownFlags returns the flags that this test was built with, so that the packages of
// the program are compiled already.
func ownFlags() (flags []string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, setting := range info.Settings {
		if setting.Key == "-race" || setting.Key == "-gcflags" {
			flags = append(flags, setting.Key+"="+setting.Value)
		}
	}
	return flags
}
