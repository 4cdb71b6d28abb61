// Command release makes releases of the repository's modules, and shows before
// that how users will get them:
//
//	go run ./internal/release proxy DIR VERSION…    # a module proxy made of the tree
//	go run ./internal/release release -n VERSION    # what a release would do
//	go run ./internal/release release VERSION       # commit and tag it
//	go run ./internal/release rename PATH           # give all modules another path
//	go run ./internal/release verify VERSION        # whether users get what was tagged
//	go run ./internal/release reproduce             # whether two builds of the programs are equal
//	go run ./internal/release each COMMAND…         # run a command in each module, also as released
//	go run ./internal/release lower GO DIR          # a tree that an older Go release can build
//
// Proxy writes DIR/tree, the files of the working tree as a release changes them,
// and DIR/proxy, the modules in the form that GOPROXY=file://DIR/proxy takes.
//
// A VERSION such as sequence/v0.2.0 is of package sequence and of its stores. A VERSION such
// as v1.0.0 is of all other modules. A release makes tags for one of the two, and a proxy
// takes one VERSION for both, or two. Nothing is pushed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

const usage = `usage: release proxy DIR VERSION…
       release release [-n] VERSION
       release rename PATH
       release verify VERSION
       release reproduce
       release each [-public|-tests] [-released DIR] [-go VERSION] COMMAND…
       release lower GO DIR`

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	if len(args) == 0 {
		return fmt.Errorf("no command\n%s", usage)
	}
	if args[0] == "each" {
		return inRoot(func(root string) error { return each(w, root, args[1:]) })
	}
	var dryRun bool
	if args[0] == "release" {
		flags.BoolVar(&dryRun, "n", false, "")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return fmt.Errorf("%w\n%s", err, usage)
	}
	var do func(root string) error
	switch given := flags.Args(); {
	case args[0] == "proxy" && len(given) >= 2:
		do = func(root string) error { return writeProxy(root, given[0], given[1:]...) }
	case args[0] == "release" && len(given) == 1:
		do = func(root string) error { return release(w, root, given[0], dryRun) }
	case args[0] == "rename" && len(given) == 1:
		do = func(root string) error { return rename(w, root, given[0]) }
	case args[0] == "verify" && len(given) == 1:
		do = func(root string) error { return verify(w, root, given[0]) }
	case args[0] == "reproduce" && len(given) == 0:
		do = func(root string) error { return reproduce(w, root) }
	case args[0] == "lower" && len(given) == 2:
		do = func(root string) error { return lower(w, os.Stderr, root, given[0], given[1]) }
	default:
		return fmt.Errorf("can't do %q\n%s", args, usage)
	}
	return inRoot(do)
}

// inRoot calls do with the root of the repository.
func inRoot(do func(root string) error) error {
	out, err := command("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	return do(strings.TrimSpace(out))
}

// command runs a program in dir and returns what it prints to stdout. An error
// holds what it printed to stderr.
func command(dir, name string, args ...string) (string, error) {
	return commandEnv(dir, nil, name, args...)
}

// commandEnv is command with further environment variables.
func commandEnv(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
