package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/oidkit/oidkit/internal/odds"
	"github.com/urfave/cli/v3"
)

func oddsCommand() *cli.Command {
	return &cli.Command{
		Name:  "odds",
		Usage: "compute the chance that two processes make the same id",
		Description: `Within a process no id comes twice. Between processes that is a matter of chance:
each draws 40 random bits. Two that draw the same make the same id once they reach
the same counter value in the same second.

  oid odds -processes 1000 -rate 100 -years 10
  oid odds -processes 100k -rate 1

Count a process for each start in that time if yours restart often: the figure is
then too high, as only processes that run at the same time can collide.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "processes", Usage: "`N` processes that make ids at the same time (required)"},
			&cli.StringFlag{Name: "rate", Usage: "each makes `R` ids a second", DefaultText: "1"},
			&cli.StringFlag{Name: "years", Usage: "for `Y` years", DefaultText: "1"},
		},
		Action: action(0, 0, runOdds),
	}
}

func runOdds(e *env, cmd *cli.Command) error {
	if !cmd.IsSet("processes") {
		return errors.New("-processes is missing: say how many processes make ids")
	}
	processes, err := parseCount(cmd.String("processes"))
	if err != nil {
		return fmt.Errorf("-processes %w", err)
	}
	rate, years := 1.0, 1.0
	for _, option := range []struct {
		name  string
		value *float64
	}{{"rate", &rate}, {"years", &years}} {
		if !cmd.IsSet(option.name) {
			continue
		}
		if *option.value, err = parseAbove(cmd.String(option.name)); err != nil {
			return fmt.Errorf("-%s %w", option.name, err)
		}
	}
	if rate > 1<<24 {
		return fmt.Errorf("-rate %s is above 16,777,216: no process can make more ids in a second", quote(cmd.String("rate")))
	}
	if years > 1e15 {
		return fmt.Errorf("-years %s is above 1e15", quote(cmd.String("years")))
	}
	r := odds.Fleet{Processes: float64(processes), Rate: rate, Seconds: years * odds.YearSeconds}.Odds()
	if e.json {
		return e.printJSON(oddsJSON{processes, rate, years, r.Ids, r.SameProcess, r.Meet, r.Collision, r.Repeats})
	}

	c := e.colour
	fmt.Fprintf(e.out, "%s, %s ids a second each, for %s: %s ids\n\n",
		plural(float64(processes), "process", "processes"), number(rate), plural(years, "year", "years"), number(r.Ids))
	row := func(name string, p float64) {
		fmt.Fprintf(e.out, "  %-48s %s  %s\n", name, c.in(cyan, fmt.Sprintf("%-10s", percent(p))), oneIn(p))
	}
	row("two of them draw the same process value", r.SameProcess)
	row("two with the same value make the same id", r.Meet)
	row("an id comes twice, anywhere", r.Collision)
	overlap := "(2R-1)"
	if rate < 1 {
		overlap = "R²"
	}
	fmt.Fprintf(e.out, "\n%s\n  %s\n  %s\n  %s\n", c.in(dim, "with N processes, R ids a second, T seconds:"),
		"same value   1 - (1 - 2^-40)^(N(N-1)/2)",
		"same id      1 - (1 - "+overlap+"/2^24)^T",
		"comes twice  1 - (1 - same id × 2^-40)^(N(N-1)/2)")
	return nil
}

// oddsJSON is the JSON of the command.
type oddsJSON struct {
	Processes   int64   `json:"processes"`
	Rate        float64 `json:"rate"`
	Years       float64 `json:"years"`
	Ids         float64 `json:"ids"`
	SameProcess float64 `json:"same_process"`
	Meet        float64 `json:"same_id_given_same_process"`
	Collision   float64 `json:"collision"`
	Repeats     float64 `json:"expected_repeats"`
}

// number returns x with three digits, and commas or a power of ten where it is
// large.
func number(x float64) string {
	switch {
	case x >= 1e15:
		return power(x)
	case x >= 1000 || x == math.Trunc(x):
		return thousands(int64(math.Round(x)))
	}
	return fmt.Sprintf("%.3g", x)
}

// power returns x as 1.23 × 10^45.
func power(x float64) string {
	mantissa, exponent, _ := strings.Cut(fmt.Sprintf("%.2e", x), "e")
	return mantissa + " × 10^" + strings.TrimLeft(exponent, "+0")
}

// plural returns n of what.
func plural(n float64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// percent returns the chance p in percent.
func percent(p float64) string {
	switch {
	case p == 0:
		return "0 %"
	case p > 0.9999 && p < 1:
		return "> 99.99 %"
	}
	return fmt.Sprintf("%.3g %%", 100*p)
}

// oneIn returns the chance p as one in so many.
func oneIn(p float64) string {
	switch {
	case p == 0:
		return "never"
	case p > 0.5:
		return ""
	case 1/p >= 1e15:
		return "1 in " + power(1/p)
	}
	return "1 in " + number(math.Round(1/p))
}
