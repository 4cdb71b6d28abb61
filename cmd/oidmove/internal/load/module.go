package load

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// A Module is the go.mod of the project. The move works on a copy of it, so that
// nothing in the checkout changes before everything is known.
type Module struct {
	Dir  string   // with the go.mod of the project
	File string   // the copy of go.mod; the copy of go.sum is next to it
	Undo []string // flags of go mod edit that remove from the copy what only the move needs
}

// OpenModule finds the go.mod of a folder and copies it to tmp.
func OpenModule(dir, tmp string) (*Module, error) {
	out, err := Go(dir, os.Environ(), "env", "GOMOD", "GOWORK")
	if err != nil {
		return nil, err
	}
	path, work, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if path == "" || path == os.DevNull {
		return nil, errors.New("oidmove: there is no go.mod here or above: run oidmove in the folder of the module to move")
	}
	m := &Module{Dir: filepath.Dir(path), File: filepath.Join(tmp, "go.mod")}
	if err := CopyMod(m.Dir, tmp); err != nil {
		return nil, err
	}
	if work == "" || work == "off" {
		return m, nil
	}
	return m, m.addWorkspace()
}

// Read reads the go.mod in a folder.
func Read(dir string) (*modfile.File, error) {
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

// addWorkspace lets the copy of go.mod find the other modules of the workspace. A go
// command can't use a workspace and a copy of go.mod at once.
func (m *Module) addWorkspace() error {
	out, err := Go(m.Dir, os.Environ(), "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return err
	}
	mod, err := Read(m.Dir)
	if err != nil {
		return err
	}
	var edits []string
	for line := range strings.Lines(out) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if path == mod.Module.Mod.Path || slices.ContainsFunc(mod.Replace, func(r *modfile.Replace) bool { return r.Old.Path == path }) {
			continue
		}
		edits, m.Undo = append(edits, "-replace="+path+"="+dir), append(m.Undo, "-dropreplace="+path)
		if !slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == path }) {
			edits, m.Undo = append(edits, "-require="+path+"@v0.0.0-00010101000000-000000000000"), append(m.Undo, "-droprequire="+path)
		}
	}
	return m.Edit(edits)
}

// Edit runs go mod edit on the copy of go.mod.
func (m *Module) Edit(flags []string) error {
	if len(flags) == 0 {
		return nil
	}
	return m.Run(append(append([]string{"mod", "edit"}, flags...), m.File)...)
}

// CopyMod copies go.mod and go.sum, where they are, from one folder to another.
func CopyMod(from, to string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// env is the environment of go commands. A workspace would exclude the copy of go.mod.
func (m *Module) env() []string { return append(os.Environ(), "GOWORK=off") }

// Run runs a go command in the folder of the project.
func (m *Module) Run(args ...string) error {
	_, err := Go(m.Dir, m.env(), args...)
	return err
}

// Require adds modules of ours to the copy of go.mod, unless it has them.
func (m *Module) Require(modules ...string) error {
	flag := "-modfile=" + m.File
	if m.Run(append([]string{"list", "-m", "-mod=mod", flag}, modules...)...) == nil {
		return nil
	}
	err := m.Run(append([]string{"get", flag}, modules...)...)
	if err == nil {
		return nil
	}
	var edit strings.Builder
	for _, path := range modules {
		fmt.Fprintf(&edit, "\tgo mod edit -require=%[1]s@VERSION -replace=%[1]s=FOLDER\n", path)
	}
	return fmt.Errorf("%w\nIf go get can't reach these modules, add them to go.mod by hand, and run oidmove again:\n%s", err, &edit)
}

// Go runs a go command.
func Go(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("oidmove: go %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.String(), nil
}
