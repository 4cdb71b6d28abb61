package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A module is the go.mod of the project. The move works on a copy of it, so that
// nothing in the checkout changes before everything is known.
type module struct {
	dir  string
	file string   // the copy of go.mod; the copy of go.sum is next to it
	undo []string // flags of go mod edit that remove from the copy what only the move needs
}

// openModule finds the go.mod of the current folder and copies it to tmp.
func openModule(tmp string) (*module, error) {
	out, err := goCommand("", os.Environ(), "env", "GOMOD", "GOWORK")
	if err != nil {
		return nil, err
	}
	path, work, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if path == "" || path == os.DevNull {
		return nil, errors.New("oidmove: there is no go.mod here or above: run it in the folder of the module to move")
	}
	m := &module{dir: filepath.Dir(path), file: filepath.Join(tmp, "go.mod")}
	if err := m.copy(m.dir, tmp); err != nil {
		return nil, err
	}
	if work == "" || work == "off" {
		return m, nil
	}
	return m, m.addWorkspace()
}

// addWorkspace lets the copy of go.mod find the other modules of the workspace. A go
// command can't use a workspace and a copy of go.mod at once.
func (m *module) addWorkspace() error {
	out, err := goCommand(m.dir, os.Environ(), "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return err
	}
	own, err := goCommand(m.dir, m.env(), "mod", "edit", "-json", m.file)
	if err != nil {
		return err
	}
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path string }
		Replace []struct{ Old struct{ Path string } }
	}
	if err := json.Unmarshal([]byte(own), &mod); err != nil {
		return err
	}
	has := map[string]bool{mod.Module.Path: true}
	for _, r := range mod.Replace {
		has[r.Old.Path] = true
	}
	required := map[string]bool{}
	for _, r := range mod.Require {
		required[r.Path] = true
	}
	var edits []string
	for line := range strings.Lines(out) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if has[path] {
			continue
		}
		edits, m.undo = append(edits, "-replace="+path+"="+dir), append(m.undo, "-dropreplace="+path)
		if !required[path] {
			edits, m.undo = append(edits, "-require="+path+"@v0.0.0-00010101000000-000000000000"), append(m.undo, "-droprequire="+path)
		}
	}
	return m.edit(edits)
}

// edit runs go mod edit on the copy of go.mod.
func (m *module) edit(flags []string) error {
	if len(flags) == 0 {
		return nil
	}
	return m.run(append(append([]string{"mod", "edit"}, flags...), m.file)...)
}

// copy copies go.mod and go.sum, where they are, from one folder to another.
func (m *module) copy(from, to string) error {
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
func (m *module) env() []string { return append(os.Environ(), "GOWORK=off") }

// run runs a go command with the copy of go.mod.
func (m *module) run(args ...string) error {
	_, err := goCommand(m.dir, m.env(), args...)
	return err
}

// require adds modules of ours to the copy of go.mod, unless it has them.
func (m *module) require(modules ...string) error {
	flag := "-modfile=" + m.file
	if m.run(append([]string{"list", "-m", "-mod=mod", flag}, modules...)...) == nil {
		return nil
	}
	err := m.run(append([]string{"get", flag}, modules...)...)
	if err == nil {
		return nil
	}
	var edit strings.Builder
	for _, path := range modules {
		fmt.Fprintf(&edit, "\tgo mod edit -require=%[1]s@VERSION -replace=%[1]s=FOLDER\n", path)
	}
	return fmt.Errorf("%w\nIf go get can't reach these modules, add them to go.mod by hand, and run oidmove again:\n%s", err, &edit)
}

// save tidies the copy, puts it in the place of the project's go.mod, and brings the
// project's vendor folder up to date.
func (m *module) save() error {
	if err := m.run("mod", "tidy", "-modfile="+m.file); err != nil {
		return err
	}
	if err := m.edit(m.undo); err != nil {
		return err
	}
	if err := m.copy(filepath.Dir(m.file), m.dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(m.dir, "vendor", "modules.txt")); err == nil {
		return m.run("mod", "vendor")
	}
	return nil
}

func goCommand(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("oidmove: go %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.String(), nil
}
