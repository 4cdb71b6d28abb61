// Package cmdline is what the commands have in common: how they run and complete, and their
// options for input, output and times.
package cmdline

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/urfave/cli/v3"
)

// An Env holds the output and settings of a command.
type Env struct {
	*cli.Command
	Out   *bufio.Writer // on standard output; its first error ends the command
	Color screen.Palette
	JSON  bool
	Zone  *time.Location // to read and show times in
	Now   time.Time

	refused error // see Refuse
}

// AnyNumber is the most arguments of a command that takes any number of them.
const AnyNumber = math.MaxInt

// Action makes the action of a command that takes from least to most arguments. The
// function prepare reads the arguments and options, and returns what the command does then.
func Action(least, most int, prepare func(e *Env) (work func() error)) cli.ActionFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		e := &Env{
			Command: cmd,
			Out:     bufio.NewWriterSize(os.Stdout, 64<<10),
			Color:   screen.NewPalette(os.Stdout),
			JSON:    cmd.Bool("json"),
		}
		zone, err := times.Zone(e.String("zone"))
		if err != nil {
			e.Refuse(fmt.Errorf("--zone %s is not a time zone: want UTC, local, an offset such as +05:30, or a name such as Europe/Berlin", format.Quote(e.String("zone"))))
			zone = time.UTC // prepare reads times too
		}
		e.Zone, e.Now = zone, time.Now().In(zone)
		if n := e.NArg(); n < least || n > most {
			e.Refuse(fmt.Errorf("%s given, want %s", format.Plural(int64(n), "argument"), cmp.Or(e.ArgsUsage, "none")))
		}
		work := prepare(e)
		if e.refused != nil {
			return usage{fmt.Errorf("%s: %w", e.FullName(), e.refused)}
		}
		err = work()
		if err = cmp.Or(e.Out.Flush(), err); err != nil {
			return fmt.Errorf("%s: %w", e.FullName(), err)
		}
		return nil
	}
}

// Refuse notes an error in the arguments and options. The first that isn't nil ends the
// command before its work.
func (e *Env) Refuse(err error) { e.refused = cmp.Or(e.refused, err) }

// NotBoth refuses two options that are both given.
func (e *Env) NotBoth(one, other string) {
	given := func(name string) bool { return e.IsSet(name) && e.Value(name) != false }
	if given(one) && given(other) {
		e.Refuse(fmt.Errorf("--%s and --%s are both given: want one of them", one, other))
	}
}

// Print makes the action of a command that prints a text, or with --json a value.
func Print(what func(cmd *cli.Command) (text string, value any)) cli.ActionFunc {
	return Action(0, 0, func(e *Env) func() error {
		return func() error {
			if text, value := what(e.Command); e.JSON {
				e.PrintJSON(value)
			} else {
				e.Out.WriteString(text)
			}
			return nil
		}
	})
}

// report prints an error or a note, after the output, and the command continues.
func (e *Env) report(err error) {
	if e.Out.Flush() == nil { // otherwise, its error ends the command
		fmt.Fprintln(os.Stderr, screen.Printable(fmt.Sprintf("%s: %v", e.FullName(), err)))
	}
}

// PrintJSON prints v as JSON on one line.
func (e *Env) PrintJSON(v any) {
	encoder := json.NewEncoder(e.Out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(v)
}
