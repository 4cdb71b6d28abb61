package main

import (
	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/urfave/cli/v3"
)

func sqlCommand() *cli.Command {
	print := func(name, usage string, script func() string) *cli.Command {
		return &cli.Command{
			Name:   name,
			Usage:  usage,
			Action: cmdline.Print(func(*cli.Command) (string, any) { return script(), map[string]string{"sql": script()} }),
		}
	}
	return &cli.Command{
		Name:  "sql",
		Usage: "print the SQL functions for IDs, for a migration tool",
		Description: `Prints what sqltype.PostgresSchema and sqltype.MySQLSchema return in Go. Run
the script with a migration tool or a shell. You can run it several times.

  oid sql postgres | psql
  oid sql mysql > 0001_objectid.up.sql`,
		Commands: []*cli.Command{
			print("postgres", "a domain and functions for PostgreSQL", sqltype.PostgresSchema),
			print("mysql", "functions for MariaDB and MySQL", sqltype.MySQLSchema),
		},
	}
}
