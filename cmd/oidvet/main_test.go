package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/all"
)

// planted returns the findings that the comments of the program in
// testdata/planted announce, as "line: analyzer".
func planted(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/planted/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range all.Analyzers() {
		names = append(names, a.Name)
	}
	comment := regexp.MustCompile(`// (` + strings.Join(names, "|") + `)$`)
	var want []string
	for i, line := range strings.Split(string(data), "\n") {
		if m := comment.FindStringSubmatch(line); m != nil {
			want = append(want, fmt.Sprintf("%d: %s", i+1, m[1]))
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(want, func(s string) bool { return strings.HasSuffix(s, ": "+name) }) {
			t.Errorf("testdata/planted has no case for %s", name)
		}
	}
	return want
}

// messages tell which analyzer a report is from: the programs don't print it.
var messages = map[string]string{
	"none of the methods of oid.ID":  "idtype",
	"inherits the methods of oid.ID": "embedid",
	"omitempty does not omit":        "omitempty",
	"never equals an oid.ID":         "anycompare",
	"never equals an ObjectId":       "bsonhex",
	"wants the earlier time first":   "timerange",
	"GORM reads the 12 bytes":        "gormdest",
	"GORM runs this string":          "gormcond",
	"GORM drops this condition":      "gormcond",
	"the column of Order holds IDs":  "gormcond",
	"turns each ID into 12 numbers":  "flatten",
	"xorm drops the ID":              "flatten",
	"the hex digits as hex again":    "idcalls",
	"orders.id holds IDs":            "sqlargs",
}

// findings returns what a run printed, in the form of planted.
func findings(t *testing.T, out string) []string {
	t.Helper()
	var got []string
	for _, m := range regexp.MustCompile(`(?m)main\.go:(\d+):\d+: (.*)$`).FindAllStringSubmatch(out, -1) {
		name := "?"
		for text, analyzer := range messages {
			if strings.Contains(m[2], text) {
				name = analyzer
			}
		}
		got = append(got, m[1]+": "+name)
	}
	return got
}

// program is the path of oidvet, which TestMain builds.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "oidvet")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "oidvet")
	status := 1
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
	} else {
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

func TestFindsAllPlantedCases(t *testing.T) {
	// oidvet isn't linked into the tests. Because its folders are opened here, go test runs the
	// tests again after a change there.
	fs.WalkDir(os.DirFS("."), ".", func(_ string, _ fs.DirEntry, err error) error { return err })

	want := planted(t)
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"as a program", []string{program, "./planted"}},
		{"as a part of go vet", []string{"go", "vet", "-vettool=" + program, "./planted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(tt.args[0], tt.args[1:]...)
			cmd.Dir = "testdata"
			cmd.Env = append(os.Environ(), "GOWORK=off")
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Errorf("%v: %v, want an exit status that is not zero", cmd, err)
			}
			got := findings(t, string(out))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%v found\n%s\nwant\n%s\n%s", cmd, strings.Join(got, "\n"), strings.Join(want, "\n"), out)
			}
		})
	}
}

// The go command asks for the version and the flags, and then names the description of a
// package. All else comes from a user.
func TestCallsOfTheGoCommand(t *testing.T) {
	for _, tt := range []struct {
		args string
		want bool
	}{
		{"", false}, {"-V=full", true}, {"-flags", true}, {"vet.cfg", true}, {"-json vet.cfg", true}, {"-fix=false -json vet.cfg", true},
		{"./...", false}, {"-fix ./...", false}, {"vet.cfg ./...", false}, {"./... -flags", false}, {"./... -V=full", false}, {"-V", false},
	} {
		if got := calledByGoVet(strings.Fields(tt.args)); got != tt.want {
			t.Errorf("calledByGoVet(%q) = %v, want %v", tt.args, got, tt.want)
		}
	}
	// go vet chooses the files. So the program's flag for the test files isn't one of go vet.
	out, err := exec.Command(program, "-flags").Output()
	if err != nil || !strings.Contains(string(out), `"anycompare"`) || strings.Contains(string(out), `"Name": "test"`) {
		t.Errorf("oidvet -flags: %v\n%s", err, out)
	}
}

// The flag of the go command works, which the checker of x/tools ignores.
func TestTags(t *testing.T) {
	for _, tt := range []struct {
		args, rest, tags string
	}{
		{"./...", "./...", ""}, {"-tags a,b ./...", "./...", "a,b"}, {"-fix --tags=a ./...", "-fix ./...", "a"}, {"-tags", "", ""},
		{"-test=false -tagsx=a", "-test=false -tagsx=a", ""},
	} {
		rest, tags := cutTags(strings.Fields(tt.args))
		if got := strings.Join(rest, " "); got != tt.rest || tags != tt.tags {
			t.Errorf("cutTags(%q) = %q, %q, want %q, %q", tt.args, got, tags, tt.rest, tt.tags)
		}
	}
	dir := write(t, map[string]string{"a.go": "package a", "b.go": "//go:build special\n\npackage a\n\nvar X int = nope"})
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"./..."}, ""},
		{[]string{"-tags", "special", "./..."}, "undefined: nope"},
	} {
		if got := vet(dir, tt.args...); strings.Contains(got, "nope") != (tt.want != "") {
			t.Errorf("oidvet %v prints %q, want %q in it", tt.args, got, tt.want)
		}
	}
	for _, help := range []string{"help", "-h"} {
		if out, _ := exec.Command(program, help).CombinedOutput(); !strings.Contains(string(out), "-tags string\n    \tbuild tags, as in go build\n") {
			t.Errorf("oidvet %s prints\n%s\nwant build tags as the meaning of -tags", help, out)
		}
	}
}

// The checker prints a line for each analyzer and each package.
func TestErrorsOfTheCompilerArePrintedOnce(t *testing.T) {
	dir := write(t, map[string]string{"a.go": "package a\n\nvar X int = nope", "b/b.go": "package b\n\nimport \"example.com/a\"\n\nvar X = a.X"})
	want := filepath.Join(dir, "a.go") + ":3:13: undefined: nope\n" +
		"oidvet: packages that were not checked, because they or their imports don't compile: 2\n"
	if got := vet(dir, "./..."); got != want {
		t.Errorf("oidvet prints\n%s\nwant\n%s", got, want)
	}
	if got := check(filepath.Join(dir, "none"), nil); got != 1 {
		t.Errorf("without its program, check returns %d, want 1", got)
	}
}

// write makes a module of files.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files["go.mod"] = "module example.com/a\n\ngo 1.25"
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// vet returns what oidvet prints in a folder.
func vet(dir string, args ...string) string {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// A user who only types the name learns what the program does.
func TestWithoutArgumentsItPrintsItsUsage(t *testing.T) {
	out, err := exec.Command(program).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Errorf("oidvet: %v, want an exit status that is not zero", err)
	}
	if !strings.Contains(string(out), "Usage: oidvet ") {
		t.Errorf("oidvet prints\n%s\nwant its usage", out)
	}
}

// The documentation has a section for each analyzer, and each links to it.
func TestEachAnalyzerIsDocumented(t *testing.T) {
	for _, a := range all.Analyzers() {
		if want := "https://github.com/oidkit/oidkit/blob/main/docs/vet.md#" + a.Name; a.URL != want {
			t.Errorf("%s has the URL %s, want %s", a.Name, a.URL, want)
		}
	}
}
