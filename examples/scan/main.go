// Command scan works through a table of a million rows by id: it exports the table
// with several workers, survives being killed, follows new rows without missing
// one, and deletes old rows in batches.
//
//	go run ./examples/scan                                       # SQLite, nothing to install
//	go run ./examples/scan -postgres postgres://localhost/test   # a PostgreSQL of yours
//	go run ./examples/scan -dir out -rows 5000000 -workers 8     # keeps the export
//
// In a PostgreSQL of yours it makes one table, and drops it at the end. With -dir,
// stop the program in the export and run it again: it continues.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/oidkit/oidkit/oid"
)

type config struct {
	rows     int
	workers  int
	page     int    // rows that are read, or deleted, at once
	postgres string // SQLite in dir if empty
	table    string
	dir      string // a temporary folder if empty

	exportOnly bool // the child process that is killed
	pauseAt    int  // it waits for that after so many rows
}

func main() {
	var c config
	flag.IntVar(&c.rows, "rows", 1_000_000, "how many `rows` the table has")
	flag.IntVar(&c.workers, "workers", 4, "how many `workers` export it at once")
	flag.IntVar(&c.page, "page", 5000, "how many `rows` are read, or deleted, at once")
	flag.StringVar(&c.postgres, "postgres", "", "the `address` of a PostgreSQL; empty: SQLite in a file")
	flag.StringVar(&c.dir, "dir", "", "the `folder` of the export, kept; empty: a temporary one")
	flag.StringVar(&c.table, "table", "", "the `name` of the table, kept; empty: one of its own")
	flag.BoolVar(&c.exportOnly, "export-only", false, "export a table that is there, and end")
	flag.IntVar(&c.pauseAt, "pause-at", 0, "stop in the middle after so many exported `rows`, and wait to be killed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, c); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, c config) (err error) {
	if c.rows < 1 || c.workers < 1 || c.page < 1 {
		return fmt.Errorf("-rows %d -workers %d -page %d: want at least 1 of each", c.rows, c.workers, c.page)
	}
	if c.dir != "" && c.postgres != "" && c.table == "" {
		return errors.New("-dir with -postgres: want -table too, so that the next run finds its table")
	}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "oidkit-scan-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.dir)) }()
	} else if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.dir, verifiedFile)); err == nil {
		return fmt.Errorf("%s holds a whole export: remove it, or name another folder", c.dir)
	}
	drop := c.postgres != "" && c.table == ""
	if c.table == "" {
		c.table = "events"
		if drop {
			c.table = "oidkit_scan_" + oid.New().Hex()
		}
	}
	t, err := openTable(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.db.Close()) }()
	if c.exportOnly {
		return export(ctx, w, t, c)
	}
	if drop {
		defer func() { err = errors.Join(err, t.exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+c.table)) }()
	}
	for _, step := range []struct {
		title string
		do    func(context.Context, io.Writer, *table, config) error
	}{
		{"A table of " + thousands(c.rows) + " rows", fill},
		{"Where to cut it", compareCuts},
		{fmt.Sprintf("Export with %d workers, killed and resumed", c.workers), exportTwice},
		{"Follow new rows", follow},
		{"Delete the oldest 30 days in batches", purge},
	} {
		fmt.Fprintf(w, "%s\n", step.title)
		if err := step.do(ctx, w, t, c); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// exportTwice runs the export as a process of its own, kills that, and exports the
// rest.
func exportTwice(ctx context.Context, w io.Writer, t *table, c config) error {
	if before, err := exported(c.dir); err != nil {
		return err
	} else if before > 0 {
		fmt.Fprintf(w, "  an earlier run has exported %s rows\n", thousands(before))
	} else if err := killExport(ctx, w, c); err != nil {
		return err
	}
	if err := export(ctx, w, t, c); err != nil {
		return err
	}
	return verify(ctx, w, t, c)
}

// killExport starts the export as a process and kills it in the middle.
func killExport(ctx context.Context, w io.Writer, c config) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pauseAt := max(c.rows*4/10, 1)
	cmd := exec.CommandContext(ctx, self, "-export-only", "-rows", strconv.Itoa(c.rows), "-workers", strconv.Itoa(c.workers),
		"-page", strconv.Itoa(c.page), "-postgres", c.postgres, "-table", c.table, "-dir", c.dir, "-pause-at", strconv.Itoa(pauseAt))
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the export ended before it was killed: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := os.Stat(filepath.Join(c.dir, pausedFile)); err == nil {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL: it can close nothing
		return err
	}
	<-ended
	if err := os.Remove(filepath.Join(c.dir, pausedFile)); err != nil {
		return err
	}
	done, err := exported(c.dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  killed in the middle of a page: the checkpoints count %s rows\n", thousands(done))
	return nil
}
