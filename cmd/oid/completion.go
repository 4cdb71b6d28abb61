package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// The scripts run oid __complete, which prints the words that can follow.
//
//go:embed completion
var completionScripts embed.FS

// shells are the shells that have a script.
var shells = []string{"bash", "zsh", "fish", "pwsh"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the script that completes commands, options and values in a shell",
		ArgsUsage: "bash|zsh|fish|pwsh",
		Description: `For this shell, and for all to come:

  source <(oid completion bash)      put that line into ~/.bashrc
  source <(oid completion zsh)       put that line into ~/.zshrc, after compinit
  oid completion fish > ~/.config/fish/completions/oid.fish
  oid completion pwsh > oid.ps1      and run it in $PROFILE`,
		Action: func(_ context.Context, cmd *cli.Command) error {
			switch shell := cmd.Args().First(); {
			case cmd.NArg() > 1:
				return fmt.Errorf("oid completion: %d arguments given, want %s", cmd.NArg(), cmd.ArgsUsage)
			case shell == "":
				return cli.ShowCommandHelp(context.Background(), cmd.Root(), "completion")
			case !slices.Contains(shells, shell):
				return fmt.Errorf("oid completion: %s is not a shell: want bash, zsh, fish or pwsh", quote(shell))
			default:
				script, _ := completionScripts.ReadFile("completion/oid." + shell) // it is there
				if _, err := os.Stdout.Write(script); err != nil {
					return fmt.Errorf("oid completion: %w", err)
				}
				return nil
			}
		},
	}
}

// completeCommand is the command that the scripts run. Its first argument is = followed
// by the word at the cursor. The others are the words before it, without oid.
const completeCommand = "__complete"

// A candidate is a text that can complete a word.
type candidate struct{ word, about string }

// complete prints the candidates for the word at the cursor, one per line, with a tab
// before the description. If it prints none, the shell completes names of files.
func complete(w io.Writer, args []string) {
	if len(args) == 0 {
		return
	}
	word := strings.TrimPrefix(args[0], "=")
	for _, c := range candidates(args[1:], word) {
		fmt.Fprintf(w, "%s\t%s\n", c.word, c.about)
	}
}

// candidates returns the texts that can complete word after the words before it.
func candidates(before []string, word string) []candidate {
	root := root()
	cmd := root
	option := "" // the one whose value comes next
	for _, w := range before {
		if w == "=" { // bash splits --as=hex into three words
			continue
		}
		switch {
		case option != "":
			option = ""
		case strings.HasPrefix(w, "-"):
			option = optionWithValue(w, cmd, root)
		case cmd == root && root.Command(w) != nil:
			cmd = root.Command(w)
		}
	}
	if word == "=" {
		word = ""
	}
	if option != "" {
		return startingWith(word, values(cmd.Name, option))
	}
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "-") {
		all := values(cmd.Name, optionWithValue(name, cmd, root))
		for i := range all {
			all[i].word = name + "=" + all[i].word
		}
		return startingWith(name+"="+value, all)
	}
	if strings.HasPrefix(word, "-") {
		return startingWith(word, options(word, cmd, root))
	}
	return startingWith(word, arguments(cmd, root))
}

// startingWith returns the candidates whose words start with prefix, in either case.
func startingWith(prefix string, all []candidate) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool {
		return len(c.word) < len(prefix) || !strings.EqualFold(c.word[:len(prefix)], prefix)
	})
}

// optionWithValue returns the name of the option if a value follows it, and "" if not.
func optionWithValue(word string, cmd, root *cli.Command) string {
	name := strings.TrimLeft(word, "-")
	for _, f := range append(cmd.Flags, root.Flags...) {
		if _, isString := f.(*cli.StringFlag); isString && slices.Contains(f.Names(), name) {
			return name
		}
	}
	return ""
}

// options returns the options with the dashes of word: one if the user has typed one dash
// and a letter, else two.
func options(word string, cmd, root *cli.Command) (all []candidate) {
	flags := slices.Clone(cmd.Flags)
	if cmd != root {
		flags = append(flags, root.Flags...)
	}
	for _, f := range append(flags, cli.HelpFlag) {
		name := f.Names()[0]
		dashes := "--"
		if len(name) == 1 || len(word) > 1 && !strings.HasPrefix(word, "--") {
			dashes = "-"
		}
		about := strings.ReplaceAll(f.(cli.DocGenerationFlag).GetUsage(), "`", "")
		all = append(all, candidate{dashes + name, about})
	}
	return all
}

// values returns the values of an option.
func values(command, option string) (all []candidate) {
	switch option {
	case "as":
		for _, q := range queries {
			all = append(all, candidate{q.name, q.title})
		}
	case "by":
		for _, u := range units {
			all = append(all, candidate{word: u.name})
		}
	case "process":
		return []candidate{{"random", "40 random bits"}, {"host", "as drivers before 2018"}}
	case "input":
		return formCandidates(true)
	case "zone":
		return zones(zoneFolders...)
	case "at", "from", "to":
		if option != "to" || command == "filter" || command == "histogram" {
			return timeCandidates()
		}
		return formCandidates(false)
	}
	return all
}

func formCandidates(read bool) (all []candidate) {
	for _, f := range forms {
		if !read || f.readable() {
			all = append(all, candidate{f.name, f.about})
		}
	}
	return all
}

// timeCandidates returns times of one word.
func timeCandidates() []candidate {
	return []candidate{{word: "now"}, {word: "today"}, {word: "yesterday"}, {word: "tomorrow"}}
}

// arguments returns the arguments of a command that are not files.
func arguments(cmd, root *cli.Command) (all []candidate) {
	switch cmd.Name {
	case "range":
		return timeCandidates()
	case "completion":
		for _, shell := range shells {
			all = append(all, candidate{word: shell})
		}
	case "help", root.Name:
		for _, c := range root.Commands {
			all = append(all, candidate{c.Name, c.Usage})
		}
		if cmd.Name == "help" {
			all = append(all, candidate{"times", "the times that commands take"})
		}
	}
	return all
}

// zoneFolders are where systems keep their time zones.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"}

// zones returns the time zones of the first folder that has any.
func zones(folders ...string) []candidate {
	all := []candidate{{"UTC", ""}, {"local", ""}}
	for _, dir := range folders {
		tree := os.DirFS(dir)
		fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
			first := filepath.Base(path)[0]
			switch {
			case err != nil || path == "posix" || path == "right":
				return fs.SkipDir
			case !entry.IsDir() && 'A' <= first && first <= 'Z' && strings.Contains(path, "/"):
				all = append(all, candidate{word: path})
			}
			return nil
		})
		if len(all) > 2 {
			break
		}
	}
	return all
}
