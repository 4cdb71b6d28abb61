// Command oid makes and reads ObjectIds on the command line:
//
//	go install github.com/oidkit/oidkit/cmd/oid@latest
//
//	oid new -n 3                            # three IDs
//	oid inspect 65b3f7a20123456789abcdef    # what is in an ID
//	oid convert --to uuid ids.txt           # the same IDs in another form
//	oid range 2026-03                       # the bounds of March, and queries to copy
//	oid filter --from 36h server.log        # the lines with IDs of the last 36 hours
//	oid filter --from 7d --column id a.csv  # the rows with IDs of the last week
//	oid histogram server.log                # a chart of the creation times
//	oid sql postgres                        # the SQL functions, for a migration
//
// Every command prints its help with -h and JSON with --json. It reports errors on stderr.
// The status is 1 after bad input, and if filter finds no line; it is 2 if the arguments or
// options are wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	_ "time/tzdata" // --zone works where the system has no zones

	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
)

func main() {
	err := root().Run(context.Background(), os.Args)
	if err == nil || screen.IsBrokenPipe(err) { // on Unix, SIGPIPE came first
		return
	}
	if !errors.Is(err, input.ErrReported) {
		fmt.Fprintln(os.Stderr, screen.Printable(err.Error()))
	}
	if errors.As(err, new(usage)) {
		os.Exit(2)
	}
	os.Exit(1)
}
