package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func filterCommand() *cli.Command {
	return &cli.Command{
		Name:      "filter",
		Usage:     "print the lines whose IDs were made between two moments",
		ArgsUsage: "[FILE…]",
		Description: `Prints the lines that hold an ID made from --from until before --to:

  oid filter --from 3d server.log
  oid filter --from 2026-03 --to 2026-04 --column id orders.csv
  oid filter --only --to 2026 dump.sql           the IDs, not the lines

` + textHelp + `
The header is printed first. The zero ID means no ID, and never fits.

` + times.Help,
		Flags:  append(append(windowFlags(), &cli.BoolFlag{Name: "only", Usage: "print the IDs, one per line"}), readingFlags()...),
		Action: action(0, anyNumber, runFilter),
	}
}

// windowFlags are the options that select IDs made between two moments.
func windowFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "leave out IDs made before `TIME`"},
		&cli.StringFlag{Name: "to", Usage: "leave out IDs made at `TIME` or later"},
	}
}

// window returns the function that reports whether --from and --to select an ID.
func (e *env) window(cmd *cli.Command) (keep func(oid.ID) bool, err error) {
	span, err := e.between("--from", cmd.String("from"), "--to", cmd.String("to"))
	lo, hi := oid.MinAt(span.From), oid.Until(span.To)
	endless := !cmd.IsSet("to") // no bound is above the greatest ID
	return func(id oid.ID) bool { return lo.Compare(id) <= 0 && (endless || id.Compare(hi) < 0) }, err
}

func runFilter(e *env, cmd *cli.Command) error {
	if !cmd.IsSet("from") && !cmd.IsSet("to") {
		return errors.New("--from and --to are missing: want one of them, or both")
	}
	inWindow, err := e.window(cmd)
	if err != nil {
		return err
	}
	keep := func(id oid.ID) bool { return !id.IsZero() && inWindow(id) }
	r, err := e.reader(cmd, true)
	if err != nil {
		return err
	}
	if e.json || cmd.Bool("only") {
		return r.EachID(func(id oid.ID) error {
			switch {
			case !keep(id):
				return nil
			case e.json:
				return e.printJSON(plainJSON(id))
			}
			_, err := fmt.Fprintln(e.out, id)
			return err
		})
	}
	var header []byte
	return r.EachLine(func(l *input.Line) error {
		newHeader := l.Header && !bytes.Equal(header, l.Text)
		if newHeader {
			header = bytes.Clone(l.Text)
		}
		if !newHeader && !slices.ContainsFunc(l.IDs, func(m input.Match) bool { return keep(m.ID) }) {
			return nil
		}
		_, err := e.out.Write(l.Text)
		return err
	})
}
