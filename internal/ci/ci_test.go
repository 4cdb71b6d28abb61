package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded reads testdata/NAME.json, which go test -json printed for one package.
func recorded(t *testing.T, name string, r *reader) (printed string) {
	t.Helper()
	in, err := os.Open(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var b strings.Builder
	r.w = &b
	if err := r.read(in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestARedRunSaysWhatFailedAndHowToRepeatIt has what go test printed for each kind of failure.
func TestARedRunSaysWhatFailedAndHowToRepeatIt(t *testing.T) {
	for _, tt := range []struct{ record, want string }{
		{"fail", `
oid TestTable/it's_bad:
    oid_test.go:15: Parse("it's bad"):
    got nil
  repeat: go test -count=1 -race -shuffle=7 -run='^TestTable$/^it'\''s_bad$' ./oid
oid TestParse:
    oid_test.go:6: a log line before
    oid_test.go:7: Parse("x") = nil, want an error
  repeat: go test -count=1 -race -shuffle=7 -run='^TestParse$' ./oid
`},
		{"panics", `
panics TestPanics:
    panic: assignment to entry in nil map [recovered, repanicked]
    at /src/oidkit/panics/panics_test.go:11
  repeat: go test -count=1 -race -shuffle=7 -run='^TestPanics$' ./panics
`},
		{"race", `
race TestRace:
    WARNING: DATA RACE
    at /src/oidkit/race/race_test.go:8
  repeat: go test -count=1 -race -run='^TestRace$' ./race
`},
		{"build", `
build:
    build/build_test.go:5:36: declared and not used: x
    build/build_test.go:5:44: cannot use "one" (untyped string constant) as int value in variable declaration
  repeat: go test -count=1 -race ./build
`},
		{"slow", `
slow TestSlow/sub:
    panic: test timed out after 1s
    at /src/oidkit/slow/slow_test.go:7
  repeat: go test -count=1 -race -run='^TestSlow$/^sub$' ./slow
`},
		{"exits", `
exits TestExits:
    the program ended while this test ran
    about to exit
  repeat: go test -count=1 -race -shuffle=7 -run='^TestExits$' ./exits
`},
		{"main", `
parent:
    no server here
  repeat: go test -count=1 -race ./parent
`},
		{"fuzz", `
fuzzed FuzzX:
    fuzzed_test.go:3: bad input 0
    Failing input written to testdata/fuzz/FuzzX/c9b6f7a7bd9ac919
  repeat: go test -count=1 -race -run='^FuzzX$' ./fuzzed
`},
		{"skips", `
skips TestSkips:
    it may not skip here: skips_test.go:5: postgres is not installed
  repeat: go test -count=1 -race -shuffle=7 -run='^TestSkips$' ./skips
`},
	} {
		t.Run(tt.record, func(t *testing.T) {
			t.Parallel()
			r := reader{noSkips: true}
			recorded(t, tt.record, &r)
			c := parseCommand([]string{"-race", "-shuffle=on", "-p", "3", "-exec", "cputime file", "-fuzz", "X", "-fuzztime=1s", "work", "-args", "-x"})
			if got := string(summary(r.failures, c, place{dir: "."})); got != tt.want[1:] {
				t.Errorf("got\n%swant%s", got, tt.want)
			}
		})
	}
}

// A run with a thousand failures ends as shortly as one with four.
func TestASummaryIsShort(t *testing.T) {
	t.Parallel()
	long := failure{pkg: home + "/oid", test: "TestLong", why: []string{strings.Repeat("é", 1000), "two"}}
	got := string(summary([]failure{long, long, long, long, long}, command{}, place{dir: "."}))
	if lines := strings.Count(got, "\n"); lines > 13 || !strings.HasSuffix(got, "\nand 2 more\n") {
		t.Errorf("summary has %d lines:\n%s", lines, got)
	}
	if strings.Contains(got, strings.Repeat("é", 201)) || !strings.Contains(got, strings.Repeat("é", 200)+"…") {
		t.Errorf("summary doesn't cut a long line:\n%s", got)
	}
}

func TestRepeatSaysWhereTheTestsRan(t *testing.T) {
	t.Parallel()
	f := failure{pkg: home + "/oid", test: "TestParse"}
	for _, tt := range []struct {
		name, want string
		f          failure
		p          place
		args       []string
	}{
		{"variables and emulator", "GOARCH=s390x go test -count=1 -exec=qemu-s390x-static -run='^TestParse$' ./oid", f, place{dir: ".", env: []string{"GOARCH=s390x"}}, []string{"-exec", "qemu-s390x-static", "./oid"}},
		{"server", "go run ./galera go test -count=1 -tags=nightly -timeout=30m -run='^TestParse$' ./oid", f, place{dir: ".", under: "go run ./galera"}, []string{"-tags", "nightly", "-timeout", "30m", "-run", "Parse", "-count=1", "./oid"}},
		{"another module", "(cd internal/x && GOWORK=off go test -count=1 -run='^TestParse$' github.com/oidkit/oidkit/oid)", f, place{dir: "internal/x", env: []string{"GOWORK=off"}}, []string{"."}},
		{"a copy of the tree", "bash .ci/nightly oldest", f, place{step: "bash .ci/nightly oldest"}, []string{"./oid"}},
		{"no package", "bash .ci/run alone", failure{}, place{dir: ".", step: "bash .ci/run alone"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parseCommand(tt.args).repeat(tt.f, tt.p); got != tt.want {
				t.Errorf("repeat is\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestPassingTestsAreCountedAndSkipsShown(t *testing.T) {
	t.Parallel()
	var r reader
	const want = "skipped: TestSkips: skips_test.go:5: postgres is not installed\n" +
		"skipped: TestGone: skips_test.go:7: MySQL: it can't be had, not installed\n" +
		"ok  \tgithub.com/oidkit/oidkit/skips\t0.005s\n"
	if got := recorded(t, "skips", &r); got != want || r.skipped != 2 || r.passed != 0 || r.ran != 2 || len(r.failures) != 0 {
		t.Errorf("printed\n%swant\n%sand %+v", got, want, r)
	}
}

func TestWhatFailingTestsPrintIsShown(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		"fail":   "--- FAIL: TestTable/it's_bad\n    oid_test.go:15: Parse(\"it's bad\"):\n         got nil\n        want an error\n--- FAIL: TestTable\n",
		"panics": "panic: assignment to entry in nil map [recovered, repanicked]\n\ngoroutine 21 [running]:\n",
		"build":  "build/build_test.go:5:36: declared and not used: x\n",
		"slow":   "panic: test timed out after 1s\n\trunning tests:\n\t\tTestSlow (1s)\n",
		"main":   "no server here\n",
		"exits":  "about to exit\n-test.shuffle 7\n",
	} {
		if got := recorded(t, record, new(reader)); !strings.Contains(got, want) || strings.Contains(got, "a log line of a passing test") {
			t.Errorf("%s: printed\n%swant\n%s", record, got, want)
		}
	}
}

// file writes a file of a test, and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCoverageBelowItsFloorFails(t *testing.T) {
	t.Parallel()
	const profile = "mode: set\n" +
		home + "/oid/a.go:1.1,2.2 3 0\n" + // one of two processes ran it
		home + "/oid/a.go:1.1,2.2 3 1\n" +
		home + "/oid/b.go:1.1,2.2 1 0\n" +
		home + "/internal/ci/x.go:1.1,2.2 1 0\n"
	for _, tt := range []struct{ floors, want, err string }{
		{"# comment\noid 75.0\n", "oid                                       75.0, floor  75.0\n", ""},
		{"oid 75.1\n", "oid                                       75.0, floor  75.1  TOO LITTLE\n", errSaid.Error()},
		{"", "oid                                       75.0, floor   0.0  TOO LITTLE\n", errSaid.Error()},
		{"oid 75.0\njsonx 1\n", "oid                                       75.0, floor  75.0\njsonx has a floor, and no test builds it\n", errSaid.Error()},
	} {
		var b strings.Builder
		err := compareCoverage(&b, file(t, tt.floors), file(t, profile))
		if b.String() != tt.want || message(err) != tt.err {
			t.Errorf("floors %q: %q, %v; want %q, %q", tt.floors, b.String(), err, tt.want, tt.err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSecondsAboveTheBudgetAreAWarning(t *testing.T) {
	t.Parallel()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = compareSeconds(&b, file(t, "all 20\noid 2\njsonx 3\n"), file(t, root+"/oid 1.5 1\n"+root+"/jsonx 1 0\n"+root+"/public 1 1\n"+root+"/sqltype 5 1\n"))
	const want = `    12 processor seconds, budget   20: all
     6 processor seconds, budget    0: sqltype  WARNING: MORE THAN ITS BUDGET
     2 processor seconds, budget    2: oid  WARNING: MORE THAN ITS BUDGET
     1 processor seconds, budget    3: jsonx
`
	if b.String() != want || err != nil {
		t.Errorf("got\n%s%v\nwant\n%s", b.String(), err, want)
	}
}

func TestANewLicenseFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"LICENSE":         "Apache License\n Version 2.0",
		"sub/COPYING.txt": "Permission is hereby granted,\nfree of charge, to any person",
		"license.go":      "GENERAL PUBLIC LICENSE",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := "example.com/a " + dir + "\n" + home + " /nowhere\n" + home + "/bsoncodec /nowhere\nexample.com/a " + dir + "\n"
	for _, tt := range []struct{ listed, want, err string }{
		{"example.com/a MIT Apache-2.0\n", "as listed in ", ""},
		{"example.com/a MIT\n", "- example.com/a MIT\n+ example.com/a MIT Apache-2.0\n", errSaid.Error()},
	} {
		var b strings.Builder
		err := compareLicenses(&b, file(t, tt.listed), strings.NewReader(in))
		if !strings.HasPrefix(b.String(), tt.want) || message(err) != tt.err {
			t.Errorf("listed %q: %q, %v; want %q, %q", tt.listed, b.String(), err, tt.want, tt.err)
		}
	}
	if err := compareLicenses(new(strings.Builder), file(t, ""), strings.NewReader("")); err == nil {
		t.Error("no module is no error")
	}
}

func TestSumsOfFigures(t *testing.T) {
	t.Parallel()
	const in = `ok
    x_test.go:1: | fault | store | programs | draws | faults | repeats | gaps | seconds |
    x_test.go:2: | killed | mongo | 3 × 4 | 100 | 2 | 1 | 7 | 3 |
    x_test.go:3: | delayed copy | mongo | 3 × 4 | 10 | 2 | 4 | 7 | 3 |
    x_test.go:4: | ledger, killed | mongo | 3 × 4 | 20 | 2 | 8 | 5 | 3 |
`
	const want = in + "110 draws, 1 repeats, and 4 after a failover to a copy that was behind; 20 gap-free rows, 5 gaps\n"
	var b strings.Builder
	if err := run(&b, strings.NewReader(in), []string{"sums"}); b.String() != want || err != nil {
		t.Errorf("got\n%s%v\nwant\n%s", b.String(), err, want)
	}
}
