package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// The program starts itself as the child process that it kills.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-export-only" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestScan runs the program on both databases at once, because it waits for most of the time.
func TestScan(t *testing.T) {
	t.Run("PostgreSQL", func(t *testing.T) {
		database := postgres.Database(t) // its server stays, so it starts before TMPDIR is set
		t.Parallel()
		checkRun(t, config{rows: 30_000, workers: 3, page: 400, postgres: database})
	})
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		checkRun(t, config{rows: 30_000, workers: 3, page: 400})
	})
}

func checkRun(t *testing.T, c config) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out, c); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		`(?m)^A table of 30,000 rows$`,
		`(?m)^  killed in the middle of a page; the checkpoints have 1\d,\d{3} rows$`,
		`(?m)^  48 files have 30,000 rows, each once and in order, as the table has$`,
		`(?m)^  a reader with id > the last ID seen +misses +[1-9]\d* rows, reads 0 twice$`,
		`(?m)^  a reader with id < oid.MinAt\(now - 2s\) +misses +0 rows, reads 0 twice$`,
		`(?m)^  [\d,]+ rows before \d{4}-\d\d-\d\d deleted in 1\d batches`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
	most := regexp.MustCompile(`to +(\d+),(\d+) rows each`).FindAllStringSubmatch(out.String(), -1)
	if len(most) != 2 || most[1][1]+most[1][2] >= most[0][1]+most[0][2] {
		t.Errorf("the spans by a sample are not more even in rows:\n%s", out.String())
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("a bar in an output that is not a terminal:\n%q", out.String())
	}
}

// These kills come after some time, wherever the export is.
func TestAnExportKilledAnywhereContinues(t *testing.T) {
	c := config{rows: 60_000, workers: 2, page: 100, dir: t.TempDir(), table: "events"}
	events, err := openTable(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer events.db.Close()
	if err := fill(t.Context(), io.Discard, events, c); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for wait := 5 * time.Millisecond; ; wait = wait * 4 / 3 {
		cmd := exec.Command(os.Args[0], "-export-only", "-dir", c.dir, "-table", c.table, "-rows", strconv.Itoa(c.rows), "-workers", "2", "-page", "100")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if killer.Stop() {
			if err != nil {
				t.Fatal(err)
			}
			break // the export ended first
		}
		kills++
	}
	if err := verify(t.Context(), io.Discard, events, c); err != nil {
		t.Errorf("after %d kills: %v", kills, err)
	}
	if kills == 0 {
		t.Error("the export was never killed")
	}
}

func TestCutsCoverTheTable(t *testing.T) {
	lo, hi := oid.ID{1}, oid.ID{2}
	var sample []oid.ID
	for i := range 100 {
		sample = append(sample, oid.ID{1, byte(i * i / 40)})
	}
	for name, spans := range map[string][]span{
		"time": evenInTime(lo, hi, 7),
		"rows": evenInRows(lo, hi, 7, sample),
		// A sample with equal IDs, and one with IDs at both ends.
		"one":  evenInRows(lo, hi, 7, []oid.ID{{1, 5}, {1, 5}, {1, 5}, {1, 5}, {1, 5}, {1, 5}, {1, 5}}),
		"ends": evenInRows(lo, hi, 3, []oid.ID{{1}, {1}, {2}}),
	} {
		if spans[0].From != lo || spans[len(spans)-1].To != hi {
			t.Errorf("%s: from %v to %v", name, spans[0].From, spans[len(spans)-1].To)
		}
		for i := range spans[1:] {
			if spans[i].To != spans[i+1].From || spans[i].From.Compare(spans[i].To) >= 0 {
				t.Errorf("%s: span %d is %v, followed by %v", name, i, spans[i], spans[i+1])
			}
		}
	}
}

func TestAPurgeThatEndsEarlyContinues(t *testing.T) {
	c := config{rows: 30_000, page: 400, dir: t.TempDir(), table: "events"}
	events, err := openTable(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer events.db.Close()
	if err := fill(t.Context(), io.Discard, events, c); err != nil {
		t.Fatal(err)
	}
	from, hi, err := events.bounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// One batch, and then a new run that does not know about it.
	if _, n, _, err := deleteBatch(t.Context(), events, from, hi, c.page); err != nil || n != c.page {
		t.Fatalf("deleteBatch deletes %d rows, %v, want %d", n, err, c.page)
	}
	if err := purge(t.Context(), io.Discard, events, c); err != nil {
		t.Fatal(err)
	}
	rows, _, err := events.count(t.Context())
	if err != nil || rows == 0 || rows >= c.rows-c.page {
		t.Errorf("%d rows left, %v", rows, err)
	}
}

func TestWrongFlags(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, verifiedFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		c    config
		want string
	}{
		{config{rows: 0, workers: 1, page: 1}, "-rows 0 -workers 1 -page 1: want at least 1 of each"},
		{config{rows: 1, workers: -1, page: 0}, "-rows 1 -workers -1 -page 0: want at least 1 of each"},
		{config{rows: 1, workers: 1, page: 1, dir: "d", postgres: "p"}, "-dir with -postgres needs -table, so that the next run finds its table"},
		{config{rows: 1, workers: 1, page: 1, dir: full}, full + " has a complete export: remove it, or name another folder"},
	} {
		if err := run(t.Context(), io.Discard, tt.c); err == nil || err.Error() != tt.want {
			t.Errorf("run(%+v) = %v, want %s", tt.c, err, tt.want)
		}
	}
}

func TestBarCells(t *testing.T) {
	for done, want := range map[int]string{0: strings.Repeat("░", 30), 50: strings.Repeat("█", 15) + strings.Repeat("░", 15), 101: strings.Repeat("█", 30)} {
		if got := cells(done, 100); got != want {
			t.Errorf("cells(%d, 100) = %s, want %s", done, got, want)
		}
	}
	if got := thousands(1_234_567); got != "1,234,567" {
		t.Errorf("thousands(1234567) = %s", got)
	}
}
