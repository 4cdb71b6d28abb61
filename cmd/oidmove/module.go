package main

import (
	"bytes"
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
	file string // the copy of go.mod; the copy of go.sum is next to it
}

// openModule finds the go.mod of the current folder and copies it to tmp.
func openModule(tmp string) (*module, error) {
	out, err := goCommand("", os.Environ(), "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	path := strings.TrimSpace(out)
	if path == "" || path == os.DevNull {
		return nil, errors.New("oidmove: there is no go.mod here or above: run it in the folder of the module to move")
	}
	m := &module{filepath.Dir(path), filepath.Join(tmp, "go.mod")}
	return m, m.copy(m.dir, tmp)
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

// require adds packages of ours to the copy of go.mod.
func (m *module) require(packages ...string) error {
	return m.run(append([]string{"get", "-modfile=" + m.file}, packages...)...)
}

// save puts the copy in the place of the project's go.mod, and tidies it.
func (m *module) save() error {
	if err := m.copy(filepath.Dir(m.file), m.dir); err != nil {
		return err
	}
	return m.run("mod", "tidy")
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
