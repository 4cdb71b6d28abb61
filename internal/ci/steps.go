package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A step is a line of the table of steps.
type step struct{ script, name, minutes, what, command string }

// runSteps runs the steps of these names, or all steps of a script. The first one that fails
// ends the run, with at most 15 lines that say which step, which test, and the command that
// repeats only that. A step is a command for bash, with the functions of the file steps.sh
// beside the table. The file CI_TMP is a folder that the steps share.
func runSteps(w io.Writer, table, script string, names []string) error {
	steps, err := readSteps(table, script)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.name == name }) {
			help(w, script, steps)
			return errSaid
		}
	}
	if err := setEnvironment(w); err != nil {
		return err
	}
	version, err := exec.Command("go", "version").Output()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s", version)
	started := time.Now()
	for _, s := range steps {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		begin := time.Now()
		fmt.Fprintf(w, "\n=== %s: %s\n", s.name, s.what)
		repeat := "bash " + filepath.ToSlash(filepath.Join(filepath.Dir(table), script)) + " " + s.name
		last := tail{w: w}
		if err := s.run(&last, table, repeat); err != nil {
			fmt.Fprintf(w, "\n=== red after %d s: the step %s, %s\n", seconds(begin), s.name, s.what)
			if text, err := os.ReadFile(os.Getenv("CI_FAILURES")); err == nil {
				fmt.Fprintf(w, "%s", text)
				return errSaid
			}
			for _, line := range last.lines {
				fmt.Fprintln(w, cut(line))
			}
			fmt.Fprintf(w, "repeat: %s\n", repeat)
			return errSaid
		}
		fmt.Fprintf(w, "=== %s: done in %d s\n", s.name, seconds(begin))
	}
	fmt.Fprintf(w, "\n=== all green in %d s\n", seconds(started))
	return sayUntested(w, script == "nightly")
}

func seconds(since time.Time) int { return int(time.Since(since).Seconds()) }

// readSteps reads the steps of a script.
func readSteps(table, script string) (steps []step, err error) {
	in, err := os.Open(table)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if line := lines.Text(); line == "" || line[0] == '#' {
			continue
		}
		cells := strings.SplitN(lines.Text(), "|", 5)
		if len(cells) != 5 {
			return nil, fmt.Errorf("%s: a line has %d cells, want 5: %s", table, len(cells), lines.Text())
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == script || cells[0] == "both" {
			steps = append(steps, step{cells[0], cells[1], cells[2], cells[3], cells[4]})
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s has no step of %q", table, script)
	}
	return steps, nil
}

func help(w io.Writer, script string, steps []step) {
	fmt.Fprintf(w, "usage: bash .ci/%s [STEP…]\n\nmin step\n", script)
	for _, s := range steps {
		fmt.Fprintf(w, "%3s %-14s %s\n", s.minutes, s.name, s.what)
	}
}

// setEnvironment sets the variables that the functions of steps.sh and the other commands of
// this program use. A test whose server is missing fails instead of skipping, but where nothing
// can be installed.
func setEnvironment(w io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	noSkip := "1"
	if _, err := exec.LookPath("apt-get"); err != nil && os.Getenv("CI") == "" {
		fmt.Fprintln(w, "apt-get is missing here: the tests whose servers and programs are missing skip")
		noSkip = ""
	}
	tmp := os.Getenv("CI_TMP")
	return errors.Join(
		os.Setenv("CI_PROGRAM", program),
		os.Setenv("CI_ROOT", root),
		os.Setenv("CI_FAILURES", filepath.Join(tmp, "failures")),
		os.Setenv("CI_SID", filepath.Join(tmp, "sid")),
		os.Setenv("OIDKIT_NO_SKIP", noSkip))
}

// run runs a step in the root folder of the repository.
func (s step) run(w io.Writer, table, repeat string) error {
	functions := filepath.Join(filepath.Dir(table), "steps.sh")
	cmd := exec.Command("bash", "-c", "source "+quote(functions)+"\n"+s.command)
	cmd.Env = append(cmd.Environ(), "CI_STEP="+repeat)
	cmd.Stdout, cmd.Stderr = w, w
	return cmd.Run()
}

// A tail writes to w, and keeps the last lines that aren't empty.
type tail struct {
	w     io.Writer
	lines []string
	rest  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.rest = append(t.rest, p...)
	for {
		line, rest, found := bytes.Cut(t.rest, []byte("\n"))
		if !found {
			break
		}
		t.rest = rest
		if len(bytes.TrimSpace(line)) > 0 {
			t.lines = append(t.lines, string(line))
		}
		if most := 10; len(t.lines) > most {
			t.lines = slices.Delete(t.lines, 0, 1)
		}
	}
	return t.w.Write(p)
}

// sayUntested says in the last line which server of Debian's sid was not tested, because it
// can't be had. That is an error if it may not happen.
func sayUntested(w io.Writer, fail bool) error {
	names, err := os.ReadFile(os.Getenv("CI_SID"))
	if err != nil {
		return nil // no step installs one
	}
	out, err := exec.Command("go", append([]string{"run", "./internal/servers/sid/install", "-check"}, strings.Fields(string(names))...)...).Output()
	fmt.Fprintf(w, "%s", out)
	if err == nil && fail && len(out) > 0 {
		return errSaid
	}
	return err
}
