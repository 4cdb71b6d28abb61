// Command oid makes and reads ObjectIds on the command line:
//
//	go install github.com/oidkit/oidkit/cmd/oid@latest
//
//	oid new -n 3                            # three IDs
//	oid inspect 65b3f7a20123456789abcdef    # what is in an ID
//	oid convert --to uuid ids.txt           # the same IDs in another form
//	oid range 2026-03                       # the bounds of March, and queries to copy
//	oid filter --from 36h server.log        # the lines with IDs of the last 36 hours
//	oid filter --from 7d --column id a.csv  # the rows with IDs of the last week
//	oid histogram server.log                # a chart of the creation times
//	oid sql postgres                        # the SQL functions, for a migration
//
// Every command prints its help with -h, JSON with --json, and errors on stderr. The
// exit status is 1 after a bad ID or file, and if a command finds nothing. The exit status is
// 2 after a usage error, such as an unknown option.
package main

import (
	"context"
	"os"
	"runtime/debug"
	_ "time/tzdata" // --zone works where the system has no zones

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/urfave/cli/v3"
)

func main() { os.Exit(cmdline.Status(root().Run(context.Background(), os.Args))) }

// root returns the command line with all commands.
func root() *cli.Command {
	return cmdline.SetUp(&cli.Command{
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
			cmdline.Words(&cli.StringFlag{Name: "zone", Usage: "read and show times in `ZONE`, such as UTC", DefaultText: "local"}, "UTC", "local"),
		},
		Commands: []*cli.Command{
			newCommand(), inspectCommand(), convertCommand(), rangeCommand(), filterCommand(), histogramCommand(), sqlCommand(), versionCommand(), helpCommand(),
		},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: completionCommand,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {}, // main prints it
	})
}

// versionCommand prints what --version prints.
func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version of oid",
		Action: cmdline.Print(func(cmd *cli.Command) (string, any) {
			v := cmd.Root().Version
			return "oid version " + v + "\n", map[string]string{"version": v}
		}),
	}
}

// helpCommand prints the help that -h prints. Unlike the parser's own, it has -h too, and
// describes a wrong command.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Aliases:   []string{"h"},
		Usage:     "print the help of oid, or of a command",
		ArgsUsage: "[COMMAND]",
		Description: `After a command, -h prints the same help.

  oid help inspect
  oid inspect -h`,
		Action: cmdline.Action(0, 1, func(e *cmdline.Env) func() error {
			name := e.Args().First()
			if name == "" {
				return func() error { return cli.ShowRootCommandHelp(e.Root()) }
			}
			if e.Root().Command(name) == nil {
				e.Refuse(cmdline.NotACommand(e.Root(), name))
			}
			return func() error { return cli.ShowCommandHelp(context.Background(), e.Root(), name) }
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
