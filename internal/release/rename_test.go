package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRename(t *testing.T) {
	root := repository(t, map[string]string{
		"README.md": "[![x](https://pkg.go.dev/badge/example.com/lib.svg)](https://pkg.go.dev/example.com/lib)\n",
		"two.go":    "package lib\n\nimport (\n\t_ \"example.com/lib/one\"\n\t_ \"fmt\"\n)\n",
		"one/o.go":  "package one\n",
		"bytes.bin": "\xff example.com/lib",
	})
	if err := os.Symlink("lib.go", filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ to, want string }{
		{"ids", "malformed module path"},
		{"example.org/ids/v2", "ends in a major version"},
		{"example.org/ids", "not committed"},
	} {
		if err := rename(io.Discard, root, tt.to); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("rename %s = %v, want %q", tt.to, err, tt.want)
		}
	}
	git(t, root, "add", "--all")
	git(t, root, "commit", "-q", "-m", "Add a link")
	var out strings.Builder
	if err := rename(&out, root, "a.example.org/ids"); err != nil {
		t.Fatal(err)
	}
	if want := "example.com/lib is a.example.org/ids now, in 7 files."; !strings.HasPrefix(out.String(), want) {
		t.Errorf("it printed %q, want %q", &out, want)
	}
	if got := git(t, root, "grep", "-l", "example.com/lib"); got != "bytes.bin" {
		t.Errorf("the old path is still in %s", got)
	}
	if got, want := read(t, root, "two.go"), "package lib\n\nimport (\n\t_ \"a.example.org/ids/one\"\n\t_ \"fmt\"\n)\n"; got != want {
		t.Errorf("two.go is\n%s", got)
	}
	git(t, root, "commit", "-q", "-a", "-m", "Rename")
	if _, err := command(root, "go", "build", "work"); err != nil {
		t.Error(err)
	}
}
