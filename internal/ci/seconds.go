package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// compareSeconds prints the processor seconds that the tests of each package took, with those
// of the servers and programs that they started, and warns where they are above the budget.
// Machines differ, so that isn't a failure. It leaves packages out that have no budget and
// took less than five seconds. A line of the file seconds, from .ci/cputime, is a folder and
// two numbers. It must run in the root folder of the repository.
func compareSeconds(w io.Writer, budgets, seconds string) error {
	budget, used := map[string]float64{}, map[string]float64{}
	err := fields(budgets, func(f []string) (err error) {
		if len(f) != 2 {
			return fmt.Errorf("got %d fields, want a package and its seconds", len(f))
		}
		budget[f[0]], err = strconv.ParseFloat(f[1], 64)
		return err
	})
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	err = fields(seconds, func(f []string) error {
		if len(f) != 3 {
			return fmt.Errorf("got %d fields, want a folder and two numbers", len(f))
		}
		name, err := filepath.Rel(root, f[0])
		if err != nil {
			return err
		}
		for _, text := range f[1:] {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			used[name] += n
			used["all"] += n
		}
		return nil
	})
	if err != nil {
		return err
	}
	var names []string
	for name := range used {
		if _, has := budget[name]; has || used[name] >= 5 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b)) })
	for _, name := range names {
		warning := ""
		if used[name] > budget[name] {
			warning = "  WARNING: MORE THAN ITS BUDGET"
		}
		fmt.Fprintf(w, "%6.0f processor seconds, budget %4.0f: %s%s\n", used[name], budget[name], name, warning)
	}
	return nil
}
