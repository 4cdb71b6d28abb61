package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a module with two fuzz tests, and returns its folder.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	for name, text := range map[string]string{
		"go.mod":      "module example.com/lib\n\ngo 1.25.0\n",
		"lib/code.go": "package lib\n\nfunc Kind(s string) int {\n\tif len(s) > 3 {\n\t\treturn 2\n\t}\n\treturn 1\n}\n",
		"lib/code_test.go": `package lib

import "testing"

func FuzzKind(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) { Kind(s) })
}

func FuzzNothing(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {})
}
`,
		"other/x_test.go": "//go:build never\n\npackage other\n\nfunc FuzzNever() {}\n",
		"other/x.go":      "package other\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// command runs the command in a module.
func command(t *testing.T, root string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), root, args, &out)
	return out.String(), err
}

func TestTargetsAreThoseThatThisGoBuilds(t *testing.T) {
	root := module(t)
	const want = "example.com/lib/lib FuzzKind\nexample.com/lib/lib FuzzNothing\n"
	if got, err := command(t, root, "-list"); err != nil || got != want {
		t.Errorf("-list = %q, %v, want %q", got, err, want)
	}
	if got, err := command(t, root, "-list", "-targets", `lib\.FuzzK`); err != nil || got != "example.com/lib/lib FuzzKind\n" {
		t.Errorf("-list -targets = %q, %v", got, err)
	}
	for _, args := range [][]string{{}, {"-list", "-targets", "none"}, {"-list", "-targets", "("}, {"-list", "-keep", "1"}, {"-list", "x"}} {
		if got, err := command(t, root, args...); err == nil {
			t.Errorf("%q: no error, but %q", args, got)
		}
	}
}

// An input is kept if it reaches what no seed and no smaller input reaches.
func TestKeepTakesTheSmallestInputsThatReachMore(t *testing.T) {
	root := module(t)
	all, err := targets(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	kind := all[0]
	cache, err := kind.cache(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, kind.name)
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(cache)) })
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"same": "b", "long": "abcde", "more": "abcd", "huge": strings.Repeat("a", largest)} {
		if err := os.WriteFile(filepath.Join(cache, name), []byte("go test fuzz v1\nstring(\""+text+"\")\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(t, root, "-keep", "9", "-targets", "FuzzKind")
	if err != nil || !strings.Contains(out, "kept 1 of 4 cached inputs, had 0\n") {
		t.Fatalf("%s, %v", out, err)
	}
	kept, err := inputs(filepath.Join(kind.dir, "testdata", "fuzz", kind.name))
	if err != nil || len(kept) != 1 || kept[0].name != "more" {
		t.Errorf("kept %v, %v", kept, err)
	}
	if out, err = command(t, root, "-keep", "9", "-targets", "FuzzKind"); err != nil || !strings.Contains(out, "kept 0 of 4 cached inputs, had 1\n") {
		t.Errorf("again: %s, %v", out, err)
	}
}
