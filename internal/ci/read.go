package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// An event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	ImportPath, FailedBuild       string // of the package that wasn't built
}

// A reader reads what go test -json prints.
type reader struct {
	w       io.Writer
	noSkips bool // a test that skips is a failure
	logs    bool // print what passing tests log

	passed, skipped int // top-level tests
	ran             int // tests that ended
	failures        []failure

	packages map[string]*tests
	builds   map[string][]string // the compiler's messages by import path
}

// A failure is a test that failed, or a package that failed without one.
type failure struct {
	pkg, test string
	seed      string   // of the order of the tests, if it was random
	why       []string // at most two lines
}

// The tests of a package.
type tests struct {
	said    map[string][]string // what each running test printed; "" is the package
	failed  []failure
	running []string
	seed    string
}

// beyondReach is in the reason of a test that skips because its server can't be installed:
// the installation was tried (daemon.ErrUnobtainable of internal/servers).
const beyondReach = "it can't be had"

func (r *reader) read(in io.Reader) error {
	r.packages, r.builds = map[string]*tests{}, map[string][]string{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err != nil && err != io.EOF:
			return err
		case json.Unmarshal(line, &e) != nil: // a message of the go command
			fmt.Fprintf(r.w, "%s\n", strings.TrimSpace(string(line)))
		default:
			r.event(e)
		}
	}
}

func (r *reader) event(e event) {
	if strings.HasPrefix(e.Action, "build-") {
		if e.Output != "" {
			fmt.Fprint(r.w, e.Output)
			r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
		}
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &tests{said: map[string][]string{}}
		r.packages[e.Package] = p
	}
	switch {
	case e.Action == "output":
		r.output(p, e)
	case e.Action == "run":
		p.running = append(p.running, e.Test)
	case e.Action != "pass" && e.Action != "skip" && e.Action != "fail":
	case e.Test == "":
		r.endPackage(p, e)
	default:
		r.endTest(p, e)
	}
}

var frame = regexp.MustCompile(`^ *(=== (RUN|PAUSE|CONT|NAME) |--- (PASS|SKIP|FAIL): )`)

func (r *reader) output(p *tests, e event) {
	seed, isSeed := strings.CutPrefix(e.Output, "-test.shuffle ")
	switch {
	case frame.MatchString(e.Output):
	case e.Test != "":
		p.said[e.Test] = append(p.said[e.Test], e.Output)
		if r.logs {
			fmt.Fprint(r.w, e.Output)
		}
	case isSeed:
		p.seed = strings.TrimSpace(seed)
	case strings.HasPrefix(e.Output, "ok  ") || strings.HasPrefix(e.Output, "FAIL\t"):
		fmt.Fprint(r.w, e.Output)
	case e.Output == "PASS\n" || e.Output == "FAIL\n" || strings.Contains(e.Output, "[no test files]"):
	default:
		p.said[""] = append(p.said[""], e.Output)
	}
}

func (r *reader) endTest(p *tests, e event) {
	said := p.said[e.Test]
	delete(p.said, e.Test)
	p.running = slices.DeleteFunc(p.running, func(test string) bool { return test == e.Test })
	r.ran++
	top := !strings.Contains(e.Test, "/")
	switch e.Action {
	case "pass":
		if top {
			r.passed++
		}
	case "skip":
		reason := strings.Join(strings.Fields(strings.Join(said, "")), " ")
		fmt.Fprintf(r.w, "skipped: %s: %s\n", e.Test, reason)
		if top {
			r.skipped++
		}
		if r.noSkips && !strings.Contains(reason, beyondReach) {
			r.failures = append(r.failures, failure{pkg: e.Package, test: e.Test, seed: p.seed, why: []string{"it may not skip here: " + reason}})
		}
	case "fail":
		fmt.Fprintf(r.w, "--- FAIL: %s\n", e.Test)
		if !r.logs {
			fmt.Fprint(r.w, strings.Join(said, ""))
		}
		p.failed = append(p.failed, failure{pkg: e.Package, test: e.Test, seed: p.seed, why: why(said)})
	}
}

// endPackage adds the failures of a package. A test whose subtest failed is one only if it
// printed something itself. After a panic, the go command names a test above the one that
// panicked.
func (r *reader) endPackage(p *tests, e event) {
	defer delete(r.packages, e.Package)
	if e.Action != "fail" {
		return
	}
	f := failure{pkg: e.Package, seed: p.seed}
	failed := slices.DeleteFunc(slices.Clone(p.failed), func(f failure) bool { return len(f.why) == 0 })
	switch {
	case e.FailedBuild != "":
		f.why = why(r.builds[e.FailedBuild])
		failed = append(failed, f)
	case len(failed) > 0:
	case len(p.failed) > 0:
		failed = p.failed[:1]
	default: // it ended without saying which test failed
		f.why = why(p.said[""])
		for _, test := range slices.Backward(p.running) {
			lines := why(p.said[test])
			if f.test == "" || crash.MatchString(strings.Join(lines, "\n")) {
				f.test, f.why = test, lines
			}
		}
		if f.test != "" && !crash.MatchString(strings.Join(f.why, "\n")) {
			f.why = append([]string{"the program ended while this test ran"}, f.why...)[:min(2, 1+len(f.why))]
		}
		failed = append(failed, f)
	}
	if len(p.failed) == 0 {
		for _, test := range append([]string{""}, p.running...) {
			fmt.Fprint(r.w, strings.Join(p.said[test], ""))
		}
	}
	if p.seed != "" {
		fmt.Fprintf(r.w, "-test.shuffle %s\n", p.seed)
	}
	r.failures = append(r.failures, failed...)
}

var (
	crash = regexp.MustCompile(`^(panic: |fatal error: |WARNING: DATA RACE)`)
	ours  = regexp.MustCompile(`^\s*` + regexp.QuoteMeta(home) + `\b`)
	spot  = regexp.MustCompile(`^\s+(\S+\.go:\d+)`)
)

// why returns at most two lines that tell the reason of a failure. For a panic or a data
// race, the second one is the first line of our code in the trace.
func why(said []string) (lines []string) {
	said = strings.Split(strings.Join(said, ""), "\n")
	for i, text := range said {
		if !crash.MatchString(text) {
			continue
		}
		lines = []string{text}
		for j := i + 1; j < len(said); j++ {
			if where := spot.FindStringSubmatch(said[j]); where != nil && ours.MatchString(said[j-1]) {
				return append(lines, "at "+where[1])
			}
		}
		return lines
	}
	for _, text := range said {
		text = strings.TrimSpace(text)
		if text != "" && !strings.HasPrefix(text, "# ") && !strings.HasPrefix(text, "fuzz: ") && len(lines) < 2 {
			lines = append(lines, text)
		}
	}
	return lines
}
