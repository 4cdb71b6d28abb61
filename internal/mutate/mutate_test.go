package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const tinyGuards = `
lib lib -run=^Test -skip=Other$
lib guard together -skip=/server # a comment
untested guard -skip=/server
`

const tinyEquivalents = `# A comment.

lib/lib.go Sum
i := 0 → i := 1
Adding 0 changes
nothing.

lib/lib.go Sum
sum += i → –
A test can see this.

lib/lib.go Gone
a → b
The function is gone.
`

// mutateTiny runs the command on the module in testdata/tiny.
func mutateTiny(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	return mutateIn(t, filepath.Join("testdata", "tiny"), "lib", args...)
}

// mutateIn runs the command on a package of the module in dir.
func mutateIn(t *testing.T, dir, folder string, args ...string) (stdout, stderr string) {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	var out, errs bytes.Buffer
	args = append([]string{"-patience", "100ms", "-memory", "0"}, args...)
	if err := run(t.Context(), &out, &errs, dir, tinyGuards, tinyEquivalents, append(args, folder)); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	return out.String(), errs.String()
}

func TestSurvivorsAreListed(t *testing.T) {
	state := t.TempDir()
	stdout, stderr := mutateTiny(t, "-state", state, "-v")
	lines := strings.Split(stdout, "\n")
	for _, want := range []string{
		"killed by lib TestSum: lib/lib.go:15: sum += i → –",
		"killed by lib TestSum: lib/lib.go:15: sum += i → sum -= i",
		"killed by guard TestGuarded: lib/lib.go:28: func Guarded(a, b bool) bool { return a && b } → func Guarded(a, b bool) bool { return a || b }",
		// TestDepth fails in the instrumented copy, and runs with survivors only.
		"killed by lib TestDepth: lib/lib.go:8: return n < 10 → return n <= 10",
		"killed by lib TestDepth: lib/lib.go:8: return n < 10 → return n < 11",
		"killed by lib TestHalf: lib/half.go:4: func Half() int64 { return int64(limit / 2) } → func Half() int64 { return int64(limit * 2) }",
		"killed by lib TestClear: lib/lib.go:35: clear(m) → –",
		"killed by lib TestJoin: lib/lib.go:22: func Join[T ~int | ~string](a, b T) T { return a + b } → func Join[T ~int | ~string](a, b T) T { return *new(T) }",
		"killed by lib TestIsFirst: lib/lib.go:49: func IsFirst(kind kind) bool { return kind == first } → func IsFirst(kind kind) bool { return kind != first }",
		"lib/lib.go:25: func Forgotten() bool { return true } → func Forgotten() bool { return false } (no test comes here)",
		"survives: lib/lib.go:13: i := 0 → i := 1",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("missing: %s", want)
		}
	}
	// One that never ends.
	if !regexp.MustCompile(`(?m)^killed by lib .*: lib/lib\.go:16: i\+\+ → –$`).MatchString(stdout) {
		t.Error("missing: the end of a mutant that never ends")
	}
	for _, want := range []string{"doesn't compile: lib/lib.go:22: ", "fails without a mutant: TestDepth\n", "fails without the instruments too, and doesn't count: TestBroken\n", "lib: guarded by 3 tests of guard\n"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("missing in stderr: %s", want)
		}
	}
	if strings.Contains(stdout, "make(map[string]int, 9)") {
		t.Error("the size of a map has mutants")
	}
	report := stdout[max(0, strings.Index(stdout, "\nlib/lib.go:")):]
	for _, want := range []string{
		"equivalent.txt: lib TestSum kills this one: lib/lib.go Sum: sum += i → –\n",
		"equivalent.txt: there is no such mutant any more: lib/lib.go Gone: a → b\n",
		"package  mutants  run  killed  equivalent  survived  no test  percent\n",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", stderr, stdout)
	}

	// The next run only reports.
	again, _ := mutateTiny(t, "-state", state, "-v")
	if strings.Contains(again, "killed by lib") || !strings.HasSuffix(stdout, again) {
		t.Errorf("the second run printed\n%s\nthe first\n%s", again, stdout)
	}

	if _, err := os.Stat(filepath.Join("testdata", "tiny", "lib", "mutant__.go")); err == nil {
		t.Error("the command wrote to the tree")
	}
}

// The data of a test can be in its folder or in one above it.
func TestNewDataRunsSurvivorsAgain(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "tiny"))); err != nil {
		t.Fatal(err)
	}
	args := []string{"-state", state, "-own", "-v", "-only", "Forgotten"}
	mutant := "lib/lib.go:25: func Forgotten() bool { return true } → func Forgotten() bool { return false }\n"
	if stdout, _ := mutateIn(t, dir, "lib", args...); !strings.Contains(stdout, "survives: "+mutant) {
		t.Errorf("without data:\n%s", stdout)
	}
	data := filepath.Join(dir, "testdata")
	if err := os.Mkdir(data, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "remember"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if stdout, _ := mutateIn(t, dir, "lib", args...); !strings.Contains(stdout, "killed by lib TestForgotten: "+mutant) {
		t.Errorf("with data:\n%s", stdout)
	}
}

func TestPackageWithoutTestsHasItsGuards(t *testing.T) {
	stdout, stderr := mutateIn(t, filepath.Join("testdata", "tiny"), "untested", "-state", t.TempDir(), "-own", "-v")
	if want := "killed by guard TestSame: untested/untested.go:5: func Same(a, b int) bool { return a == b } → func Same(a, b int) bool { return a != b }\n"; !strings.Contains(stdout, want) {
		t.Errorf("missing: %s\n%s\n%s", want, stderr, stdout)
	}
	t.Setenv("GOWORK", "off")
	err := run(t.Context(), &bytes.Buffer{}, &bytes.Buffer{}, filepath.Join("testdata", "tiny"), "", "", []string{"-state", t.TempDir(), "untested"})
	if want := "untested has no tests: name its guards in guards.txt"; err == nil || err.Error() != want {
		t.Errorf("without guards: %v, want %s", err, want)
	}
}

func TestOrderDependsOnTheSeed(t *testing.T) {
	list := func(seed string) string {
		stdout, _ := mutateTiny(t, "-list", "-seed", seed)
		return stdout
	}
	one, two := list("1"), list("2")
	if one == two || one != list("1") || sorted(one) != sorted(two) {
		t.Errorf("seed 1:\n%s\nseed 2:\n%s", one, two)
	}
}

func TestNoTimeRunsNoMutant(t *testing.T) {
	stdout, _ := mutateTiny(t, "-state", t.TempDir(), "-for", "1ns")
	if !strings.Contains(stdout, " 0    0       0           0         0        –") {
		t.Errorf("got\n%s", stdout)
	}
}

func TestListRunsNothing(t *testing.T) {
	stdout, _ := mutateTiny(t, "-state", t.TempDir(), "-list", "-only", "return n < 10 →")
	want := `lib/lib.go:8: return n < 10 → return n <= 10
lib/lib.go:8: return n < 10 → return n >= 10
lib/lib.go:8: return n < 10 → return true
lib/lib.go:8: return n < 10 → return false
lib/lib.go:8: return n < 10 → return n < 11
lib/lib.go:8: return n < 10 → return n < 9
`
	if got := sorted(stdout); got != sorted(want) {
		t.Errorf("got\n%s\nwant\n%s", got, sorted(want))
	}
}

func sorted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestBadTables(t *testing.T) {
	for _, text := range []string{"oid", "oid internal/itest/oid -run=(", "oid internal/itest/oid -skip=(", "oid internal/itest/oid fast"} {
		if _, err := parseGuards(text); err == nil || !strings.Contains(err.Error(), "guards.txt") {
			t.Errorf("parseGuards(%q) = %v", text, err)
		}
	}
	for _, text := range []string{"a.go\nb → c\nwhy", "a.go F\nb\nwhy", "a.go F\nb → c"} {
		if _, err := parseEquivalents(text); err == nil || !strings.Contains(err.Error(), "equivalent.txt") {
			t.Errorf("parseEquivalents(%q) = %v", text, err)
		}
	}
	if err := run(t.Context(), &bytes.Buffer{}, &bytes.Buffer{}, "", "", "", nil); err != flag.ErrHelp {
		t.Errorf("run of nothing = %v", err)
	}
}

func TestTheCommittedTablesAreRight(t *testing.T) {
	if _, err := parseGuards(guardsText); err != nil {
		t.Error(err)
	}
	if _, err := parseEquivalents(equivalentText); err != nil {
		t.Error(err)
	}
}
