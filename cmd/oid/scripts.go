package main

import (
	"embed"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/urfave/cli/v3"
)

// sqlCommand prints the scripts for databases.
func sqlCommand() *cli.Command {
	print := func(name, usage string, script func() string) *cli.Command {
		action := cmdline.Print(func(*cli.Command) (string, any) { return script(), map[string]string{"sql": script()} })
		return &cli.Command{Name: name, Usage: usage, Action: action}
	}
	return &cli.Command{
		Name:      "sql",
		Usage:     "print the SQL functions for IDs, for a migration tool",
		UsageText: "oid sql COMMAND",
		Description: `Prints the SQL that the Go functions sqltype.PostgresSchema and
sqltype.MySQLSchema return. Run the SQL with a migration tool, psql or mysql.
You can run it several times.

  oid sql postgres | psql
  oid sql mysql > 0001_objectid.up.sql`,
		Commands: []*cli.Command{
			print("postgres", "a domain and functions for PostgreSQL", sqltype.PostgresSchema),
			print("mysql", "functions for MariaDB and MySQL", sqltype.MySQLSchema),
		},
	}
}

// The scripts for shells ask the parser which words can follow on the line. The parser's own
// scripts are not used. Its script for bash evaluates the words before the cursor, so a Tab
// after "oid convert a > b " would overwrite b.
//
//go:embed completion
var completionScripts embed.FS

// completionCommand makes the parser's command print our scripts.
func completionCommand(cmd *cli.Command) {
	cmd.Usage = "print the script that completes words in a shell"
	cmd.UsageText = "oid completion COMMAND"
	cmd.Hidden = false
	cmd.HideHelpCommand = true
	cmd.Description = `Bash and zsh read the script at each start. Put one of these lines into
the file that your shell reads:

  source <(oid completion bash)   put this line into ~/.bashrc
  source <(oid completion zsh)    put this line into ~/.zshrc, after compinit

For fish and PowerShell, save the script once:

  oid completion fish > ~/.config/fish/completions/oid.fish
  oid completion pwsh > ~/oid.ps1    put ". ~/oid.ps1" into $PROFILE`
	cmd.Action = nil
	for _, shell := range cmd.Commands {
		shell.Usage = "print the script for " + shell.Name
		shell.Action = cmdline.Print(func(cmd *cli.Command) (string, any) {
			script, _ := completionScripts.ReadFile("completion/oid." + cmd.Name) // there is one for each shell
			return string(script), map[string]string{"script": string(script)}
		})
	}
	cmdline.SetUp(cmd)
}
