// Command oid makes and reads ObjectIds on the command line:
//
//	go install github.com/oidkit/oidkit/cmd/oid@latest
//
//	oid new -n 3                          # three ids
//	oid inspect 65b3f7a20123456789abcdef  # what is in an id
//	oid range 2026-03-01 2026-04-01       # the bounds of March, as ready queries
//	mongoexport … | oid histogram         # when these were created, as a chart
//	oid odds -processes 1000 -rate 100    # the chance of a collision
//
// Every command explains itself with -h, prints JSON with -json, and on bad input
// ends with status 1 and one line that says what is wrong.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // -zone works where the system has no zones

	"github.com/urfave/cli/v3"
)

func main() {
	describe := cli.FlagStringer
	cli.FlagStringer = func(f cli.Flag) string { // one dash before every option
		return strings.ReplaceAll(describe(f), "--", "-")
	}
	err := root().Run(context.Background(), os.Args)
	if err == nil || errors.Is(err, syscall.EPIPE) { // on Unix, SIGPIPE came first
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// root returns the command line with all commands.
func root() *cli.Command {
	cmd := &cli.Command{
		Name:    "oid",
		Usage:   "make and read ObjectIds",
		Version: version(),
		Description: `An ObjectId is 12 bytes: 4 of seconds since 1970, 5 that tell processes
apart, 3 of a counter. It sorts by creation time, and holds it:

  oid new -n 3
  oid inspect 65b3f7a20123456789abcdef
  oid range 2026-03-01 2026-04-01
  mongoexport -d shop -c orders | oid histogram
  oid odds -processes 1000 -rate 100 -years 10

oid COMMAND -h explains a command.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON, one value a line"},
			&cli.StringFlag{Name: "zone", Usage: "read and show times in `ZONE`: UTC, or a name as Europe/Berlin", DefaultText: "the local zone"},
		},
		Commands:                        []*cli.Command{newCommand(), inspectCommand(), rangeCommand(), histogramCommand(), oddsCommand()},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: configureCompletion,
		HideHelpCommand:                 true,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {}, // main prints it
		OnUsageError:                    usageError,
		ShellComplete:                   complete,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if !cmd.Args().Present() {
				return cli.ShowRootCommandHelp(cmd)
			}
			return fmt.Errorf("oid: %s is not a command: want new, inspect, range, histogram, odds or completion", quote(cmd.Args().First()))
		},
	}
	for _, c := range cmd.Commands {
		c.OnUsageError = usageError
		c.ShellComplete = complete
	}
	return cmd
}

// usageError says in one line what is wrong with an option.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	problem := err.Error()
	if name, ok := strings.CutPrefix(problem, "flag provided but not defined: "); ok {
		problem = "there is no option " + name
	} else if name, ok := strings.CutPrefix(problem, "flag needs an argument: "); ok {
		problem = name + " needs a value"
	}
	return fmt.Errorf("%s: %s (%s -h shows the options)", cmd.FullName(), problem, cmd.FullName())
}

// version returns the version of the module that the binary was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// env is what a command works with.
type env struct {
	name   string // of the command
	in     io.Reader
	out    *bufio.Writer
	stdout *os.File
	errs   io.Writer
	colour palette
	json   bool
	zone   *time.Location // to read and show times in
	now    time.Time
}

// action makes the action of a command that takes least to most arguments.
func action(least, most int, run func(e *env, cmd *cli.Command) error) cli.ActionFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		e := &env{
			name:   cmd.FullName(),
			in:     os.Stdin,
			out:    bufio.NewWriterSize(os.Stdout, 64<<10),
			stdout: os.Stdout,
			errs:   os.Stderr,
			colour: newPalette(os.Stdout),
			json:   cmd.Bool("json"),
			zone:   time.Local,
			now:    time.Now(),
		}
		err := e.run(least, most, run, cmd)
		if flushErr := e.out.Flush(); err == nil {
			err = flushErr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		return nil
	}
}

func (e *env) run(least, most int, run func(e *env, cmd *cli.Command) error, cmd *cli.Command) error {
	if n := cmd.NArg(); n < least || n > most {
		want := cmd.ArgsUsage
		if want == "" {
			want = "none"
		}
		return fmt.Errorf("%s given, want %s", plural(float64(n), "argument", "arguments"), want)
	}
	if name := cmd.String("zone"); name != "" && !strings.EqualFold(name, "local") {
		if strings.EqualFold(name, "utc") {
			name = "UTC"
		}
		zone, err := time.LoadLocation(name)
		if err != nil {
			return fmt.Errorf("-zone %s is not a time zone: want UTC, local or a name as Europe/Berlin", quote(name))
		}
		e.zone = zone
	}
	return run(e, cmd)
}

// time parses s; what names the argument in errors.
func (e *env) time(what, s string) (time.Time, error) {
	t, err := parseTime(s, e.now.In(e.zone))
	if err != nil {
		return t, fmt.Errorf("%s %w", what, err)
	}
	return t, nil
}

// printJSON prints v on a line.
func (e *env) printJSON(v any) error {
	encoder := json.NewEncoder(e.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// hintAtTerminal tells who types the input where it ends.
func (e *env) hintAtTerminal() {
	if isTerminal(e.in) {
		fmt.Fprintln(e.errs, "reading ids from the terminal; Ctrl-D on an empty line ends them")
	}
}
