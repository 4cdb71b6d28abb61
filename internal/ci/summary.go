package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const home = "github.com/oidkit/oidkit"

// shown is how many failures a summary has. Each takes at most four lines.
const shown = 3

// A place is where the tests run, as far as a command that repeats them must say it.
type place struct {
	dir   string   // below the root of the repository, or "" if it isn't there
	env   []string // variables
	under string   // a command that runs another one while a server runs
	step  string   // the command that repeats the whole step
}

// variables are those that change what a test does.
var variables = regexp.MustCompile(`^(OIDKIT_\w+|GOOS|GOARCH|GOEXPERIMENT|GODEBUG|CGO_ENABLED|GOWORK)=.`)

func newPlace() place {
	p := place{under: os.Getenv("CI_UNDER"), step: os.Getenv("CI_STEP")}
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(os.Getenv("CI_ROOT"), dir); err == nil && filepath.IsLocal(rel) {
			p.dir = rel
		}
	}
	for _, variable := range os.Environ() {
		if variables.MatchString(variable) {
			name, value, _ := strings.Cut(variable, "=")
			p.env = append(p.env, name+"="+quote(value))
		}
	}
	if os.Getenv("GOTOOLCHAIN") == "local" { // the step uses another Go release
		if version, err := exec.Command("go", "env", "GOVERSION").Output(); err == nil {
			p.env = append(p.env, "GOTOOLCHAIN="+strings.TrimSpace(string(version)))
		}
	}
	slices.Sort(p.env)
	return p
}

// A command is what follows go test.
type command struct {
	flags []string // those that a repetition needs
	run   string
}

// switches are the flags without a value.
var switches = map[string]bool{"race": true, "v": true, "json": true, "cover": true, "short": true, "failfast": true}

// dropped are the flags that a repetition of one test doesn't need, or has with another value.
var dropped = map[string]bool{"run": true, "skip": true, "fuzz": true, "fuzztime": true, "fuzzminimizetime": true, "count": true, "p": true, "parallel": true, "shuffle": true, "v": true, "json": true}

func parseCommand(args []string) (c command) {
	for i := 0; i < len(args) && args[i] != "-args"; i++ {
		if !strings.HasPrefix(args[i], "-") {
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !hasValue && !switches[name] && i+1 < len(args) {
			i++
			value, hasValue = args[i], true
		}
		if name == "run" {
			c.run = value
		}
		if dropped[name] || name == "exec" && !strings.HasPrefix(value, "qemu") && !strings.HasPrefix(value, "env GODEBUG") {
			continue // the commands that measure write into a folder that is gone
		}
		flag := "-" + name
		if hasValue {
			flag += "=" + quote(value)
		}
		c.flags = append(c.flags, flag)
	}
	return c
}

// repeat returns the command that repeats one failure on this machine.
func (c command) repeat(f failure, p place) string {
	if p.dir == "" || f.pkg == "" {
		return p.step
	}
	words := slices.Clone(p.env)
	if p.under != "" {
		words = append(words, p.under)
	}
	words = append(words, "go", "test", "-count=1")
	words = append(words, c.flags...)
	if f.seed != "" {
		words = append(words, "-shuffle="+f.seed)
	}
	if f.test != "" {
		words = append(words, "-run="+quote(pattern(f.test)))
	}
	pkg := f.pkg
	if p.dir == "." && strings.HasPrefix(pkg+"/", home+"/") {
		pkg = "." + strings.TrimPrefix(pkg, home)
	}
	words = append(words, quote(pkg))
	if p.dir != "." {
		return "(cd " + quote(p.dir) + " && " + strings.Join(words, " ") + ")"
	}
	return strings.Join(words, " ")
}

// pattern returns the expression of -run that matches one test.
func pattern(test string) string {
	elems := strings.Split(test, "/")
	for i, elem := range elems {
		elems[i] = "^" + regexp.QuoteMeta(elem) + "$"
	}
	return strings.Join(elems, "/")
}

var plain = regexp.MustCompile(`^[\w./:=,@%+-]+$`)

// quote returns a word of a command as bash reads it.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// summary returns what a red run ends with: at most 13 lines for the first failures.
func summary(failures []failure, c command, p place) []byte {
	var b bytes.Buffer
	for i, f := range failures {
		if i == shown {
			fmt.Fprintf(&b, "and %d more\n", len(failures)-shown)
			break
		}
		name := strings.TrimSpace(strings.TrimPrefix(strings.Replace(f.pkg, home, ".", 1), "./") + " " + f.test)
		if name != "" {
			fmt.Fprintf(&b, "%s:\n", name)
		}
		for _, line := range f.why {
			fmt.Fprintf(&b, "    %s\n", cut(line))
		}
		fmt.Fprintf(&b, "  repeat: %s\n", c.repeat(f, p))
	}
	return b.Bytes()
}

// cut shortens a line for a narrow window.
func cut(line string) string {
	const most = 200
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}
