package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A ratio that is above the saved one by more than slower is printed. More than muchSlower
// is an error. A busy machine makes the difference.
const slower, muchSlower = 1.1, 1.5

// ratios returns the ratios of results, one per line: oid New/oid.New 0.55.
func ratios(results []*result) string {
	var b strings.Builder
	b.WriteString("# go run ./internal/bench -save: time compared with the first of each group\n")
	for _, group := range grouped(results) {
		for _, r := range group[1:] {
			fmt.Fprintf(&b, "%s %.2f\n", name(r), relative(r, group[0]))
		}
	}
	return b.String()
}

func name(r *result) string { return path.Base(r.pkg) + " " + r.group + "/" + r.variant }

// compareWith writes to w which ratios are slower than those of a file. If one is much
// slower, or gone, it fails. It leaves out folders of which there are no results.
func compareWith(w io.Writer, file string, results []*result) error {
	saved, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	failed := 0
	for _, line := range strings.Split(strings.TrimSpace(string(saved)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		of, ratio := cutLast(line, " ")
		was, err := strconv.ParseFloat(ratio, 64)
		if err != nil {
			return fmt.Errorf("%s: %q is not a name and a ratio", file, line)
		}
		folder, _, _ := strings.Cut(of, " ")
		now, ok := ratioOf(results, of)
		switch {
		case !slices.ContainsFunc(results, func(r *result) bool { return path.Base(r.pkg) == folder }):
		case !ok:
			fmt.Fprintf(w, "%s is gone\n", of)
			failed++
		case now > was*slower+0.005: // saved ratios are rounded
			fmt.Fprintf(w, "%s takes %.2f, was %.2f\n", of, now, was)
			if now > was*muchSlower+0.005 {
				failed++
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d ratios are gone, or more than %v times those in %s", failed, muchSlower, file)
	}
	return nil
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
