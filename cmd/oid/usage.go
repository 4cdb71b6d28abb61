package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/urfave/cli/v3"
)

// notACommand is the error for the argument that names no command of cmd.
func notACommand(cmd *cli.Command) error {
	var names []string
	for _, c := range cmd.Commands {
		names = append(names, c.Name)
	}
	return fmt.Errorf("%s: %s is not a command: want %s", cmd.FullName(), format.Quote(cmd.Args().First()), strings.Join(names, ", "))
}

// usageError describes in one line what is wrong with an option.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	problem := err.Error()
	if name, ok := strings.CutPrefix(problem, "flag provided but not defined: -"); ok {
		dashes := "--"
		if len([]rune(name)) == 1 {
			dashes = "-"
		}
		problem = "there is no option " + format.Quote(dashes+name)
	} else if name, ok := strings.CutPrefix(problem, "flag needs an argument: "); ok {
		problem = name + " needs a value"
	}
	return fmt.Errorf("%s: %s (%s -h shows the options)", cmd.FullName(), problem, cmd.FullName())
}
