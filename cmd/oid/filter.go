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
		Description: `Prints the lines with an ID that was created at --from or later, before --to:

  oid filter --from 3d server.log
  oid filter --from 2026-03 --to 2026-04 --column id orders.csv
  oid filter --only --to 2026 dump.sql           the IDs, not the lines
  oid filter --invert --to 2026 dump.sql         the other lines

` + cmdline.TextHelp + `
The header is printed too. The zero ID means "no ID", and never matches. The
exit status is 1 if it finds no line, as with grep, or after bad input.

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
	inWindow, r := e.Window(), e.Reader(true)
	f := filter{Env: e, invert: e.Bool("invert"), keep: func(id oid.ID) bool { return !id.IsZero() && inWindow(id) }}
	return func() (err error) {
		if e.JSON || e.Bool("only") {
			err = r.EachID(f.id)
		} else {
			err = r.Each(f.line)
		}
		if err == nil && !f.found {
			return input.ErrReported // as grep, it needs no words for that
		}
		return err
	}
}

// A filter prints what fits, or with invert what doesn't.
type filter struct {
	*cmdline.Env
	keep   func(oid.ID) bool
	invert bool
	header []byte // that was printed last
	found  bool
}

// id prints an ID that fits.
func (f *filter) id(id oid.ID) {
	if f.keep(id) == f.invert {
		return
	}
	f.found = true
	if f.JSON {
		f.PrintJSON(cmdline.PlainJSON(id))
	} else {
		f.Out.WriteString(id.Hex() + "\n")
	}
}

// line prints a line that has an ID that fits, and each header once.
func (f *filter) line(l *input.Line) {
	if l.Header {
		if !bytes.Equal(f.header, l.Text) {
			f.header = bytes.Clone(l.Text)
			f.Out.Write(l.Text)
		}
	} else if slices.ContainsFunc(l.IDs, func(m input.Match) bool { return f.keep(m.ID) }) != f.invert {
		f.found = true
		f.Out.Write(l.Text)
	}
}
