package main

import (
	"context"
	"fmt"

	"github.com/oidkit/oidkit/sqltype"
	"github.com/urfave/cli/v3"
)

func sqlCommand() *cli.Command {
	print := func(name, usage string, script func() string) *cli.Command {
		return &cli.Command{
			Name:         name,
			Usage:        usage,
			OnUsageError: usageError,
			Action: action(0, 0, func(e *env, _ *cli.Command) (func() error, error) {
				return func() error {
					if e.json {
						return e.printJSON(map[string]string{"sql": script()})
					}
					fmt.Fprint(e.out, script())
					return nil // Flush reports any write error
				}, nil
			}),
		}
	}
	return &cli.Command{
		Name:  "sql",
		Usage: "print the SQL functions for IDs, for a migration tool",
		Description: `Prints what sqltype.PostgresSchema and sqltype.MySQLSchema return in Go. Run
the script with a migration tool or a shell. You can run it several times.

  oid sql postgres | psql
  oid sql mysql > 0001_objectid.up.sql`,
		HideHelpCommand: true,
		Commands: []*cli.Command{
			print("postgres", "a domain and functions for PostgreSQL", sqltype.PostgresSchema),
			print("mysql", "functions for MariaDB and MySQL", sqltype.MySQLSchema),
		},
		Action: func(_ context.Context, cmd *cli.Command) error { return notACommand(cmd) },
	}
}
