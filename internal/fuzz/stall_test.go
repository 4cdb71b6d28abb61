//go:build nightly && !go1.27

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a busy machine, any input may take longer than the ten seconds that Go's fuzzer
// waits. Since Go 1.27 it waits for a minute, too long for a test.
func TestAnInputThatPassesAloneIsNoFailure(t *testing.T) {
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
