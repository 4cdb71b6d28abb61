//go:build nightly

// Package generated_test lets the libraries that write code write it, and runs the
// code on real databases. Nothing that they write is kept.
package generated_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// run runs the program on the database of dsn.
func run(t *testing.T, program, dialect, dsn string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "-test.v")
	cmd.Env = append(os.Environ(), "OIDKIT_DIALECT="+dialect, "OIDKIT_DSN="+dsn)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
