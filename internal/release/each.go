package main

import (
	"errors"
	"flag"
	"fmt"
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// each runs a command in the folder of every module, and stops at the first failure. The flags
// before the command are:
//
//	-public        only in modules that users fetch
//	-tests         only in the other ones
//	-released DIR  as users get the modules: in the copy of the tree in DIR, where the modules
//	               come from a proxy. It makes both if they aren't there. It implies -public.
//	-go VERSION    with another Go release. It leaves modules out that need a newer one.
func each(w io.Writer, root string, args []string) error {
	flags := flag.NewFlagSet("each", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	public := flags.Bool("public", false, "")
	tests := flags.Bool("tests", false, "")
	released := flags.String("released", "", "")
	release := flags.String("go", "", "")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return errors.Join(fmt.Errorf("usage: release each [-public|-tests] [-released DIR] [-go VERSION] COMMAND…"), err)
	}
	mods, err := modules(root)
	if err != nil {
		return err
	}
	var env []string
	if *released != "" {
		made, err := newWorld(root, *released)
		if err != nil {
			return err
		}
		*public, env, root = true, made.env, filepath.Join(made.dir, "tree")
	}
	if *release != "" {
		path, err := pathTo(*release)
		if err != nil {
			return err
		}
		env = append(env, "GOTOOLCHAIN=local", path)
	}
	for _, m := range mods {
		if *public && !m.public() || *tests && m.public() {
			continue
		}
		if *release != "" && version.Compare("go"+m.file.Go.Version, *release) > 0 {
			fmt.Fprintf(w, "left out, it needs Go %s: %s\n", m.file.Go.Version, m.dir)
			continue
		}
		cmd := exec.Command(flags.Arg(0), flags.Args()[1:]...)
		cmd.Dir = filepath.Join(root, m.dir)
		cmd.Env = append(cmd.Environ(), env...)
		cmd.Stdout, cmd.Stderr = w, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("failed in %s: %s: %w", m.dir, strings.Join(flags.Args(), " "), err)
		}
	}
	return nil
}

// pathTo returns a variable PATH whose first folder has the go command of another release.
func pathTo(release string) (string, error) {
	goroot, err := commandEnv("", []string{"GOTOOLCHAIN=" + release}, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	return "PATH=" + filepath.Join(strings.TrimSpace(goroot), "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"), nil
}
