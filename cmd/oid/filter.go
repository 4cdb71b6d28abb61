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

func runFilter(e *cmdline.Env) (func() error, error) {
	if !e.IsSet("from") && !e.IsSet("to") {
		return nil, errors.New("--from and --to are missing: want one of them, or both")
	}
	inWindow, err := e.Window()
	if err != nil {
		return nil, err
	}
	r, err := e.Reader(true)
	if err != nil {
		return nil, err
	}
	f := filter{Env: e, invert: e.Bool("invert"), keep: func(id oid.ID) bool { return !id.IsZero() && inWindow(id) }}
	use := f.line
	if e.JSON || e.Bool("only") {
		use, r.Pieces = f.ids, true
	}
	return func() error {
		if err := r.Each(use); err != nil {
			return err
		}
		if !f.found {
			return input.ErrReported // as grep, it needs no words for that
		}
		return nil
	}, nil
}

// A filter prints what fits, or with invert what doesn't.
type filter struct {
	*cmdline.Env
	keep   func(oid.ID) bool
	invert bool
	header []byte // that was printed last
	found  bool
}

// ids prints the IDs of a line that fit.
func (f *filter) ids(l *input.Line) error {
	for _, m := range l.IDs {
		if f.keep(m.ID) == f.invert {
			continue
		}
		f.found = true
		if f.JSON {
			if err := f.PrintJSON(cmdline.PlainJSON(m.ID)); err != nil {
				return err
			}
		} else if _, err := f.Out.WriteString(m.ID.Hex() + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// line prints a line that has an ID that fits.
func (f *filter) line(l *input.Line) error {
	fits := slices.ContainsFunc(l.IDs, func(m input.Match) bool { return f.keep(m.ID) }) != f.invert
	if l.Header {
		if fits = !bytes.Equal(f.header, l.Text); fits {
			f.header = bytes.Clone(l.Text)
		}
	}
	if !fits {
		return nil
	}
	f.found = f.found || !l.Header
	_, err := f.Out.Write(l.Text)
	return err
}
