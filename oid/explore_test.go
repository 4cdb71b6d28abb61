package oid_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The generator's order rests on what its goroutines do in which order. So this
// test doesn't wait for the unlucky order: it builds the package with generator.go
// on a scheduler that takes the place of package sync, of its atomic types and of the
// clock, and runs every interleaving of two goroutines that call New, Fill, NewAt
// and Reseed, with a clock that steps both ways at each reading. In each of them IDs
// must be different, and ordered as the package promises.
func TestEveryInterleavingKeepsThePromises(t *testing.T) {
	t.Parallel()
	out, err := explore(t, "", "")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("\n%s", out)
}

// A generator with a fault must fail in the explorer, or it would prove nothing.
func TestTheExplorerFindsFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, scenario, old, new, want string }{
		{
			"a store instead of a swap", "first use",
			"if s.last.CompareAndSwap(last, first+n-1) {",
			"if s.last.Store(first + n - 1); true {",
			"twice",
		},
		{
			"the process value of a state, the number of another", "Reseed and New",
			"put(&id, s.process, n)",
			"_ = s\n\tput(&id, g.state.Load().process, n)",
			"with the counter of another state",
		},
		{
			"two first states", "first use",
			"return s // drawn by another goroutine meanwhile",
			"_ = s",
			"was there before, and no Reseed since",
		},
		{
			"a clock that is followed back", "clock of its own",
			"if last>>24 >= sec {",
			"if last>>24 == sec {",
			"was there before",
		},
		{
			"one number for two", "clock of its own",
			"return s.last.Add(n) - n + 1\n\t\t}\n\t\tfirst",
			"s.last.Store(last + n)\n\t\t\treturn last + 1\n\t\t}\n\t\tfirst",
			"twice",
		},
		{
			"a Reseed that keeps the process value", "Reseed and Reseed",
			"s.process = (s.process + 1) % (1 << 40)\n\t}\n",
			"s.process = (s.process + 1) % (1 << 40)\n\t}\n\ts.process = max(old, 1)\n",
			"of another state",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := explore(t, tt.old, tt.new, tt.scenario)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("%v, %s\nwant a failure with %q", err, out, tt.want)
			}
		})
	}
}

// explore builds and runs testdata/explore, with old replaced in generator.go.
func explore(t *testing.T, old, new string, scenario ...string) (string, error) {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	// The files exist for the go command only. So it finds what doesn't change in its cache, as
	// the folder is the same each time.
	dir, err := filepath.Abs("testdata/explore")
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	temp := t.TempDir()
	write := func(name, text string) (path string) {
		path = filepath.Join(temp, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	overlay.Replace[filepath.Join(dir, "go.mod")] = write("go.mod", "module explore\n\ngo 1.25\n")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if file == "generator.go" {
			text = stepped(t, replaceOnce(t, text, old, new))
		}
		overlay.Replace[filepath.Join(dir, "oid", file)] = write(file, text)
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(goTool, append([]string{"run", "-overlay", write("overlay.json", string(data)), "-ldflags=-s -w", "."}, scenario...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOOS=", "GOARCH=") // natively, also where this test is emulated
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// stepped returns generator.go with the steps of package step.
func stepped(t *testing.T, text string) string {
	t.Helper()
	for _, r := range [][2]string{
		{"\t\"sync\"\n", "\t\"explore/step\"\n\tsync \"explore/step\"\n"},
		{"\t\"sync/atomic\"\n", "\tatomic \"explore/step\"\n"},
		{"epoch = time.Now()", "epoch = step.Now()"},
		{"t := time.Now()", "t := step.Now()"},
		{"time.Since(epoch)", "step.Since(epoch)"},
	} {
		text = replaceOnce(t, text, r[0], r[1])
	}
	if left := regexp.MustCompile(`"sync|time\.(Now|Since|Until|After|Sleep)\(`).FindString(text); left != "" {
		t.Fatalf("generator.go has %s, which the explorer doesn't see", left)
	}
	return text
}

// replaceOnce replaces old, which must come once.
func replaceOnce(t *testing.T, text, old, new string) string {
	t.Helper()
	if n := strings.Count(text, old); n != 1 && old != "" {
		t.Fatalf("%q comes %d times in generator.go, want once", old, n)
	}
	return strings.Replace(text, old, new, 1)
}
