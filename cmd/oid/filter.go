package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func filterCommand() *cli.Command {
	return &cli.Command{
		Name:      "filter",
		Usage:     "pass on the lines whose IDs were made between two moments",
		ArgsUsage: "[FILE…]",
		Description: `Reads any text from files or standard input (also: -), and passes on the lines that
hold an ID made from --from until before --to:

  oid filter --from "3 days ago" server.log
  mongoexport -d shop -c orders | oid filter --from 2026-03 --to 2026-04
  oid filter --only --to "1 year ago" dump.sql        the IDs, not the lines

An ID is 24 hex digits with no letter or digit next to them. The zero ID
means no ID, and is never passed on.

` + timesHelp,
		Flags: append(windowFlags(),
			&cli.BoolFlag{Name: "only", Usage: "print the IDs, one per line, not the lines that hold them"},
			inputFlag(),
		),
		Action: action(anyArguments, runFilter),
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
	var from, to time.Time
	for _, option := range []struct {
		name string
		at   *time.Time
	}{{"from", &from}, {"to", &to}} {
		if cmd.IsSet(option.name) {
			m, err := e.moment("--"+option.name, cmd.String(option.name))
			if err != nil {
				return nil, err
			}
			*option.at = m.at
		}
	}
	endless := !cmd.IsSet("to") // no bound is above the greatest ID
	if !endless && !from.Before(to) {
		return nil, fmt.Errorf("--from %s is not before --to %s", formatTime(from), formatTime(to))
	}
	lo, hi := oid.MinAt(from), oid.Until(to)
	return func(id oid.ID) bool { return lo.Compare(id) <= 0 && (endless || id.Compare(hi) < 0) }, nil
}

func runFilter(e *env, cmd *cli.Command) error {
	if !cmd.IsSet("from") && !cmd.IsSet("to") {
		return errors.New("--from and --to are missing: want one of them, or both")
	}
	keep, err := e.window(cmd)
	if err != nil {
		return err
	}
	f, err := e.scanForm(cmd)
	if err != nil {
		return err
	}
	filter := &filter{e: e, form: f, keep: func(id oid.ID) bool { return !id.IsZero() && keep(id) }, only: cmd.Bool("only") || e.json, most: longestFiltered}
	if err := e.eachText(cmd, f, filter.text); err != nil {
		return err
	}
	if !filter.seen {
		return errors.New(noIDs)
	}
	return nil
}

// scanForm returns the form of the IDs that are looked for in a text.
func (e *env) scanForm(cmd *cli.Command) (*form, error) {
	f, err := inputForm(cmd)
	if f == nil {
		f = formNamed("hex")
	}
	return f, err
}

// eachText calls read with the files of the arguments, or with standard input.
func (e *env) eachText(cmd *cli.Command, f *form, read func(in *input) error) error {
	args := cmd.Args().Slice()
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, arg := range args {
		in, err := e.open(arg, f)
		if err != nil {
			return err
		}
		err = read(in)
		in.Close()
		if err != nil {
			return in.named(err)
		}
	}
	return nil
}

// A filter passes on lines.
type filter struct {
	e    *env
	form *form
	keep func(oid.ID) bool
	only bool
	seen bool // an ID
	most int  // bytes of a line, which is held in memory
}

// longestFiltered bounds the length of a line.
const longestFiltered = 64 << 20

func (f *filter) text(in *input) error {
	if f.only || f.form.raw() {
		return scan(in, f.form, func(id oid.ID) error {
			f.seen = true
			if !f.keep(id) {
				return nil
			}
			if f.e.json {
				return f.e.printJSON(plainJSON(id))
			}
			if !f.only { // raw bytes
				_, err := f.e.out.Write(id[:])
				return err
			}
			_, err := fmt.Fprintln(f.e.out, id)
			return err
		}, func() {})
	}
	lines := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for n := int64(1); ; n++ {
		line = line[:0]
		var err error
		for more := true; more; {
			var part []byte
			part, err = lines.ReadSlice('\n')
			more = err == bufio.ErrBufferFull
			if line = append(line, part...); len(line) > f.most {
				return fmt.Errorf("line %d is longer than %s bytes", n, thousands(int64(f.most)))
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		kept := false
		s := scanner{form: f.form}
		found := func(id oid.ID) error {
			f.seen = true
			kept = kept || f.keep(id)
			return nil
		}
		s.write(line, found) // found never fails
		s.end(found)
		if kept {
			if _, err := f.e.out.Write(line); err != nil {
				return err
			}
			if isTerminal(in.source) {
				if err := f.e.out.Flush(); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
