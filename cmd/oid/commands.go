package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

// root returns the command line with all commands.
func root() *cli.Command {
	cmd := &cli.Command{
		Name:    "oid",
		Usage:   "make and read ObjectIds",
		Version: version(debug.ReadBuildInfo()),
		Description: `An ObjectId is 12 bytes: 4 bytes of time, 5 random bytes per process, and a
3-byte counter. ObjectIds sort by creation time.

  oid inspect 65b3f7a20123456789abcdef
  oid range 2026-03
  oid filter --from 3d --column id orders.csv

oid help COMMAND explains a command.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON, one value per line"},
			&cli.StringFlag{Name: "zone", Usage: "read and show times in `ZONE`, such as UTC", DefaultText: "local"},
		},
		Commands: []*cli.Command{
			newCommand(), inspectCommand(), convertCommand(), rangeCommand(), filterCommand(), histogramCommand(), sqlCommand(), versionCommand(),
		},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: completionCommand,
		ShellComplete:                   complete,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {}, // main prints it
		OnUsageError:                    usageError,
	}
	cmd.Action = func(_ context.Context, cmd *cli.Command) error {
		if !cmd.Args().Present() {
			return cli.ShowRootCommandHelp(cmd)
		}
		return notACommand(cmd)
	}
	for _, c := range cmd.Commands {
		c.OnUsageError = usageError
		c.ShellComplete = complete
		c.HideHelpCommand = true
	}
	return cmd
}

// versionCommand prints what --version prints.
func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version of oid",
		Action: action(0, 0, func(e *env, cmd *cli.Command) (func() error, error) {
			return func() error {
				if e.json {
					return e.printJSON(map[string]string{"version": cmd.Root().Version})
				}
				fmt.Fprintln(e.out, "oid version", cmd.Root().Version)
				return nil // Flush reports any write error
			}, nil
		}),
	}
}

// version returns the version of the module that the binary was built from.
func version(info *debug.BuildInfo, ok bool) string {
	if ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
