package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scripts makes a folder with a table of steps, functions for them, and a module with a test
// that fails. It changes to the folder.
func scripts(t *testing.T, table string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"steps.txt": table,
		"steps.sh":  "set -euo pipefail\nlong() { for i in {1..50}; do echo \"line $i\"; echo; done; false; echo never; }\n",
		"go.mod":    "module " + home + "\n\ngo 1.25\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {}\n\nfunc TestBad(t *testing.T) { t.Error(\"it is bad\") }\n\nfunc TestSkips(t *testing.T) { t.Skip(\"no server\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); variables.MatchString(variable) {
			t.Setenv(name, "") // of the step that runs this test
		}
	}
	for name, value := range map[string]string{"GOTOOLCHAIN": "", "CI_TMP": t.TempDir(), "CI": "", "CI_UNDER": "", "GOWORK": "off", "OIDKIT_NO_SKIP": "", "CI_FAILURES": "", "CI_SID": "", "CI_PROGRAM": "", "CI_ROOT": ""} {
		t.Setenv(name, value)
	}
}

const table = `# script | step | minutes | what | command
both | first  | 1 | the first one works | echo "first of $CI_STEP"
run  | long   | 1 | much is printed | long
run  | tests  | 1 | the tests pass | "$CI_PROGRAM" test -run 'Test|Bad' .
run  | last   | 1 | the last one works | echo last
else | other  | 1 | another script | echo other
`

// TestARedStepEndsTheRun runs steps of a script. Those after the one that fails don't run.
func TestARedStepEndsTheRun(t *testing.T) {
	scripts(t, table)
	for _, tt := range []struct {
		names     []string
		want, end string
		red       bool
	}{
		{[]string{"first", "last"}, "\n=== first: the first one works\nfirst of bash run first\n=== first: done in 0 s\n\n=== last: the last one works\nlast\n=== last: done in 0 s\n", "\n=== all green in 0 s\n", false},
		{nil, "line 1\n", "=== red after 0 s: the step long, much is printed\nline 41\nline 42\nline 43\nline 44\nline 45\nline 46\nline 47\nline 48\nline 49\nline 50\nrepeat: bash run long\n", true},
		{[]string{"other"}, "usage: bash .ci/run [STEP…]\n\nmin step\n  1 first          the first one works\n", "  1 last           the last one works\n", true},
	} {
		var b strings.Builder
		err := runSteps(&b, "steps.txt", "run", tt.names)
		if got := b.String(); !strings.Contains(got, tt.want) || !strings.HasSuffix(got, tt.end) || (err != nil) != tt.red || strings.Contains(got, "never") {
			t.Errorf("steps %q: %v, %s\nwant %s…%s", tt.names, err, got, tt.want, tt.end)
		}
	}
}

// TestARedTestEndsTheRun runs a step as CI does, in which this test program is the command ci.
func TestARedTestEndsTheRun(t *testing.T) {
	scripts(t, table)
	var b strings.Builder
	err := runSteps(&b, "steps.txt", "run", []string{"tests", "last"})
	_, end, _ := strings.Cut(b.String(), "1 tests passed, 1 skipped\n\n")
	const want = `. TestBad:
    a_test.go:7: it is bad
  repeat: GOWORK=off OIDKIT_NO_SKIP=1 go test -count=1 -run='^TestBad$' .
`
	if first, rest, _ := strings.Cut(end, "\n"); err == nil || !strings.HasPrefix(first, "=== red after ") || rest != want {
		t.Errorf("the run ends with %v\n%s\nwant\n%s", err, b.String(), want)
	}
}

// TestMain lets the test program be the command ci.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "test" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestASkipOrAnEmptySelectionFails(t *testing.T) {
	for _, tt := range []struct {
		noSkip string
		args   []string
		want   string
	}{
		{"1", []string{"-noskips", "-run=Skips", "."}, errSaid.Error()},
		{"1", []string{"-run=Skips", "."}, ""},
		{"", []string{"-run=Skips", ".", "-noskips"}, ""},
		{"", []string{"-run", "Missing", "."}, "no test ran"},
		{"", []string{"-run=Good", "."}, ""},
		{"", []string{"-run=Good", "./missing"}, errSaid.Error()},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			scripts(t, table)
			t.Setenv("OIDKIT_NO_SKIP", tt.noSkip)
			if got := message(runTests(new(strings.Builder), tt.args)); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMissingNeedsAreNamed looks at what is missing where nothing can be installed.
func TestMissingNeedsAreNamed(t *testing.T) {
	saved := needs
	defer func() { needs = saved }()
	t.Setenv("OIDKIT_NO_SKIP", "")
	t.Setenv("OIDKIT_NPM", t.TempDir())
	needs = []need{
		{"all", "/etc/hostname*", "debian", "there"},
		{"all", "go", "debian", "golang"},
		{"all", "/nowhere/*", "debian", "nowhere"},
		{"all", "no-such-program", "debian", "none"},
		{"good", "/etc/host*", "debian", "there"},
		{"npm", "x", "npm", "no-such-package@1"},
		{"sid", "", "sid", "MySQL"},
	}
	for set, want := range map[string]string{
		"all":  "missing: nowhere none\n",
		"good": "nothing is missing\n",
		"sid":  "missing: apt-get\n",
	} {
		var b strings.Builder
		if err := install(&b, []string{set}); b.String() != want || err != nil {
			t.Errorf("install %s: %q, %v, want %q", set, b.String(), err, want)
		}
	}
	if err := install(new(strings.Builder), []string{"none"}); err == nil {
		t.Error("a set that isn't there is no error")
	}
}
