// Command bench compares the speed of oidkit with that of its peers:
//
//	go run ./internal/bench            # everything
//	go run ./internal/bench oid        # the folder internal/bench/oid
//	go run ./internal/bench oid New    # its benchmarks that match New
//	go run ./internal/bench oid,mongo  # two folders
//
// With -svg it draws the ratios too. With -table it prints a Markdown table too. With
// -save it writes the ratios into a file. The chart, the table of docs/mongodb-reference.md and ratios.txt
// come from one run each:
//
//	go run ./internal/bench -table -svg docs/speed.svg oid,mongo
//	go run ./internal/bench -save internal/bench/ratios.txt
//
// With -compare it fails if a ratio is more than 1.25 times that of a file, twice in a row, or if
// the file doesn't have it. The nightly run does so, for all folders:
//
//	go run ./internal/bench -compare internal/bench/ratios.txt
//
// Benchmarks are named Group/variant. The other variants of a group are compared with
// the first one. A time is the median of many short runs: in each of 9 rounds, every benchmark
// runs 3 times in a row. Times of code that asks no server are processor times, in memory that
// the process already has. The garbage collector runs between the runs, not within them. So
// ratios are nearly the same on a machine that does other work too.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// inRow is how often a round runs each benchmark.
const inRow = 3

// result is what the runs of one benchmark measured, by unit.
type result struct {
	pkg, group, variant string
	runs                map[string][]float64
}

func main() {
	rounds := flag.Int("rounds", 9, "how often to run the benchmarks of all folders")
	benchtime := flag.String("benchtime", "5ms", "how long to run each benchmark, 3 times in a round")
	svg := flag.String("svg", "", "draw the ratios into this `file` too")
	markdown := flag.Bool("table", false, "print the table of docs/mongodb-reference.md too")
	save := flag.String("save", "", "write the ratios into this `file`")
	compare := flag.String("compare", "", "fail if a ratio is twice more than 1.25 times that in this `file`")
	flag.Parse()
	folders, pattern := "...", "."
	if flag.NArg() > 0 {
		folders = flag.Arg(0)
	}
	if flag.NArg() > 1 {
		pattern = flag.Arg(1)
	}
	measure := func(pattern string, rounds int) ([]*result, error) {
		return run(strings.Split(folders, ","), pattern, rounds, *benchtime)
	}
	results, err := measure(pattern, *rounds)
	if err == nil {
		err = show(results, *rounds, *benchtime, *svg, *markdown)
	}
	if err == nil && *save != "" {
		err = os.WriteFile(*save, []byte(ratios(results)), 0o666)
	}
	if err == nil && *compare != "" {
		// A machine can be slower for minutes. More rounds find the moments in which it isn't.
		err = compareWith(os.Stdout, *compare, results, func(pattern string) ([]*result, error) { return measure(pattern, 2**rounds) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the benchmarks of folders whose names match pattern.
func run(folders []string, pattern string, rounds int, benchtime string) ([]*result, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	programs, err := build(folders, dir)
	if err != nil {
		return nil, err
	}
	var results []*result
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "\rround %d of %d ", round+1, rounds)
		for _, p := range programs {
			cmd := exec.Command(p.path, "-test.run=^$", "-test.bench="+pattern, "-test.benchmem", "-test.benchtime="+benchtime, "-test.count="+strconv.Itoa(inRow), "-test.timeout=1h")
			cmd.Dir = p.dir
			cmd.Env = append(cmd.Environ(), "GOGC=off", "GOMEMLIMIT=2GiB")
			out, err := output(cmd)
			if err != nil {
				return nil, err
			}
			results = collect(results, out)
		}
	}
	fmt.Fprint(os.Stderr, "\r                \r")
	if len(results) == 0 {
		return nil, fmt.Errorf("no benchmark in %s matches %s", strings.Join(folders, ","), pattern)
	}
	return results, nil
}

// show prints results as tables, and draws them into the file svg unless it is "".
func show(results []*result, rounds int, benchtime, svg string, markdown bool) error {
	machine := fmt.Sprintf("%s, %s/%s, %s, %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, processor(), time.Now().Format(time.DateOnly))
	command := fmt.Sprintf("go run ./internal/bench %s: the median of %d × %d runs of %s", strings.Join(os.Args[1:], " "), rounds, inRow, benchtime)
	fmt.Printf("%s\n%s\n", machine, command)
	if err := report(results); err != nil {
		return err
	}
	if markdown {
		fmt.Printf("\n%s", table(results))
	}
	if svg == "" {
		return nil
	}
	return os.WriteFile(svg, []byte(chart(results, command, machine)), 0o666)
}

// program runs the benchmarks of a package.
type program struct{ path, dir string }

// build builds the programs of folders into dir, once for all rounds.
func build(folders []string, dir string) ([]program, error) {
	list := exec.Command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}")
	for _, folder := range folders {
		list.Args = append(list.Args, "github.com/oidkit/oidkit/internal/bench/"+folder)
	}
	packages, err := output(list)
	if err != nil {
		return nil, err
	}
	var programs []program
	for i, line := range strings.Split(strings.TrimSpace(string(packages)), "\n") {
		name, folder, _ := strings.Cut(line, " ")
		p := program{filepath.Join(dir, strconv.Itoa(i)+".test"), folder}
		if _, err := output(exec.Command("go", "test", "-c", "-o", p.path, name)); err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// output returns what cmd prints. Its error has that too.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return out, nil
}

// line matches what go test -bench prints of a package, and of one benchmark.
var line = regexp.MustCompile(`(?m)^pkg: (.*)$|^Benchmark([^/\s]+)/(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// collect adds the measurements in out, the output of go test, to results.
func collect(results []*result, out []byte) []*result {
	var pkg string
	for _, m := range line.FindAllSubmatch(out, -1) {
		if len(m[1]) > 0 {
			pkg = string(m[1])
			continue
		}
		group, variant := string(m[2]), string(m[3])
		i := slices.IndexFunc(results, func(r *result) bool { return r.pkg == pkg && r.group == group && r.variant == variant })
		if i < 0 {
			i = len(results)
			results = append(results, &result{pkg, group, variant, map[string][]float64{}})
		}
		fields := bytes.Fields(m[4])
		for f := 0; f+1 < len(fields); f += 2 {
			value, err := strconv.ParseFloat(string(fields[f]), 64)
			if err == nil {
				unit := string(fields[f+1])
				results[i].runs[unit] = append(results[i].runs[unit], value)
			}
		}
	}
	return results
}

// report prints a table for each group.
func report(results []*result) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	var first *result // of the group
	for _, r := range results {
		if first == nil || first.pkg != r.pkg || first.group != r.group {
			first = r
			fmt.Fprintf(w, "\n%s\tns/op\tallocs\ttime / %s\t\n", r.group, r.variant)
		}
		fmt.Fprintf(w, "%s\t%.4g\t%.0f\t%.2f\t\n", r.variant, median(r.runs["ns/op"]), median(r.runs["allocs/op"]), relative(r, first))
	}
	return w.Flush()
}

// relative returns how often the time of base fits into that of r.
func relative(r, base *result) float64 {
	if len(base.runs["ns/op"]) == 0 {
		return 0
	}
	return median(r.runs["ns/op"]) / median(base.runs["ns/op"])
}

// median returns the median of values, or zero if there are none. The least time of one
// variant and the least of another may be from different minutes of a machine whose speed
// changes. Their medians aren't.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// processor names the processor and how many of it this process may use.
func processor() string {
	name := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if m := regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`).FindSubmatch(info); m != nil {
			name = string(m[1])
		}
	}
	return fmt.Sprintf("%d × %s", runtime.GOMAXPROCS(0), name)
}
