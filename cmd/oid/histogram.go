package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func histogramCommand() *cli.Command {
	return &cli.Command{
		Name:      "histogram",
		Usage:     "chart when the IDs in a text were made",
		ArgsUsage: "[FILE…]",
		Description: `Reads any text from files or standard input (also: -), finds the IDs in it, and
charts when they were made: by minute, hour, day, month or year, whichever fits.

  mongoexport -d shop -c orders -f _id | oid histogram
  psql -c "select id from orders" | oid histogram --by week
  oid histogram --from "7 days ago" server.log

An ID is 24 hex digits with no letter or digit next to them.

` + timesHelp,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "by", Usage: "a bar for each `UNIT`: " + unitNames(), DefaultText: "what fits"},
			inputFlag(),
		}, windowFlags()...),
		Action: action(anyArguments, runHistogram),
	}
}

// maxBars bounds the bars of a chart whose unit is given by --by.
const maxBars = 2000

func runHistogram(e *env, cmd *cli.Command) error {
	var by *unit
	if name := cmd.String("by"); cmd.IsSet("by") {
		if by = unitNamed(name); by == nil {
			return fmt.Errorf("--by %s is not a unit: want %s", quote(name), unitNames())
		}
	}
	keep, err := e.window(cmd)
	if err != nil {
		return err
	}

	f, err := e.scanForm(cmd)
	if err != nil {
		return err
	}
	t := newTally(e.zone)
	seen := int64(0)
	progress := newProgress(e.errs, true, 0)
	defer progress.clear()
	err = e.eachText(cmd, f, func(in *input) error {
		typed := isTerminal(in.source)
		return scan(in, f, func(id oid.ID) error {
			seen++
			if id.IsZero() || keep(id) {
				t.add(id)
			}
			return nil
		}, func() {
			if !typed {
				progress.at(seen)
			}
		})
	})
	if err != nil {
		return err
	}
	progress.clear()
	switch {
	case seen == 0:
		return errors.New(noIDs)
	case t.ids == 0:
		return fmt.Errorf("%s in the input, and none left to chart", plural(float64(seen), "ID", "IDs"))
	}
	return e.chart(t, by)
}

// bar is a bar of the chart. From and To are the start of its unit and of the next.
type bar struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	IDs  int64     `json:"ids"`
}

// histogramJSON is the JSON of the command.
type histogramJSON struct {
	Unit  string    `json:"unit"`
	Zone  string    `json:"zone"`
	IDs   int64     `json:"ids"`
	Zeros int64     `json:"zero_ids"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Bars  []bar     `json:"bars"`
}

// chart prints t by the unit by. If by is nil, it chooses a unit that fits.
func (e *env) chart(t *tally, by *unit) error {
	first, last := time.Unix(t.first, 0).In(t.zone), time.Unix(t.last, 0).In(t.zone)
	fits := fitting(first, last)
	if by == nil {
		by = fits
	}
	starts := by.between(first, last, maxBars)
	if starts == nil {
		return fmt.Errorf("--by %s: more than %s bars from %s to %s; want --by %s",
			by.name, thousands(maxBars), formatTime(first), formatTime(last), fits.name)
	}
	counts := t.counts(starts)
	if e.json {
		h := histogramJSON{by.name, zoneName(t.zone), t.ids, t.zeros, first, last, nil}
		for i, n := range counts {
			h.Bars = append(h.Bars, bar{starts[i], starts[i+1], n})
		}
		return e.printJSON(h)
	}

	most := slices.Max(counts)
	numbers := len(thousands(most))
	// There is a space on each side of the bar. The last column stays free, because
	// some terminals wrap when it is written.
	room := max(terminalWidth(e.stdout)-len(by.label(starts[0]))-numbers-3, 8)
	for i, n := range counts {
		b := e.blocks(n, most, room)
		fill := strings.Repeat(" ", room-utf8.RuneCountInString(b))
		fmt.Fprintf(e.out, "%s %s%s %*s\n", e.color.in(dim, by.label(starts[i])), e.color.in(cyan, b), fill, numbers, thousands(n))
	}
	fmt.Fprintf(e.out, "\n%s by %s, from %s to %s\n", plural(float64(t.ids), "ID", "IDs"), by.name, formatTime(first), formatTime(last))
	if t.zeros > 0 {
		fmt.Fprintf(e.out, "%s left out: zero means no ID\n", plural(float64(t.zeros), "zero ID", "zero IDs"))
	}
	return nil
}

// blocks returns a bar of up to room columns for n, which is at most most. Only the bar
// for zero is empty.
func (e *env) blocks(n, most int64, room int) string {
	share := float64(n) / float64(most) * float64(room)
	if !e.unicode {
		columns := int(share)
		if n > 0 {
			columns = max(columns, 1)
		}
		return strings.Repeat("#", columns)
	}
	eighths := int(share * 8)
	if n > 0 {
		eighths = max(eighths, 1)
	}
	b := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		b += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return b
}
