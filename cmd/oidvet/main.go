// Oidvet finds wrong uses of oidkit's IDs that the compiler accepts.
//
//	go install github.com/oidkit/oidkit/cmd/oidvet@latest
//	oidvet ./...                           # as a program of its own
//	oidvet -tags integration ./...         # with the files that a build tag adds
//	oidvet -fix ./...                      # fixes what it can
//	go vet -vettool=$(which oidvet) ./...  # with go vet's cache, without its own checks
//
// The analyzers are packages that other programs can embed. The page docs/vet.md
// describes each of them, and the comment that silences a report.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/oidkit/oidkit/cmd/oidvet/all"
)

// child is the variable of the environment that tells a process to check.
const child = "OIDVET_CHECK"

func main() {
	if calledByGoVet(os.Args[1:]) {
		unitchecker.Main(all.Analyzers()...)
	}
	if os.Getenv(child) == "" {
		program, _ := os.Executable() // "" can't be run, and check prints that
		os.Exit(check(program, os.Args[1:]))
	}
	multichecker.Main(all.Analyzers()...)
}

// calledByGoVet reports whether args are those of the go command: it asks for the
// version and the flags, and then passes the description of one package.
func calledByGoVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return strings.HasPrefix(args[0], "-V=") || args[0] == "-flags" || strings.HasSuffix(last, ".cfg")
}

// check runs program, which is this one, as a process that checks. It makes its messages about
// packages that don't compile short, and returns its exit status.
func check(program string, args []string) int {
	args, tags := cutTags(args)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), child+"=1")
	if tags != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -tags="+tags))
	}
	var messages, help bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, &messages
	if len(args) > 0 && args[0] == "help" {
		cmd.Stdout = &help
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "oidvet:", err)
		return 1
	}
	fmt.Fprint(os.Stdout, tagsHelp.Replace(help.String()))
	fmt.Fprint(os.Stderr, shorten(tagsHelp.Replace(messages.String())))
	return cmd.ProcessState.ExitCode()
}

// tagsHelp corrects the checker's help on -tags, which cutTags handles.
var tagsHelp = strings.NewReplacer("-tags string\n    \tno effect (deprecated)", "-tags string\n    \tbuild tags, as in go build")

// cutTags returns the arguments without -tags, which the checker would ignore, and its
// value.
func cutTags(args []string) (rest []string, tags string) {
	for i := 0; i < len(args); i++ {
		name, value, ok := strings.Cut(args[i], "=")
		if name != "-tags" && name != "--tags" {
			rest = append(rest, args[i])
			continue
		}
		if !ok && i+1 < len(args) {
			i++
			value = args[i]
		}
		tags = value
	}
	return rest, tags
}

// skipped ends the checker's lines about packages that don't compile, or that import such
// packages. There is one line for each analyzer and package.
const skipped = ": analysis skipped due to errors in package"

// shorten says once how many packages weren't checked, and each error of the compiler once.
func shorten(messages string) string {
	var out strings.Builder
	var names []string
	for line := range strings.Lines(messages) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), skipped); ok {
			names = append(names, name)
			continue
		}
		// The go command's own list of the errors, which follow with their whole paths.
		if path := strings.TrimPrefix(line, "./"); strings.HasPrefix(line, "-: # ") || strings.Contains(messages, "/"+path) {
			continue
		}
		out.WriteString(line)
	}
	packages := 0
	for _, name := range names {
		if name == names[0] {
			packages++
		}
	}
	if packages > 0 {
		fmt.Fprintf(&out, "oidvet: packages that were not checked, because they or their imports don't compile: %d\n", packages)
	}
	return out.String()
}
