// Command scan works through a table of a million rows by ranges of the primary key. It
// exports the table with several workers, and continues the export after the program was
// killed. It follows new rows without missing one. It deletes old rows in batches.
//
//	go run ./examples/scan                                       # SQLite, nothing to install
//	go run ./examples/scan -postgres postgres://localhost/test   # your PostgreSQL
//	go run ./examples/scan -dir out -rows 5000000 -workers 8     # keeps the export
//
// It prints how many rows each step has read, missed or deleted. In your PostgreSQL it
// makes one table, and drops it at the end. With -dir, you can stop the program during the
// export. The next run continues.
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
	page     int    // rows that one statement reads or deletes
	postgres string // SQLite in dir if empty
	table    string
	dir      string // a temporary folder if empty

	exportOnly bool // be the child process that is killed
	pauseAt    int  // the child process waits for the kill after so many rows
}

func main() {
	var c config
	flag.IntVar(&c.rows, "rows", 1_000_000, "how many `rows` the table has")
	flag.IntVar(&c.workers, "workers", 4, "how many `workers` export the table")
	flag.IntVar(&c.page, "page", 5000, "how many `rows` one statement reads or deletes")
	flag.StringVar(&c.postgres, "postgres", "", "the `DSN` of a PostgreSQL database; SQLite in a file if empty")
	flag.StringVar(&c.dir, "dir", "", "keep the export in this `folder`; a temporary one if empty")
	flag.StringVar(&c.table, "table", "", "use the table with this `name`, and keep it; a new one if empty")
	flag.BoolVar(&c.exportOnly, "export-only", false, "only export a table that exists")
	flag.IntVar(&c.pauseAt, "pause-at", 0, "pause after so many exported `rows`, and wait for a kill")
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
		return errors.New("-dir with -postgres needs -table, so that the next run finds its table")
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
		return fmt.Errorf("%s has a complete export: remove it, or name another folder", c.dir)
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
		{"Where to split it", compareCuts},
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

// exportTwice starts the export as a child process, kills it, and exports the rest.
func exportTwice(ctx context.Context, w io.Writer, t *table, c config) error {
	if before, err := exported(c.dir); err != nil {
		return err
	} else if before > 0 {
		fmt.Fprintf(w, "  an earlier run exported %s rows\n", thousands(before))
	} else if err := killExport(ctx, w, c); err != nil {
		return err
	}
	if err := export(ctx, w, t, c); err != nil {
		return err
	}
	return verify(ctx, w, t, c)
}

// killExport starts the export as a child process, and kills it in the middle.
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
	if err := cmd.Process.Kill(); err != nil { // with SIGKILL, so it can clean up nothing
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
	fmt.Fprintf(w, "  killed in the middle of a page; the checkpoints have %s rows\n", thousands(done))
	return nil
}
