package cmdline

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/urfave/cli/v3"
)

// A words is an option that knows values it can have.
type words struct {
	*cli.StringFlag
	words []string
}

// Words returns the option, for which a shell completes these values. With Word, it can have
// no other ones.
func Words(option *cli.StringFlag, values ...string) cli.Flag { return &words{option, values} }

// Word returns the value of an option of Words, which is one of its values. The error calls
// it what, such as a form.
func (e *Env) Word(name, what string) string {
	value, known := e.String(name), wordsOf(e.Command, name)
	if e.IsSet(name) && !slices.Contains(known, value) {
		e.Refuse(fmt.Errorf("--%s %s is not a %s: want %s", name, format.Quote(value), what, strings.Join(known, ", ")))
	}
	return value
}

// wordsOf returns the values that an option of a command is known to have.
func wordsOf(cmd *cli.Command, name string) []string {
	for _, c := range cmd.Lineage() {
		for _, option := range c.Flags {
			if w, ok := option.(*words); ok && w.Name == name {
				return w.words
			}
		}
	}
	return nil
}

// complete prints what can follow: the values of the option before the cursor, or the
// commands and options that the parser knows. Without either, the shell completes files.
func complete(ctx context.Context, cmd *cli.Command) {
	before := os.Args[len(os.Args)-2] // the last argument is the parser's own option
	option := strings.TrimLeft(before, "-")
	if values := wordsOf(cmd, option); option != before && values != nil {
		fmt.Fprintln(cmd.Root().Writer, strings.Join(values, "\n"))
		return
	}
	cli.DefaultCompleteWithFlags(ctx, cmd)
}
