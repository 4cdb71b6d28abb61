// Command ci is what .ci/run and .ci/nightly need beyond a few lines of shell:
//
//	go run ./internal/ci steps TABLE SCRIPT [STEP…]          # the steps of .ci/run or .ci/nightly
//	go run ./internal/ci test [-noskips] [-logs] ARGUMENT…   # go test, in a form that is short to read
//	go run ./internal/ci seconds BUDGETS SECONDS             # the processor seconds of each package's tests
//	go run ./internal/ci coverage FLOORS PROFILE             # how much of each package the tests run
//	go run ./internal/ci licenses LIST                       # the licenses of the modules on standard input
//	go run ./internal/ci sums                                # the sums of rows of figures on standard input
//	go run ./internal/ci install SET…                        # what the tests need and this machine lacks
//
// It imports only the standard library, because each run of CI compiles it first.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const usage = "usage: ci steps|test|seconds|coverage|licenses|sums|install ARGUMENT…"

func main() {
	if err := run(os.Stdout, os.Stdin, os.Args[1:]); err != nil {
		if err != errSaid {
			fmt.Fprintln(os.Stderr, "ci:", err)
		}
		os.Exit(1)
	}
}

// errSaid is the error of a command that has printed what is wrong.
var errSaid = errors.New("it failed")

func run(w io.Writer, in io.Reader, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch command, args := args[0], args[1:]; {
	case command == "steps" && len(args) >= 2:
		return runSteps(w, args[0], args[1], args[2:])
	case command == "test":
		return runTests(w, args)
	case command == "seconds" && len(args) == 2:
		return compareSeconds(w, args[0], args[1])
	case command == "coverage" && len(args) == 2:
		return compareCoverage(w, args[0], args[1])
	case command == "licenses" && len(args) == 1:
		return compareLicenses(w, args[0], in)
	case command == "sums" && len(args) == 0:
		return printSums(w, in)
	case command == "install" && len(args) > 0:
		return install(w, args)
	}
	return errors.New(usage)
}

// fields calls f with the fields of each line of a file that isn't empty or a comment.
func fields(file string, f func(fields []string) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if err := f(words); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}
