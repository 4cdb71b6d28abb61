// Command fuzz runs the fuzz targets of the repository, each for the same time:
//
//	go run ./internal/fuzz -for 5s                  # every target, as CI does
//	go run ./internal/fuzz -for 30m -targets oid    # those whose package and name match
//	go run ./internal/fuzz -list
//
// Each target is one process with one worker. At most -workers of them run at once.
// The command prints the inputs that each target tried, and how many of them were
// interesting, which means that they reached code in a new way. It fails if a target
// fails, and names the file with the failing input. The go command then runs that input
// as a test.
//
// Go keeps interesting inputs in its cache. With -keep, the command copies those to the
// target's folder in testdata that reach what no smaller one reaches.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"
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
		each    = flags.Duration("for", 5*time.Second, "how long each target runs; 0 with -keep for not at all")
		match   = flags.String("targets", "", "only the targets whose package and name, such as oidkit/oid.FuzzText, match this regular `expression`")
		workers = flags.Int("workers", runtime.GOMAXPROCS(0), "how many targets run at once")
		list    = flags.Bool("list", false, "print the targets, and run none")
		keep    = flags.Int("keep", 0, "at most how many interesting inputs to keep in testdata per target")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *workers < 1 {
		return errors.New("want no arguments but options, and at least one worker")
	}
	wanted, err := regexp.Compile(*match)
	if err != nil {
		return err
	}
	all, err := targets(ctx, root)
	if err != nil {
		return err
	}
	var chosen []target
	for _, t := range all {
		if wanted.MatchString(t.String()) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("none of %d targets matches %q", len(all), *match)
	}
	if *list {
		for _, t := range chosen {
			fmt.Fprintln(out, t)
		}
		return nil
	}

	tmp, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if tmp, err = filepath.Abs(tmp); err != nil {
		return err
	}
	if *each > 0 {
		if err := fuzz(ctx, chosen, *each, *workers, tmp, out); err != nil {
			return err
		}
	}
	if *keep > 0 {
		for _, t := range chosen {
			if err := t.keep(ctx, *keep, tmp, out); err != nil {
				return fmt.Errorf("%v: %w", t, err)
			}
		}
	}
	return nil
}

// fuzz runs every target, and returns an error if one of them fails.
func fuzz(ctx context.Context, chosen []target, each time.Duration, workers int, tmp string, out io.Writer) error {
	var (
		mu     sync.Mutex
		failed []error
		total  result
		wait   sync.WaitGroup
		slots  = make(chan struct{}, workers)
		binary string
		err    error
	)
	for i, t := range chosen {
		if i == 0 || chosen[i-1].pkg != t.pkg {
			if binary, err = t.build(ctx, tmp); err != nil {
				failed = append(failed, err)
				break
			}
		}
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		binary := binary
		wait.Go(func() {
			defer func() { <-slots }()
			r, err := t.fuzz(ctx, binary, each)
			mu.Lock()
			defer mu.Unlock()
			total.execs += r.execs
			total.fresh += r.fresh
			fmt.Fprintf(out, "%-60v %v\n", t, r)
			if err != nil {
				out.Write(r.log)
				failed = append(failed, fmt.Errorf("%v: %w", t, err))
			}
		})
	}
	wait.Wait()
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d targets, %v each: %d executions, %d new interesting inputs\n", len(chosen), each, total.execs, total.fresh)
	return nil
}
