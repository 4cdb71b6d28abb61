// Oidmove moves the code of a project from the ObjectID of MongoDB's driver to oid.ID,
// and back. Run it in a clean checkout:
//
//	go run github.com/oidkit/oidkit/cmd/oidmove@latest ./...        # moves
//	go run github.com/oidkit/oidkit/cmd/oidmove@latest -n ./...     # prints, changes nothing
//	go run github.com/oidkit/oidkit/cmd/oidmove@latest -back ./...  # moves back
//
// Oidmove knows bson.ObjectID of driver v2 and primitive.ObjectID of driver v1. It changes the
// packages that you name, and go.mod, go.sum and vendor of their module, but no generated Go
// files. It prints a line for each place that it finds where a person must decide. The page
// docs/migrating.md describes what Oidmove changes, and why, and what it can't find.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/apply"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/plan"
)

const usage = `usage: oidmove [-n] [-back] [-driver v1|v2] [-tags TAGS] PACKAGES

Oidmove moves packages of this module from the ObjectID of MongoDB's driver to oid.ID.

`

func main() {
	o := options{out: os.Stdout}
	flag.BoolVar(&o.dry, "n", false, "print the diff, and change nothing")
	flag.BoolVar(&o.back, "back", false, "move back to the driver's type")
	flag.StringVar(&o.driver, "driver", "", "the driver, v1 or v2; needed if the packages import both, or for -back if they import none")
	flag.StringVar(&o.tags, "tags", "", "build tags, as in go build")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	o.patterns = flag.Args()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options is what the command line says.
type options struct {
	dry, back    bool
	driver, tags string
	patterns     []string
	dir          string    // "" for the current folder
	out          io.Writer // gets the findings and the diff
}

// run does what the command line asks for.
func run(o options) error {
	if len(o.patterns) == 0 {
		return errors.New("oidmove: name the packages to move, such as ./... for all packages of the module")
	}
	tmp, err := os.MkdirTemp("", "oidmove-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	result, err := move(o, tmp)
	if result == nil || err != nil {
		return err
	}
	if o.dry {
		err = result.PrintDiff(o.out)
	} else {
		err = result.Save()
	}
	return errors.Join(err, result.Report(o.out))
}

// move finds what a move makes of the packages. It returns nil if there is nothing to do.
func move(o options, tmp string) (*apply.Result, error) {
	mod, err := load.OpenModule(o.dir, tmp)
	if err != nil {
		return nil, err
	}
	source, err := load.Open(mod, o.tags, o.driver, o.back, o.patterns)
	if source == nil || err != nil {
		return nil, err
	}
	program := source.Check(source.Texts)
	changes, err := plan.Make(program, o.back)
	if err != nil {
		return nil, err
	}
	return apply.Plan(program, changes, mod, tmp)
}
