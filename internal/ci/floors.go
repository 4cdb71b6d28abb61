package main

import (
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// notMeasured are the packages that users don't compile, and helpers of tests.
var notMeasured = regexp.MustCompile(`^(internal|examples)(/|$)|/internal/port$`)

// compareCoverage prints the part of each package's statements that ran, in percent, after
// the package's floor. It fails if a package is below its floor or has none, and if a floor
// has no package. A line of a profile is FILE:BLOCK STATEMENTS COUNT, and each process has
// one per block.
func compareCoverage(w io.Writer, floors, profile string) error {
	floor := map[string]float64{}
	err := fields(floors, func(f []string) (err error) {
		if len(f) != 2 {
			return fmt.Errorf("got %d fields, want a package and its percent", len(f))
		}
		floor[f[0]], err = strconv.ParseFloat(f[1], 64)
		return err
	})
	if err != nil {
		return err
	}
	size, ran := map[string]int{}, map[string]bool{}
	err = fields(profile, func(f []string) error {
		if f[0] == "mode:" {
			return nil
		}
		if len(f) != 3 {
			return fmt.Errorf("got %d fields, want 3", len(f))
		}
		n, err := strconv.Atoi(f[1])
		size[f[0]] = n
		ran[f[0]] = ran[f[0]] || f[2] != "0"
		return err
	})
	if err != nil {
		return err
	}
	all, covered := map[string]int{}, map[string]int{}
	for block, n := range size {
		file, _, _ := strings.Cut(block, ":")
		name := strings.TrimPrefix(path.Dir(file), home+"/")
		if notMeasured.MatchString(name) {
			continue
		}
		all[name] += n
		if ran[block] {
			covered[name] += n
		}
	}
	bad := false
	for _, name := range slices.Sorted(maps.Keys(all)) {
		percent := float64(1000*covered[name]/max(all[name], 1)) / 10
		least, has := floor[name]
		verdict := ""
		if !has || percent < least {
			verdict, bad = "  TOO LITTLE", true
		}
		fmt.Fprintf(w, "%-40s %5.1f, floor %5.1f%s\n", name, percent, least, verdict)
	}
	for _, name := range slices.Sorted(maps.Keys(floor)) {
		if _, has := all[name]; !has {
			fmt.Fprintf(w, "%s has a floor, and no test builds it\n", name)
			bad = true
		}
	}
	if bad {
		return errSaid
	}
	return nil
}
