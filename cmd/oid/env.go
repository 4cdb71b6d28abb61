package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/urfave/cli/v3"
)

// env holds the input, output and settings of a command.
type env struct {
	name   string // of the command
	out    *bufio.Writer
	stdout *os.File
	errs   io.Writer
	color  screen.Palette
	json   bool
	zone   *time.Location // to read and show times in
	now    time.Time
}

// anyNumber is the most arguments of a command that takes any number of them.
const anyNumber = math.MaxInt

// action makes the action of a command that takes from least to most arguments. The
// function prepare reads the arguments and options, and its error is one of their use. It
// returns what the command does then.
func action(least, most int, prepare func(e *env, cmd *cli.Command) (work func() error, err error)) cli.ActionFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		e := &env{
			name:   cmd.FullName(),
			out:    bufio.NewWriterSize(os.Stdout, 64<<10),
			stdout: os.Stdout,
			errs:   os.Stderr,
			color:  screen.NewPalette(os.Stdout),
			json:   cmd.Bool("json"),
			now:    time.Now(),
		}
		var work func() error
		err := e.check(cmd, least, most)
		if err == nil {
			work, err = prepare(e, cmd)
		}
		if err != nil {
			return usage{fmt.Errorf("%s: %w", e.name, err)}
		}
		err = work()
		if flushErr := e.out.Flush(); err == nil {
			err = flushErr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		return nil
	}
}

// check sets the zone, and returns an error unless cmd has from least to most arguments.
func (e *env) check(cmd *cli.Command, least, most int) error {
	if err := e.setZone(cmd.String("zone")); err != nil {
		return err
	}
	n := cmd.NArg()
	if least <= n && n <= most {
		return nil
	}
	return fmt.Errorf("%s given, want %s", format.Plural(int64(n), "argument"), cmp.Or(cmd.ArgsUsage, "none"))
}

// setZone sets the zone that --zone names.
func (e *env) setZone(name string) error {
	switch {
	case name == "" || strings.EqualFold(name, "local"):
		e.zone = time.Local
		return nil
	case strings.EqualFold(name, "utc"):
		name = "UTC"
	}
	zone, err := times.Zone(name)
	if err != nil {
		return fmt.Errorf("--zone %s is not a time zone: want UTC, local, an offset such as +05:30, or a name such as Europe/Berlin", format.Quote(name))
	}
	e.zone = zone
	e.now = e.now.In(zone)
	return nil
}

// time returns the time that s names. In errors, what names the argument.
func (e *env) time(what, s string, now time.Time) (times.Span, error) {
	span, err := times.Parse(s, now.In(e.zone))
	if err != nil {
		return span, fmt.Errorf("%s %w", what, err)
	}
	return span, nil
}

// between returns the span from the start of one time until that of another. Either may be
// "": then its end of the span is the zero time. A + in to counts from the start.
func (e *env) between(fromName, from, toName, to string) (span times.Span, err error) {
	now := e.now
	if from != "" {
		first, err := e.time(fromName, from, now)
		if err != nil {
			return span, err
		}
		span.From = first.From
	}
	if to == "" {
		return span, nil
	}
	if from != "" && strings.HasPrefix(to, "+") {
		now = span.From
	}
	last, err := e.time(toName, to, now)
	if err == nil && !span.From.Before(last.From) {
		err = fmt.Errorf("%s %s is not before %s %s", fromName, format.Time(span.From), toName, format.Time(last.From))
	}
	span.To = last.From
	return span, err
}

// report prints an error or a note after which the command continues.
func (e *env) report(err error) {
	fmt.Fprintln(e.errs, screen.Printable(fmt.Sprintf("%s: %v", e.name, err)))
}

// printJSON prints v as JSON on one line.
func (e *env) printJSON(v any) error {
	encoder := json.NewEncoder(e.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
