package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const profile = `mode: atomic
github.com/oidkit/oidkit/oid/oid.go:10.2,12.3 2 0
github.com/oidkit/oidkit/oid/oid.go:9.2,9.30 1 7
github.com/oidkit/oidkit/oid/oid.go:20.2,20.9 1 0
github.com/oidkit/oidkit/oid/oid.go:10.2,12.3 2 1
github.com/oidkit/oidkit/jsonx/jsonx.go:5.1,6.2 3 0
github.com/oidkit/oidkit/jsonx/jsonx.go:8.1,8.2 0 0
`

func TestABlockRanIfAnyProcessRanIt(t *testing.T) {
	blocks, err := parseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	got := summarize(blocks, []string{home + "/jsonx", home + "/oid", home + "/sqltype"})
	want := []total{{"jsonx", 0, 3}, {"oid", 3, 4}, {"sqltype", 0, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("summarize = %v, want %v", got, want)
	}
	if got := got[1].tenths(); got != 750 {
		t.Errorf("tenths = %d, want 750", got)
	}
}

func TestMissingNamesWhatDidNotRun(t *testing.T) {
	blocks, err := parseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := missing(blocks, home+"/oid"), []string{"oid/oid.go:20: 1 not run"}; !slices.Equal(got, want) {
		t.Errorf("oid: %q, want %q", got, want)
	}
	if got, want := missing(blocks, home+"/jsonx"), []string{"jsonx/jsonx.go:5: 3 not run"}; !slices.Equal(got, want) {
		t.Errorf("jsonx: %q, want %q", got, want)
	}
}

func TestParseProfileRefusesOtherLines(t *testing.T) {
	for _, line := range []string{"oid.go:1.1,1.2 1", "oid.go 1 1", "oid.go:1.1,1.2 x 1"} {
		if _, err := parseProfile("mode: set\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("parseProfile(%q): %v", line, err)
		}
	}
}

func TestFloorsOnlyRise(t *testing.T) {
	floor, err := parseFloors("# a comment\n\noid 98.5\nsqltype 97.0\ngone 50.0\n")
	if err != nil {
		t.Fatal(err)
	}
	measured := []total{{"jsonx", 30, 40}, {"oid", 984, 1000}, {"sqltype", 998, 1000}}
	got := formatFloors(raise(floor, measured))
	if want := floorsComment + "jsonx 75.0\noid 98.5\nsqltype 99.8\n"; got != want {
		t.Errorf("raised to\n%s\nwant\n%s", got, want)
	}
	again, err := parseFloors(got)
	if err != nil || formatFloors(again) != got {
		t.Errorf("read again: %v, %v", again, err)
	}
}

func TestParseFloorsRefusesOtherLines(t *testing.T) {
	for _, line := range []string{"oid", "oid x", "oid 101", "oid -1"} {
		if _, err := parseFloors(line); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("parseFloors(%q): %v", line, err)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name     string
		measured total
		floor    map[string]int
		update   bool
		want     string
	}{
		{"at the floor", total{"oid", 985, 1000}, map[string]int{"oid": 985}, false, ""},
		{"below it", total{"oid", 9849, 10000}, map[string]int{"oid": 985}, false, "oid: 98.4 % is below the floor of 98.5 %"},
		{"below it, with -update", total{"oid", 984, 1000}, map[string]int{"oid": 985}, true, "oid: 98.4 % is below the floor of 98.5 %"},
		{"without a floor", total{"oid", 1, 1}, nil, false, "oid: has no floor yet, run go run ./internal/coverage -update"},
		{"without a floor, with -update", total{"oid", 1, 1}, nil, true, ""},
		{"not built", total{"oid", 0, 0}, map[string]int{"oid": 985}, false, "oid: no test builds it"},
		{"gone", total{"oid", 1, 1}, map[string]int{"oid": 985, "xid": 980}, false, "xid: has a floor, but there is no such package"},
	} {
		got := ""
		if err := problems([]total{tt.measured}, tt.floor, tt.update); err != nil {
			got = strings.TrimSpace(err.Error())
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The table holds what a program that a test builds and starts has run, and what runs
// only with encoding/json/v2.
func TestChildProcessesCount(t *testing.T) {
	if _, err := exec.LookPath("env"); err != nil {
		t.Skip("env is not installed")
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module " + home + "\n\ngo 1.25.0\n",
		"go.work":          "go 1.25.0\n\nuse .\n",
		"cmd/main.go":      "package main\n\nimport \"os\"\n\nfunc main() {\n\tif len(os.Args) > 1 {\n\t\tprintln(1)\n\t}\n}\n",
		"oid/oid.go":       "package oid\n\nfunc F() int { return 1 }\n",
		"jsonx/v1.go":      "package jsonx\n\nfunc F() int { return 1 }\n",
		"jsonx/v2.go":      "//go:build goexperiment.jsonv2\n\npackage jsonx\n\nfunc G() int { return 1 }\n\nfunc H() int { return 1 }\n",
		"jsonx/v2_test.go": "//go:build goexperiment.jsonv2\n\npackage jsonx\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { G() }\n",
		"oid/x_test.go": "package oid\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"testing\"\n)\n\n" +
			"func Test(t *testing.T) {\n\tos.Chdir(\"..\")\n\tif out, err := exec.Command(\"go\", \"run\", \"./cmd\", \"x\").CombinedOutput(); err != nil {\n\t\tt.Fatalf(\"%v %s\", err, out)\n\t}\n}\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", filepath.Join(root, "go.work"))
	t.Setenv("GOFLAGS", "")
	packages, err := userPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	profile, err := measure(&out, root, options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	blocks, err := parseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	got := summarize(blocks, packages)
	if want := []total{{"cmd", 2, 2}, {"jsonx", 1, 3}, {"oid", 0, 1}}; !slices.Equal(got, want) {
		t.Errorf("totals %v, want %v", got, want)
	}
}
