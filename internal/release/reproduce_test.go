//go:build reproduce

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestReproduceFindsPathsAndTimesInPrograms(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{
		"go.work":       "go 1.25.0\nuse (\n\t./internal/tests\n\t./db\n\t./cmd/p\n\t.\n)\n",
		"cmd/p/go.mod":  "module example.com/lib/cmd/p\n\ngo 1.25.0\n",
		"cmd/p/main.go": "package main\n\nvar stamp string\n\nfunc main() { println(stamp) }\n",
		"cmd/p/LICENSE": "free\n",
	})
	w, err := newWorld(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	build := func(env ...string) error {
		w.env = append(slices.Clip(w.env), append(env, "GOSUMDB=off")...)
		out.Reset()
		return w.reproduce(&out)
	}
	if err := build(); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Fatalf("a good build: %v, prints\n%swant a line for each of two ways", err, &out)
	}
	const want = "by tree: the second build is "
	if err := build("GOFLAGS=-modcacherw"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a build with paths: %v, want an error with %q", err, want)
	}
	if runtime.GOOS == "windows" {
		return // the linker below is a shell script
	}
	linker := filepath.Join(t.TempDir(), "linker")
	write(t, linker, "#!/bin/sh\ntool=$1\nshift\ncase $tool-$1 in\n*-V=full) ;;\n*/link-*) set -- -X main.stamp=$$ \"$@\" ;;\nesac\nexec \"$tool\" \"$@\"\n")
	if err := os.Chmod(linker, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := build("GOFLAGS=-modcacherw -trimpath -toolexec=" + linker); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a build that differs each time: %v, want an error with %q", err, want)
	}
}
