// Command fuzz lists the fuzz targets of the repository, and keeps inputs that Go's fuzzer found:
//
//	go run ./internal/fuzz -list                          # a package and a target per line
//	go test -run '^$' -fuzz '^FuzzText$' ./oid            # fuzzes a target
//	go run ./internal/fuzz -keep 24 -targets oid.FuzzText # keeps at most 24 inputs of it
//
// Go's fuzzer keeps inputs that reach code in a new way in its cache. This command copies
// those to the target's folder in testdata that reach what no smaller one reaches. From then
// on, each go test runs them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// run is the command, for the module or workspace of a folder.
func run(ctx context.Context, root string, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	var (
		match = flags.String("targets", "", "only the targets whose package and name, such as oidkit/oid.FuzzText, match this regular `expression`")
		list  = flags.Bool("list", false, "print the targets")
		keep  = flags.Int("keep", 0, "at most how many inputs to keep in testdata per target")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *list == (*keep > 0) {
		return errors.New("want -list or -keep, and no arguments but options")
	}
	wanted, err := regexp.Compile(*match)
	if err != nil {
		return err
	}
	all, err := targets(ctx, root)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	chosen := 0
	for _, t := range all {
		if !wanted.MatchString(t.String()) {
			continue
		}
		chosen++
		if *list {
			fmt.Fprintln(out, t.pkg, t.name)
		} else if err := t.keep(ctx, *keep, tmp, out); err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
	}
	if chosen == 0 {
		return fmt.Errorf("none of %d targets matches %q", len(all), *match)
	}
	return nil
}
