package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "show what is in ids",
		ArgsUsage: "[ID…]",
		Description: `Shows the parts of each id, with its creation time. Ids come as arguments, or one
a line on standard input; ObjectId("…"), \x… and {"$oid":"…"} are fine too:

  oid inspect 65b3f7a20123456789abcdef
  oid new -n 3 | oid inspect -line
  oid inspect -json < ids.txt | jq .time

The middle five bytes are random in ids of today. In ids made before 2018 they
are three bytes of the machine and two of the process id; nothing in an id says
which, so both readings are shown.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "line", Usage: "print one line an id: id, local time, process, counter"},
		},
		Action: action(0, math.MaxInt, runInspect),
	}
}

func runInspect(e *env, cmd *cli.Command) error {
	show := e.showDiagram
	switch {
	case e.json:
		show = e.showJSON
	case cmd.Bool("line"):
		show = e.showLine
	}
	if cmd.NArg() > 0 {
		for _, arg := range cmd.Args().Slice() {
			id, err := findID(arg)
			if err != nil {
				return err
			}
			if err := show(id); err != nil {
				return err
			}
		}
		return nil
	}
	return e.inspectLines(show)
}

// inspectLines shows the ids on standard input, one a line.
func (e *env) inspectLines(show func(oid.ID) error) error {
	e.hintAtTerminal()
	progress := newProgress(e.errs, !isTerminal(e.stdout) && !isTerminal(e.in), 0)
	defer progress.clear()
	lines := bufio.NewScanner(e.in)
	lines.Buffer(make([]byte, 64<<10), 64<<10)
	n, line := int64(0), int64(0)
	for lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		id, err := findID(text)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if err := show(id); err != nil {
			return err
		}
		n++
		if n%4096 == 0 {
			progress.at(n)
		}
		if isTerminal(e.in) { // who types wants to see each answer
			if err := e.out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than 65,536 bytes: want an id a line", line+1)
	} else if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("no ids: give them as arguments, or one a line on standard input")
	}
	return nil
}

// findID returns the one id in s. Its error is that of s as a bare id.
func findID(s string) (oid.ID, error) {
	id, parseErr := oid.Parse(s)
	if parseErr == nil {
		return id, nil
	}
	n := 0
	err := scan(strings.NewReader(s), func(found oid.ID) { id = found; n++ }, func() {})
	switch {
	case err != nil:
		return oid.ID{}, err
	case n == 1:
		return id, nil
	case n > 1:
		return oid.ID{}, fmt.Errorf("%s holds %d ids, want one", quote(s), n)
	}
	var bad *oid.SyntaxError
	if errors.As(parseErr, &bad) {
		return oid.ID{}, fmt.Errorf("%s is not an id: %s", quote(s), bad.Problem)
	}
	return oid.ID{}, parseErr
}

// showDiagram prints an id taken apart.
func (e *env) showDiagram(id oid.ID) error {
	f := oid.Inspect(id)
	machine := f.Machine()
	h := id.Hex()
	created := f.Time.In(e.zone)
	c := e.colour
	label := func(colour, name, value string) string { return c.in(colour, fmt.Sprintf("%-9s", name)) + value }
	rows := []string{
		c.in(cyan, h[:8]) + " " + c.in(yellow, h[8:18]) + " " + c.in(green, h[18:]),
		c.in(cyan, "╰──┬───╯") + " " + c.in(yellow, "╰───┬────╯") + " " + c.in(green, "╰─┬──╯"),
		"   " + c.in(cyan, "│") + "         " + c.in(yellow, "│") + "        " + c.in(green, "╰─ ") +
			label(green, "counter", fmt.Sprintf("%s of 16,777,215", thousands(int64(f.Counter)))),
		"   " + c.in(cyan, "│") + "         " + c.in(yellow, "╰────────── ") +
			label(yellow, "process", hex.EncodeToString(f.Process[:])+", random as drivers make it today, or"),
		"   " + c.in(cyan, "│") + "                     " +
			label(yellow, "", fmt.Sprintf("machine %s, pid %d as before 2018", hex.EncodeToString(machine[:]), f.PID())),
		"   " + c.in(cyan, "╰──────────────────── ") + label(cyan, "time", formatTime(f.Time)),
		"                         " + label(cyan, "local", formatTime(created)),
		"                         " + label(cyan, "age", formatAge(f.Time, e.now)),
	}
	if id.IsZero() {
		rows = append(rows, "                         "+label(dim, "note", "the zero id: it means no id"))
	}
	_, err := fmt.Fprintf(e.out, "%s\n\n", strings.Join(rows, "\n"))
	return err
}

// showLine prints an id on a line.
func (e *env) showLine(id oid.ID) error {
	f := oid.Inspect(id)
	_, err := fmt.Fprintf(e.out, "%s  %s  %x  %8d\n", id, formatTime(f.Time.In(e.zone)), f.Process, f.Counter)
	return err
}

// inspected is the JSON of an id.
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
