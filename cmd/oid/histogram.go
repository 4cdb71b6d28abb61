package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func histogramCommand() *cli.Command {
	return &cli.Command{
		Name:      "histogram",
		Usage:     "chart when the IDs in a text were created",
		ArgsUsage: "[FILE…]",
		Description: `Charts when the IDs in a text were created. Without --by, the command chooses
minute, hour, day, month or year. --by also accepts week and quarter.

  mongoexport -d shop -c orders -f _id | oid histogram
  oid histogram --from 7d --column customer orders.csv

` + cmdline.TextHelp + `

` + cmdline.TimeHelp,
		Flags: append([]cli.Flag{
			cmdline.Words(&cli.StringFlag{Name: "by", Usage: "a bar for each `UNIT`, such as week", DefaultText: "what fits"}, times.UnitNames()...),
		}, append(cmdline.WindowFlags(), cmdline.ReadingFlags()...)...),
		Action: cmdline.Action(0, cmdline.AnyNumber, runHistogram),
	}
}

// maxBars bounds the bars of a chart whose unit is given by --by.
const maxBars = 2000

func runHistogram(e *cmdline.Env) func() error {
	unit, keep, r, t := times.UnitNamed(e.Word("by", "unit")), e.Window(), e.Reader(true), newTally()
	if _, offset := e.Now.Zone(); offset%quarter != 0 {
		e.Refuse(fmt.Errorf("--zone %s can't be charted: want a zone whose offset from UTC is a multiple of 15 minutes", format.Quote(e.String("zone"))))
	}
	return func() error {
		err := r.EachID(func(id oid.ID) {
			if id.IsZero() || keep(id) {
				t.add(id)
			}
		})
		switch {
		case err != nil && t.ids == 0:
			return err
		case t.ids == 0:
			return fmt.Errorf("%s in the input, but none to chart: all are zero, or outside --from and --to", format.Plural(r.Count, "ID"))
		}
		return cmp.Or(chart(e, t, unit), err)
	}
}

// minute and quarter are the lengths, in seconds, of the bins by which a tally counts.
const minute, quarter = 60, 15 * 60

// A tally counts IDs by creation time in constant memory. A tally doesn't know their span in
// advance, so it counts by quarters of an hour. Since 1980, the hours and days of every zone
// begin with a quarter. A chart by minute has at most maxBars bars, so more minutes aren't
// needed.
type tally struct {
	minutes  map[int64]int64 // by number since 1970; nil if there were more than maxBars
	quarters []int64         // all until 2106; only the parts written to use memory

	ids, zeros  int64
	first, last int64 // Unix seconds
}

func newTally() *tally {
	return &tally{minutes: map[int64]int64{}, quarters: make([]int64, 1<<32/quarter+1), first: math.MaxInt64}
}

// add counts id. The zero ID means no ID, and is counted separately.
func (t *tally) add(id oid.ID) {
	if id.IsZero() {
		t.zeros++
		return
	}
	sec := id.Timestamp().Unix()
	t.ids++
	t.first, t.last = min(t.first, sec), max(t.last, sec)
	t.quarters[sec/quarter]++
	if t.minutes != nil {
		t.minutes[sec/minute]++
		if len(t.minutes) > maxBars {
			t.minutes = nil
		}
	}
}

// counts returns how many IDs lie between each of starts and the next one.
func (t *tally) counts(starts []time.Time) []int64 {
	counts := make([]int64, len(starts)-1)
	count := func(sec, n int64) {
		// The bin begins in the last unit that doesn't start after it.
		after := sort.Search(len(counts), func(i int) bool { return starts[i].Unix() > sec })
		counts[max(after-1, 0)] += n
	}
	for i, n := range t.minutes {
		count(i*minute, n)
	}
	for i := t.first / quarter; i <= t.last/quarter && t.minutes == nil; i++ {
		count(i*quarter, t.quarters[i])
	}
	return counts
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
func chart(e *cmdline.Env, t *tally, by *times.Unit) error {
	first, last := time.Unix(t.first, 0).In(e.Zone), time.Unix(t.last, 0).In(e.Zone)
	fits := times.Fitting(first, last)
	by = cmp.Or(by, fits)
	starts := by.Between(first, last, maxBars)
	if starts == nil {
		return fmt.Errorf("--by %s would draw more than %s bars from %s to %s: use --by %s",
			by.Name, format.Thousands(maxBars), format.Time(first), format.Time(last), fits.Name)
	}
	counts := t.counts(starts)
	if e.JSON {
		h := histogramJSON{by.Name, format.Zone(e.Zone), t.ids, t.zeros, first, last, nil}
		for i, n := range counts {
			h.Bars = append(h.Bars, bar{starts[i], starts[i+1], n})
		}
		e.PrintJSON(h)
		return nil
	}

	most := slices.Max(counts)
	numbers := len(format.Thousands(most))
	// There is a space on each side of the bar. The last column stays free, because
	// some terminals wrap when it is written.
	room := max(screen.Width(os.Stdout)-len(by.Label(starts[0]))-numbers-3, 8)
	for i, n := range counts {
		b := blocks(n, most, room)
		fmt.Fprintf(e.Out, "%s %s%*s %*s\n", e.Color.In(screen.Dim, by.Label(starts[i])), e.Color.In(screen.Cyan, b), room-utf8.RuneCountInString(b), "", numbers, format.Thousands(n))
	}
	fmt.Fprintf(e.Out, "\n%s by %s, from %s to %s\n", format.Plural(t.ids, "ID"), by.Name, format.Time(first), format.Time(last))
	if t.zeros > 0 {
		fmt.Fprintf(e.Out, "%s left out: the zero ID means no ID\n", format.Plural(t.zeros, "zero ID"))
	}
	return nil
}

// blocks returns a bar of up to room columns for n, which is at most most. Only the bar
// for zero is empty.
func blocks(n, most int64, room int) string {
	full, parts := "█", strings.Split(" ▏ ▎ ▍ ▌ ▋ ▊ ▉", " ")
	if !screen.ShowsUnicode() {
		full, parts = "#", parts[:1]
	}
	filled := int(float64(n) / float64(most) * float64(room*len(parts)))
	if n > 0 {
		filled = max(filled, 1)
	}
	return strings.Repeat(full, filled/len(parts)) + parts[filled%len(parts)]
}
