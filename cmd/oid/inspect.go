package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "show what is in IDs",
		ArgsUsage: "[ID|FILE…]",
		Description: `Shows the parts of each ID, with its creation time:

  oid inspect 65b3f7a20123456789abcdef
  oid new -n 3 | oid inspect --line
  oid inspect --json ids.txt | jq .time
  oid inspect --scan --line server.log

` + inputHelp + `

The middle five bytes are random in IDs of today. In IDs made before 2018 they
are three bytes of the machine and two of the process ID. An ID doesn't say which
they are, so both readings are shown.`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "line", Usage: "print one line per ID: ID, local time, process, counter"},
		}, inputFlags()...),
		Action: action(anyArguments, runInspect),
	}
}

func runInspect(e *env, cmd *cli.Command) error {
	show := e.showDiagram
	switch {
	case e.json && cmd.Bool("line"):
		return errors.New("--line and --json are both given: want one of them")
	case e.json:
		show = e.showJSON
	case cmd.Bool("line"):
		show = e.showLine
	case isTerminal(e.stdout) && terminalWidth(e.stdout) <= diagramWidth:
		show = e.showList
	}
	return e.eachID(cmd, show)
}

// diagramWidth is the width of the diagram.
const diagramWidth = 80

// readings returns the two readings of the process bytes.
func readings(f oid.Fields) (now, before2018 string) {
	machine := f.Machine()
	return hex.EncodeToString(f.Process[:]) + ", random as drivers make it today, or",
		fmt.Sprintf("machine %s, pid %d as before 2018", hex.EncodeToString(machine[:]), f.PID())
}

// showDiagram prints the parts of an ID as a diagram.
func (e *env) showDiagram(id oid.ID) error {
	f := oid.Inspect(id)
	h := id.Hex()
	now, before2018 := readings(f)
	c := e.color
	label := func(color, name, value string) string { return c.in(color, fmt.Sprintf("%-9s", name)) + value }
	rows := []string{
		c.in(cyan, h[:8]) + " " + c.in(yellow, h[8:18]) + " " + c.in(green, h[18:]),
		c.in(cyan, "╰──┬───╯") + " " + c.in(yellow, "╰───┬────╯") + " " + c.in(green, "╰─┬──╯"),
		"   " + c.in(cyan, "│") + "         " + c.in(yellow, "│") + "        " + c.in(green, "╰─ ") +
			label(green, "counter", fmt.Sprintf("%s of 16,777,215", thousands(int64(f.Counter)))),
		"   " + c.in(cyan, "│") + "         " + c.in(yellow, "╰────────── ") + label(yellow, "process", now),
		"   " + c.in(cyan, "│") + "                     " + label(yellow, "", before2018),
		"   " + c.in(cyan, "╰──────────────────── ") + label(cyan, "time", formatTime(f.Time)),
		"                         " + label(cyan, "local", formatTime(f.Time.In(e.zone))),
		"                         " + label(cyan, "age", formatAge(f.Time, e.now.In(e.zone))),
	}
	if id.IsZero() {
		rows = append(rows, "                         "+label(dim, "note", zeroNote))
	}
	_, err := fmt.Fprintf(e.out, "%s\n\n", e.drawn(strings.Join(rows, "\n")))
	return err
}

const zeroNote = "the zero ID: it means no ID"

// showList prints the parts of an ID as a list. It is for a terminal that is too narrow
// for the diagram.
func (e *env) showList(id oid.ID) error {
	f := oid.Inspect(id)
	now, before2018 := readings(f)
	row := func(color, name, value string) {
		fmt.Fprintf(e.out, "%s%s\n", e.color.in(color, fmt.Sprintf("%-9s", name)), value)
	}
	h := id.Hex()
	fmt.Fprintln(e.out, e.color.in(cyan, h[:8])+e.color.in(yellow, h[8:18])+e.color.in(green, h[18:]))
	row(cyan, "time", formatTime(f.Time))
	row(cyan, "local", formatTime(f.Time.In(e.zone)))
	row(cyan, "age", formatAge(f.Time, e.now.In(e.zone)))
	row(yellow, "process", now)
	row(yellow, "", before2018)
	row(green, "counter", thousands(int64(f.Counter))+" of 16,777,215")
	if id.IsZero() {
		row(dim, "note", zeroNote)
	}
	return e.out.WriteByte('\n')
}

// showLine prints the parts of an ID on one line.
func (e *env) showLine(id oid.ID) error {
	f := oid.Inspect(id)
	_, err := fmt.Fprintf(e.out, "%s  %s  %x  %8d\n", id, formatTime(f.Time.In(e.zone)), f.Process, f.Counter)
	return err
}

// inspected is the JSON of an ID.
type inspected struct {
	ID         oid.ID    `json:"id"`
	Time       time.Time `json:"time"`  // UTC
	Local      time.Time `json:"local"` // in the zone asked for
	AgeSeconds int64     `json:"age_seconds"`
	Process    string    `json:"process"`
	Machine    string    `json:"machine"`
	PID        uint16    `json:"pid"`
	Counter    uint32    `json:"counter"`
}

func (e *env) showJSON(id oid.ID) error {
	f := oid.Inspect(id)
	machine := f.Machine()
	return e.printJSON(inspected{
		ID:         id,
		Time:       f.Time,
		Local:      f.Time.In(e.zone),
		AgeSeconds: e.now.Unix() - f.Time.Unix(),
		Process:    hex.EncodeToString(f.Process[:]),
		Machine:    hex.EncodeToString(machine[:]),
		PID:        f.PID(),
		Counter:    f.Counter,
	})
}
