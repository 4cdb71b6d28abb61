// Command uniqueness prints the figures of README.md, some of which docs/uniqueness.md has too:
//
//	go run ./internal/evidence/uniqueness                  # all but clones and growth
//	go run ./internal/evidence/uniqueness fleet snapshot   # these only
//	go run ./internal/evidence/uniqueness clones           # a thousand million IDs, three times
//	go run ./internal/evidence/uniqueness growth           # 10 million rows, five times
//
// All randomness comes from -seed, so that each run prints the same figures. Those of growth
// are measured: it starts a PostgreSQL of its own, and needs one installed.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

// A section is a part of the documents with figures.
type section struct {
	name, title string
	print       func(w io.Writer, random *rand.Rand) error
}

func main() {
	seed := flag.Uint64("seed", 1, "what the random numbers start from")
	rows := flag.Int64("rows", 10_000_000, "the rows of growth, a multiple of 100,000")
	flag.Parse()
	if err := run(os.Stdout, sections(*rows), flag.Args(), *seed, *rows); err != nil {
		fmt.Fprintln(os.Stderr, "uniqueness:", err)
		os.Exit(1)
	}
}

// slow are the sections that run only when they are named.
var slow = []string{"clones", "growth"}

// sections returns the sections of the documents; growth measures so many rows.
func sections(rows int64) []section {
	return []section{
		{"process", "Within a process: guaranteed", process},
		{"fleet", "Between processes: probable", fleets},
		{"containers", "Host name and process ID, as before 2018: not in containers", containers},
		{"snapshot", "A snapshot of a virtual machine", snapshot},
		{"clones", "A snapshot of a virtual machine, a thousand million IDs", thousandMillion},
		{"backfills", "Rows of the past, on several machines", backfills},
		{"derived", "Derived IDs", derived},
		{"sharding", "Increasing keys in shards and indexes", sharding},
		{"growth", "100 million IDs a day for a year, in PostgreSQL", func(w io.Writer, _ *rand.Rand) error { return growth(w, rows) }},
	}
}

func run(w io.Writer, sections []section, wanted []string, seed uint64, rows int64) error {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("no section %q: want %s", name, strings.Join(names, ", "))
		}
	}
	if rows <= 0 || rows%100_000 != 0 {
		return fmt.Errorf("-rows %d is not a multiple of 100,000", rows)
	}
	for _, s := range sections {
		if len(wanted) == 0 && slices.Contains(slow, s.name) || len(wanted) > 0 && !slices.Contains(wanted, s.name) {
			continue
		}
		fmt.Fprintf(w, "## %s\n\n", s.title)
		if err := s.print(w, rand.New(rand.NewPCG(seed, 0))); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
