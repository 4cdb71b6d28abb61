package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerifyComparesTheProxyWithTheTags(t *testing.T) {
	root := repository(t, nil)
	if err := release(io.Discard, root, "v0.1.0", false); err != nil {
		t.Fatal(err)
	}
	// published makes a proxy of the tree, as a proxy does of a tag.
	published := func(tag string) {
		t.Helper()
		dir := t.TempDir()
		if err := writeProxy(root, dir, tag); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir)+"/proxy")
	}
	t.Setenv("GOSUMDB", "off")
	published("v0.1.0")
	var out strings.Builder
	if err := verify(&out, root, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/lib@v0.1.0 h1:", "example.com/lib/db@v0.1.0 h1:", "with these 2 packages builds"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it didn't print %q, but\n%s", want, &out)
		}
	}

	fails := func(tag, want string) {
		t.Helper()
		if err := verify(io.Discard, root, tag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("verify %s = %v, want %q", tag, err, want)
		}
	}
	fails("v0.1.1", "the tag v0.1.1")
	fails("0.1.0", "is not a version")
	if err := release(io.Discard, root, "v0.1.1", false); err != nil {
		t.Fatal(err)
	}
	fails("v0.1.1", "example.com/lib@v0.1.1: the proxy doesn't have it yet")
	write(t, filepath.Join(root, "lib.go"), "package lib\n\nconst Name = \"other\"\n")
	published("v0.1.1")
	fails("v0.1.1", "example.com/lib@v0.1.1: the proxy has h1:")

	// What doesn't build is found.
	git(t, root, "commit", "-q", "-a", "-m", "Break the package that others use")
	write(t, filepath.Join(root, "db/db.go"), "package db\n\nimport \"example.com/lib\"\n\nconst Name = lib.Missing\n")
	write(t, filepath.Join(root, "CHANGELOG.md"), "# Changelog\n\n## [0.1.2] - 2026-12-02\n")
	git(t, root, "commit", "-q", "-a", "-m", "Break another")
	if err := release(io.Discard, root, "v0.1.2", false); err != nil {
		t.Fatal(err)
	}
	published("v0.1.2")
	fails("v0.1.2", "undefined: lib.Missing")
}
