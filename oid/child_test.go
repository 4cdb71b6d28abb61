package oid_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// runChild runs the test t in another process, with env, and returns what it prints.
// It skips t where a program can't start itself.
func runChild(t *testing.T, env ...string) string {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("a program can't start another one on " + runtime.GOOS)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$")
	if dir := os.Getenv("GOCOVERDIR"); dir != "" && testing.CoverMode() != "" {
		cmd.Args = append(cmd.Args, "-test.gocoverdir="+dir)
	}
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated program can't start itself: ", err)
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}
