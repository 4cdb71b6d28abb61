package main

import (
	"bytes"
	"errors"
	"slices"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func filterCommand() *cli.Command {
	return &cli.Command{
		Name:      "filter",
		Usage:     "print the lines whose IDs were created in a range of time",
		ArgsUsage: "[FILE…]",
		Description: `Prints the lines with an ID created at --from or later, and before --to:

  oid filter --from 3d server.log
  oid filter --from 2026-03 --to 2026-04 --column id orders.csv
  oid filter --only --to 2026 dump.sql           the IDs, not the lines
  oid filter --invert --to 2026 dump.sql         the other lines

` + cmdline.TextHelp + `
The header of a table is printed too, except with --only or --json. The zero
ID means "no ID", and never matches. The exit status is 1 if nothing is found
(as with grep), or after bad input.

` + cmdline.TimeHelp,
		Flags: append(append(cmdline.WindowFlags(), &cli.BoolFlag{Name: "only", Usage: "print the IDs, one per line"},
			&cli.BoolFlag{Name: "invert", Usage: "print the other lines or IDs"}), cmdline.ReadingFlags()...),
		Action: cmdline.Action(0, cmdline.AnyNumber, runFilter),
	}
}

func runFilter(e *cmdline.Env) func() error {
	if !e.IsSet("from") && !e.IsSet("to") {
		e.Refuse(errors.New("--from and --to are missing: want one of them, or both"))
	}
	r, inWindow, invert := e.Reader(true), e.Window(), e.Bool("invert")
	found := false
	fits := func(id oid.ID) bool { return !id.IsZero() && inWindow(id) }
	printID := func(id oid.ID) {
		if fits(id) == invert {
			return
		}
		found = true
		if e.JSON {
			e.PrintJSON(cmdline.PlainJSON(id))
		} else {
			e.Out.WriteString(id.Hex() + "\n")
		}
	}
	var header []byte // that was printed last
	printLine := func(l *input.Line) {
		if l.Header {
			if !bytes.Equal(header, l.Text) {
				header = bytes.Clone(l.Text)
				e.Out.Write(header)
			}
		} else if slices.ContainsFunc(l.IDs, func(m input.Match) bool { return fits(m.ID) }) != invert {
			found = true
			e.Out.Write(l.Text)
		}
	}
	return func() (err error) {
		if e.JSON || e.Bool("only") {
			err = r.EachID(printID)
		} else {
			err = r.Each(printLine)
		}
		if err == nil && !found {
			return input.ErrReported // as grep, it needs no words for that
		}
		return err
	}
}
