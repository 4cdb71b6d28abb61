package main

import (
	"embed"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
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
	cmd.Description = `For this shell, and for all later ones:

  source <(oid completion bash)      put that line into ~/.bashrc
  source <(oid completion zsh)       put that line into ~/.zshrc
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
