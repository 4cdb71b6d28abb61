//go:build nightly

// Package forks tests package bsoncodec with copies of MongoDB's driver whose reader has
// other private fields. A release of the driver may change those at any time.
package forks

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/repo"
)

const (
	driverV1 = "go.mongodb.org/mongo-driver"
	driver   = driverV1 + "/v2"
)

// root is the folder of the repository.
var root = repo.Root()

// command returns a command that runs in the root, with the workspace in the file work.
func command(work, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK="+work)
	return cmd
}

// Each fork changes fields that package bsoncodec once read by reflection. The tests of the
// package, and those that compare it with the driver's own type, pass with every fork.
func TestForksOfTheDriver(t *testing.T) {
	const (
		stream       = "bson/streaming_byte_src.go"
		streamFields = "\tbr     *bufio.Reader\n\toffset int64 // offset is the current read position in the buffer\n"
		reader       = "bson/value_reader.go"
		readerFields = "\tsrc    byteSrc\n\toffset int64\n\n\tstack []vrState\n\tframe int64\n"
		memory       = "bson/buffered_byte_src.go"
		memoryFields = "\tbuf    []byte // entire BSON document\n\toffset int64  // Current read index into buf\n"
	)
	type change struct{ file, from, to string }
	for name, changes := range map[string][]change{
		"offset before the buffer": {{stream, streamFields, "\toffset int64\n\tbr     *bufio.Reader\n"}},
		"bytes before the buffer":  {{stream, streamFields, "\tscratch []byte\n\tbr     *bufio.Reader\n\toffset int64\n"}},
		"a struct before the buffer": {{stream, streamFields, "\tstats  *struct{ reads, bytes int64 }\n\tbr     *bufio.Reader\n\toffset int64\n"},
			{reader, "&streamingByteSrc{br: bufio.NewReader(r), offset: 0}", "&streamingByteSrc{stats: new(struct{ reads, bytes int64 }), br: bufio.NewReader(r), offset: 0}"}},
		"an array before the buffer": {{stream, streamFields, "\tscratch *[128]byte\n\tbr      *bufio.Reader\n\toffset  int64\n"},
			{reader, "&streamingByteSrc{br: bufio.NewReader(r), offset: 0}", "&streamingByteSrc{scratch: new([128]byte), br: bufio.NewReader(r), offset: 0}"}},
		"all fields in another order": {{stream, streamFields, "\toffset int64\n\tbr     *bufio.Reader\n"}, {reader, readerFields, "\tframe  int64\n\tstack  []vrState\n\toffset int64\n\tsrc    byteSrc\n"},
			{memory, memoryFields, "\toffset int64\n\tbuf    []byte\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			copyDriver(t, filepath.Join(dir, "driver"), driver)
			for _, c := range changes {
				file := filepath.Join(dir, "driver", filepath.FromSlash(c.file))
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				changed := strings.Replace(string(text), c.from, c.to, 1)
				if changed == string(text) {
					t.Fatalf("%s has no longer %q: write the fork anew", c.file, c.from)
				}
				if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"test", "-count=1", "./bsoncodec", "./internal/itest/bsoncodec", "-run", "^Test(List|Unmarshal|NoErrorOfAStream|Nothing|Huge|SameValues|Decode|Struct)"}
			if out, err := command(workspace(t, dir, "replace "+driver+" => ./driver\n"), "go", args...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// copyDriver copies the version of a driver that the tests use to dir.
func copyDriver(t *testing.T, dir, module string) {
	t.Helper()
	list := command("", "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir = filepath.Join(root, "internal", "itest")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		t.Fatal(err)
	}
}

// Programs gain by the patches in docs/upstream: by the first also those without oidkit. The
// test prints times and allocations, before and after each patch.
func TestPatchesOfTheDriver(t *testing.T) {
	line := regexp.MustCompile(`(?m)^Benchmark(\S+?/[a-z-]+[a-z])\S*\s+\d+\s+(\S+) ns/op.*?(\d+) allocs/op`)
	for _, patch := range []struct{ page, benchmarks string }{
		{"mongo-driver-cursor-stream.md", "^BenchmarkCursor.*$/^native$"},
		{"mongo-driver-value-reader.md", "^BenchmarkUnmarshal(3|11)$/^(native|oid-bsoncodec)$"},
	} {
		text, err := os.ReadFile(filepath.Join(root, "docs", "upstream", patch.page))
		if err != nil {
			t.Fatal(err)
		}
		diff := regexp.MustCompile("(?s)```diff\n(.*?)```").FindSubmatch(text)
		if diff == nil {
			t.Fatalf("%s has no patch", patch.page)
		}
		dir := t.TempDir()
		copied := filepath.Join(dir, "driver")
		copyDriver(t, copied, driver)
		apply := command("off", "git", "apply", "-")
		apply.Dir, apply.Stdin = copied, bytes.NewReader(diff[1])
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", patch.page, err, out)
		}
		times := [2]map[string]float64{{}, {}}
		allocs := [2]map[string]string{{}, {}}
		for range 3 {
			for i, replace := range []string{"", "replace " + driver + " => ./driver\n"} {
				out, err := command(workspace(t, dir, replace), "go", "test", "-run=^$", "-bench="+patch.benchmarks, "-benchtime=20ms", "-count=5", "./internal/bench/mongo").CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				for _, m := range line.FindAllStringSubmatch(string(out), -1) {
					ns, err := strconv.ParseFloat(m[2], 64)
					if least, ok := times[i][m[1]]; err == nil && (!ok || ns < least) {
						times[i][m[1]] = ns
					}
					allocs[i][m[1]] = m[3]
				}
			}
		}
		if len(times[0]) == 0 || len(times[0]) != len(times[1]) {
			t.Fatalf("%s: %v", patch.page, times)
		}
		for name, before := range times[0] {
			t.Logf("%s, %s: %.0f ns and %s allocations, with the patch %.0f and %s: %.2f of the time", patch.page, name, before, allocs[0][name], times[1][name], allocs[1][name], times[1][name]/before)
		}
	}
}

// Random documents are the same with our IDs as with those of the drivers, of the oldest
// releases that our modules take, and of the newest. OIDKIT_COMPARISONS is how many results
// to compare with each.
func TestRandomDocumentsWithOldAndNewDrivers(t *testing.T) {
	for _, replace := range []string{"", "replace " + driver + " => " + driver + " v2.5.0\nreplace " + driverV1 + " => " + driverV1 + " v1.17.7\n"} {
		cmd := command(workspace(t, t.TempDir(), replace), "go", "test", "-count=1", "-v", "-timeout=3h", "-run=^TestRandomDocuments$", "./internal/itest/bsoncodec")
		if os.Getenv("OIDKIT_COMPARISONS") == "" {
			cmd.Env = append(cmd.Env, "OIDKIT_COMPARISONS=1000000")
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v", err)
		}
		t.Logf("%s%s", replace, out)
	}
}

// workspace writes a workspace of all our modules, with a line that replaces a module, into
// dir, and returns its file.
func workspace(t *testing.T, dir, replace string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	modules := regexp.MustCompile(`(?m)^\t\.`).ReplaceAllString(string(text), "\t"+filepath.ToSlash(root))
	file := filepath.Join(dir, "go.work")
	sums, err := os.ReadFile(filepath.Join(root, "go.work.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".sum", sums, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(modules+"\n"+replace), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// Package bsoncodec passes its tests with every minor release of the driver that its
// go.mod admits. Add a release to the list when there is one.
func TestMinorReleasesOfTheDriver(t *testing.T) {
	for _, version := range []string{"v2.5.0", "v2.6.2", "v2.7.0", "v2.8.0", "v2.9.3", "v2.10.0"} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "bsoncodec"))); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"mod", "edit", "-replace=github.com/oidkit/oidkit=" + root, "-require=" + driver + "@" + version},
				{"test", "-mod=mod", "-count=1", ".", "./internal/document"},
			} {
				cmd := command("off", "go", args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
				}
			}
		})
	}
}
