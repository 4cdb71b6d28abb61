package api_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// Scripts depend on the commands and options of oid. What the help says about them
// may change.
func TestCommandLineKeepsWhatItHas(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "oid.exe")
	if out, err := tree.Command(t, "go", "build", "-buildvcs=false", "-o", binary, "./cmd/oid").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	help := func(args ...string) string {
		t.Helper()
		out, err := tree.Command(t, binary, append(args, "-h")...).Output()
		if err != nil {
			t.Fatalf("oid %q: %v", args, err)
		}
		return string(out)
	}
	lines := commandLine("oid", help())
	var commands []string
	for _, line := range lines {
		if name := strings.TrimPrefix(line, "oid "); !strings.HasPrefix(name, "-") {
			commands = append(commands, name)
		}
	}
	if len(commands) < 5 {
		t.Fatalf("only the commands %q found in\n%s", commands, help())
	}
	for _, name := range commands {
		if !strings.HasPrefix(name, "help") {
			lines = append(lines, commandLine("oid "+name, help(name))...)
		}
	}
	slices.Sort(lines)
	check(t, "cmd_oid.txt", slices.Compact(lines))
}

// commandLine returns a line for each command and each option that the help of a
// command lists.
func commandLine(command, help string) (lines []string) {
	_, help, _ = strings.Cut(help, "\nDESCRIPTION:")
	entry := regexp.MustCompile(`(?m)^(COMMANDS|OPTIONS|GLOBAL OPTIONS):$|^   (\S+(?: \S+)*)  +\S`)
	section := ""
	for _, m := range entry.FindAllStringSubmatch(help, -1) {
		switch {
		case m[1] != "":
			section = m[1]
		case section == "COMMANDS" || section == "OPTIONS" || section == "GLOBAL OPTIONS" && command == "oid":
			lines = append(lines, command+" "+m[2])
		}
	}
	return lines
}

func TestCommandLine(t *testing.T) {
	const help = `NAME:
   x - no entry

DESCRIPTION:
   no  entry

COMMANDS:
   new     make ids
   help    explain

OPTIONS:
   --as FORM   print FORM only
   --help, -h  show help

GLOBAL OPTIONS:
   --json  print JSON
`
	if got, want := commandLine("oid", help), []string{"oid new", "oid help", "oid --as FORM", "oid --help, -h", "oid --json"}; !slices.Equal(got, want) {
		t.Errorf("commandLine(oid) = %q, want %q", got, want)
	}
	if got, want := commandLine("oid x", help), []string{"oid x new", "oid x help", "oid x --as FORM", "oid x --help, -h"}; !slices.Equal(got, want) {
		t.Errorf("commandLine(oid x) = %q, want %q", got, want)
	}
}
