package main

import (
	"os"
	"slices"
	"testing"
)

// The processes of the example are the test's own program, started again.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-uri") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestProcessesMakeDifferentNumbers(t *testing.T) {
	if err := start(); err != nil {
		t.Fatal(err)
	}
}
