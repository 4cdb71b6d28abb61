package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module writes a module with a fuzz test that fails for the input "bug", and returns
// its folder.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	for name, text := range map[string]string{
		"go.mod":      "module example.com/lib\n\ngo 1.25.0\n",
		"lib/code.go": "package lib\n\nfunc Bug(s string) bool { return s == \"bug\" }\n\nfunc Kind(s string) int {\n\tif len(s) > 3 {\n\t\treturn 2\n\t}\n\treturn 1\n}\n",
		"lib/code_test.go": `package lib

import (
	"flag"
	"os"
	"testing"
	"time"
)

func FuzzBug(f *testing.F) {
	f.Add("bu")
	f.Fuzz(func(t *testing.T, s string) {
		if Bug(s) {
			t.Error("found it")
		}
	})
}

func FuzzKind(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) { Kind(s) })
}

// One input takes longer than Go's fuzzer waits, when it is fuzzed.
func FuzzSlow(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) {
		if s == "a" || flag.Lookup("test.fuzzworker").Value.String() != "true" {
			return
		}
		if file, err := os.OpenFile("slept", os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			file.Close()
			time.Sleep(time.Hour)
		}
		time.Sleep(time.Millisecond) // leaves the processor to others
	})
}

func FuzzNothing(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) { time.Sleep(time.Millisecond) })
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
	const want = "example.com/lib/lib.FuzzBug\nexample.com/lib/lib.FuzzKind\nexample.com/lib/lib.FuzzNothing\nexample.com/lib/lib.FuzzSlow\n"
	if got, err := command(t, root, "-list"); err != nil || got != want {
		t.Errorf("-list = %q, %v, want %q", got, err, want)
	}
	if got, err := command(t, root, "-list", "-targets", `lib\.FuzzK`); err != nil || got != "example.com/lib/lib.FuzzKind\n" {
		t.Errorf("-list -targets = %q, %v", got, err)
	}
	for _, args := range [][]string{{"-targets", "none"}, {"-targets", "("}, {"-workers", "0"}, {"x"}} {
		if got, err := command(t, root, args...); err == nil {
			t.Errorf("%q: no error, but %q", args, got)
		}
	}
}

func TestWhatGosFuzzerPrintsIsRead(t *testing.T) {
	const printed = `fuzz: elapsed: 0s, gathering baseline coverage: 0/7 completed
fuzz: elapsed: 3s, execs: 21468 (7155/sec), new interesting: 34 (total: 41)
fuzz: elapsed: 6s, execs: 40000 (6177/sec), new interesting: 35 (total: 42)
--- FAIL: FuzzText (6.01s)
    --- FAIL: FuzzText (0.00s)
        fuzz_test.go:61: bad

    Failing input written to testdata/fuzz/FuzzText/771e938e4458e983
    To re-run:
    go test -run=FuzzText/771e938e4458e983
`
	if got := read([]byte(printed)); got.execs != 40000 || got.fresh != 35 {
		t.Errorf("read %+v, want 40000 executions, 35 new", got)
	}
	for _, tt := range []struct{ out, want string }{
		{printed, "testdata/fuzz/FuzzText/771e938e4458e983"},
		{"failure while testing seed corpus entry: FuzzText/seed#3\n", "testdata/fuzz/FuzzText/seed#3"},
		{"--- FAIL: FuzzText (5.01s)\n    context deadline exceeded\n", ""},
	} {
		if got := failingInput([]byte(tt.out)); got != filepath.FromSlash(tt.want) {
			t.Errorf("failingInput(%q) = %q, want %q", tt.out, got, tt.want)
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
	kind := all[1]
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
	start := time.Now()
	out, err := command(t, root, "-for", "0", "-keep", "9", "-targets", "FuzzKind")
	if err != nil || !strings.Contains(out, "kept 1 of 4 cached inputs, had 0\n") {
		t.Fatalf("%s, %v after %v", out, err, time.Since(start))
	}
	kept, err := inputs(filepath.Join(kind.dir, "testdata", "fuzz", kind.name))
	if err != nil || len(kept) != 1 || kept[0].name != "more" {
		t.Errorf("kept %v, %v", kept, err)
	}
	if out, err = command(t, root, "-for", "0", "-keep", "9", "-targets", "FuzzKind"); err != nil || !strings.Contains(out, "kept 0 of 4 cached inputs, had 1\n") {
		t.Errorf("again: %s, %v", out, err)
	}
}
