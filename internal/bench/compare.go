package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A ratio that is more than slower times the saved one is measured again, because a busy
// machine may have made the difference. If it is above again, it is an error.
const slower = 1.25

// ours matches the variants that use this project. How the peers compare with each other
// changes with their versions and with the machine, and is no promise of ours.
var ours = regexp.MustCompile(`^(oid|for-|gormplugin$|WithModels$|public|Sealed|Prefixed$|NextIn$|sqltype|pgsequence|sqlsequence)`)

// ratios returns the ratios of our results, one per line: oid New/oid.New 0.55.
func ratios(results []*result) string {
	var b strings.Builder
	b.WriteString("# go run ./internal/bench -save: time compared with the first of each group\n")
	for _, group := range grouped(results) {
		for _, r := range group[1:] {
			if ours.MatchString(r.variant) {
				fmt.Fprintf(&b, "%s %.2f\n", name(r), relative(r, group[0]))
			}
		}
	}
	return b.String()
}

func name(r *result) string { return path.Base(r.pkg) + " " + r.group + "/" + r.variant }

// compareWith compares results with the ratios in a file. Groups that are slower, or gone, it
// measures once more, by again, which gets a pattern of their names. If a ratio is slower
// again, it fails. It leaves out folders of which there are no results.
func compareWith(w io.Writer, file string, results []*result, again func(pattern string) ([]*result, error)) error {
	saved, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if unsaved := unsaved(string(saved), results); unsaved != nil {
		return fmt.Errorf("%s has no ratio of %s: save the ratios with -save", file, strings.Join(unsaved, ", "))
	}
	groups, err := slowerGroups(w, string(saved), nil, results)
	if err != nil || len(groups) == 0 {
		return err
	}
	fmt.Fprintf(w, "Once more: %s\n", strings.Join(groups, ", "))
	if results, err = again("^Benchmark(" + strings.Join(groups, "|") + ")$"); err != nil {
		return err
	}
	if groups, err = slowerGroups(w, string(saved), groups, results); err == nil && len(groups) > 0 {
		err = fmt.Errorf("ratios of %s are gone, or twice above %v times those in %s", strings.Join(groups, ", "), slower, file)
	}
	return err
}

// unsaved returns the names of our results that no line has. Nobody would notice if they became
// slower.
func unsaved(saved string, results []*result) (names []string) {
	for line := range strings.Lines(ratios(results)) {
		if of, _ := cutLast(line, " "); !strings.HasPrefix(line, "#") && !strings.Contains("\n"+saved, "\n"+of+" ") {
			names = append(names, of)
		}
	}
	return names
}

// slowerGroups writes to w which results are slower than the saved ratios, or gone, and
// returns the names of their groups. It looks only at some groups, or at all if only is nil.
func slowerGroups(w io.Writer, saved string, only []string, results []*result) (groups []string, err error) {
	for line := range strings.Lines(saved) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		of, ratio := cutLast(line, " ")
		was, err := strconv.ParseFloat(ratio, 64)
		folder, rest, ok := strings.Cut(of, " ")
		group, _, isGroup := strings.Cut(rest, "/")
		if err != nil || !ok || !isGroup {
			return nil, fmt.Errorf("%q is not a folder, a group with its variant, and a ratio", line)
		}
		measured := slices.ContainsFunc(results, func(r *result) bool { return path.Base(r.pkg) == folder })
		if !measured || only != nil && !slices.Contains(only, group) {
			continue
		}
		now, ok := ratioOf(results, of)
		switch {
		case !ok:
			fmt.Fprintf(w, "%s is gone\n", of)
		case now > was*slower+0.005: // saved ratios are rounded
			fmt.Fprintf(w, "%s takes %.2f, was %.2f\n", of, now, was)
		default:
			continue
		}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return groups, nil
}

// cutLast cuts s around the last instance of sep.
func cutLast(s, sep string) (before, after string) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s
	}
	return s[:i], s[i+len(sep):]
}

// ratioOf returns the ratio of the result with a name.
func ratioOf(results []*result, of string) (ratio float64, ok bool) {
	for _, group := range grouped(results) {
		for _, r := range group[1:] {
			if name(r) == of {
				return relative(r, group[0]), true
			}
		}
	}
	return 0, false
}
