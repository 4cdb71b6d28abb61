//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A tmux is a real terminal with a shell in it. oid is on the shell's path.
type tmux struct {
	t      *testing.T
	socket string
}

// newTmux starts a terminal of the given size.
func newTmux(t *testing.T, columns, rows string) *tmux {
	t.Helper()
	var missing string
	for _, program := range []string{"tmux", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = program
		}
	}
	if missing != "" {
		if os.Getenv("OIDKIT_NO_SKIP") == "1" {
			t.Fatalf("%s is not installed (Debian: apt-get install %s), and OIDKIT_NO_SKIP=1", missing, missing)
		}
		t.Skipf("%s is not installed (Debian: apt-get install %s)", missing, missing)
	}
	term := &tmux{t, filepath.Join(t.TempDir(), "tmux")}
	term.do("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows,
		"env", "-u", "COLUMNS", "-u", "NO_COLOR", "TZ=Europe/Berlin", "PS1=ready> ",
		"PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "bash", "--norc", "--noprofile")
	t.Cleanup(func() { exec.Command("tmux", "-S", term.socket, "kill-server").Run() })
	term.wait(`^ready>$`)
	return term
}

// do runs a command of tmux and returns its output.
func (term *tmux) do(args ...string) string {
	term.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", term.socket}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// screen returns what the terminal shows.
func (term *tmux) screen() string { return term.do("capture-pane", "-p") }

// enter types text and the keys after it.
func (term *tmux) enter(text string, keys ...string) {
	term.t.Helper()
	term.do("send-keys", "-l", text)
	term.do(append([]string{"send-keys"}, keys...)...)
}

// clear empties the screen at a prompt.
func (term *tmux) clear() {
	term.t.Helper()
	term.enter("clear", "Enter")
	term.wait(`\Aready>$`)
}

// wait waits until the screen matches pattern, without the blank lines at its end,
// and returns it.
func (term *tmux) wait(pattern string) string {
	term.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	var screen string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if screen = term.screen(); re.MatchString(strings.TrimRight(screen, "\n")) {
			return screen
		}
	}
	term.t.Fatalf("the terminal never showed %s, but\n%s", pattern, screen)
	return ""
}

func TestProgressLineOnATerminalOnly(t *testing.T) {
	term := newTmux(t, "100", "20")
	term.enter("oid new -n 1G > /dev/null", "Enter")
	term.wait(`^[\d,]+ of 1,000,000,000 ids, \d+ %, [\d,]+/s +$|^[\d,]+ of 1,000,000,000 ids, \d+ %, [\d,]+/s$`)
	term.enter("", "C-c")
	term.wait(`ready>$`)

	// It shows while the input goes on for more than a second, and is gone at
	// the end.
	term.clear()
	term.enter("(oid new; sleep 1.2; oid new; sleep 2; oid new) | oid histogram", "Enter")
	term.wait(`^2 ids, \d+/s`)
	if end := term.wait(`^3 ids by minute, from .* to .*\nready>$`); strings.Contains(end, "/s") {
		t.Errorf("the progress line is still there:\n%s", end)
	}

	// Not into a file.
	term.clear()
	term.enter("(oid new; sleep 1.2; oid new) | oid histogram 2> progress.txt; wc -c < progress.txt; rm progress.txt", "Enter")
	term.wait(`^0\nready>$`)
}

func TestHistogramFitsTheTerminal(t *testing.T) {
	const columns = 60
	term := newTmux(t, "60", "30")
	term.enter("(oid new -at 2026-03-01 -n 10000; oid new -at 2026-03-05 -n 2500) | oid histogram", "Enter")
	screen := term.wait(`^12,500 ids by day, .*`)
	want := []string{
		"2026-03-01 Sun " + strings.Repeat("█", 37) + " 10,000",
		"2026-03-02 Mon " + strings.Repeat(" ", 37) + "      0",
		"2026-03-03 Tue " + strings.Repeat(" ", 37) + "      0",
		"2026-03-04 Wed " + strings.Repeat(" ", 37) + "      0",
		"2026-03-05 Thu " + strings.Repeat("█", 9) + "▎" + strings.Repeat(" ", 27) + "  2,500",
	}
	if !strings.Contains(screen, strings.Join(want, "\n")+"\n") {
		t.Errorf("%s", screen)
	}
	if n := len([]rune(want[0])); n != columns-1 {
		t.Errorf("%d columns, want %d", n, columns-1)
	}
}

func TestColoursOnATerminalThatWantsThem(t *testing.T) {
	term := newTmux(t, "100", "20")
	for _, test := range []struct {
		env    string
		colour bool
	}{{"TERM=screen", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}} {
		term.clear()
		term.enter(test.env+" oid inspect 65b3f7a20123456789abcdef", "Enter")
		term.wait(`╰─+ time     2024-01-26 18:19:14 UTC[^$]*ready>$`)
		if got := strings.Contains(term.do("capture-pane", "-p", "-e"), "\x1b[36m65b3f7a2\x1b["); got != test.colour {
			t.Errorf("%s: coloured %v, want %v", test.env, got, test.colour)
		}
	}
}

func TestInspectAnswersEachLineThatIsTyped(t *testing.T) {
	term := newTmux(t, "100", "30")
	term.enter("oid inspect", "Enter")
	term.wait(`^reading ids from the terminal; Ctrl-D on an empty line ends them$`)
	term.enter("65b3f7a20123456789abcdef", "Enter")
	term.wait(`time     2024-01-26 18:19:14 UTC`)
	term.enter("", "C-d")
	term.wait(`^ready>$`)
}

func TestTabCompletesCommandsAndOptions(t *testing.T) {
	term := newTmux(t, "100", "20")
	term.enter("source <(oid completion bash)", "Enter")
	term.wait(`completion bash\)\nready>$`)
	for _, test := range []struct{ typed, want string }{
		{"oid hi", "ready> oid histogram"},
		{"oid new -pro", "ready> oid new -process"},
		{"oid new --pro", "ready> oid new --process"},
		{"oid range -js", "ready> oid range -json"},
		{"oid completion b", "ready> oid completion bash"},
	} {
		term.enter(test.typed, "Tab")
		term.wait(regexp.QuoteMeta(test.want) + " ?$")
		term.enter("", "C-u") // forget the line
		term.clear()
	}
}
