//go:build nightly

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These tests run Go's fuzzer, which compiles the standard library with instruments.

// The corpus of the package holds the input that fails, so that the run needs no luck.
func TestARunNamesTheInputThatFails(t *testing.T) {
	root := module(t)
	seed := filepath.Join(root, "lib", "testdata", "fuzz", "FuzzBug", "known")
	if err := os.MkdirAll(filepath.Dir(seed), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(seed, []byte("go test fuzz v1\nstring(\"bug\")\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := command(t, root, "-for", "1s", "-targets", "FuzzBug")
	if err == nil || !strings.Contains(err.Error(), "lib.FuzzBug: the failing input is "+seed) {
		t.Errorf("error %v, want it to name %s", err, seed)
	}
	for _, each := range []string{"1s", "8s", "1m0s"} { // on a busy machine a second is not enough
		out, err := command(t, root, "-for", each, "-targets", "FuzzNothing")
		if err != nil || !strings.Contains(out, "1 targets, "+each+" each: ") {
			t.Fatalf("%s, %v", out, err)
		}
		if !strings.Contains(out, ": 0 executions") {
			return
		}
	}
	t.Error("no executions in a minute")
}
