package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A target is a fuzz test.
type target struct {
	dir  string // of its package
	pkg  string // the package's import path
	name string
}

func (t target) String() string { return t.pkg + "." + t.name }

// targets returns the fuzz tests below root, for which this Go builds the files that
// they are in.
func targets(ctx context.Context, root string) ([]target, error) {
	patterns := []string{"./..."}
	if work, err := output(ctx, root, "go", "env", "GOWORK"); err != nil {
		return nil, err
	} else if work := strings.TrimSpace(string(work)); work != "" && work != "off" {
		patterns = []string{"work"}
	}
	out, err := output(ctx, root, "go", append([]string{"list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []target
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			Dir, ImportPath           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
					all = append(all, target{p.Dir, p.ImportPath, f.Name.Name})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b target) int { return cmp.Compare(a.String(), b.String()) })
	return all, nil
}

// output runs a command in a folder and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, args[0], err, out, &stderr)
	}
	return out, nil
}

// build compiles the tests of t's package for fuzzing.
func (t target) build(ctx context.Context, tmp string) (string, error) {
	binary := filepath.Join(tmp, strings.ReplaceAll(t.pkg, "/", "_")+".test")
	_, err := output(ctx, t.dir, "go", "test", "-c", "-fuzz=.", "-o", binary, ".")
	return binary, err
}

// cache returns the folder in which the go command keeps interesting inputs of t.
func (t target) cache(ctx context.Context) (string, error) {
	dir, err := output(ctx, t.dir, "go", "env", "GOCACHE")
	return filepath.Join(strings.TrimSpace(string(dir)), "fuzz", filepath.FromSlash(t.pkg)), err
}

// A result is what a target did.
type result struct {
	execs, fresh int64
	deadline     bool
	stalls       int
	log          []byte // of a target that failed
}

func (r result) String() string {
	s := fmt.Sprintf("%10d executions %5d new", r.execs, r.fresh)
	if r.deadline {
		s += ", ended by its deadline"
	}
	if r.stalls > 0 {
		s += fmt.Sprintf(", stalled %d times", r.stalls)
	}
	return s
}

// fuzz runs t for a time.
func (t target) fuzz(ctx context.Context, binary string, each time.Duration) (total result, err error) {
	for end := time.Now().Add(each); ; {
		left := time.Until(end).Round(time.Second)
		if left <= 0 {
			return total, nil
		}
		r, input, err := t.fuzzOnce(ctx, binary, left)
		total.execs += r.execs
		total.fresh += r.fresh
		total.deadline = r.deadline
		total.log = r.log
		if err == nil || ctx.Err() != nil {
			return total, cmp.Or(ctx.Err(), err)
		}
		if input == "" {
			return total, err
		}
		file := filepath.Join(t.dir, input)
		// Go's fuzzer ends a process whose input takes ten seconds, or a minute since Go
		// 1.27. On a busy machine any input may. Then it is nothing that is wrong with the input.
		if bytes.Contains(r.log, []byte("fuzzing process hung or terminated unexpectedly")) && t.passes(ctx, binary, filepath.Base(input)) {
			total.stalls++
			total.log = nil
			if err := os.Remove(file); err != nil {
				return total, err
			}
			continue
		}
		return total, fmt.Errorf("the failing input is %s", file)
	}
}

// passes reports whether t passes with an input of its folder in testdata.
func (t target) passes(ctx context.Context, binary, input string) bool {
	cmd := exec.CommandContext(ctx, binary, "-test.run=^"+t.name+"$/^"+regexp.QuoteMeta(input)+"$", "-test.timeout=2m")
	cmd.Dir = t.dir
	return cmd.Run() == nil
}

// fuzzOnce runs Go's fuzzer. If that fails, it returns the failing input too, unless
// there is none.
func (t target) fuzzOnce(ctx context.Context, binary string, each time.Duration) (r result, input string, err error) {
	cache, err := t.cache(ctx)
	if err != nil {
		return result{}, "", err
	}
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzzcachedir="+cache,
		"-test.fuzztime="+each.String(), "-test.fuzzminimizetime=10x", "-test.parallel=1", "-test.timeout=0")
	cmd.Dir = t.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(cmd.Environ(), "GOMAXPROCS=2") // the coordinator and its worker
	out, err := cmd.CombinedOutput()
	r = read(out)
	if err == nil || ctx.Err() != nil {
		return r, "", err
	}
	input = failingInput(out)
	// Go's fuzzer can take the end of its own time for a failure, when that comes in
	// the middle of a step (golang/go#75804, mended in Go 1.27). A real failure names
	// its input.
	if input == "" && bytes.Contains(out, []byte("context deadline exceeded")) {
		r.deadline = true
		return r, "", nil
	}
	r.log = out
	return r, input, err
}

var (
	progress = regexp.MustCompile(`(?m)^fuzz: elapsed: .*, execs: (\d+) .*new interesting: (\d+)`)
	failing  = regexp.MustCompile(`(?m)^\s*Failing input written to (\S+)$`)
)

// read returns the last counts that Go's fuzzer printed.
func read(out []byte) (r result) {
	for _, m := range progress.FindAllSubmatch(out, -1) {
		r.execs, _ = strconv.ParseInt(string(m[1]), 10, 64)
		r.fresh, _ = strconv.ParseInt(string(m[2]), 10, 64)
	}
	return r
}

// failingInput returns the file that Go's fuzzer wrote, or "".
func failingInput(out []byte) string {
	if m := failing.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	// A seed that fails has its own file, or stands in the code.
	if m := regexp.MustCompile(`failure while testing seed corpus entry: (\S+)`).FindSubmatch(out); m != nil {
		return filepath.Join("testdata", "fuzz", string(m[1]))
	}
	return ""
}
