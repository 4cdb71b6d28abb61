package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

const floorsComment = `# The least part of each package's statements, in percent, that the tests run.
# go run ./internal/coverage fails below it, and -update raises it.
`

// parseFloors reads lines such as "oid 98.5". It returns tenths of a percent.
func parseFloors(text string) (map[string]int, error) {
	floor := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		pkg, number, _ := strings.Cut(line, " ")
		percent, err := strconv.ParseFloat(number, 64)
		if err != nil || percent < 0 || percent > 100 {
			return nil, fmt.Errorf("%q: want a package and a percentage", line)
		}
		floor[pkg] = int(percent*10 + 0.5)
	}
	return floor, nil
}

func formatFloors(floor map[string]int) string {
	var b strings.Builder
	b.WriteString(floorsComment)
	for _, pkg := range slices.Sorted(maps.Keys(floor)) {
		fmt.Fprintf(&b, "%s %.1f\n", pkg, float64(floor[pkg])/10)
	}
	return b.String()
}

// raise returns the floors with those of the measured packages raised to what is
// measured. None is lowered. A package that is gone loses its floor.
func raise(floor map[string]int, measured []total) map[string]int {
	raised := map[string]int{}
	for _, t := range measured {
		if t.statements > 0 {
			raised[t.pkg] = max(floor[t.pkg], t.tenths())
		}
	}
	return raised
}

// problems returns an error that names the packages below their floor. Without
// update it also names those that have none, and floors without a package.
func problems(measured []total, floor map[string]int, update bool) error {
	var list []string
	found := map[string]bool{}
	for _, t := range measured {
		found[t.pkg] = true
		lowest, ok := floor[t.pkg]
		switch {
		case t.statements == 0:
			if ok {
				list = append(list, t.pkg+": no test builds it")
			}
		case !ok && !update:
			list = append(list, t.pkg+": has no floor yet, run go run ./internal/coverage -update")
		case t.tenths() < lowest:
			list = append(list, fmt.Sprintf("%s: %.1f %% is below the floor of %.1f %%", t.pkg, t.percent(), float64(lowest)/10))
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(floor)) {
		if !found[pkg] && !update {
			list = append(list, pkg+": has a floor, but there is no such package")
		}
	}
	if len(list) > 0 {
		return fmt.Errorf("\n%s", strings.Join(list, "\n"))
	}
	return nil
}

func printTable(w io.Writer, measured []total, floor map[string]int) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "statements\tnot run\tcovered\tfloor\t package")
	for _, t := range measured {
		if t.statements == 0 {
			fmt.Fprintf(tw, "0\t0\t\t\t %s\n", t.pkg)
			continue
		}
		fmt.Fprintf(tw, "%d\t%d\t%.1f %%\t%.1f %%\t %s\n", t.statements, t.statements-t.ran, t.percent(), float64(floor[t.pkg])/10, t.pkg)
	}
	tw.Flush()
}
