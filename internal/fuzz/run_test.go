//go:build nightly

package main

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
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

// On a busy machine, any input may take longer than the ten seconds that Go's fuzzer
// waits.
func TestAnInputThatPassesAloneIsNoFailure(t *testing.T) {
	if slices.Contains(build.Default.ReleaseTags, "go1.27") {
		t.Skip("Go's fuzzer waits for a minute since Go 1.27, too long for a test")
	}
	root := module(t)
	stalled := false
	for _, each := range []string{"14s", "1m"} { // on a busy machine 14 seconds are not enough
		out, err := command(t, root, "-for", each, "-targets", "FuzzSlow")
		if err != nil {
			t.Fatalf("%s, %v", out, err)
		}
		if stalled = strings.Contains(out, ", stalled 1 times\n"); stalled {
			break
		}
		os.Remove(filepath.Join(root, "lib", "slept")) // its sleep was cut short, if it began
	}
	if !stalled {
		t.Error("an input that takes too long isn't reported as a stall")
	}
	left, err := filepath.Glob(filepath.Join(root, "lib", "testdata", "fuzz", "FuzzSlow", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}
