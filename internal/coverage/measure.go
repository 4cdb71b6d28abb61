package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// userPackages returns the paths of the packages that users can compile.
func userPackages(root string) ([]string, error) {
	out, err := output(root, "go", "list", "-f", "{{if .GoFiles}}{{.ImportPath}}{{end}}", "work")
	if err != nil {
		return nil, err
	}
	packages := slices.DeleteFunc(strings.Fields(out), func(pkg string) bool {
		return !forUsers(strings.TrimPrefix(pkg, home+"/"))
	})
	slices.Sort(packages)
	return packages, nil
}

// forUsers reports whether the package of a folder is part of what users compile.
// Folders for development are internal to the root module. bsoncodec/internal/port
// writes code of bsoncodec/mongov1.
func forUsers(dir string) bool {
	return !strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir+"/", "examples/") &&
		dir != "bsoncodec/internal/port" && dir != "cmd/oidvet/internal/vettest"
}

// measure runs all tests, unless there is data of an earlier run, and returns what
// they covered as a text profile.
func measure(w io.Writer, root string, o options) (profile string, err error) {
	temp, err := os.MkdirTemp("", "oidkit-coverage-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	data := o.data
	if data == "" {
		if data = o.keep; data == "" {
			data = filepath.Join(temp, "data")
		}
		if data, err = filepath.Abs(data); err != nil {
			return "", err
		}
		if err := os.MkdirAll(data, 0o777); err != nil {
			return "", err
		}
		if err := runTests(w, root, data); err != nil {
			return "", err
		}
	}
	file := filepath.Join(temp, "profile")
	if _, err := output(root, "go", "tool", "covdata", "textfmt", "-i="+data, "-o="+file); err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	return string(text), err
}

// experiment is what GOEXPERIMENT names encoding/json/v2. Some packages have more files
// with it.
const experiment = "jsonv2"

// runTests runs all tests, and once more with the experiment those of the packages that
// it changes.
func runTests(w io.Writer, root, data string) error {
	if err := test(w, root, data, nil, home+"/...", "work"); err != nil {
		return err
	}
	changed, err := changedBy(root, "GOEXPERIMENT="+experiment)
	if err != nil || len(changed) == 0 {
		return err
	}
	return test(w, root, data, []string{"GOEXPERIMENT=" + experiment}, strings.Join(changed, ","), changed...)
}

// changedBy returns the packages that consist of other files with the setting.
func changedBy(root, setting string) ([]string, error) {
	list := func(settings ...string) ([]string, error) {
		cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.GoFiles}}", "work")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), settings...)
		out, err := cmd.Output()
		return strings.Split(string(out), "\n"), err
	}
	without, err := list()
	if err != nil {
		return nil, err
	}
	with, err := list(setting)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, line := range with {
		if !slices.Contains(without, line) {
			pkg, _, _ := strings.Cut(line, " ")
			changed = append(changed, pkg)
		}
	}
	return changed, nil
}

// test runs the tests of packages, and measures those that the pattern covered names.
// GOFLAGS makes the go commands that tests start build with the same instruments. Each
// process writes what it covered to the folder. The go command would set GOCOVERDIR to a
// folder of its own: the command env sets it to ours.
func test(w io.Writer, root, data string, env []string, covered string, packages ...string) error {
	args := append([]string{"test", "-count=1", "-timeout=30m", "-exec=env 'GOCOVERDIR=" + data + "'"}, packages...)
	cmd := exec.Command("go", append(args, "-args", "-test.gocoverdir="+data)...)
	cmd.Dir = root
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -cover -covermode=set -coverpkg=" + covered)
	cmd.Env = append(append(os.Environ(), "GOFLAGS="+flags), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil {
		w.Write(out.Bytes())
		return fmt.Errorf("go test %s: %w", strings.Join(packages, " "), err)
	}
	return nil
}

// output runs a program in dir and returns what it prints to stdout. An error
// holds what it printed to stderr.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}
