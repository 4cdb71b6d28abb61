package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The processes of the example are the test's own program, started again.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-worker") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestNumbersGoOnAfterARestart runs the example twice on one database.
func TestNumbersGoOnAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	for range 2 {
		if err := start(path); err != nil {
			t.Fatal(err)
		}
	}
}
