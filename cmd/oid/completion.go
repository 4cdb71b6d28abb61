package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// configureCompletion makes the library's command for completion scripts one of
// ours.
func configureCompletion(cmd *cli.Command) {
	cmd.Hidden = false
	cmd.ArgsUsage = "bash|zsh|fish|pwsh"
	cmd.Usage = "print the script that completes commands and options in a shell"
	cmd.Description = `For this shell, and for all to come:

  source <(oid completion bash)      put that line into ~/.bashrc
  source <(oid completion zsh)       put that line into ~/.zshrc
  oid completion fish > ~/.config/fish/completions/oid.fish
  oid completion pwsh > oid.ps1      and run it in $PROFILE`
	cmd.OnUsageError = usageError
	cmd.HideHelpCommand = true
	cmd.Action = func(_ context.Context, cmd *cli.Command) error {
		if !cmd.Args().Present() {
			return cli.ShowSubcommandHelp(cmd)
		}
		return fmt.Errorf("oid completion: %s is not a shell: want bash, zsh, fish or pwsh", quote(cmd.Args().First()))
	}
	for _, shell := range cmd.Commands {
		shell.OnUsageError = usageError
		if shell.Name == "bash" {
			script := shell.Action
			shell.Action = func(ctx context.Context, cmd *cli.Command) error {
				fmt.Fprint(cmd.Root().Writer, bashFallback)
				return script(ctx, cmd)
			}
		}
	}
}

// bashFallback stands in for the one function that the script takes from the
// package bash-completion, where that isn't installed or loaded. If it is loaded
// later, its own takes the place of this one.
const bashFallback = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
  words=("${COMP_WORDS[@]}")
  cword=$COMP_CWORD
  cur=${words[cword]}
  prev=${words[cword > 0 ? cword - 1 : 0]}
}
`

// complete prints what can follow: options with as many dashes as were typed, and
// commands otherwise. The library's own knows options with two dashes only.
func complete(ctx context.Context, cmd *cli.Command) {
	args := cmd.Args().Slice()
	if len(args) == 0 || !strings.HasPrefix(args[len(args)-1], "-") {
		cli.DefaultCompleteWithFlags(ctx, cmd)
		return
	}
	typed := args[len(args)-1]
	for _, f := range append(cmd.VisibleFlags(), cmd.VisiblePersistentFlags()...) {
		for _, name := range f.Names() {
			name = "-" + name
			if strings.HasPrefix(typed, "--") {
				name = "-" + name
			}
			if usage, ok := f.(cli.DocGenerationFlag); ok && strings.HasPrefix(name, typed) {
				fmt.Fprintf(cmd.Root().Writer, "%s:%s\n", name, strings.ReplaceAll(usage.GetUsage(), "`", ""))
			}
		}
	}
}
