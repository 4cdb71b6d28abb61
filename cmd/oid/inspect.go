package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "show the parts of IDs",
		ArgsUsage: "[ID|FILE…]",
		Description: `Shows the parts of each ID, such as its creation time:

  oid inspect 65b3f7a20123456789abcdef
  oid new -n 3 | oid inspect --line
  oid inspect --scan --line server.log
  oid inspect --column id --line orders.csv

` + cmdline.IDsHelp + `

Drivers since 2018 choose the middle five bytes at random. Older drivers used
three bytes for the machine, and two for the process ID. An ID doesn't say
which driver made it, so both readings are shown, except with --line.`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "line", Usage: "print a line per ID: ID, local time, process, counter"},
			cmdline.ScanFlag(),
		}, cmdline.ReadingFlags()...),
		Action: cmdline.Action(0, cmdline.AnyNumber, runInspect),
	}
}

func runInspect(e *cmdline.Env) func() error {
	e.NotBoth("line", "json")
	show := showParts
	switch {
	case e.JSON:
		show = showJSON
	case e.Bool("line"):
		show = showLine
	}
	r := e.Reader(false)
	return func() error { return r.EachID(func(id oid.ID) { show(e, id) }) }
}

// showParts prints the parts of an ID as a diagram. If the terminal is too narrow for it,
// it leaves out the lines that are drawn.
func showParts(e *cmdline.Env, id oid.ID) {
	const cyan, yellow, green = screen.Cyan, screen.Yellow, screen.Green
	f, h, in := oid.Inspect(id), id.Hex(), e.Color.In
	first, second, none := "   "+in(cyan, "│")+"         ", in(yellow, "│")+"        ", strings.Repeat(" ", 25)
	rows := []struct{ art, color, name, value string }{
		{first + second + in(green, "╰─ "), green, "counter", format.Thousands(int64(f.Counter)) + " of 16,777,215"},
		{first + in(yellow, "╰────────── "), yellow, "process", hex.EncodeToString(f.Process[:]) + ", random as drivers make it today, or"},
		{first + none[:12], yellow, "", fmt.Sprintf("machine %x, pid %d as before 2018", f.Machine(), f.PID())},
		{"   " + in(cyan, "╰──────────────────── "), cyan, "time", format.Time(f.Time)},
		{none, cyan, "local", format.Time(f.Time.In(e.Zone))},
		{none, cyan, "age", format.Age(f.Time, e.Now)},
	}
	if id.IsZero() {
		rows = append(rows, struct{ art, color, name, value string }{none, screen.Dim, "note", "the zero ID, which means no ID"})
	}
	var text strings.Builder
	wide := !screen.IsTerminal(os.Stdout) || screen.Width(os.Stdout) > 80 // which the diagram has
	if fmt.Fprintln(&text, in(cyan, h[:8]), in(yellow, h[8:18]), in(green, h[18:])); wide {
		fmt.Fprintln(&text, in(cyan, "╰──┬───╯"), in(yellow, "╰───┬────╯"), in(green, "╰─┬──╯"))
	}
	for _, row := range rows {
		if wide {
			text.WriteString(row.art)
		}
		fmt.Fprintln(&text, in(row.color, fmt.Sprintf("%-8s", row.name)), row.value)
	}
	fmt.Fprintln(e.Out, screen.Drawn(text.String()))
}

// showLine prints the parts of an ID on one line.
func showLine(e *cmdline.Env, id oid.ID) {
	f := oid.Inspect(id)
	fmt.Fprintf(e.Out, "%s  %s  %x  %8d\n", id, format.Time(f.Time.In(e.Zone)), f.Process, f.Counter)
}

// inspected is the JSON of an ID.
type inspected struct {
	cmdline.IDJSON
	Local      time.Time `json:"local"` // in the zone asked for
	AgeSeconds int64     `json:"age_seconds"`
	Process    string    `json:"process"`
	Machine    string    `json:"machine"`
	PID        uint16    `json:"pid"`
	Counter    uint32    `json:"counter"`
}

func showJSON(e *cmdline.Env, id oid.ID) {
	f := oid.Inspect(id)
	machine := f.Machine()
	age := e.Now.Unix() - f.Time.Unix()
	e.PrintJSON(inspected{cmdline.PlainJSON(id), f.Time.In(e.Zone), age, hex.EncodeToString(f.Process[:]), hex.EncodeToString(machine[:]), f.PID(), f.Counter})
}
