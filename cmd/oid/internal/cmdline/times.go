package cmdline

import (
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

// TimeHelp is the part on times in the help of a command.
const TimeHelp = `Times: 2026, 2026-Q1, 2026-03, 2026-W09, 2026-03-01, "2026-03-01 15:04",
2026-03-01T15:04:05Z, today, yesterday, now, @1772323200 for seconds since
1970, and 36h, 7d or 2w for the time that long ago. A time without an
offset is in the zone of --zone.`

// Time returns the time that s names. In errors, what names the argument.
func (e *Env) Time(what, s string, now time.Time) times.Span {
	span, err := times.Parse(s, now)
	if err != nil {
		e.Refuse(fmt.Errorf("%s %w", what, err))
	}
	return span
}

// between returns the span from the start of one time until that of another. Either may be
// "": then its end of the span is the zero time. A + in to counts from the start.
func (e *Env) between(fromName, from, toName, to string) (span times.Span) {
	now := e.Now
	if from != "" {
		span.From = e.Time(fromName, from, now).From
	}
	if to == "" {
		return span
	}
	if from != "" && strings.HasPrefix(to, "+") {
		now = span.From
	}
	span.To = e.Time(toName, to, now).From
	if !span.From.Before(span.To) {
		e.Refuse(fmt.Errorf("%s %s is not before %s %s", fromName, format.Time(span.From), toName, format.Time(span.To)))
	}
	return span
}

// Span returns the span that one or two arguments name.
func (e *Env) Span() times.Span {
	if e.NArg() == 1 {
		span := e.Time("SPAN", e.Args().First(), e.Now)
		if span.From.Equal(span.To) { // such as +1h
			e.Refuse(fmt.Errorf("SPAN %s is one moment: want FROM and TO", format.Quote(e.Args().First())))
		}
		return span
	}
	return e.between("FROM", e.Args().Get(0), "TO", e.Args().Get(1))
}

// TimeFlag is an option that is a time.
func TimeFlag(name, usage, none string) cli.Flag {
	return Words(&cli.StringFlag{Name: name, Usage: usage, DefaultText: none}, "now", "today", "yesterday")
}

// WindowFlags are the options that select IDs made between two moments.
func WindowFlags() []cli.Flag {
	return []cli.Flag{
		TimeFlag("from", "leave out IDs created before `TIME`", ""),
		TimeFlag("to", "leave out IDs created at `TIME` or later", ""),
	}
}

// Window returns the function that reports whether --from and --to select an ID.
func (e *Env) Window() (keep func(oid.ID) bool) {
	span := e.between("--from", e.String("from"), "--to", e.String("to"))
	lo, hi := oid.MinAt(span.From), oid.Until(span.To)
	endless := !e.IsSet("to") // no bound is above the greatest ID
	return func(id oid.ID) bool { return lo.Compare(id) <= 0 && (endless || id.Compare(hi) < 0) }
}
