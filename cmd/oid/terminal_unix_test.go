//go:build unix

package main

import (
	"fmt"
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
	t       *testing.T
	socket  string
	cleared int // how many times
}

// need skips the test where a program is missing.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("OIDKIT_NO_SKIP") == "1" {
		t.Fatalf("%s is not installed (Debian: apt-get install %s), and OIDKIT_NO_SKIP=1", program, program)
	}
	t.Skipf("%s is not installed (Debian: apt-get install %s)", program, program)
}

// newTmux starts a terminal of the given size, with bash.
func newTmux(t *testing.T, columns, rows string) *tmux {
	t.Helper()
	return newTmuxWith(t, columns, rows, "bash", "--norc", "--noprofile")
}

// newTmuxWith starts a terminal with the given shell, which must show the prompt PS1. The
// shell is in an empty folder.
func newTmuxWith(t *testing.T, columns, rows string, shell ...string) *tmux {
	t.Helper()
	need(t, "tmux")
	need(t, shell[0])
	dir, err := os.MkdirTemp("", "oid-terminal")
	if err != nil {
		t.Fatal(err)
	}
	term := &tmux{t: t, socket: filepath.Join(dir, "tmux")}
	t.Cleanup(func() {
		exec.Command("tmux", "-S", term.socket, "kill-server").Run()
		// The shell outlives the server for a moment, and may write its history.
		for deadline := time.Now().Add(10 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
	})
	term.do(append([]string{"-f", "/dev/null", "new-session", "-d", "-c", dir, "-x", columns, "-y", rows,
		"env", "-u", "COLUMNS", "-u", "NO_COLOR", "-u", "CLICOLOR_FORCE", "LC_ALL=C.UTF-8", "TZ=Europe/Berlin", "PS1=ready> ", "HOME=" + dir,
		"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH")}, shell...)...)
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

// clear empties the screen at a prompt, but for a number. Without the number, the prompt
// of before would look as if the shell was done already.
func (term *tmux) clear() {
	term.t.Helper()
	term.cleared++
	term.enter(fmt.Sprint("clear; echo ", term.cleared), "Enter")
	term.wait(fmt.Sprintf(`\A%d\nready>$`, term.cleared))
}

// wait waits until the screen matches pattern, without the blank lines at its end,
// and returns it.
func (term *tmux) wait(pattern string) string {
	term.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	var screen string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if screen = term.screen(); re.MatchString(strings.TrimRight(screen, "\n")) {
			return screen
		}
	}
	term.t.Fatalf("the terminal never showed %s, but\n%s", pattern, screen)
	return ""
}

func TestHistogramFitsTheTerminal(t *testing.T) {
	const columns = 60
	term := newTmux(t, "60", "30")
	term.enter("(oid new -at 2026-03-01 -n 10000; oid new -at 2026-03-05 -n 2500) | oid histogram", "Enter")
	screen := term.wait(`^12,500 IDs by day, .*`)
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

func TestColorsOnATerminalThatWantsThem(t *testing.T) {
	term := newTmux(t, "100", "20")
	for _, test := range []struct {
		env   string
		color bool
	}{{"TERM=screen", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}, {"CLICOLOR=0", false}, {"TERM=dumb CLICOLOR_FORCE=1", true}} {
		term.clear()
		term.enter(test.env+" oid inspect 65b3f7a20123456789abcdef", "Enter")
		term.wait(`╰─+ time     2024-01-26 18:19:14 UTC[^$]*ready>$`)
		if got := strings.Contains(term.do("capture-pane", "-p", "-e"), "\x1b[36m65b3f7a2\x1b["); got != test.color {
			t.Errorf("%s: colored %v, want %v", test.env, got, test.color)
		}
	}
}

func TestInspectAnswersEachLineThatIsTyped(t *testing.T) {
	term := newTmux(t, "100", "30")
	term.enter("oid inspect", "Enter")
	term.wait(`^oid inspect: reading IDs from the terminal; Ctrl-D on an empty line ends the input$`)
	term.enter("65b3f7a20123456789abcdef", "Enter")
	term.wait(`time     2024-01-26 18:19:14 UTC`)
	term.enter("65b3", "Enter") // a slip, after which it goes on
	term.wait(`^oid inspect: line 2: "65b3" is not an ID: length 4, want 24 hex digits$`)
	term.enter("69a421f00123456789abcdef", "Enter")
	term.wait(`time     2026-03-01 11:24:32 UTC`)
	term.enter("", "C-d")
	term.wait(`^ready>$`)
	term.enter("echo status $?", "Enter")
	term.wait(`^status 1$`)
}

// Each typed line is answered at once, not at the end of the input.
func TestFilterAndConvertAnswerEachLine(t *testing.T) {
	term := newTmux(t, "100", "20")
	term.enter("oid filter --from 2026-03-02", "Enter")
	term.wait(`^oid \w+: reading IDs from the terminal`)
	term.enter("a 69a421f00123456789abcdef", "Enter") // of March 1
	term.enter("b 69a573700123456789abcdef", "Enter")
	term.wait(`^a 69a421f00123456789abcdef\nb 69a573700123456789abcdef\nb 69a573700123456789abcdef$`)
	term.enter("", "C-d")
	term.wait(`^ready>$`)
	term.clear()
	term.enter("oid convert --to mongosh", "Enter")
	term.wait(`^oid \w+: reading IDs from the terminal`) // what is typed before can be lost
	term.enter("69a421f00123456789abcdef", "Enter")
	term.wait(`^ObjectId\("69a421f00123456789abcdef"\)$`)
	term.enter("", "C-d")
	term.wait(`^ready>$`)
}

// The first answer that can't be written ends the command, although its input goes on.
func TestFullDiskIsAnErrorAtATypedLine(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	term := newTmux(t, "100", "20")
	term.enter("oid convert >/dev/full", "Enter")
	term.wait(`^oid convert: reading IDs from the terminal`)
	term.enter("69a421f00123456789abcdef", "Enter")
	term.wait(`^oid convert: write /dev/stdout: no space left on device\nready>$`)
}

func TestInspectFitsANarrowTerminal(t *testing.T) {
	const list = `65b3f7a2 0123456789 abcdef
counter  11,259,375 of 16,777,215
process  0123456789, random as drivers make it today, or
         machine 012345, pid 26505 as before 2018
time     2024-01-26 18:19:14 UTC
local    2024-01-26 19:19:14 +01:00 CET
age      `
	term := newTmux(t, "60", "20")
	term.enter("oid inspect 65b3f7a20123456789abcdef", "Enter")
	if screen := term.wait(`^age .* ago$`); !strings.Contains(screen, list) || strings.Contains(screen, "note") {
		t.Errorf("%s", screen)
	}
	term.clear()
	term.enter("oid inspect 000000000000000000000000", "Enter")
	term.wait(`^note     the zero ID, which means no ID\n\nready>$`)
	// The diagram has 80 columns, and the last one of the terminal stays free.
	for columns, diagram := range map[string]bool{"81": true, "80": false} {
		term.clear()
		term.enter("COLUMNS="+columns+" oid inspect 65b3f7a20123456789abcdef", "Enter")
		if screen := term.wait(`16,777,215[^$]*^ready>$`); strings.Contains(screen, "╰") != diagram {
			t.Errorf("COLUMNS=%s:\n%s", columns, screen)
		}
	}
}

// The option is on the screen as it was typed, and in the error as text.
func TestEscapeSequencesDoNotReachTheTerminal(t *testing.T) {
	term := newTmux(t, "120", "20")
	term.enter(`oid new "--$(printf '\033[31m')red"`, "Enter")
	term.wait(`^oid new: there is no option "--\\x1b\[31mred" \(oid new -h shows the options\)$`)
	if strings.Contains(term.do("capture-pane", "-p", "-e"), "\x1b[31m") {
		t.Error("the escape sequence reached the terminal")
	}
}

func TestPlainLocalesGetASCIIOnATerminal(t *testing.T) {
	term := newTmux(t, "100", "20")
	term.enter("LC_ALL=C oid inspect 65b3f7a20123456789abcdef", "Enter")
	if screen := term.wait(`age `); !strings.Contains(screen, "\n+--+---+ +---+----+ +-+--+\n") {
		t.Errorf("%s", screen)
	}
}

// A Tab completes the line to the only word that can stand there.
var tabs = []struct{ typed, want string }{
	{"oid hi", "oid histogram"},
	{"oid new --pro", "oid new --process"},
	{"oid range --js", "oid range --json"},
	{"oid range --as my", "oid range --as mysql"},
	{"oid histogram --by mi", "oid histogram --by minute"},
	{"oid convert --to xi", "oid convert --to xid"},
	{"oid new --process ho", "oid new --process host"},
	{"oid convert march.txt --to xi", "oid convert march.txt --to xid"},
	{"oid sql my", "oid sql mysql"},
	{"oid completion ba", "oid completion bash"},
	{"oid inspect marc", "oid inspect march.txt"},
}

// testTabs types each line in the terminal's shell, after the script was loaded.
func testTabs(t *testing.T, term *tmux, load string) {
	term.enter(load, "Enter")
	term.enter("echo kept > march.txt; echo loaded", "Enter")
	term.wait(`^loaded$`)
	for _, test := range tabs {
		term.clear()
		term.enter(test.typed, "Tab")
		term.wait("^ready> " + regexp.QuoteMeta(test.want) + " ?$")
		term.enter("", "C-u") // forget the line
	}
}

func TestTabCompletesInBash(t *testing.T) {
	term := newTmux(t, "100", "20")
	term.enter("cd", "Enter")
	testTabs(t, term, "source <(oid completion bash)")
	// Two Tabs list what can follow, with descriptions.
	term.clear()
	term.enter("oid sql ", "Tab", "Tab")
	term.wait(`^postgres +\(a domain and functions for PostgreSQL\)`)
	term.enter("", "C-u")
	// A Tab runs nothing of the line, and writes no file.
	term.clear()
	term.enter("oid convert $(touch made) > march.txt --t", "Tab")
	term.wait(`^ready> oid convert \$\(touch made\) > march.txt --to ?$`)
	term.enter("", "C-u")
	term.clear()
	term.enter("ls made; cat march.txt", "Enter")
	term.wait(`^ls: .*made.*\nkept$`)
}

func TestTabCompletesInZsh(t *testing.T) {
	term := newTmuxWith(t, "100", "20", "zsh", "-f")
	term.enter("cd; autoload -U compinit; compinit -u", "Enter")
	testTabs(t, term, "source <(oid completion zsh)")
}

func TestTabCompletesInFish(t *testing.T) {
	term := newTmuxWith(t, "100", "20", "fish", "--private", "--no-config", "--init-command", `function fish_prompt; printf "ready> "; end; set fish_greeting`)
	term.enter("cd", "Enter")
	testTabs(t, term, "oid completion fish | source")
}
