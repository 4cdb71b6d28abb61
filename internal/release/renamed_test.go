//go:build reproduce

package main

import (
	"io"
	"path/filepath"
	"testing"
)

// TestRenamedTreePasses gives this repository another path, builds all of it, and runs the tests
// that need no server.
func TestRenamedTreePasses(t *testing.T) {
	root, err := command("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	if err := copyTree(root[:len(root)-1], tree); err != nil {
		t.Fatal(err)
	}
	git(t, tree, "init", "-q", "-b", "main")
	git(t, tree, "config", "user.name", "A")
	git(t, tree, "config", "user.email", "a@example.com")
	git(t, tree, "add", "--all")
	git(t, tree, "commit", "-q", "-m", "Begin")
	if err := rename(io.Discard, tree, "example.org/team/ids"); err != nil {
		t.Fatal(err)
	}
	git(t, tree, "commit", "-q", "-a", "-m", "Rename")
	for _, args := range [][]string{
		{"build", "work"},
		{"test", "./oid", "./jsonx", "./public", "./sqltype/...", "./bsoncodec/...", "./bsoncodec/mongov1/...", "./sequence/...", "./gormplugin/...", "./cmd/oid/...",
			"./internal/contract/api", "./internal/contract/architecture", "./internal/contract/docs", "./internal/contract/frozen"},
	} {
		cmd := append([]string{"go"}, args...)
		if _, err := commandEnv(tree, []string{"OIDKIT_NO_SKIP="}, cmd[0], cmd[1:]...); err != nil {
			t.Fatal(err)
		}
	}
}
