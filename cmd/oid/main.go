// Command oid makes and reads ObjectIDs on the command line:
//
//	go install github.com/oidkit/oidkit/cmd/oid@latest
//
//	oid new -n 3                          # three IDs
//	oid inspect 65b3f7a20123456789abcdef  # what is in an ID
//	oid convert --to uuid ids.txt         # the same IDs in another form
//	oid range 2026-03                     # the bounds of March, and ready queries
//	oid filter --from 36h server.log      # the lines with IDs of the last 36 hours
//	oid histogram server.log              # a chart of when they were made
//	oid odds --processes 1000 --rate 100  # the chance of a collision
//
// Every command prints its help with -h and JSON with --json. On bad input it reports
// the error on stderr, and exits with status 1.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // --zone works where the system has no zones

	"github.com/urfave/cli/v3"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == completeCommand {
		complete(os.Stdout, os.Args[2:])
		return
	}
	err := root().Run(context.Background(), os.Args)
	if err == nil || errors.Is(err, syscall.EPIPE) { // on Unix, SIGPIPE came first
		return
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintln(os.Stderr, printable(err.Error()))
	}
	os.Exit(1)
}

// root returns the command line with all commands.
func root() *cli.Command {
	cmd := &cli.Command{
		Name:    "oid",
		Usage:   "make and read ObjectIDs",
		Version: version(),
		Description: `An ObjectId is 12 bytes: 4 of seconds since 1970, 5 that tell processes
apart, 3 of a counter. It sorts by creation time, and holds it:

  oid new -n 3
  oid inspect 65b3f7a20123456789abcdef
  oid convert --to uuid 65b3f7a20123456789abcdef
  oid range 2026-03
  mongoexport -d shop -c orders | oid histogram
  oid filter --from "3 days ago" server.log
  oid odds --processes 1000 --rate 100 --years 10

oid help COMMAND explains a command, and oid help times the times that it takes.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON, one value per line"},
			&cli.StringFlag{Name: "zone", Usage: "read and show times in `ZONE`: UTC, or a name such as Europe/Berlin", DefaultText: "the local zone"},
		},
		Commands: []*cli.Command{
			newCommand(), inspectCommand(), convertCommand(), nextCommand(), prevCommand(), rangeCommand(), filterCommand(),
			histogramCommand(), oddsCommand(), completionCommand(), helpCommand(), versionCommand(),
		},
		HideHelpCommand: true,                                          // ours has topics too, and a command reads a file called h
		ExitErrHandler:  func(context.Context, *cli.Command, error) {}, // main prints it
		OnUsageError:    usageError,
	}
	cmd.Action = func(_ context.Context, cmd *cli.Command) error {
		if !cmd.Args().Present() {
			return cli.ShowRootCommandHelp(cmd)
		}
		return notACommand(cmd, cmd.Args().First())
	}
	for _, c := range cmd.Commands {
		c.OnUsageError = usageError
	}
	return cmd
}

// notACommand is the error for a name that no command has.
func notACommand(root *cli.Command, name string) error {
	var names []string
	for _, c := range root.Commands {
		names = append(names, c.Name)
	}
	return fmt.Errorf("oid: %s is not a command: want %s", quote(name), strings.Join(names, ", "))
}

// usageError describes in one line what is wrong with an option.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	problem := err.Error()
	if name, ok := strings.CutPrefix(problem, "flag provided but not defined: -"); ok {
		dashes := "--"
		if len([]rune(name)) == 1 {
			dashes = "-"
		}
		problem = "there is no option " + quote(dashes+name)
	} else if name, ok := strings.CutPrefix(problem, "flag needs an argument: "); ok {
		problem = name + " needs a value"
	}
	return fmt.Errorf("%s: %s (%s -h shows the options)", cmd.FullName(), problem, cmd.FullName())
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "explain a command, or the times that commands take",
		ArgsUsage: "[COMMAND|times]",
		Description: `Explains a command, or the times that commands take:

  oid help range
  oid help times`,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			root := cmd.Root()
			name := cmd.Args().First()
			switch {
			case cmd.NArg() > 1:
				return fmt.Errorf("oid help: %d arguments given, want a command or times", cmd.NArg())
			case name == "":
				return cli.ShowRootCommandHelp(root)
			case name == "times":
				if _, err := io.WriteString(os.Stdout, timesTopic); err != nil {
					return fmt.Errorf("oid help: %w", err)
				}
				return nil
			case root.Command(name) == nil:
				return notACommand(root, name)
			}
			return cli.ShowCommandHelp(ctx, root, name)
		},
	}
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Description: `Prints the version:

  oid version
  oid version --json`,
		Action: action(noArguments, func(e *env, _ *cli.Command) error {
			if e.json {
				return e.printJSON(struct {
					Version string `json:"version"`
					Go      string `json:"go"`
				}{version(), runtime.Version()})
			}
			fmt.Fprintln(e.out, "oid version "+version())
			return nil // Flush reports any write error
		}),
	}
}

// version returns the version of the module that the binary was built from.
func version() string { return versionIn(debug.ReadBuildInfo()) }

func versionIn(info *debug.BuildInfo, ok bool) string {
	if ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// env holds the input, output and settings of a command.
type env struct {
	name    string // of the command
	out     *bufio.Writer
	stdout  *os.File
	errs    io.Writer
	color   palette
	unicode bool // the locale has more than ASCII
	json    bool
	zone    *time.Location // to read and show times in
	now     time.Time
}

// An arity is how many arguments a command takes.
type arity struct{ least, most int }

var (
	noArguments   = arity{0, 0}
	anyArguments  = arity{0, math.MaxInt}
	spanArguments = arity{1, 2}
)

// action makes the action of a command that takes so many arguments.
func action(takes arity, run func(e *env, cmd *cli.Command) error) cli.ActionFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		e := &env{
			name:    cmd.FullName(),
			out:     bufio.NewWriterSize(os.Stdout, 64<<10),
			stdout:  os.Stdout,
			errs:    os.Stderr,
			color:   newPalette(os.Stdout),
			unicode: showsUnicode(),
			json:    cmd.Bool("json"),
			zone:    time.Local,
			now:     time.Now(),
		}
		err := e.run(takes, run, cmd)
		if flushErr := e.out.Flush(); err == nil {
			err = flushErr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		return nil
	}
}

// afterNumber matches arguments after which the parser finds no options.
var afterNumber = regexp.MustCompile(`^-[^\pL-]`)

func (e *env) run(takes arity, run func(e *env, cmd *cli.Command) error, cmd *cli.Command) error {
	if n := cmd.NArg(); n < takes.least || n > takes.most {
		want := cmd.ArgsUsage
		if want == "" {
			want = "none"
		}
		hint := ""
		for _, arg := range cmd.Args().Slice()[:max(n-1, 0)] {
			if afterNumber.MatchString(arg) { // the parser reads everything after it as arguments
				hint = fmt.Sprintf(" (options come before %s)", quote(arg))
			}
		}
		return fmt.Errorf("%s given, want %s%s", plural(float64(n), "argument", "arguments"), want, hint)
	}
	if name := cmd.String("zone"); name != "" && !strings.EqualFold(name, "local") {
		if strings.EqualFold(name, "utc") {
			name = "UTC"
		}
		zone, err := time.LoadLocation(name)
		if err != nil {
			return fmt.Errorf("--zone %s is not a time zone: want UTC, local or a name such as Europe/Berlin", quote(name))
		}
		e.zone = zone
	}
	return run(e, cmd)
}

// report prints an error after which the command continues.
func (e *env) report(err error) {
	fmt.Fprintln(e.errs, printable(fmt.Sprintf("%s: %v", e.name, err)))
}

// moment returns the moment that s names. In errors, what names the argument.
func (e *env) moment(what, s string) (moment, error) { return e.momentSince(what, s, e.now) }

// momentSince is moment with another now.
func (e *env) momentSince(what, s string, now time.Time) (moment, error) {
	m, err := parseMoment(s, now.In(e.zone))
	if err != nil {
		return moment{}, fmt.Errorf("%s %w", what, err)
	}
	if m.note != "" {
		e.report(fmt.Errorf("note: %s: %s", what, m.note))
	}
	return m, nil
}

// printJSON prints v as JSON on one line.
func (e *env) printJSON(v any) error {
	encoder := json.NewEncoder(e.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// printf prints text in characters that the locale can show.
func (e *env) printf(format string, args ...any) {
	e.out.WriteString(e.drawn(fmt.Sprintf(format, args...)))
}
