package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/query"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/urfave/cli/v3"
)

// The scripts ask the parser what can follow. They are not the parser's own: its script for
// bash evaluates the words of the line, so that a Tab after "oid convert a > b" empties b.
//
//go:embed completion
var completionScripts embed.FS

// completionCommand makes the parser's command print our scripts.
func completionCommand(cmd *cli.Command) {
	cmd.Usage = "print the script that completes words in a shell"
	cmd.Hidden = false
	cmd.HideHelpCommand = true
	cmd.ShellComplete = complete
	cmd.OnUsageError = usageError
	cmd.Description = `For this shell, and for all later ones:

  source <(oid completion bash)      put that line into ~/.bashrc
  source <(oid completion zsh)       put that line into ~/.zshrc
  oid completion fish > ~/.config/fish/completions/oid.fish
  oid completion pwsh > ~/oid.ps1    put ". ~/oid.ps1" into $PROFILE`
	cmd.Action = func(_ context.Context, cmd *cli.Command) error { return notACommand(cmd) }
	for _, shell := range cmd.Commands {
		shell.Usage = "print the script for " + shell.Name
		shell.OnUsageError = usageError
		shell.Action = action(0, 0, func(e *env, cmd *cli.Command) (func() error, error) {
			script, err := completionScripts.ReadFile("completion/oid." + cmd.Name)
			return func() error {
				_, err := e.out.Write(script)
				return err
			}, err
		})
	}
}

// complete prints what can follow: the values of the option before the cursor, or the
// commands and options that the parser knows. Without either, the shell completes files.
func complete(ctx context.Context, cmd *cli.Command) {
	before := os.Args[len(os.Args)-2] // the last argument is the parser's own option
	moments := []string{"now", "today", "yesterday"}
	values := map[string][]string{
		"as": query.Names(), "by": times.UnitNames(), "input": ids.Names(true), "process": {"random", "host"}, "separator": {"tab"},
		"zone": {"UTC", "local"}, "at": moments, "from": moments, "to": moments,
	}
	if cmd.Name == "new" || cmd.Name == "convert" {
		values["to"] = ids.Names(false)
	}
	option := strings.TrimLeft(before, "-")
	if words := values[option]; option != before && words != nil {
		fmt.Fprintln(cmd.Root().Writer, strings.Join(words, "\n"))
		return
	}
	cli.DefaultCompleteWithFlags(ctx, cmd)
}
