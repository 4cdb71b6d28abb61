package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
)

// runTests runs go test with the arguments. It prints a line for each package, a line for
// each test that skips, with the reason, and what failing tests printed. With -logs it also
// prints what the other tests log. It fails if a test fails, or if -run names no test. With
// -noskips it also fails if a test skips, but not if the test's server can't be had.
//
// If it fails, it writes a few lines to the file that CI_FAILURES names: which tests failed,
// why, and the commands that repeat only them.
func runTests(w io.Writer, args []string) error {
	r := reader{w: w}
	args = slices.DeleteFunc(args, func(arg string) bool {
		r.noSkips = r.noSkips || arg == "-noskips" && os.Getenv("OIDKIT_NO_SKIP") != ""
		r.logs = r.logs || arg == "-logs"
		return arg == "-noskips" || arg == "-logs"
	})
	cmd := exec.Command("go", append([]string{"test", "-json", "-timeout=20m"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = errors.Join(r.read(out), cmd.Wait())
	fmt.Fprintf(w, "%d tests passed, %d skipped\n", r.passed, r.skipped)
	c := parseCommand(args)
	switch {
	case err == nil && len(r.failures) == 0 && c.run != "" && r.ran == 0:
		r.failures = append(r.failures, failure{why: []string{"no test ran"}})
	case err != nil && len(r.failures) == 0:
		r.failures = append(r.failures, failure{why: []string{err.Error()}})
	case len(r.failures) == 0:
		return nil
	}
	if file := os.Getenv("CI_FAILURES"); file != "" {
		if err := os.WriteFile(file, summary(r.failures, c, newPlace()), 0o644); err != nil {
			return err
		}
	}
	if len(r.failures) == 1 && r.failures[0].pkg == "" {
		return errors.New(r.failures[0].why[0])
	}
	return errSaid
}
