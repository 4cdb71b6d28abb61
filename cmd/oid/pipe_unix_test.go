//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe runs oid new -n N with its output as the input of the command with args,
// and returns its output and the memory that both used at most, in MiB.
func pipe(t *testing.T, n string, args ...string) (out string, newMiB, thenMiB int64) {
	t.Helper()
	first, then := command("new", "-n", n), command(args...)
	var errs strings.Builder
	first.Stderr, then.Stderr = &errs, &errs
	var err error
	if then.Stdin, err = first.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	var stdout strings.Builder
	then.Stdout = &stdout
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if err := then.Run(); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	if err := first.Wait(); err != nil || errs.Len() > 0 {
		t.Fatalf("%v: %s", err, &errs)
	}
	return stdout.String(), maxRSS(first), maxRSS(then)
}

// maxRSS returns the memory that cmd used at most, in MiB.
func maxRSS(cmd *exec.Cmd) int64 {
	kib := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "darwin" {
		kib /= 1024 // where it is in bytes
	}
	return int64(kib) / 1024
}

func TestTenMillionIDsInConstantMemory(t *testing.T) {
	// A histogram keeps an array of 38 MiB. A program that keeps so much has as much garbage
	// after some million IDs, and no more after that.
	_, fewNew, fewThen := pipe(t, "3M", "histogram")
	out, manyNew, manyThen := pipe(t, "10M", "histogram")
	if !strings.Contains(out, "\n10,000,000 IDs by minute, from ") {
		t.Errorf("%s", out)
	}
	const slack = 16 // MiB: 7 million IDs without anything else would be 80
	if manyNew > fewNew+slack || manyThen > fewThen+slack {
		t.Errorf("MiB at most: new %d, histogram %d; for three million IDs %d and %d", manyNew, manyThen, fewNew, fewThen)
	}
}

func TestInspectStreamsInConstantMemory(t *testing.T) {
	for _, form := range []string{"-line", "-json"} {
		cmd := command("inspect", form)
		var count lineCounter
		_, _, few := pipe(t, "1000", "inspect", form)
		first := command("new", "-n", "200k")
		cmd.Stdin, _ = first.StdoutPipe()
		cmd.Stdout = &count
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if err := first.Wait(); err != nil || count != 200_000 {
			t.Errorf("%s: %d lines, %v", form, count, err)
		}
		if many := maxRSS(cmd); many > few+16 {
			t.Errorf("%s: %d MiB, %d for 1,000 ids", form, many, few)
		}
	}
}

// lineCounter counts the lines written to it.
type lineCounter int

func (n *lineCounter) Write(p []byte) (int, error) {
	*n += lineCounter(strings.Count(string(p), "\n"))
	return len(p), nil
}

// A reader that has enough, as head, ends the command by SIGPIPE without a word.
func TestClosedPipeIsQuiet(t *testing.T) {
	for _, args := range [][]string{{"new", "-n", "1G"}, {"new", "-n", "1G", "-json"}, {"inspect"}} {
		cmd := command(args...)
		var errs strings.Builder
		cmd.Stderr = &errs
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		go func() {
			defer in.Close()
			for {
				if _, err := io.WriteString(in, "65b3f7a20123456789abcdef\n"); err != nil {
					return
				}
			}
		}()
		line, err := bufio.NewReader(r).ReadString('\n')
		if err != nil || line == "" {
			t.Errorf("%q: read %q, %v", args, line, err)
		}
		r.Close()
		cmd.Wait()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != syscall.SIGPIPE || errs.Len() > 0 {
			t.Errorf("%q: %s, stderr %q", args, cmd.ProcessState, &errs)
		}
	}
}

// A command shows what it found before it waits for more input, as behind tail -f.
func TestLinesOfAPipeAreAnsweredAtOnce(t *testing.T) {
	for _, args := range [][]string{{"filter", "--from", "2026"}, {"filter", "--only", "--from", "2026"}, {"convert"}, {"filter", "--from", "2026", "--column", "1"}} {
		cmd := command(args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.(*os.File).SetReadDeadline(time.Now().Add(time.Minute)) // long enough for any machine
		io.WriteString(in, march1+"\n")
		if line, err := bufio.NewReader(out).ReadString('\n'); line != march1+"\n" || err != nil {
			t.Errorf("%q: %q, %v", args, line, err)
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestFullDiskIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system")
	}
	defer full.Close()
	many := file(t, "ids.txt", strings.Repeat(march1+"\n", 100_000))
	for _, args := range [][]string{{"new"}, {"new", "-n", "1M"}, {"range", "2025", "2026"},
		{"convert", "--keep", many},
		{"convert", many}, {"convert", "--scan", many}, {"filter", "--from", "2026", many}, {"filter", "--only", "--from", "2026", many}, {"inspect", "--line", many}} {
		cmd := command(args...)
		cmd.Stdout = full
		var errs strings.Builder
		cmd.Stderr = &errs
		cmd.Run()
		if cmd.ProcessState.ExitCode() != 1 || errs.String() != "oid "+args[0]+": write /dev/stdout: no space left on device\n" {
			t.Errorf("%q: %s, stderr %q", args, cmd.ProcessState, &errs)
		}
	}
	// The command ends then, although its input goes on.
	for _, args := range [][]string{{"new", "-n", "1e15"}, {"convert"}, {"convert", "--scan"}, {"convert", "--keep"}, {"convert", "--column", "1"}, {"convert", "--json"}, {"inspect"}, {"inspect", "--json"}, {"filter", "--from", "2026"},
		{"filter", "--json", "--from", "1970"}, {"filter", "--only", "--from", "1970"}, {"filter", "--column", "1", "--from", "1970"}} {
		cmd := command(args...)
		cmd.Stdin, cmd.Stdout = endless(march1+"\n"), full
		var errs strings.Builder
		cmd.Stderr = &errs
		cmd.Run()
		if cmd.ProcessState.ExitCode() != 1 || errs.String() != "oid "+args[0]+": write /dev/stdout: no space left on device\n" {
			t.Errorf("%q: %s, stderr %q", args, cmd.ProcessState, &errs)
		}
	}
}

// A line that is bad, or a note, ends the command too, if the output of before can't be
// written.
func TestFullDiskIsAnErrorAtABadLine(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system")
	}
	defer full.Close()
	for _, tt := range []struct {
		args []string
		in   io.Reader
	}{
		{[]string{"convert"}, io.MultiReader(strings.NewReader(march1+"\n"), endless("zz\n"))},
		{[]string{"convert", "--keep"}, strings.NewReader(march1 + " " + march2 + "\n")},
	} {
		cmd := command(tt.args...)
		cmd.Stdin, cmd.Stdout = tt.in, full
		var errs strings.Builder
		cmd.Stderr = &errs
		cmd.Run()
		if cmd.ProcessState.ExitCode() != 1 || errs.String() != "oid convert: write /dev/stdout: no space left on device\n" {
			t.Errorf("%q: %s, stderr %.200q", tt.args, cmd.ProcessState, &errs)
		}
	}
}

// However many files a command reads, few are open at once.
func TestFilesAreClosed(t *testing.T) {
	need(t, "sh")
	ids := file(t, "ids.txt", march1+"\n")
	for _, args := range [][]string{{"convert"}, {"convert", "--scan"}, {"filter", "--from", "2026"}, {"histogram"}} {
		cmd := exec.Command("sh", append([]string{"-c", `ulimit -n 40; exec "$0" "$@"`, program}, args...)...)
		for range 100 {
			cmd.Args = append(cmd.Args, ids)
		}
		cmd.Env = command().Env
		out, err := cmd.CombinedOutput()
		if lines := strings.Count(string(out), march1+"\n"); err != nil || lines != 100 && args[0] != "histogram" || args[0] == "histogram" && !strings.Contains(string(out), "\n100 IDs by ") {
			t.Errorf("%q: %d lines, %v\n%s", args, lines, err, out)
		}
	}
}
