package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A guard is a package of tests that shall kill the mutants of another one.
type guard struct {
	folder   string         // below the root of the repository, with slashes
	only     *regexp.Regexp // the tests that count, or nil for all
	not      *regexp.Regexp // the tests that don't, or nil
	skip     string         // the subtests that don't, for -test.skip
	together bool           // the tests share something dear: one process runs them all
	once     sync.Once      // compiles it, and runs its tests without a mutant
	err      error          // of that
	binary   string
	tests    []test
	plain    test // the tests that fail in the instrumented copy
}

// A test is a test, example or fuzz target of a guard, or all of a guard that runs
// its tests together.
type test struct {
	names []string
	reach []byte // 1 at the number of each mutant that the test comes to
	took  time.Duration
	cpu   time.Duration
}

func (t test) comesTo(m *mutant) bool { return m.id < len(t.reach) && t.reach[m.id] == 1 }

var testName = regexp.MustCompile(`^(Test|Example|Fuzz)`)

// counts reports whether a function of the guard is a test that counts.
func (g *guard) counts(name string) bool {
	return testName.MatchString(name) && (g.only == nil || g.only.MatchString(name)) && (g.not == nil || !g.not.MatchString(name))
}

// parseGuards reads the table of guards: folders, options, # comments.
func parseGuards(text string) (map[string][]*guard, error) {
	table := map[string][]*guard{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) == 1 {
			return nil, fmt.Errorf("guards.txt: %s has no guard", fields[0])
		}
		g := &guard{folder: fields[1]}
		for _, option := range fields[2:] {
			name, expr, _ := strings.Cut(option, "=")
			var err error
			switch name {
			case "together":
				g.together = true
			case "-run":
				g.only, err = regexp.Compile(expr)
			case "-skip":
				if strings.HasPrefix(expr, "/") {
					g.skip = expr
				} else {
					g.not, err = regexp.Compile(expr)
				}
			default:
				err = fmt.Errorf("%s is none of -run=REGEXP, -skip=REGEXP and together", option)
			}
			if err != nil {
				return nil, fmt.Errorf("guards.txt: %w", err)
			}
		}
		table[fields[0]] = append(table[fields[0]], g)
	}
	return table, nil
}

// An instrumented package is a copy of a package that holds all of its mutants. It
// lies in a folder outside the tree, which -overlay puts in place.
type instrumented struct {
	root    string // of the repository
	dir     string // of the copy
	folder  string // of the package, below the root
	name    string // of the package
	sources []*source
	mutants []*mutant
	guards  []*guard
	overlay string // the file for -overlay
	hash    string // of the sources
	limits  limits
	env     []string
	log     func(format string, args ...any)
}

// write writes the copy with the mutants that keep names to dir, and the file for
// -overlay. It returns the name of that.
func (p *instrumented) write(dir, support string, keep func(*mutant) bool) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	put := func(original, text string) error {
		file := filepath.Join(dir, filepath.Base(original))
		replace[original] = file
		if old, err := os.ReadFile(file); err == nil && string(old) == text {
			return nil
		}
		return os.WriteFile(file, []byte(text), 0o644)
	}
	for _, s := range p.sources {
		if err := put(s.path, s.code(keep)); err != nil {
			return "", err
		}
	}
	if err := put(filepath.Join(p.root, filepath.FromSlash(p.folder), "mutant__.go"), support); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o644)
}

var position = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go):(\d+):(\d+): (.*)$`)

// build compiles the package, and leaves out the mutants that don't compile.
func (p *instrumented) build() error {
	out := map[int]bool{}
	keep := func(m *mutant) bool { return !out[m.id] }
	support := fmt.Sprintf(support, p.name, len(p.mutants)+1)
	for {
		overlay, err := p.write(filepath.Join(p.dir, "all"), support, keep)
		if err != nil {
			return err
		}
		cmd := exec.Command("go", "build", "-gcflags=-e", "-overlay="+overlay, "-o", os.DevNull, "./"+p.folder)
		cmd.Dir = p.root
		text, err := cmd.CombinedOutput()
		if err == nil {
			p.mutants = slices.DeleteFunc(p.mutants, func(m *mutant) bool { return out[m.id] })
			for _, s := range p.sources {
				for _, point := range s.points {
					point.mutants = slices.DeleteFunc(point.mutants, func(m *mutant) bool { return out[m.id] })
				}
			}
			p.overlay = overlay
			if p.name == "main" {
				// Each run of the tests would link it again.
				program := filepath.Join(p.dir, "program", path.Base(p.folder))
				cmd := exec.Command("go", "build", "-overlay="+overlay, "-o", program, "./"+p.folder)
				cmd.Dir = p.root
				if text, err := cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("go build: %w\n%s", err, text)
				}
				p.env = append(p.env, "OIDKIT_MUTANT_PROGRAM="+program)
			}
			if !strings.ContainsAny(overlay, " '\"") {
				// A program that a test builds has the mutants too.
				p.env = append(p.env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
			}
			return nil
		}
		before := len(out)
		for _, found := range position.FindAllStringSubmatch(string(text), -1) {
			if id := p.mutantAt(found[1], found[2], found[3]); id > 0 && !out[id] {
				p.log("doesn't compile: %v: %s", p.mutants[id-1], found[4])
				out[id] = true
			}
		}
		if len(out) == before {
			return fmt.Errorf("go build: %w\n%s", err, text)
		}
	}
}

var question = regexp.MustCompile(`mutant__\((\d+)\)`)

// mutantAt returns the number of the last mutant before a place of the copy. If the
// place is the type of a point, whose package the file may not import, it is the next.
func (p *instrumented) mutantAt(file, line, column string) int {
	text, err := os.ReadFile(filepath.Join(p.dir, "all", filepath.Base(file)))
	if err != nil {
		return 0
	}
	row, _ := strconv.Atoi(line)
	col, _ := strconv.Atoi(column)
	at := 0
	for range row - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	at = min(at+col, len(text))
	found := question.FindAllSubmatch(text[:at], -1)
	if bytes.HasSuffix(bytes.TrimRight(text[:at-1], "*[]"), []byte("func() ")) {
		found = question.FindAllSubmatch(text[at:], 1)
	}
	if len(found) == 0 {
		return 0
	}
	id, _ := strconv.Atoi(string(found[len(found)-1][1]))
	return id
}

// prepare compiles the guard with the given number, and finds out which of its tests
// come to which mutants.
func (p *instrumented) prepare(number int) error {
	g := p.guards[number]
	g.once.Do(func() {
		g.binary = filepath.Join(p.dir, fmt.Sprintf("guard%d.test", number))
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+p.overlay, "-o", g.binary, "./"+g.folder)
		cmd.Dir = p.root
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, text)
		} else {
			err = p.record(g)
		}
		if err == nil && len(g.plain.names) > 0 {
			err = p.dropBroken(g)
		}
		if err != nil {
			g.err = fmt.Errorf("go test -c ./%s: %w", g.folder, err)
			return
		}
		n := 0
		for _, t := range g.tests {
			n += len(t.names)
		}
		p.log("%s: guarded by %d tests of %s", p.folder, n, g.folder)
		if len(g.plain.names) > 0 {
			p.log("%s: these fail in the instrumented copy, and run with survivors only, one by one: %s", g.folder, strings.Join(g.plain.names, " "))
		}
	})
	return g.err
}

// record runs the tests of the guard without a mutant. It runs a test again only if the
// package, the test's function or the guard's data has changed.
func (p *instrumented) record(g *guard) error {
	kept := g.binary + ".recording.json"
	old := map[string]recorded{}
	if data, err := os.ReadFile(kept); err == nil {
		if err := json.Unmarshal(data, &old); err != nil {
			return err
		}
	}
	functions, err := p.functions(g.folder)
	if err != nil {
		return err
	}
	data, err := p.dataHash(g.folder)
	if err != nil {
		return err
	}
	text, err := p.command(context.Background(), g, nil, "-test.list=.").Output()
	if err != nil {
		return fmt.Errorf("-test.list: %w\n%s", err, text)
	}
	var names []string
	for _, name := range strings.Fields(string(text)) {
		if g.counts(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return errors.New("no tests")
	}
	var runs [][]string
	if g.together {
		runs = [][]string{names}
	} else {
		for _, name := range names {
			runs = append(runs, []string{name})
		}
	}
	reach := filepath.Join(p.dir, "reach")
	size := 0
	for _, m := range p.mutants {
		size = max(size, m.id+1)
	}
	now := map[string]recorded{}
	for i := 0; i < len(runs); i++ {
		source := sha256.New()
		io.WriteString(source, p.hash+data)
		for _, name := range runs[i] {
			io.WriteString(source, functions[name])
		}
		key := fmt.Sprintf("%s %x", runs[i][0], source.Sum(nil))
		if r, ok := old[key]; ok {
			now[key] = r
			g.tests = append(g.tests, test{runs[i], r.Reach, r.Took, r.CPU})
			continue
		}
		if err := os.WriteFile(reach, make([]byte, size), 0o644); err != nil {
			return err
		}
		r := p.run(g, runs[i], 0, 20*time.Minute, 0, "OIDKIT_MUTANT_REACH="+reach)
		reached, err := os.ReadFile(reach)
		if err != nil {
			return err
		}
		if r.passed {
			now[key] = recorded{reached, r.took, r.cpu}
			g.tests = append(g.tests, test{runs[i], reached, r.took, r.cpu})
			continue
		}
		for i, b := range g.plain.reach {
			reached[i] |= b
		}
		g.plain.reach = reached
		failed := r.failed
		if len(runs[i]) == 1 {
			failed = runs[i]
		}
		left := slices.DeleteFunc(slices.Clone(runs[i]), func(name string) bool { return slices.Contains(failed, name) })
		if len(left) == len(runs[i]) {
			return fmt.Errorf("the tests fail without a mutant, and don't say which:\n%s", r.output)
		}
		p.log("%s: fails without a mutant: %s\n%s", g.folder, strings.Join(failed, " "), r.output)
		g.plain.names = append(g.plain.names, failed...)
		if len(left) > 0 {
			runs = append(runs, left)
		}
	}
	recording, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return os.WriteFile(kept, recording, 0o644)
}

// dropBroken drops the plain tests that fail without the instruments too, such as one
// that needs a server: they would kill every mutant.
func (p *instrumented) dropBroken(g *guard) error {
	clean := &guard{folder: g.folder, binary: g.binary + ".clean"}
	defer os.Remove(clean.binary)
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", clean.binary, "./"+g.folder)
	cmd.Dir = p.root
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	one := &instrumented{root: p.root, limits: p.limits}
	g.plain.names = slices.DeleteFunc(g.plain.names, func(name string) bool {
		broken := !one.run(clean, []string{name}, 0, 20*time.Minute, 0).passed
		if broken {
			p.log("%s: fails without the instruments too, and doesn't count: %s", g.folder, name)
		}
		return broken
	})
	return nil
}

// A recorded is what the command keeps of a test that passed without a mutant.
type recorded struct {
	Reach     []byte
	Took, CPU time.Duration
}

// functions returns the source of each test function in a folder.
func (p *instrumented) functions(folder string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(p.root, filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		return nil, err
	}
	functions := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				functions[f.Name.Name] = string(text[fset.Position(f.Pos()).Offset:fset.Position(f.End()).Offset])
			}
		}
	}
	return functions, nil
}

// A result is what a run of tests gave.
type result struct {
	passed    bool
	by        string   // the test that failed, or what else ended the run
	failed    []string // the tests that failed
	output    string
	took, cpu time.Duration
}

// limits are those of a run.
type limits struct {
	memory   int           // MiB
	patience time.Duration // what the processor may work for a mutant beyond the usual
}

// command returns the guard's program.
func (p *instrumented) command(ctx context.Context, g *guard, wrapper []string, args ...string) *exec.Cmd {
	args = append(append(slices.Clone(wrapper), g.binary), args...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Join(p.root, filepath.FromSlash(g.folder))
	cmd.Env = append(cmd.Environ(), p.env...)
	return cmd
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// run runs tests of a guard with a mutant, 0 for none.
func (p *instrumented) run(g *guard, names []string, mutant int, wall, cpu time.Duration, env ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), wall)
	defer cancel()
	args := []string{"-test.run=^(" + strings.Join(names, "|") + ")$", "-test.timeout=0"}
	if g.skip != "" {
		args = append(args, "-test.skip="+g.skip)
	}
	if mutant > 0 {
		args = append(args, "-test.failfast")
	}
	cmd := p.command(ctx, g, limited(cpu, p.limits.memory), args...)
	cmd.Env = append(cmd.Env, append(env, "OIDKIT_MUTANT="+strconv.Itoa(mutant))...)
	ownGroup(cmd)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	err := cmd.Run()
	r := result{passed: err == nil, took: time.Since(begin), output: tail(out.String())}
	if cmd.ProcessState != nil {
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	for _, found := range failure.FindAllStringSubmatch(out.String(), -1) {
		r.failed = append(r.failed, found[1])
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.by = "time"
	case len(r.failed) > 0:
		r.by = r.failed[0]
	default:
		r.by = err.Error()
	}
	return r
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// kill runs the tests that come to the mutant, the fast ones first, until one
// fails. It returns what killed the mutant, or "".
func (p *instrumented) kill(m *mutant) (string, error) {
	for i, g := range p.guards {
		if err := p.prepare(i); err != nil {
			return "", err
		}
		var tests []test
		for _, t := range g.tests {
			if t.comesTo(m) {
				tests = append(tests, t)
			}
		}
		slices.SortStableFunc(tests, func(a, b test) int { return int(a.took - b.took) })
		most := 300 * time.Millisecond
		for len(tests) > 0 {
			n, took, cpu := 0, time.Duration(0), time.Duration(0)
			var names []string
			for n == 0 || n < len(tests) && took+tests[n].took < most {
				names = append(names, tests[n].names...)
				took += tests[n].took
				cpu += tests[n].cpu
				n++
			}
			tests, most = tests[n:], 5*most
			if r := p.run(g, names, m.id, 10*took+2*time.Minute, 4*cpu+p.limits.patience); !r.passed {
				return path.Base(g.folder) + " " + r.by, nil
			}
		}
	}
	return p.killPlain(m), nil
}

// killPlain runs the tests that fail in the instrumented copy, such as those
// that count allocations, with the code of one mutant.
func (p *instrumented) killPlain(m *mutant) string {
	for i, g := range p.guards {
		if len(g.plain.names) == 0 || !g.plain.comesTo(m) {
			continue
		}
		dir := filepath.Join(p.dir, fmt.Sprintf("one%d", m.id))
		overlay, err := p.write(dir, fmt.Sprintf(supportOne, p.name), func(other *mutant) bool { return other == m })
		defer os.RemoveAll(dir)
		if err != nil {
			p.log("%v: %v", m, err)
			return ""
		}
		binary := filepath.Join(dir, fmt.Sprintf("guard%d.test", i))
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+overlay, "-o", binary, "./"+g.folder)
		cmd.Dir = p.root
		if text, err := cmd.CombinedOutput(); err != nil {
			p.log("%v: %v\n%s", m, err, text)
			return ""
		}
		one := &guard{folder: g.folder, skip: g.skip, binary: binary}
		if r := p.run(one, g.plain.names, m.id, 5*time.Minute, 2*time.Minute); !r.passed {
			return path.Base(g.folder) + " " + r.by
		}
	}
	return ""
}
