package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/odds"
	"github.com/urfave/cli/v3"
)

func oddsCommand() *cli.Command {
	return &cli.Command{
		Name:  "odds",
		Usage: "compute the chance that two processes make the same ID",
		Description: `One process never makes an ID twice. Between processes it is a matter of chance:
each process draws 40 random bits. Two processes that draw the same bits make the
same ID once they reach the same counter value in the same second.

  oid odds --processes 1000 --rate 100 --years 10
  oid odds --processes 100k --rate 1
  oid odds --derive --ids 1M

If your processes restart often, count one process for each start. The figure is
then too high, because only processes that run at the same time can collide.

--derive is for oid.Derive, which hashes the parts of a row to 64 bits.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "processes", Usage: "`N` processes make IDs at the same time (required)"},
			&cli.StringFlag{Name: "rate", Usage: "each makes `R` IDs per second", DefaultText: "1"},
			&cli.StringFlag{Name: "years", Usage: "for `Y` years", DefaultText: "1"},
			&cli.StringFlag{Name: "seconds", Usage: "for `S` seconds, in place of years"},
			&cli.StringFlag{Name: "process-bits", Usage: "each process draws `B` random bits; 24 is the host layout of drivers before 2018", DefaultText: "40"},
			&cli.StringFlag{Name: "counter-bits", Usage: "the counter has `B` bits", DefaultText: "24"},
			&cli.BoolFlag{Name: "derive", Usage: "the chance that two derived IDs are the same"},
			&cli.StringFlag{Name: "ids", Usage: "with --derive: `N` IDs have the same second", DefaultText: "1M"},
		},
		Action: action(noArguments, runOdds),
	}
}

func runOdds(e *env, cmd *cli.Command) error {
	if cmd.IsSet("seconds") && cmd.IsSet("years") {
		return errors.New("--years and --seconds are both given: want one of them")
	}
	if cmd.Bool("derive") {
		return e.deriveOdds(cmd)
	}
	if cmd.IsSet("ids") {
		return errors.New("--ids is for --derive; here it is --processes times --rate times --years")
	}
	if !cmd.IsSet("processes") {
		return errors.New("--processes is missing: say how many processes make IDs")
	}
	processes, err := parseCount(cmd.String("processes"))
	if err != nil {
		return fmt.Errorf("--processes %w", err)
	}
	f := odds.Fleet{Processes: float64(processes), Rate: 1, Seconds: odds.YearSeconds}
	for _, bits := range []struct {
		name  string
		value *int
		none  int
	}{{"process-bits", &f.ProcessBits, odds.ProcessBits}, {"counter-bits", &f.CounterBits, odds.CounterBits}} {
		*bits.value = bits.none
		if !cmd.IsSet(bits.name) {
			continue
		}
		n, err := parseCount(cmd.String(bits.name))
		if err != nil {
			return fmt.Errorf("--%s %w", bits.name, err)
		}
		if n > 64 {
			return fmt.Errorf("--%s %s is above 64", bits.name, quote(cmd.String(bits.name)))
		}
		*bits.value = int(n)
	}
	if err := e.positive(cmd, "rate", &f.Rate); err != nil {
		return err
	}
	if most := int64(1) << f.CounterBits; f.CounterBits < 63 && f.Rate > float64(most) {
		return fmt.Errorf("--rate %s is above %s: no process can make more IDs in a second", quote(cmd.String("rate")), thousands(most))
	}
	if f.Seconds, err = e.duration(cmd, f.Seconds); err != nil {
		return err
	}
	r := f.Odds()
	years := f.Seconds / odds.YearSeconds
	if e.json {
		return e.printJSON(oddsJSON{processes, f.Rate, years, r.IDs, r.SameProcess, r.Meet, r.Collision, r.Repeats})
	}

	e.printf("%s, %s per second each, for %s: %s IDs\n\n",
		plural(float64(processes), "process", "processes"), plural(f.Rate, "ID", "IDs"), span(cmd, f.Seconds), number(r.IDs))
	e.oddsRow("two of them draw the same process value", r.SameProcess)
	e.oddsRow("two with the same value make the same ID", r.Meet)
	e.oddsRow("an ID comes twice, anywhere", r.Collision)
	overlap := "(2R-1)"
	if f.Rate < 1 {
		overlap = "R²"
	}
	value := fmt.Sprintf("2^-%d", f.ProcessBits)
	e.printf("\n%s\n  %s\n  %s\n  %s\n", e.color.in(dim, "with N processes, R IDs per second, T seconds:"),
		"same value   1 - (1 - "+value+")^(N(N-1)/2)",
		fmt.Sprintf("same ID      1 - (1 - %s/2^%d)^T", overlap, f.CounterBits),
		"comes twice  1 - (1 - same ID × "+value+")^(N(N-1)/2)")
	return nil
}

// deriveOdds prints the chance that two IDs of oid.Derive are the same.
func (e *env) deriveOdds(cmd *cli.Command) error {
	for _, name := range []string{"processes", "rate", "process-bits", "counter-bits"} {
		if cmd.IsSet(name) {
			return fmt.Errorf("--%s has no meaning with --derive: derived IDs have no process and no counter", name)
		}
	}
	perSecond := int64(1_000_000)
	var err error
	if cmd.IsSet("ids") {
		if perSecond, err = parseCount(cmd.String("ids")); err != nil {
			return fmt.Errorf("--ids %w", err)
		}
	}
	seconds, err := e.duration(cmd, 1)
	if err != nil {
		return err
	}
	p := odds.Derived(float64(perSecond), seconds)
	if e.json {
		return e.printJSON(deriveJSON{perSecond, seconds, float64(perSecond) * seconds, p})
	}
	if seconds == 1 {
		e.printf("%s derived for one second\n\n", plural(float64(perSecond), "ID", "IDs"))
	} else {
		e.printf("%s derived per second, for %s: %s IDs\n\n",
			plural(float64(perSecond), "ID", "IDs"), span(cmd, seconds), number(float64(perSecond)*seconds))
	}
	e.oddsRow("two of them are the same", p)
	e.printf("\n%s\n  %s\n", e.color.in(dim, "with N IDs of one second, and T such seconds:"),
		"the same     1 - (1 - 2^-64)^(T N(N-1)/2), about T N²/2^65")
	return nil
}

// oddsRow prints a chance with its name.
func (e *env) oddsRow(name string, p float64) {
	share := percent(p)
	line := fmt.Sprintf("  %-48s %s", name, e.color.in(cyan, share))
	if one := oneIn(p); one != "" {
		line += strings.Repeat(" ", max(12-len(share), 2)) + one
	}
	e.printf("%s\n", line)
}

// positive reads the option name, if it is given, into value.
func (e *env) positive(cmd *cli.Command, name string, value *float64) (err error) {
	if !cmd.IsSet(name) {
		return nil
	}
	if *value, err = parseAbove(cmd.String(name)); err != nil {
		return fmt.Errorf("--%s %w", name, err)
	}
	return nil
}

// duration returns the seconds that --years or --seconds name.
func (e *env) duration(cmd *cli.Command, seconds float64) (float64, error) {
	for _, unit := range []struct {
		name    string
		seconds float64
	}{{"seconds", 1}, {"years", odds.YearSeconds}} {
		if !cmd.IsSet(unit.name) {
			continue
		}
		if err := e.positive(cmd, unit.name, &seconds); err != nil {
			return 0, err
		}
		if seconds > 1e15 {
			return 0, fmt.Errorf("--%s %s is above 1e15", unit.name, quote(cmd.String(unit.name)))
		}
		seconds *= unit.seconds
	}
	return seconds, nil
}

// span returns seconds as text, in the unit that cmd's options use.
func span(cmd *cli.Command, seconds float64) string {
	if cmd.IsSet("seconds") {
		return plural(seconds, "second", "seconds")
	}
	return plural(seconds/odds.YearSeconds, "year", "years")
}

// oddsJSON is the JSON of the command.
type oddsJSON struct {
	Processes   int64   `json:"processes"`
	Rate        float64 `json:"rate"`
	Years       float64 `json:"years"`
	IDs         float64 `json:"ids"`
	SameProcess float64 `json:"same_process"`
	Meet        float64 `json:"same_id_given_same_process"`
	Collision   float64 `json:"collision"`
	Repeats     float64 `json:"expected_repeats"`
}

// deriveJSON is the JSON of the command with --derive.
type deriveJSON struct {
	PerSecond int64   `json:"ids_per_second"`
	Seconds   float64 `json:"seconds"`
	IDs       float64 `json:"ids"`
	Collision float64 `json:"collision"`
}
