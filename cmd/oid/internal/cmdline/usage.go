package cmdline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/urfave/cli/v3"
)

// usage is an error in the use of the command line: in its arguments and options.
type usage struct{ error }

// Status prints an error of the command line, and returns the exit status.
func Status(err error) int {
	if err == nil {
		return 0
	}
	if !errors.Is(err, input.ErrReported) {
		fmt.Fprintln(os.Stderr, screen.Printable(err.Error()))
	}
	if errors.As(err, new(usage)) {
		return 2
	}
	return 1
}

// SetUp lets a command, and those below it, complete words and describe wrong ones.
func SetUp(cmd *cli.Command) *cli.Command {
	cmd.ShellComplete = complete
	cmd.OnUsageError = usageError
	if len(cmd.Commands) > 0 && cmd.Action == nil {
		cmd.Action = notACommand
	}
	if len(cmd.Commands) == 0 {
		cmd.CommandNotFound = func(_ context.Context, cmd *cli.Command, _ string) { // -h beside an argument
			cli.HelpPrinter(cmd.Root().Writer, cli.CommandHelpTemplate, cmd)
		}
	}
	for _, c := range cmd.Commands {
		c.HideHelpCommand = true
		SetUp(c)
	}
	return cmd
}

// notACommand returns the error for an argument that names no command of cmd. Without one,
// the root prints its help.
func notACommand(_ context.Context, cmd *cli.Command) error {
	if cmd.Root() == cmd && !cmd.Args().Present() {
		return cli.ShowRootCommandHelp(cmd)
	}
	return usage{fmt.Errorf("%s: %w", cmd.FullName(), NotACommand(cmd, cmd.Args().First()))}
}

// NotACommand returns the error for a name that is not a command of cmd.
func NotACommand(cmd *cli.Command, given string) error {
	var names []string
	for _, c := range cmd.Commands {
		names = append(names, c.Name)
	}
	want := "want " + strings.Join(names, ", ")
	if near := cli.SuggestCommand(cmd.Commands, given); isNear(given, near) {
		want = "did you mean " + near + "?"
	}
	return fmt.Errorf("%s is not a command: %s", format.Quote(given), want)
}

// isNear reports whether a name that the parser suggests is not too far from what was given.
func isNear(given, name string) bool {
	n := len(given) - len(name)
	return len(given) > 3 && -2 <= n && n <= 2 && given[0] == name[0]
}

// usageError describes in one line what is wrong with an option.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	problem := err.Error()
	if name, ok := strings.CutPrefix(problem, "flag provided but not defined: -"); ok {
		dashes := min(utf8.RuneCountInString(name), 2)
		problem = "there is no option " + format.Quote("--"[:dashes]+name)
		if near, ok := strings.CutPrefix(cli.SuggestFlag(cmd.Flags, name, true), "--"); ok && isNear(name, near) {
			problem += ": did you mean --" + near + "?"
		}
	} else if name, ok := strings.CutPrefix(problem, "flag needs an argument: "); ok {
		problem = name + " needs a value"
	}
	return usage{fmt.Errorf("%s: %s (%s -h shows the options)", cmd.FullName(), problem, cmd.FullName())}
}
