package consumer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// TestGettingStarted does what docs/getting-started.md says, block by block: it runs the
// commands, writes the programs, and compares the output.
func TestGettingStarted(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(tree.Root(t), "docs", "getting-started.md"))
	if err != nil {
		t.Fatal(err)
	}
	w := theWorld(t)
	dir := t.TempDir()
	program, printed := "", ""
	compared := 0
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		switch lang, text := m[1], m[2]; lang {
		case "sh":
			for line := range strings.Lines(text) {
				printed, dir = step(t, w, dir, strings.TrimSpace(line))
			}
		case "go":
			if strings.HasPrefix(text, "package main\n") {
				program = text
			} else {
				program = atEndOfMain(t, program, text)
			}
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
				t.Fatal(err)
			}
		case "text":
			if got, want := withoutIDs(printed), withoutIDs(text); got != want {
				t.Errorf("the program prints\n%s\nand the page says\n%s", got, want)
			}
			compared++
		default:
			t.Errorf("a block of %s: nothing is known about it", lang)
		}
	}
	if compared < 3 {
		t.Errorf("%d outputs were compared, want 3", compared)
	}
}

// step runs a line of the page in dir. It returns what the line prints, and the folder
// for the next one.
func step(t *testing.T, w world, dir, line string) (printed, next string) {
	t.Helper()
	if name, ok := strings.CutPrefix(line, "mkdir hello && cd "); ok {
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return "", dir
	}
	args := strings.Fields(line)
	network := false
	for i, arg := range args {
		switch {
		case isOurs(arg):
			args[i] = at(arg)
		case strings.Contains(arg, "/"):
			network = args[1] == "get"
		}
	}
	if args[1] == "run" {
		w = compiled(t, dir)
	}
	printed, err := w.run(dir, args[0], args[1:]...)
	if err != nil && network {
		tree.Skip(t, fmt.Errorf("the module proxy can't be reached: %w", err))
	}
	if err != nil {
		t.Fatal(err)
	}
	return printed, dir
}

// atEndOfMain adds lines to the function main.
func atEndOfMain(t *testing.T, program, lines string) string {
	t.Helper()
	before, main, ok := strings.Cut(program, "\nfunc main() {\n")
	body, after, ends := strings.Cut(main, "\n}\n")
	if !ok || !ends {
		t.Fatalf("no function main in\n%s", program)
	}
	return before + "\nfunc main() {\n" + body + "\n\n" + lines + "}\n" + after
}

// withoutIDs takes out what differs in each run.
func withoutIDs(text string) string {
	text = regexp.MustCompile(`\b[0-9a-f]{24}\b`).ReplaceAllString(text, "ID")
	return regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC`).ReplaceAllString(text, "TIME")
}
