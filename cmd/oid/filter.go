package main

import (
	"bytes"
	"errors"
	"slices"

	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
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

` + textHelp + `
The header is printed too. The zero ID means "no ID", and never matches. The
exit status is 1 if it finds no line, as with grep, or after bad input.

` + times.Help,
		Flags: append(append(windowFlags(), &cli.BoolFlag{Name: "only", Usage: "print the IDs, one per line"},
			&cli.BoolFlag{Name: "invert", Usage: "print the other lines or IDs"}), readingFlags()...),
		Action: action(0, anyNumber, runFilter),
	}
}

// windowFlags are the options that select IDs made between two moments.
func windowFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "leave out IDs created before `TIME`"},
		&cli.StringFlag{Name: "to", Usage: "leave out IDs created at `TIME` or later"},
	}
}

// window returns the function that reports whether --from and --to select an ID.
func (e *env) window(cmd *cli.Command) (keep func(oid.ID) bool, err error) {
	span, err := e.between("--from", cmd.String("from"), "--to", cmd.String("to"))
	lo, hi := oid.MinAt(span.From), oid.Until(span.To)
	endless := !cmd.IsSet("to") // no bound is above the greatest ID
	return func(id oid.ID) bool { return lo.Compare(id) <= 0 && (endless || id.Compare(hi) < 0) }, err
}

func runFilter(e *env, cmd *cli.Command) (func() error, error) {
	if !cmd.IsSet("from") && !cmd.IsSet("to") {
		return nil, errors.New("--from and --to are missing: want one of them, or both")
	}
	inWindow, err := e.window(cmd)
	if err != nil {
		return nil, err
	}
	r, err := e.reader(cmd, true)
	if err != nil {
		return nil, err
	}
	f := filter{env: e, invert: cmd.Bool("invert"), keep: func(id oid.ID) bool { return !id.IsZero() && inWindow(id) }}
	use := f.line
	if e.json || cmd.Bool("only") {
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
	*env
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
		if f.json {
			if err := f.printJSON(plainJSON(m.ID)); err != nil {
				return err
			}
		} else if _, err := f.out.WriteString(m.ID.Hex() + "\n"); err != nil {
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
	_, err := f.out.Write(l.Text)
	return err
}
