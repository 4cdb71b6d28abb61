// Command coverage runs the tests of the workspace and prints how much of each
// package ran:
//
//	go run ./internal/coverage                 # a table of all packages that users compile
//	go run ./internal/coverage -update         # and raise the floors in floors.txt
//	go run ./internal/coverage -keep DIR       # and keep the data in DIR
//	go run ./internal/coverage -data DIR oid   # what no test ran in oid, from data kept before
//
// A statement counts if any test of the workspace ran it, in any process: programs
// that tests build and start count too. Packages that have more files with
// encoding/json/v2 are tested with it as well. The command fails if a package has less
// than its floor. It never lowers a floor.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	home   = "github.com/oidkit/oidkit"
	floors = "internal/coverage/floors.txt"
)

func main() {
	var o options
	flag.BoolVar(&o.update, "update", false, "raise the floors to what is measured")
	flag.StringVar(&o.keep, "keep", "", "keep the data in this `folder`")
	flag.StringVar(&o.data, "data", "", "run no test, use the data in this `folder`")
	flag.Parse()
	o.packages = flag.Args()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

type options struct {
	update     bool
	keep, data string
	packages   []string // whose missing statements are listed
}

func run(w io.Writer, o options) error {
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	packages, err := userPackages(root)
	if err != nil {
		return err
	}
	profile, err := measure(w, root, o)
	if err != nil {
		return err
	}
	blocks, err := parseProfile(profile)
	if err != nil {
		return err
	}
	if len(o.packages) > 0 {
		for _, name := range o.packages {
			for _, m := range missing(blocks, home+"/"+name) {
				fmt.Fprintln(w, m)
			}
		}
		return nil
	}
	file := filepath.Join(root, floors)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	floor, err := parseFloors(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", floors, err)
	}
	measured := summarize(blocks, packages)
	printTable(w, measured, floor)
	if o.update {
		if err := os.WriteFile(file, []byte(formatFloors(raise(floor, measured))), 0o666); err != nil {
			return err
		}
	}
	return problems(measured, floor, o.update)
}
