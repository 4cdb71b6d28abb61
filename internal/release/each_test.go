package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestEachRunsInTheModulesThatItIsFor prints the path of each module.
func TestEachRunsInTheModulesThatItIsFor(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"db/go.mod": "module example.com/lib/db\n\ngo 1.25.3\n\nrequire example.com/lib v0.1.0-rc.1\n"})
	dir := t.TempDir()
	path := []string{"go", "list", "-m", "-f", "{{.Path}}"}
	for _, tt := range []struct {
		flags []string
		want  string
	}{
		{nil, "example.com/lib example.com/lib/db example.com/lib/internal/tests"},
		{[]string{"-public"}, "example.com/lib example.com/lib/db"},
		{[]string{"-tests"}, "example.com/lib/internal/tests"},
		{[]string{"-released", dir}, "example.com/lib example.com/lib/db"},
	} {
		var b strings.Builder
		args := append(append(tt.flags, "env", "GOWORK=off"), path...)
		if err := each(&b, root, args); err != nil || strings.Join(strings.Fields(b.String()), " ") != tt.want {
			t.Errorf("each %q: %q, %v, want %q", args, b.String(), err, tt.want)
		}
	}
	var b strings.Builder
	err := each(&b, root, []string{"-released", dir, "grep", "-h", "example.com/lib ", "go.mod", "go.work"})
	if err == nil || !strings.HasPrefix(err.Error(), "failed in .: grep ") {
		t.Errorf("a command that fails: %v", err)
	}
	b.Reset()
	err = each(&b, root, []string{"-released", dir, "sh", "-c", "grep require go.mod; pwd"})
	if tree := filepath.Join(dir, "tree"); err != nil || b.String() != tree+"\nrequire example.com/lib "+rehearsed+"\n"+tree+"/db\n" {
		t.Errorf("each as released: %q, %v", b.String(), err)
	}
	if err := each(&b, root, nil); err == nil {
		t.Error("no command is no error")
	}
}

// TestLowerMakesATreeForAnOlderGo asks for the Go release that the modules have, and for an
// older one.
func TestLowerMakesATreeForAnOlderGo(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{
		"go.work":                      "go 1.25.3\nuse (\n\t./internal/tests\n\t./db\n\t.\n)\n",
		"db/go.mod":                    "module example.com/lib/db\n\ngo 1.25.3\n\nrequire example.com/lib v0.1.0-rc.1\n",
		"internal/tests/go.mod":        "module example.com/lib/internal/tests\n\ngo 1.25.3\n",
		"internal/tests/tests_test.go": "package tests\n",
	})
	var b, log strings.Builder
	to := filepath.Join(t.TempDir(), "tree")
	if err := lower(&b, &log, root, "go1.25.3", to); err != nil || b.String() != root+"\n" || log.String() != "" {
		t.Errorf("lower for go1.25.3: %q %q, %v, want %q", b.String(), log.String(), err, root)
	}
	b.Reset()
	if err := lower(&b, &log, root, "go1.25.0", to); err != nil || b.String() != to+"\n" || log.String() != "left out, it needs Go 1.25.3: db\n" {
		t.Fatalf("lower for go1.25.0: %q %q, %v, want %q", b.String(), log.String(), err, to)
	}
	for file, want := range map[string]string{
		"go.mod":                "module example.com/lib\n\ngo 1.25.0\n",
		"go.work":               "go 1.25.0\n\nuse (\n\t.\n\t./internal/tests\n)\n",
		"internal/tests/go.mod": "module example.com/lib/internal/tests\n\ngo 1.25.0\n",
	} {
		if got := read(t, to, file); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}
